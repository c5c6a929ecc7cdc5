"""What a search engine is to the rest of worldgen; its makers are siblings of this file."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from worldgen.errors import ServiceError
from worldgen.records import Hit, Page, Written

Withholding = Literal["none", "light", "strict"]
"""How much a result page holds back: nothing, all but one fact an entry, all but `STRICT_CAP` facts a page."""

WITHHOLDINGS: dict[str, Withholding] = {"none": "none", "light": "light", "strict": "strict"}
"""What a caller may say → the same, typed."""

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


class Faulted(ServiceError):
    """A search engine says that it fails for the moment; code ``search.fault``, its words are for the agent."""

    def __init__(self, words: str) -> None:
        super().__init__("search.fault", words)

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling."""
        return (Faulted, (self.message,))


@runtime_checkable
class Passing(Protocol):
    """A search engine whose answers may hold for one call alone, so that the same call brings something else later."""

    @property
    def passing(self) -> bool:
        """Whether the last answer holds for one call alone."""


def is_passing(engine: SearchEngine) -> bool:
    """Whether an engine's last answer holds for that call alone."""
    return isinstance(engine, Passing) and engine.passing


@runtime_checkable
class Simulated(SearchEngine, Protocol):
    """A search engine whose answers a model writes, for one session."""

    def look(self, url: str) -> Page | None:
        """The page without having it written, for what needs to know of it and shows nothing."""

    def taken(self) -> tuple[Written, ...]:
        """How the answers since the last time came about; asking forgets them."""
