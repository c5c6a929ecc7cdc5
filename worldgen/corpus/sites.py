"""Where pages live: hosts under ``.example``, the sites that may publish a genre about a table, addresses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from worldgen.facts.tables import Facts
from worldgen.schema.model import Site
from worldgen.seeds import key_of

# Letters and digits that are not taken for one another.
TOKEN_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
TOKEN_LENGTH = 6
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
TRUST_RANK = {"low": 0, "medium": 1, "high": 2}
"""Classes of sites in the order of the world's conflict rule."""


def slug(text: str) -> str:
    """The text as a part of an address: ASCII, lower case, hyphens.

    >>> slug("Dorvik & Såhl (Ölm)")
    'dorvik-sahl-olm'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return _NOT_SLUG.sub("-", text.lower()).strip("-")


def site_host(facts: Facts, site: Site) -> str:
    """The host name of a site of this world: its own label, the coined setting, ``example``."""
    return f"{site.host}.{slug(facts.scope.en) or 'world'}.example"


def site_name(facts: Facts, site: Site, language: str) -> str:
    """The site's name in a language, the setting filled in."""
    text = site.name.get(language) or next(iter(site.name.values()))  # type: ignore[call-overload]
    return str(text).replace("{scope}", facts.scope.say(language))


class Directory:
    """Finds the sites of a world and hands out addresses that nobody else has.

    Args:
        facts: The world.
        language: Language of the pages.
    """

    def __init__(self, facts: Facts, language: str) -> None:
        self.facts = facts
        self.language = language
        self.sites = facts.schema.sites
        self.hosts = [site_host(facts, site) for site in self.sites]
        self.names = [site_name(facts, site, language) for site in self.sites]
        self._taken: set[str] = set()
        self._publishing: dict[tuple[str, ...], list[int]] = {}

    def publishing(self, genre: str, tables: Iterable[str]) -> list[int]:
        """Sites that publish the genre in this language about all of the tables."""
        wanted = tuple(tables)
        found = self._publishing.get((genre, *wanted))
        if found is None:
            found = self._publishing[genre, *wanted] = self._publishers(genre, wanted)
        return found

    def _publishers(self, genre: str, wanted: tuple[str, ...]) -> list[int]:
        return [
            i
            for i, site in enumerate(self.sites)
            if genre in site.genres
            and self.language in site.languages
            and (site.about is None or all(table in site.about for table in wanted))
        ]

    def address(self, site: int, path: str, name: str) -> str:
        """A new address on a site: it ends in a token of the world's, so that nobody opens pages by guessing."""
        prefix = "" if self.language == "en" else f"{self.language}/"
        base = f"https://{self.hosts[site]}/{prefix}{path}/{slug(name)[:80].strip('-') or 'page'}"
        number = 0
        while (url := f"{base}-{self._token(base, number)}") in self._taken:
            number += 1
        self._taken.add(url)
        return url

    def _token(self, base: str, number: int) -> str:
        key = key_of(self.facts.seed, "address", base, number)
        return "".join(TOKEN_LETTERS[key >> 5 * place & 31] for place in range(TOKEN_LENGTH))
