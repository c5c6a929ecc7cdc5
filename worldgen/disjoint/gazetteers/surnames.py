"""Family and given names of the United States' census."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, folder_of, gazetteers

_FILES = ("dist.all.last", "dist.female.first", "dist.male.first")


@gazetteers.register("surnames")
class Surnames(Gazetteer):
    """The census files that the package names ships."""

    name = "surnames"
    package = "names"
    holds: ClassVar[tuple[NameKind, ...]] = ("person",)

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """Family names first; a line is a name and its frequency."""
        for file in _FILES:
            for line in (folder_of("names") / file).read_text("utf-8").splitlines():
                if line.strip():
                    yield "person", line.split()[0]
