"""Draws of a step: numbers between two ends, and candidates that are taken or left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from worldgen.seeds import Stream

T = TypeVar("T")


def between(ends: Sequence[float], rng: Stream) -> float:
    """A number from [least, greatest)."""
    least, greatest = ends
    return float(least + (greatest - least) * rng.unit(1)[0])


def whole(ends: Sequence[int], rng: Stream) -> int:
    """A whole number from [least, greatest], both included."""
    least, greatest = ends
    return least + rng.integer(greatest - least + 1)


def taken(items: Iterable[T], share: float, rng: Stream) -> list[T]:
    """Each item with the same chance, in their order."""
    return [item for item in items if rng.chance(share)]
