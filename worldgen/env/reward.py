"""The reward of an answer: `worldgen_f1` with the world's own judge, its parts, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from worldgen.records import Task
from worldgen.scoring import AliasJudge, ScoringTask, worldgen_f1
from worldgen.world import World


@dataclass(frozen=True, slots=True)
class Reward:
    """What an answer earned, in [0, 1]; None where it could not be scored, which is not 0.

    ``key_f1``, ``cell_f1`` and ``row_f1`` are the parts of `worldgen.scoring.WorldgenF1`.
    """

    value: float | None
    key_f1: float | None
    cell_f1: float | None
    row_f1: float | None
    explanation: str

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


def reward_of(world: World, task: Task, answer: str) -> Reward:
    """Score an answer to a task of a world: any text, of which the first Markdown table counts."""
    scored = ScoringTask.of(task)
    judge = AliasJudge(world.aliases(task.language))
    found = worldgen_f1(answer, scored.gold, scored.spec, judge=judge)
    return Reward(found.value, found.key_f1, found.cell_f1, found.row_f1, found.explanation)
