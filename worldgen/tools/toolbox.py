"""The tools of one session behind one door: calls by name for a model, typed results for our own agents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldgen.errors import CallerError
from worldgen.records import Hit, Page, Written
from worldgen.search import SearchEngine, Simulated, Withholding
from worldgen.search.engine import Faulted
from worldgen.search.wording import encodable
from worldgen.tools.dict_memory import DictMemory
from worldgen.tools.perturbation import Perturbation
from worldgen.tools.tool import MalformedCall, Tool, echo, read_arguments
from worldgen.tools.web_extractor import WebExtractor
from worldgen.tools.web_search import WebSearch, read_queries

_UNAVAILABLE = 503


@dataclass(frozen=True, slots=True)
class Usage:
    """What a session has done: calls by name, those of them that failed as malformed, queries asked, pages opened."""

    calls: int
    malformed: int
    queries: int
    opens: int


@dataclass(frozen=True, slots=True)
class Observation:
    """What a call brought.

    Attributes:
        text: What the agent reads.
        status: As of HTTP: 200, 400 for a malformed call, 429 or 5xx for one that a fault refused.
        faults: The kinds of faults that it met; for the trajectory, never for the agent.
        retry_after: Seconds to wait, where a refusal says so.
        written: How what a world model wrote of it came about; for the trajectory, never for the agent.
    """

    text: str
    status: int = 200
    faults: tuple[str, ...] = ()
    retry_after: int | None = None
    written: tuple[Written, ...] = ()


class Toolbox:
    """The tools of one session: searches, pages and notes are remembered until it ends.

    Args:
        engine: The search engine; None leaves out the three tools of the web.
        memory: Whether the notebook is among these three.
        withholding: How many facts a result page may state.
        extra: Further tools; a name that is taken raises `CallerError`.
        perturbation: Faults that lie over the engine and the tools, and refuse calls.

    Example:
        ``Toolbox(engine).call("web_search", {"query": "Velta X5"})`` is the text that an agent reads.
    """

    def __init__(
        self,
        engine: SearchEngine | None,
        *,
        memory: bool = True,
        withholding: Withholding = "strict",
        extra: Sequence[Tool] = (),
        perturbation: Perturbation | None = None,
    ) -> None:
        self.withholding = withholding
        self.memory = DictMemory()
        self._perturbation = perturbation
        self._simulated = engine if isinstance(engine, Simulated) else None
        if engine is not None and perturbation is not None:
            engine = perturbation.over_engine(engine)
        self._search = None if engine is None else WebSearch(engine, withholding=withholding)
        self._extractor = None if engine is None else WebExtractor(engine)
        self._calls = 0
        self._malformed = 0
        self._tools: dict[str, Tool] = {}
        self._called: dict[str, str] = {}
        notebook = self.memory if engine is not None and memory else None
        web: list[Tool] = [tool for tool in (self._search, self._extractor, notebook) if tool is not None]
        for tool in [*web, *extra]:
            self._add(tool.name, tool if perturbation is None else perturbation.over_tool(tool))

    def _add(self, usual: str, tool: Tool) -> None:
        self._called[usual] = tool.name
        if tool.name in self._tools:
            raise CallerError(
                "tools.duplicate",
                f"two tools have the name {tool.name!r}",
                expected="a name of its own for each",
                fix="let a plan that renames a tool choose another name",
            )
        self._tools[tool.name] = tool

    @property
    def usage(self) -> Usage:
        """What has been done so far."""
        asked = 0 if self._search is None else self._search.asked
        opened = 0 if self._extractor is None else self._extractor.opened
        return Usage(self._calls, self._malformed, asked, opened)

    def names(self) -> list[str]:
        """What can be called, in order of introduction."""
        return list(self._tools)

    def called(self, usual: str) -> str | None:
        """What a tool is called here, which a fault may have renamed; None where it is not among these."""
        return self._called.get(usual)

    def specs(self) -> list[dict[str, Any]]:
        """The tools as OpenAI function schemas."""
        return [self._renamed(tool.spec()) for tool in self._tools.values()]

    def _renamed(self, spec: dict[str, Any]) -> dict[str, Any]:
        """A schema whose description speaks of the other tools by the names that they have here."""
        function = spec["function"]
        for usual, name in self._called.items():
            if usual != name and "description" in function:
                function["description"] = re.sub(rf"\b{usual}\b", name, function["description"])
        return spec

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> str:
        """Call a tool as a model does.

        Args:
            name: Which tool.
            arguments: Its arguments, or their JSON text.

        Returns:
            What the model is to read; a mistake in the call is a line that begins with ``Error:``.
        """
        return self.observe(name, arguments).text

    def observe(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Observation:
        """Call a tool as `call` does, and tell also what the agent is not shown."""
        self._calls += 1
        try:
            tool = self._tools.get(name) if isinstance(name, str) else None
            if tool is None:
                raise MalformedCall(f"unknown tool {echo(str(name))!r}", expected=" or ".join(self._tools))
            given = read_arguments(arguments)
            refused = None if self._perturbation is None else self._perturbation.refuse(name, given)
            if refused is not None:
                return Observation(refused.text, refused.status, self._faults(), refused.retry_after)
            # An agent may escape half a character; what it then reads must still be text that can be sent.
            text = encodable(tool.call(given))
            return Observation(text, 200, self._faults(), written=self._written())
        except Faulted as fault:
            return Observation(encodable(fault.message), _UNAVAILABLE, self._faults(), written=self._written())
        except MalformedCall as mistake:
            self._malformed += 1
            return Observation(f"Error: {mistake.advice()}", 400, self._faults())

    def _written(self) -> tuple[Written, ...]:
        return () if self._simulated is None else self._simulated.taken()

    def _faults(self) -> tuple[str, ...]:
        return () if self._perturbation is None else tuple(self._perturbation.shown())

    def search(self, queries: Sequence[str]) -> list[list[Hit]]:
        """The hits of each query, as ``web_search`` finds them.

        Raises:
            MalformedCall: ``web_search`` would not take them either.
        """
        search = self._search
        asked = read_queries({"queries": list(queries)})
        return [] if search is None else [search.search(query) for query in asked]

    def open(self, url: str) -> Page | None:
        """The page at an address, as ``web_extractor`` opens it; None where that would report an error."""
        return None if self._extractor is None else self._extractor.open(url)
