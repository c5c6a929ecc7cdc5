"""The published row: what AgentWorldBench's files and training data hold of an episode, in the names used there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def episode_row(
    *, task: str, id: int | str, system: str, prompts: Sequence[str], responses: Sequence[str], total: int
) -> dict[str, Any]:
    """An episode, or its first turns.

    Args:
        task: The domain.
        id: The episode's.
        system: The world model's system prompt.
        prompts: What was done at each turn.
        responses: What the environment said at each turn.
        total: Turns of the whole episode.
    """
    return {
        "task": task,
        "id": id,
        "system_str": system,
        "prompt": list(prompts),
        "response": list(responses),
        "total_turns": total,
    }


def turn_row(episode: dict[str, Any], number: int, prompt: str) -> dict[str, Any]:
    """One turn of an episode, to be predicted.

    Args:
        episode: The row of the episode, up to this turn at least.
        number: Which turn, from 1.
        prompt: What is done at it.
    """
    return {**episode, "current_prompt": prompt, "turn_idx": number}
