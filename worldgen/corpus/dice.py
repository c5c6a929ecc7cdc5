"""Draws one at a time from a named stream, fetched in blocks: a page needs hundreds, a numpy call for each is dear.

A draw has 30 bits, which is what Python's integers hold in one digit: longer ones take twice the time. The hottest
code takes draws from `Dice.pool` itself, after making sure by `Dice.stock` that it holds enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from worldgen.seeds import stream

T = TypeVar("T")
BITS = 30
STOCK = 256
"""A stocked pool holds more draws than this: more than any sentence takes."""
_ALL = 1 << BITS
_UNUSED = np.uint64(64 - BITS)
_BLOCK = 4096


class Dice:
    """Single draws from the stream ``("corpus", *names)`` of a seed.

    Attributes:
        pool: Draws fetched and not yet taken; the next is the last. It stays the same list.
    """

    def __init__(self, seed: int, *names: object) -> None:
        self._stream = stream(seed, "corpus", *names)
        self.pool: list[int] = []
        self._block = 64

    def draw(self) -> int:
        """An integer in ``[0, 2**30)``."""
        return (self.pool or self._filled()).pop()

    def stock(self) -> Callable[[], int]:
        """`draw` without its check, good for `STOCK` draws."""
        while len(self.pool) <= STOCK:
            self._filled()
        return self.pool.pop

    def _filled(self) -> list[int]:
        self.pool[:0] = (self._stream.raw(self._block) >> _UNUSED).tolist()
        self._block = min(self._block * 4, _BLOCK)
        return self.pool

    def below(self, bound: int) -> int:
        """An integer in ``[0, bound)``; the bound is far below ``2**30``."""
        return (self.pool or self._filled()).pop() % bound

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return (self.pool or self._filled()).pop() < probability * _ALL

    def choice(self, items: Sequence[T]) -> T:
        """One item of a non-empty sequence."""
        return items[(self.pool or self._filled()).pop() % len(items)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a drawn order."""
        out = list(items)
        pool = self.pool
        while len(pool) < len(out):
            self._filled()
        for i in range(len(out) - 1, 0, -1):
            j = pool.pop() % (i + 1)
            out[i], out[j] = out[j], out[i]
        return out
