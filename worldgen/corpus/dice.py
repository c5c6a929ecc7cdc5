"""Draws one at a time from a named stream, fetched in blocks: a page needs hundreds, a numpy call for each is dear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from worldgen.seeds import stream

T = TypeVar("T")
_BLOCK = 4096


class Dice:
    """Single draws from the stream ``("corpus", *names)`` of a seed."""

    def __init__(self, seed: int, *names: object) -> None:
        self._stream = stream(seed, "corpus", *names)
        self._pool: list[int] = []
        self._block = 64

    def draw(self) -> int:
        """A 64-bit integer."""
        return (self._pool or self._filled()).pop()

    def _filled(self) -> list[int]:
        self._pool = self._stream.raw(self._block).tolist()
        self._block = min(self._block * 4, _BLOCK)
        return self._pool

    def below(self, bound: int) -> int:
        """An integer in ``[0, bound)``."""
        return ((self._pool or self._filled()).pop() >> 32) * bound >> 32

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return (self.draw() >> 11) * 2.0**-53 < probability

    def choice(self, items: Sequence[T]) -> T:
        """One item of a non-empty sequence."""
        return items[((self._pool or self._filled()).pop() >> 32) * len(items) >> 32]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a drawn order."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out
