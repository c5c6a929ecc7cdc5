"""The search tool: up to five queries a call, ten results each, in the format search world models are trained on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from worldgen.records import Hit
from worldgen.search import SearchEngine, Withholding
from worldgen.tools.tool import MalformedCall, echo, kind_of, only, read_spec

MAX_QUERIES = 5
RESULTS = 10
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)


class WebSearch:
    """Searches an engine and remembers what it found: asked again, a query has the same hits.

    Args:
        engine: Where to search.
        withholding: How many facts a result page may state.
        results: Hits a query brings at most.

    Attributes:
        asked: Queries so far, repeated ones included.
    """

    name = "web_search"

    def __init__(self, engine: SearchEngine, *, withholding: Withholding = "strict", results: int = RESULTS) -> None:
        self._engine = engine
        self._withholding = withholding
        self._results = results
        self._found: dict[str, tuple[Hit, ...]] = {}
        self.asked = 0

    def spec(self) -> dict[str, Any]:
        """See `Tool.spec`."""
        return read_spec(self.name)

    def search(self, query: str) -> list[Hit]:
        """The hits of one query."""
        self.asked += 1
        if query not in self._found:
            self._found[query] = tuple(self._engine.search(query, self._results, withholding=self._withholding))
        return list(self._found[query])

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`."""
        queries = read_queries(arguments)
        return show_results(queries, [self.search(query) for query in queries])


def read_queries(arguments: Mapping[str, Any]) -> list[str]:
    """The queries of a call; a string where a list is usual, or the reverse, is understood.

    Raises:
        MalformedCall: There is none, there are too many, or one is no string.
    """
    only(arguments, "query", "queries")
    given = [arguments[name] for name in ("query", "queries") if arguments.get(name) is not None]
    if len(given) != 1:
        raise MalformedCall("give either 'query' or 'queries'", got="both" if given else "neither")
    queries = [given[0]] if isinstance(given[0], str) else given[0]
    if not isinstance(queries, (list, tuple)):
        raise MalformedCall("queries have the wrong type", expected="an array of strings", got=kind_of(queries))
    odd = [query for query in queries if not isinstance(query, str)]
    if odd:
        raise MalformedCall("a query has the wrong type", expected="a string", got=kind_of(odd[0]))
    if not 1 <= len(queries) <= MAX_QUERIES:
        raise MalformedCall("wrong number of queries", expected=f"1 to {MAX_QUERIES}", got=str(len(queries)))
    return list(queries)


def show_results(
    queries: Sequence[str], found: Sequence[Sequence[Hit]], *, first: int = 1, headings: bool | None = None
) -> str:
    """The result pages of a call as the agent reads them; headings name the queries, by default where there are more.

    ``first`` is the number of each query's first result.
    """
    headed = len(queries) > 1 if headings is None else headings
    pages = []
    for query, hits in zip(queries, found, strict=True):
        page = f'No results found for "{echo(query)}". Try other or fewer words.'
        if hits:
            page = show_page(hits, first=first)
        pages.append(f"Results for: {echo(query)}\n\n{page}" if headed else page)
    return "\n\n".join(pages)


def show_page(hits: Sequence[Hit], *, first: int = 1) -> str:
    """One result page, its results numbered from ``first``.

    >>> print(show_page([Hit("https://a.example/p", "A page", "Some words ...", "2029-06-18")]))
    [1] https://a.example/p
    Title: A page
    Snippet: Some words ...
    Date: Jun 18, 2029
    """
    return "\n\n".join(
        f"[{rank}] {hit.url}\nTitle: {hit.title}\nSnippet: {hit.snippet}\nDate: {display_date(hit.date)}"
        for rank, hit in enumerate(hits, first)
    )


@lru_cache(maxsize=4_096)
def display_date(iso: str) -> str:
    """A date as result pages show it.

    >>> display_date("2029-06-08"), display_date("2029-06"), display_date("")
    ('Jun 8, 2029', 'Jun 2029', 'N/A')
    """
    match = _ISO.fullmatch(iso)
    if match is None:
        return "N/A"
    year, month, day = match.groups()
    if month is None or not 1 <= int(month) <= 12:
        return year
    name = _MONTHS[int(month) - 1]
    return f"{name} {year}" if day is None else f"{name} {int(day)}, {year}"
