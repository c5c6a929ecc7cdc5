"""The kinds of faults: what a plan may say of each, and what each does to a call, to an engine or to a tool.

A new kind is a class here, or in a package of its own under the entry point ``worldgen.fault``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from worldgen.errors import CallerError
from worldgen.registry import Registry
from worldgen.search import SearchEngine
from worldgen.seeds import Stream
from worldgen.tools.perturbation.engines import HostileFirst, StaleFirst, is_hostile
from worldgen.tools.perturbation.refusal import Refusal, refusal
from worldgen.tools.perturbation.wrappers import (
    FieldMissing,
    HostilePages,
    InParts,
    PartialBatches,
    Renamed,
    SmallPages,
)
from worldgen.tools.tool import Tool
from worldgen.tools.web_search import WebSearch

Draw = Callable[..., Stream]
"""The stream of a name, of this fault in this episode."""
Note = Callable[[], None]
"""Notes in the trajectory that the fault showed."""


class Fault(BaseModel):
    """One line of a plan; the base does nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    kind: ClassVar[str] = ""
    order: ClassVar[int] = 1
    """Which of a plan's faults are put around a tool or an engine first, whatever their order there: the lowest."""
    single: ClassVar[bool] = False
    """Whether a plan has one of the kind at most."""
    certain: ClassVar[bool] = True
    """Whether its rate alone decides how many calls meet it; if not, also what they bring does."""

    def refuse(self, tool: str, dice: Stream) -> Refusal | None:
        """A refusal of this call, or None to let it pass."""
        return None

    def over_engine(self, engine: SearchEngine, draw: Draw, note: Note) -> SearchEngine:
        """The engine as it is with this fault."""
        return engine

    def over_tool(self, tool: Tool, draw: Draw, note: Note) -> Tool:
        """A tool as it is with this fault."""
        return tool


class _Refusing(Fault):
    rate: float = Field(ge=0, le=1, description="Share of calls that are refused.")
    in_a_row: int = Field(default=2, ge=1, le=5, description="Refusals of the same call at most, before it passes.")
    tools: list[str] | None = Field(
        default=None, description="Tools concerned, by their names in the episode; none means all."
    )

    def refuse(self, tool: str, dice: Stream) -> Refusal | None:
        """See `Fault.refuse`."""
        if (self.tools is not None and tool not in self.tools) or not dice.chance(self.rate):
            return None
        return self.refusal(dice)

    def refusal(self, dice: Stream) -> Refusal:
        """The refusal drawn."""
        raise NotImplementedError


FAULTS: Registry[type[Fault]] = Registry("fault")


def _fault(kind: str) -> Callable[[type[Fault]], type[Fault]]:
    def add(fault: type[Fault]) -> type[Fault]:
        fault.kind = kind
        return FAULTS.register(kind)(fault)

    return add


@_fault("rate_limit")
class RateLimit(_Refusing):
    """Calls are refused with 429 and a time to wait."""

    retry_after: int = Field(default=1, ge=0, le=3600, description="Seconds to wait, as the service says.")

    def refusal(self, dice: Stream) -> Refusal:
        """See `_Refusing.refusal`."""
        return refusal(429, retry_after=self.retry_after)


@_fault("timeout")
class Timeout(_Refusing):
    """Calls end without an answer, as a gateway tells it: 504."""

    def refusal(self, dice: Stream) -> Refusal:
        """See `_Refusing.refusal`."""
        return refusal(504)


@_fault("server_error")
class ServerError(_Refusing):
    """Calls fail on the service's side: 500, 502 or 503."""

    statuses: list[int] = Field(default=[500, 502, 503], min_length=1, description="Which of them, drawn evenly.")

    @field_validator("statuses")
    @classmethod
    def _known(cls, statuses: list[int]) -> list[int]:
        if not set(statuses) <= {500, 502, 503}:
            raise ValueError("statuses are 500, 502 or 503")
        return statuses

    def refusal(self, dice: Stream) -> Refusal:
        """See `_Refusing.refusal`."""
        return refusal(dice.choice(self.statuses))


