"""Airports and landing strips, and the towns they serve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, gazetteers


@gazetteers.register("airports")
class Airports(Gazetteer):
    """The airports that airportsdata ships."""

    name = "airports"
    package = "airportsdata"
    holds: ClassVar[tuple[NameKind, ...]] = ("place",)

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """The airport's name, its city, its region."""
        import airportsdata

        for airport in airportsdata.load().values():
            for field in ("name", "city", "subd"):
                if airport[field]:
                    yield "place", airport[field]
