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
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from worldgen.errors import CallerError, ServiceError, WorldFormatError
from worldgen.store.manifest import Manifest, read_manifest

_REPLACED = ".replaced"


def standing(place: Path, key: str, *, force: bool) -> Manifest | None:
    """The manifest of the same build where it stands; None where there is nothing in the way."""
    _settle(place)
    if not place.exists() and not place.is_symlink():
        return None
    if place.is_symlink() or not place.is_dir():
        raise CallerError(
            "build.place-taken",
            "a link stands there" if place.is_symlink() else "something that is no folder stands there",
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
    with home(place.parent):
        sweep(place.parent, place.name)
        with _locked(place, place.with_name(f".{place.name}.partial-{token_hex(4)}")) as folder:
            yield folder


@contextmanager
def home(folder: Path) -> Iterator[None]:
    """Make the folder of worlds; what of its path was made here and is empty at the end goes again."""
    made = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for each in made:
            with suppress(OSError):  # there is something in it, or it was never made
                each.rmdir()


@contextmanager
def _locked(place: Path, folder: Path) -> Iterator[Path]:
    held: int | None = None
    try:
        # Inside, so that a Ctrl-C just after the folder is made still finds it; with its parents, as another build
        # that ends without a world may have taken them along.
        folder.mkdir(parents=True)
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        yield folder
    finally:
        try:
            _clear(place, folder)
        except KeyboardInterrupt:
            _clear(place, folder)
            raise
        finally:
            if held is not None:
                os.close(held)


def _clear(place: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _settle(place)


def sweep(parent: Path, name: str = "*") -> None:
    """Remove what killed builds have left: folders whose lock nobody holds; and finish the moves they were at."""
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
    for old in parent.glob(f".{name}{_REPLACED}"):
        _settle(parent / old.name.removeprefix(".").removesuffix(_REPLACED))


def _old(place: Path) -> Path:
    return place.with_name(f".{place.name}{_REPLACED}")


def _settle(place: Path) -> None:
    """The world that was to be replaced goes where the new one is in, and comes back where it is not."""
    old = _old(place)
    if not old.exists():
        return
    if place.exists():
        shutil.rmtree(old, ignore_errors=True)
    else:
        old.rename(place)


def put(folder: Path, place: Path, *, key: str, force: bool) -> None:
    """Rename the finished folder into its place; a world that stood there goes only once the new one is in.

    Where the same build was finished by somebody else meanwhile, theirs stays.
    """
    if place.exists() and standing(place, key, force=force) is not None:
        return
    move(folder, place)


def move(folder: Path, place: Path) -> None:
    """Rename a finished folder into its place; what stood there goes only once the new one is in."""
    if place.exists():
        place.rename(_old(place))
    try:
        folder.rename(place)
    finally:
        _settle(place)


def _is_full(error: sqlite3.DatabaseError) -> bool:
    found = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_FULL) & 0xFF
    return found in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@contextmanager
def disk_errors(place: Path) -> Iterator[None]:
    """Turn what the disk refuses into `ServiceError`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        # A database in the making has no journal: where a write fails, later ones find it malformed.
        raise ServiceError(
            "build.cannot-write",
            "the database could not be written"
            + (": the disk is full or bounds the size of files" if _is_full(error) else ""),
            path=place,
            got=str(error),
            fix="free space, or choose another folder with --out",
        ) from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise ServiceError(
            "build.disk-full" if full else "build.cannot-write",
            "the disk is full" if full else f"the folder could not be written: {error.strerror or error}",
            path=error.filename or place,
            fix="free space" if full else "choose another folder with --out",
        ) from error