@_fault("truncate")
class Truncate(Fault):
    """A page comes in parts; each says how the next is asked for."""

    single: ClassVar[bool] = True
    certain: ClassVar[bool] = False

    words: int = Field(
        default=300, ge=50, le=100_000, description="Words a part, at most; a longer line is a part of its own."
    )

    def over_tool(self, tool: Tool, draw: Draw, note: Note) -> Tool:
        """See `Fault.over_tool`."""
        return InParts(tool, self.words, note) if tool.name == "web_extractor" else tool


@_fault("small_pages")
class FewerResults(Fault):
    """A result page holds fewer results; the others are on the next."""

    order: ClassVar[int] = 0
    single: ClassVar[bool] = True
    certain: ClassVar[bool] = False

    results: int = Field(default=5, ge=1, le=9, description="Results a page.")

    def over_tool(self, tool: Tool, draw: Draw, note: Note) -> Tool:
        """See `Fault.over_tool`."""
        return SmallPages(tool, self.results, note) if isinstance(tool, WebSearch) else tool


@_fault("partial_batch")
class PartialBatch(Fault):
    """Of several queries in one call some are left unanswered, and said to be."""

    single: ClassVar[bool] = True

    rate: float = Field(ge=0, le=1, description="Share of queries left out, never all of a call.")

    def over_tool(self, tool: Tool, draw: Draw, note: Note) -> Tool:
        """See `Fault.over_tool`."""
        return PartialBatches(tool, self.rate, draw, note) if tool.name == "web_search" else tool


@_fault("stale_first")
class StaleResultsFirst(Fault):
    """Results that are out of date come first."""

    single: ClassVar[bool] = True
    certain: ClassVar[bool] = False

    rate: float = Field(default=1.0, ge=0, le=1, description="Share of queries concerned.")

    def over_engine(self, engine: SearchEngine, draw: Draw, note: Note) -> SearchEngine:
        """See `Fault.over_engine`."""
        return StaleFirst(engine, self.rate, draw, note)


@_fault("hostile_first")
class HostileResultFirst(Fault):
    """A page of low trust that wants to lead the agent astray is the first result."""

    order: ClassVar[int] = 2
    single: ClassVar[bool] = True

    rate: float = Field(default=0.3, ge=0, le=1, description="Share of queries concerned.")

    def over_engine(self, engine: SearchEngine, draw: Draw, note: Note) -> SearchEngine:
        """See `Fault.over_engine`."""
        return HostileFirst(engine, self.rate, draw, note)

    def over_tool(self, tool: Tool, draw: Draw, note: Note) -> Tool:
        """See `Fault.over_tool`."""
        return HostilePages(tool, is_hostile, note) if tool.name == "web_extractor" else tool


@_fault("rename_tool")
class RenameTool(Fault):
    """A tool has another name than usual, from the first turn on."""

    order: ClassVar[int] = 2

    tool: str = Field(description="Its usual name.")
    to: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$", description="Its name in the episode.")

    def over_tool(self, tool: Tool, draw: Draw, note: Note) -> Tool:
        """See `Fault.over_tool`."""
        return Renamed(tool, self.to, note) if tool.name == self.tool else tool


@_fault("missing_field")
class MissingField(Fault):
    """A field is missing from lists of results or of rows; the page, or the row got by itself, still has it."""

    field: str = Field(
        description="`date` or `snippet` of search results, or a column of lists of entities; not what they go by."
    )
    rate: float = Field(default=1.0, ge=0, le=1, description="Share of replies concerned.")

    @field_validator("field")
    @classmethod
    def _needless(cls, field: str) -> str:
        if field in ("id", "name", "title", "url"):
            raise ValueError("a field that rows and results do not go by")
        return field

    def over_tool(self, tool: Tool, draw: Draw, note: Note) -> Tool:
        """See `Fault.over_tool`."""
        return FieldMissing(tool, self.field, self.rate, draw, note)


def make_fault(entry: Any) -> Fault:
    """A fault from the plain values of a plan: ``{kind: …, …}``.

    Raises:
        CallerError: The kind is missing or unknown.
        pydantic.ValidationError: Its settings are wrong.
    """
    if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
        raise CallerError("perturbation.no-kind", "a fault has no kind", expected=" or ".join(FAULTS.names()))
    settings = {key: value for key, value in entry.items() if key != "kind"}
    return FAULTS.get(entry["kind"]).model_validate(settings)
