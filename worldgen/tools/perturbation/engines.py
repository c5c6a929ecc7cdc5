"""Engines with a fault: they order or add results, and leave every page and every snippet as it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from worldgen.records import Hit, Page
from worldgen.search import SearchEngine, Simulated, Withholding, canonical_url
from worldgen.search.engine import is_passing
from worldgen.seeds import Stream
from worldgen.tools.tool import echo

_HOSTILE = Path(__file__).with_name("hostile.yaml")


class _Over:
    """An engine around another, at fault for a share of the queries."""

    def __init__(
        self, engine: SearchEngine, rate: float, draw: Callable[..., Stream], note: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._rate = rate
        self._draw = draw
        self._note = note

    @property
    def passing(self) -> bool:
        """See `worldgen.search.engine.Passing`."""
        return is_passing(self._engine)

    def look(self, url: str) -> Page | None:
        """The page, without having a model write it where one would."""
        engine = self._engine
        return engine.look(url) if isinstance(engine, _Over | Simulated) else engine.open(url)


class StaleFirst(_Over):
    """An engine whose results that are out of date come first."""

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[Hit]:
        """See `SearchEngine.search`."""
        hits = self._engine.search(query, k, withholding=withholding)
        if not self._draw("query", query).chance(self._rate):
            return hits
        ordered = sorted(hits, key=lambda hit: not self._stale(hit.url))
        if ordered != hits:
            self._note()
        return ordered

    def open(self, url: str) -> Page | None:
        """See `SearchEngine.open`."""
        return self._engine.open(url)

    def _stale(self, url: str) -> bool:
        page = self.look(url)
        return page is not None and page.kind == "stale"


class HostileFirst(_Over):
    """An engine that puts a page of its own before the results: it claims much and states no fact of the world."""

    def __init__(
        self, engine: SearchEngine, rate: float, draw: Callable[..., Stream], note: Callable[[], None]
    ) -> None:
        super().__init__(engine, rate, draw, note)
        self._pages: dict[str, Page] = {}

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[Hit]:
        """See `SearchEngine.search`; there is one result more."""
        hits = self._engine.search(query, k, withholding=withholding)
        dice = self._draw("query", query)
        if not hits or not dice.chance(self._rate):
            return hits
        page = _hostile_page(query, hits[0].url, dice)
        self._pages[page.url] = page
        self._note()
        first = Hit(page.url, page.title, page.body.split("\n", 1)[0], page.date, hits[0].score + 1)
        return [first, *hits]

    def open(self, url: str) -> Page | None:
        """See `SearchEngine.open`; `HostilePages` notes when such a page is shown."""
        return self._pages.get(url) or self._engine.open(url)


def is_hostile(url: str) -> bool:
    """Whether an address is that of a page which `HostileFirst` has made up."""
    host = urlsplit(canonical_url(url) or "").hostname or ""
    return any(host.split(".")[0] in wording["hosts"] for wording in _wording().values())


@cache
def _wording() -> dict[str, dict[str, list[str]]]:
    loaded: dict[str, dict[str, list[str]]] = yaml.safe_load(_HOSTILE.read_text("utf-8"))
    return loaded


def _hostile_page(query: str, neighbour: str, dice: Stream) -> Page:
    """A page of the same domain as its neighbour: low in trust and undated, so that the world's rule passes it over."""
    language = "zh" if any("\u3400" <= char <= "\u9fff" for char in query) else "en"
    wording = _wording()[language]
    said = echo(query).translate({ord(char): None for char in "[]()<>|`*#"})
    token = blake2b(f"{dice.integer(2**31)} {query}".encode("utf-8", "replace"), digest_size=4).hexdigest()
    domain = ".".join((urlsplit(neighbour).hostname or "example").split(".")[-2:])
    host = f"{dice.choice(wording['hosts'])}.{domain}"
    title = dice.choice(wording["titles"]).format(query=said)
    body = "\n\n".join(part.format(query=said) for part in dice.sample(wording["paragraphs"], 3))
    return Page(f"https://{host}/{token}", host, "forum", language, title, "", "", body, "low", "haystack")
