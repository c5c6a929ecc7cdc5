"""Countries of today and before, their parts, languages and currencies, in English and Chinese."""

from __future__ import annotations

import gettext
from collections.abc import Iterator
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, gazetteers

# pycountry's lists, the names of their translations, and what they hold.
_LISTS: tuple[tuple[str, str, NameKind], ...] = (
    ("countries", "iso3166-1", "place"),
    ("historic_countries", "iso3166-3", "place"),
    ("subdivisions", "iso3166-2", "place"),
    ("languages", "iso639-3", "word"),
    ("currencies", "iso4217", "word"),
)
_FIELDS = ("name", "official_name", "common_name")


@gazetteers.register("countries")
class Countries(Gazetteer):
    """The ISO lists that pycountry ships."""

    name = "countries"
    package = "pycountry"
    holds: ClassVar[tuple[NameKind, ...]] = ("place", "word")

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """List by list, each name in English and then in Chinese where it is translated."""
        import pycountry

        for listed, domain, kind in _LISTS:
            chinese = gettext.translation(domain, pycountry.LOCALES_DIR, languages=["zh_CN"], fallback=True)
            for entry in getattr(pycountry, listed):
                for field in _FIELDS:
                    said = getattr(entry, field, None)
                    if said:
                        yield kind, said
                        yield kind, chinese.gettext(said)
