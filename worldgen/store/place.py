"""The place of a world on disk: who stands there, a folder to build in, and the move from one to the other.

A world is built in a locked folder beside its place and renamed when it is whole. A folder that nobody holds the lock
of is what a killed build has left, and is swept away by the next one.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from worldgen.errors import CallerError, ServiceError, WorldFormatError
from worldgen.store.manifest import Manifest, read_manifest


def standing(place: Path, key: str, *, force: bool) -> Manifest | None:
    """The manifest of the same build where it stands; None where there is nothing in the way."""
    if not place.exists() and not place.is_symlink():
        return None
    if not place.is_dir():
        raise CallerError(
            "build.place-taken",
            "something that is no folder stands there",
            path=place,
            fix="move it away, or choose another folder with --out",
        )
    try:
        manifest = read_manifest(place)
    except WorldFormatError as error:
        if force and (not any(place.iterdir()) or (place / "world.db").exists()):
            return None
        raise CallerError(
            "build.place-taken",
            f"something that is no readable world stands there: {error.message}",
            path=place,
            fix="move it away, or choose another folder with --out",
        ) from error
    if force:
        return None
    if manifest.build_key != key:
        raise CallerError(
            "build.other-world",
            "another build stands there (its schema, languages, haystack or format differ)",
            path=place,
            fix="--force replaces it, --out builds elsewhere",
        )
    return manifest


@contextmanager
def staging(place: Path) -> Iterator[Path]:
    """A folder beside the place; whatever is left in it at the end is removed."""
    place.parent.mkdir(parents=True, exist_ok=True)
    sweep(place.parent, place.name)
    folder: Path | None = None
    held: int | None = None
    try:
        # Inside, so that a Ctrl-C just after the folder is made still finds it.
        folder = Path(mkdtemp(prefix=f".{place.name}.partial-", dir=place.parent))
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        folder.chmod(0o777 & ~_umask())
        yield folder
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)


def sweep(parent: Path, name: str = "*") -> None:
    """Remove what killed builds have left: folders whose lock nobody holds."""
    for left in parent.glob(f".{name}.partial-*"):
        try:
            held = os.open(left, os.O_RDONLY)
        except OSError:
            continue  # gone, or not ours to open
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left, ignore_errors=True)
        except BlockingIOError:
            pass  # a build is at work in it
        finally:
            os.close(held)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def put(folder: Path, place: Path, *, key: str, force: bool) -> None:
    """Rename the finished folder into its place; a world that stood there goes only once the new one is in.

    Where the same build was finished by somebody else meanwhile, theirs stays.
    """
    if place.exists() and standing(place, key, force=force) is not None:
        return
    old = folder.with_name(f"{folder.name}.old")
    if place.exists():
        place.rename(old)
    folder.rename(place)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Turn what the disk refuses into `ServiceError`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        # A database in the making has no journal: where a write fails, later ones find it malformed.
        raise ServiceError(
            "build.cannot-write",
            f"the database could not be written: {error}",
            path=place,
            fix="free space, or choose another folder with --out",
        ) from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise ServiceError(
            "build.disk-full" if full else "build.cannot-write",
            "the disk is full" if full else f"the world could not be written: {error.strerror or error}",
            path=error.filename or place,
            fix="free space" if full else "choose another folder with --out",
        ) from error
