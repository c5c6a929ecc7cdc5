"""The page tool: one address in, the page as Markdown out, word for word as the corpus has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldgen.records import Page
from worldgen.search import SearchEngine, canonical_url
from worldgen.search.engine import is_passing
from worldgen.search.shown import show_document
from worldgen.tools.tool import MalformedCall, echo, only, read_spec, text


class WebExtractor:
    """Opens pages and remembers them: opened again, a page is what it was.

    Args:
        engine: Whose pages to open.

    Attributes:
        opened: Addresses tried so far, repeated and unreachable ones included.
    """

    name = "web_extractor"

    def __init__(self, engine: SearchEngine) -> None:
        self._engine = engine
        self._known: dict[str, Page | None] = {}
        self.opened = 0

    def spec(self) -> dict[str, Any]:
        """See `Tool.spec`."""
        return read_spec(self.name)

    def open(self, url: str) -> Page | None:
        """The page at an address, or None where there is none."""
        self.opened += 1
        address = canonical_url(url)
        if address is None:
            return None
        if address not in self._known:
            page = self._engine.open(address)
            if is_passing(self._engine):
                return page
            self._known[address] = page
        return self._known[address]

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        url = read_url(arguments)
        page = self.open(url)
        # One wording for every address without a page: it must not tell which ones come close.
        return f"Error: {echo(url)} could not be reached." if page is None else show_document(page)


def read_url(arguments: Mapping[str, Any]) -> str:
    """The address of a call.

    Raises:
        MalformedCall: There is none, or it is no string or empty.
    """
    only(arguments, "url")
    url = text(arguments, "url")
    if not url.strip():
        raise MalformedCall("argument 'url' is empty", expected="the address of one page")
    return url
