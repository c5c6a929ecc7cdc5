"""A walk as training data: a trajectory in the published schema, and the rows that are made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldgen.env import Step
from worldgen.search.world_model.prompt import describe_world, system_prompt, turn_text
from worldgen.search.world_model.turns import observation_text
from worldgen.seeds import key_of, stream
from worldgen.train.lwm.masks import Mask, category_of, rules
from worldgen.train.lwm.rows import episode_row, turn_row
from worldgen.train.lwm.telling import for_turn, for_walk
from worldgen.train.lwm.walks import Domain, Walk, chances
from worldgen.world import World

_ID_BITS = 48
# Faults that the descriptions of the tools give away; all others come out of nothing for who reads only the prompt.
_FORESEEN = frozenset({"rename_tool", "small_pages", "truncate"})


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn: the agent's, the environment's, and what becomes of it in training.

    Attributes:
        prompt: ``### Turn N``, the action, and instructions for this turn.
        response: ``**Environment Observation:**`` and the observation.
        mask: Its category, and whether it is learned.
        instructions: Names of the instructions told with it.
        faults: Kinds of the faults that the call met.
    """

    prompt: str
    response: str
    mask: Mask
    instructions: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """A trajectory.

    Attributes:
        task: The domain.
        id: A number of its own.
        system: The system prompt.
        turns: The turns.
        about: What every row tells of its origin, the world's canary too; never shown to a model.
    """

    task: Domain
    id: int
    system: str
    turns: tuple[Turn, ...]
    about: dict[str, Any]

    @property
    def kept(self) -> list[int]:
        """The turns that are learned, from 1."""
        return [number for number, turn in enumerate(self.turns, 1) if turn.mask.keep]

    def trajectory(self) -> dict[str, Any]:
        """The row of the whole trajectory."""
        return {**self._row(len(self.turns)), "turns": [_told(turn) for turn in self.turns]}

    def turn(self, number: int) -> dict[str, Any]:
        """The row of one turn, with the turns before it.

        Args:
            number: Which, from 1.
        """
        turn = self.turns[number - 1]
        return turn_row({**self._row(number), **_told(turn)}, number, turn.prompt)

    def messages(self) -> dict[str, Any]:
        """The row of the conversation; ``keep`` has a boolean for each of the assistant's messages."""
        said = [{"role": "system", "content": self.system}]
        for turn in self.turns:
            said += [{"role": "user", "content": turn.prompt}, {"role": "assistant", "content": turn.response}]
        return {**self.about, "messages": said, "keep": [turn.mask.keep for turn in self.turns]}

    def _row(self, until: int) -> dict[str, Any]:
        row = episode_row(
            task=self.task,
            id=self.id,
            system=self.system,
            prompts=[turn.prompt for turn in self.turns[:until]],
            responses=[turn.response for turn in self.turns[:until]],
            total=len(self.turns),
        )
        return {**self.about, **row}


def _told(turn: Turn) -> dict[str, Any]:
    return {
        "category": turn.mask.category,
        "keep": turn.mask.keep,
        "turn_instructions": list(turn.instructions),
        "faults": list(turn.faults),
    }


def sample_of(world: World, walk: Walk, *, seed: int = 0) -> Sample:
    """A walk as training data.

    Args:
        world: Where it was made.
        walk: The record.
        seed: Decides which turns are learned, and whether instructions that were followed are told.

    The web is told as in free mode, where the model invents what it is asked about: a row brings no material along, and
    the grounded rules would forbid to state what no material gives.
    """
    names = (world.manifest.digest, walk.number)
    followed = for_walk(world, walk)
    told = followed if stream(seed, "lwm-told", *names).chance(chances()["tell-followed"]) else ()
    language = walk.task.language if walk.task else world.manifest.languages[0]
    prompt = system_prompt(
        "free" if walk.domain == "search" else "mcp",
        tools=walk.tools,
        state=describe_world(world.schema, world.manifest.languages, setting=world.manifest.setting),
        instructions=told,
        language=language,
    )
    about = {
        "canary": world.manifest.canary,
        "world": world.manifest.digest,
        "walk": walk.kind,
        "instructions": [instruction.name for instruction in told],
    }
    number = key_of(seed, "lwm-id", *names) >> (128 - _ID_BITS)
    turns = tuple(_turns(walk, names, seed, language))
    return Sample(walk.domain, number, prompt.text(), turns, about)


def _turns(walk: Walk, names: tuple[str, int], seed: int, language: str) -> Iterator[Turn]:
    for number, step in enumerate(walk.trajectory.steps, 1):
        told = for_turn(step)
        yield Turn(
            turn_text(number, step.name, step.arguments, told, language),
            observation_text(step.observation),
            _mask(step, unforeseen=not told and not _FORESEEN.issuperset(step.faults), key=(*names, number), seed=seed),
            tuple(instruction.name for instruction in told),
            step.faults,
        )


def _mask(step: Step, *, unforeseen: bool, key: tuple[object, ...], seed: int) -> Mask:
    action = f"{step.name} {json.dumps(step.arguments, ensure_ascii=False)}"
    category = category_of(action, step.observation)
    drawn = stream(seed, "lwm-keep", *key).chance(rules()[category].keep)
    return Mask(category, drawn and not unforeseen)
