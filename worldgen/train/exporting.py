"""Exports: what trainers take from worlds, each a folder with a card and a manifest, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from worldgen.errors import CallerError, expect, expect_path
from worldgen.registry import Registry
from worldgen.store import Manifest, read_manifest
from worldgen.store.manifest import MANIFEST, file_digest, write_json
from worldgen.store.place import disk_errors, move, staging
from worldgen.version import __version__

_KIND = "export"
DATABASE = "world.db"


@dataclass(frozen=True, slots=True)
class Options:
    """How an export is made.

    Attributes:
        episodes: Episodes of each world.
        seed: Decides all draws.
    """

    episodes: int = 27
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("episodes", 1), ("seed", 0)):
            value = getattr(self, name)
            expect(value, int, name)
            if value < least or value >= 2**63:
                expected = f"a whole number from {least}"
                raise CallerError(f"export.{name}", f"{name} is out of range", expected=expected, got=repr(value))


@dataclass(frozen=True, slots=True)
class Source:
    """A world to export: its folder and its manifest."""

    path: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        """Schema and seed, and what tells a world that was made from a ledger from the one that was built."""
        adopted = f"-adopted-{self.manifest.build_key[:8]}" if self.manifest.adopted else ""
        return f"{self.manifest.world}-{self.manifest.seed}{adopted}"

    def told(self) -> dict[str, Any]:
        """What the manifest of an export tells of it."""
        told = {"world": self.manifest.world, "seed": self.manifest.seed, "digest": self.manifest.digest}
        return {**told, "adopted": self.manifest.adopted} if self.manifest.adopted else told


class Export(Protocol):
    """Writes one format."""

    def __call__(
        self, sources: Sequence[Source], folder: Path, options: Options, report: Callable[[str], None]
    ) -> Mapping[str, Any]:
        """Write files and a card, ``README.md``, into an empty folder.

        Args:
            sources: The worlds, in an order that does not depend on how they were named.
            folder: Where to write; the manifest comes later.
            options: How.
            report: Called with the name of each world as it begins.

        Returns:
            Counts for the manifest, plain JSON.
        """


EXPORTS: Registry[Export] = Registry("export")


def export(
    worlds: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    to: str,
    options: Options | None = None,
    force: bool = False,
    report: Callable[[str], None] = lambda world: None,
) -> dict[str, Any]:
    """Export worlds; the same worlds and options give the same bytes.

    Args:
        worlds: Folders of built worlds.
        out: The folder to make.
        to: The format, a name in `EXPORTS`.
        options: How.
        force: Replace an export that stands there.
        report: Called with the name of each world as it begins.

    Returns:
        The manifest of the export.

    Raises:
        CallerError: No such format, no such world, a world given twice, something else at ``out``.
        ServiceError: The disk did not take it.
    """
    write = EXPORTS.get(to)
    chosen = options or Options()
    expect_path(out, "out")
    place = Path(os.path.abspath(out))
    sources = _sources(worlds)
    _refuse_taken(place, force=force)
    with disk_errors(place), staging(place) as folder:
        counts = write(sources, folder, chosen, report)
        made = {
            "kind": _KIND,
            "to": to,
            "worldgen": __version__,
            "options": asdict(chosen),
            "worlds": [source.told() for source in sources],
            "counts": dict(counts),
            "files": _digests(folder),
        }
        write_json(folder / MANIFEST, made)
        _refuse_taken(place, force=force)
        move(folder, place)
    return made


def _sources(worlds: Sequence[str | os.PathLike[str]]) -> list[Source]:
    if not worlds:
        raise CallerError("export.no-world", "there is no world to export", expected="one folder or more")
    found: dict[str, Source] = {}
    for path in worlds:
        expect_path(path, "world")
        source = Source(Path(path), read_manifest(Path(path)))
        if source.manifest.digest in found:
            raise CallerError(
                "export.twice",
                "the same world is given twice, which would stand in several splits",
                path=path,
                expected="each world once",
                fix="leave one of the two out",
                got=f"also {found[source.manifest.digest].path}",
            )
        found[source.manifest.digest] = source
    return sorted(found.values(), key=lambda s: (s.manifest.world, s.manifest.seed, s.manifest.digest))


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): file_digest(path) for path in files}


def _refuse_taken(place: Path, *, force: bool) -> None:
    """Refuse a place within a world, or where something stands, other than an export alone that may be replaced."""
    for above in Path(os.path.realpath(place)).parents:
        if (above / DATABASE).exists() and (above / MANIFEST).exists():
            raise _taken(f"the place is within the world {above}", place)
    if not os.path.lexists(place):
        return
    if not force:
        raise _taken("something stands there", place, ", or replace an export with --force")
    if not place.is_dir() or place.is_symlink():
        raise _taken("something that is no export stands there", place)
    written, there = _written(place), _files(place)
    if written is None and there:
        raise _taken("something that is no export stands there", place)
    foreign = sorted(there - (written or set()))
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise _taken(
            f"the export has files beside it that it did not write: {foreign[0]}{more}", place, ", or move them"
        )


def _taken(message: str, place: Path, more: str = "") -> CallerError:
    return CallerError("export.place-taken", message, path=place, fix=f"choose another folder with --out{more}")


def _files(place: Path) -> set[str]:
    """All that stands in a folder but folders that something stands in."""
    return {
        path.relative_to(place).as_posix()
        for path in place.rglob("*")
        if path.is_symlink() or not path.is_dir() or not any(path.iterdir())
    }


def _written(place: Path) -> set[str] | None:
    """The files that the export there wrote; None where there is none."""
    with suppress(OSError, ValueError):
        made = json.loads((place / MANIFEST).read_text("utf-8"))
        if isinstance(made, dict) and made.get("kind") == _KIND and isinstance(made.get("files"), dict):
            return {MANIFEST, *made["files"]}
    return None
