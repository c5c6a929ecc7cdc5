"""Which simulation instructions a recorded walk may be told to have had: those that its observations follow.

The world answered without any instruction. An instruction is told afterwards, and only where its verifier says that
what was observed is what it asks for: data in which instructions are not followed teach a model to ignore them.
"""

from __future__ import annotations

from collections.abc import Set

from worldgen.env import Step
from worldgen.scoring.verifiers import ENTRY, Call, Expectation, verify
from worldgen.search.world_model.instructions import Instruction, shipped_instruction
from worldgen.train.lwm.walks import Walk
from worldgen.world import World

_WITHHOLD = "withhold-answers"
# Of the others no code can tell from what was observed that they were followed.
_TURN_LEVEL = ("inject-fault", "rate-limit", "server-error", "empty-result")


def for_walk(world: World, walk: Walk) -> tuple[Instruction, ...]:
    """Instructions for the whole walk."""
    told = shipped_instruction(_WITHHOLD)
    searches = [step for step in walk.trajectory.steps if step.name in told.actions and ENTRY.search(step.observation)]
    if walk.task is None or not searches:
        return ()
    asked = {evidence.fact for evidence in walk.task.evidence}
    return (told,) if all(_withholds(world, step, asked) for step in searches) else ()


def _withholds(world: World, step: Step, asked: Set[str]) -> bool:
    """Whether no snippet gives a value that was asked for, as its page states it."""
    entries = list(ENTRY.finditer(step.observation))
    if len(entries) != step.observation.count("\nSnippet: "):
        return False  # a result that lacks a line cannot be told apart
    for entry in entries:
        page = world.pages.get(entry["url"])
        said = (
            [] if page is None else [page.body[s.value_start : s.value_end] for s in page.statements if s.fact in asked]
        )
        if said:
            expectation = Expectation("withholds", {"texts": said})
            if not verify(expectation, Call(step.name, step.arguments), entry["snippet"], []).passed:
                return False
    return True


def for_turn(step: Step) -> tuple[Instruction, ...]:
    """Instructions for one turn."""
    found = []
    for name in _TURN_LEVEL:
        told = shipped_instruction(name)
        if step.name not in told.actions or told.verifier is None:
            continue
        if name == "empty-result" and not step.observation.startswith("No results found"):
            continue  # a page that is no result page has no entries either
        expectation = Expectation(told.verifier.name, told.verifier.data)
        if verify(expectation, Call(step.name, step.arguments), step.observation, []).passed:
            found.append(told)
    return tuple(found)
