"""A plan at work in one episode: the same seed and the same calls meet the same faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from worldgen.search import SearchEngine
from worldgen.seeds import Stream, stream
from worldgen.tools.perturbation.faults import Fault
from worldgen.tools.perturbation.plan import PerturbationPlan
from worldgen.tools.perturbation.refusal import Refusal
from worldgen.tools.tool import Tool, canonical


class Perturbation:
    """The faults of one episode.

    Args:
        plan: What goes wrong.
        seed: Of the episode: decides which calls, queries and pages it concerns.
    """

    def __init__(self, plan: PerturbationPlan, seed: int) -> None:
        self.plan = plan
        self.seed = seed
        self._shown: list[str] = []
        self._refused: Counter[tuple[int, str]] = Counter()
        self._calls = 0

    def over_engine(self, engine: SearchEngine) -> SearchEngine:
        """The engine as the episode's tools have it."""
        for place, fault in sorted(enumerate(self.plan.faults), key=lambda item: item[1].order):
            engine = fault.over_engine(engine, self._draw(place), self._note(fault))
        return engine

    def over_tool(self, tool: Tool) -> Tool:
        """A tool as the episode has it."""
        for place, fault in sorted(enumerate(self.plan.faults), key=lambda item: item[1].order):
            tool = fault.over_tool(tool, self._draw(place), self._note(fault))
        return tool

    def refuse(self, name: str, arguments: Mapping[str, Any]) -> Refusal | None:
        """The refusal of the next call, or None where it is carried out.

        Each fault refuses the same call ``in_a_row`` times at most before it is carried out once, whatever the others
        of the plan do in between: together they refuse it as often as these add up to.
        """
        self._calls += 1
        call = f"{name} {canonical(arguments)}"
        for place, fault in enumerate(self.plan.faults):
            if self._refused[place, call] >= getattr(fault, "in_a_row", 1):
                continue
            refusal = fault.refuse(name, self._draw(place)("call", self._calls))
            if refusal is not None:
                self._refused[place, call] += 1
                self._note(fault)()
                return refusal
        for place in range(len(self.plan.faults)):
            self._refused.pop((place, call), None)
        return None

    def shown(self) -> list[str]:
        """The kinds of faults that the last call met, each once; asking forgets them."""
        kinds = list(dict.fromkeys(self._shown))
        self._shown.clear()
        return kinds

    def _draw(self, place: int) -> Callable[..., Stream]:
        return partial(stream, self.seed, "perturbation", self.plan.name, place)

    def _note(self, fault: Fault) -> Callable[[], None]:
        return partial(self._shown.append, fault.kind)
