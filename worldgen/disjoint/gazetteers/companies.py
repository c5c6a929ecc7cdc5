"""Companies whose shares are in a stock index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, gazetteers


@gazetteers.register("companies")
class Companies(Gazetteer):
    """The members of stock indices that pytickersymbols ships."""

    name = "companies"
    package = "pytickersymbols"
    holds: ClassVar[tuple[NameKind, ...]] = ("organisation",)

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """Index by index."""
        from pytickersymbols.indices_data import INDICES

        for index in INDICES.values():
            for company in index["companies"]:
                yield "organisation", company["name"]
