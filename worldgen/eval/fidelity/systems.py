"""The system prompts of our own test set: what a world model is told of a world before the first turn.

A model cannot know what nobody told it, so the state holds what the pages of the walk state: the set asks whether a
model writes what it was given, forgets nothing and breaks no rule, not what it happens to make up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from worldgen.records import Page
from worldgen.search.world_model.instructions import Instruction
from worldgen.search.world_model.prompt import describe_world, system_prompt
from worldgen.world import World

_STATED = 30


def search_system(
    world: World,
    tools: Sequence[Mapping[str, Any]],
    pages: Sequence[Page],
    instructions: Sequence[Instruction] = (),
) -> str:
    """The prompt for the tools of the web: the state tells of the pages there are, and what each states."""
    told = ["# Pages", "These pages there are, and no others; below each is what it states."]
    for page in pages:
        told.append(f"- {page.title} ({page.url}; {page.site}; {page.date or 'no date'})")
        told += [f"  - {stated}" for stated in _stated(page)[:_STATED]]
    state = f"{_described(world)}\n\n" + "\n".join(told)
    return system_prompt("search", tools=tools, state=state, instructions=instructions).text()


def mcp_system(world: World, tools: Sequence[Mapping[str, Any]]) -> str:
    """The prompt for typed tools; rows are known from the turns that showed them."""
    return system_prompt("mcp", tools=tools, state=_described(world)).text()


def _described(world: World) -> str:
    return describe_world(world.schema, world.manifest.languages, setting=world.manifest.setting)


def _stated(page: Page) -> list[str]:
    """The sentences that state something, each once and on one line."""
    sentences = [" ".join(page.body[each.start : each.end].split()) for each in page.statements]
    return list(dict.fromkeys(sentences))
