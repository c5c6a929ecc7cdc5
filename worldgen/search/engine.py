"""What a search engine is to the rest of worldgen; its makers are siblings of this file."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from worldgen.records import Hit, Page, Written

Withholding = Literal["none", "light", "strict"]
"""How much a result page holds back: nothing, all but one fact an entry, all but `STRICT_CAP` facts a page."""

STRICT_CAP = 3
"""Facts that a whole result page may state under strict withholding."""


class SearchEngine(Protocol):
    """Answers any string; the same string is always answered alike."""

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[Hit]:
        """The best hits, best first.

        Args:
            query: Any string; one without a searchable word has no hits.
            k: Hits wanted at most.
            withholding: How many facts the snippets may state.
        """

    def open(self, url: str) -> Page | None:
        """The page at that address, or None."""


@runtime_checkable
class Simulated(SearchEngine, Protocol):
    """A search engine whose answers a model writes, for one session."""

    def look(self, url: str) -> Page | None:
        """The page without having it written, for what needs to know of it and shows nothing."""

    def taken(self) -> tuple[Written, ...]:
        """How the answers since the last time came about; asking forgets them."""
