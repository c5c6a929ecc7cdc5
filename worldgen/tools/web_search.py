"""The search tool: up to five queries a call, ten results each, in the format search world models are trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldgen.records import Hit
from worldgen.search import SearchEngine, Withholding
from worldgen.search.engine import is_passing
from worldgen.search.shown import show_page
from worldgen.tools.tool import MalformedCall, echo, kind_of, only, read_spec

MAX_QUERIES = 5
RESULTS = 10


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
            hits = tuple(self._engine.search(query, self._results, withholding=self._withholding))
            if is_passing(self._engine):
                return list(hits)
            self._found[query] = hits
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
