"""The tools of one session behind one door: calls by name for a model, typed results for our own agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldgen.errors import CallerError
from worldgen.records import Hit, Page
from worldgen.search import SearchEngine, Withholding
from worldgen.search.wording import encodable
from worldgen.tools.dict_memory import DictMemory
from worldgen.tools.tool import MalformedCall, Tool, echo, read_arguments
from worldgen.tools.web_extractor import WebExtractor
from worldgen.tools.web_search import WebSearch, read_queries


@dataclass(frozen=True, slots=True)
class Usage:
    """What a session has done: calls by name, those of them that failed as malformed, queries asked, pages opened."""

    calls: int
    malformed: int
    queries: int
    opens: int


class Toolbox:
    """The tools of one session: searches, pages and notes are remembered until it ends.

    Args:
        engine: The search engine.
        withholding: How many facts a result page may state.
        extra: Further tools; a name that is taken raises `CallerError`.

    Example:
        ``Toolbox(engine).call("web_search", {"query": "Velta X5"})`` is the text that an agent reads.
    """

    def __init__(
        self, engine: SearchEngine, *, withholding: Withholding = "strict", extra: Sequence[Tool] = ()
    ) -> None:
        self.withholding = withholding
        self.memory = DictMemory()
        self._search = WebSearch(engine, withholding=withholding)
        self._extractor = WebExtractor(engine)
        self._calls = 0
        self._malformed = 0
        self._tools: dict[str, Tool] = {}
        tools: list[Tool] = [self._search, self._extractor, self.memory, *extra]
        for tool in tools:
            if tool.name in self._tools:
                raise CallerError("tools.duplicate", f"two tools have the name {tool.name!r}")
            self._tools[tool.name] = tool

    @property
    def usage(self) -> Usage:
        """What has been done so far."""
        return Usage(self._calls, self._malformed, self._search.asked, self._extractor.opened)

    def names(self) -> list[str]:
        """What can be called, in order of introduction."""
        return list(self._tools)

    def specs(self) -> list[dict[str, Any]]:
        """The tools as OpenAI function schemas."""
        return [tool.spec() for tool in self._tools.values()]

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> str:
        """Call a tool as a model does.

        Args:
            name: Which tool.
            arguments: Its arguments, or their JSON text.

        Returns:
            What the model is to read; a mistake in the call is a line that begins with ``Error:``.
        """
        self._calls += 1
        try:
            tool = self._tools.get(name) if isinstance(name, str) else None
            if tool is None:
                raise MalformedCall(f"unknown tool {echo(str(name))!r}", expected=" or ".join(self._tools))
            # An agent may escape half a character; what it then reads must still be text that can be sent.
            return encodable(tool.call(read_arguments(arguments)))
        except MalformedCall as mistake:
            self._malformed += 1
            return f"Error: {mistake.advice()}"

    def search(self, queries: Sequence[str]) -> list[list[Hit]]:
        """The hits of each query, as ``web_search`` finds them.

        Raises:
            MalformedCall: ``web_search`` would not take them either.
        """
        return [self._search.search(query) for query in read_queries({"queries": list(queries)})]

    def open(self, url: str) -> Page | None:
        """The page at an address, as ``web_extractor`` opens it; None where that would report an error."""
        return self._extractor.open(url)
