"""The only source of randomness: named streams of PCG64 and integer mappings of our own.

A stream is keyed by the world's seed and by names (stage, type, attribute, …), so that drawing more from one never
shifts another. numpy guarantees the raw output of a bit generator across releases, not the algorithms of
``Generator``; hence only ``random_raw`` is used, and everything on top is integer arithmetic or a single IEEE 754
operation, whose result is the same on every processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import CallerError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
T = TypeVar("T")

_SEPARATOR = "\x1f"


class Stream:
    """A reproducible source of draws; make one with `stream`.

    >>> stream(7, "facts", "phone").below(3, 10).tolist() == stream(7, "facts", "phone").below(3, 10).tolist()
    True
    """

    def __init__(self, key: int) -> None:
        self._bits = np.random.PCG64(key)

    def raw(self, n: int) -> NDArray[np.uint64]:
        """Draw ``n`` unsigned 64-bit integers."""
        return np.asarray(self._bits.random_raw(n), dtype=np.uint64)

    def below(self, n: int, bound: int) -> Ints:
        """Draw ``n`` integers in ``[0, bound)``, ``1 <= bound <= 2**31``."""
        if not 1 <= bound <= 2**31:
            raise CallerError("seeds.bound", "bound out of range", expected="1 to 2**31", got=str(bound))
        return (((self.raw(n) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32)).astype(np.int64)

    def unit(self, n: int) -> Floats:
        """Draw ``n`` floats in ``[0, 1)``, multiples of ``2**-53``."""
        return (self.raw(n) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def permutation(self, n: int) -> Ints:
        """Draw a permutation of ``0 … n-1``."""
        return np.argsort(self.raw(n), kind="stable").astype(np.int64)

    def weighted(self, n: int, weights: Sequence[float]) -> Ints:
        """Draw ``n`` indices, index ``i`` with probability ``weights[i] / sum(weights)``; weights are finite, >= 0."""
        total = 0.0
        steps = []
        for weight in weights:
            total += float(weight)
            steps.append(total)
        if not total > 0:
            raise CallerError("seeds.weights", "weights must add up to more than nothing", got=str(list(weights)))
        drawn = np.searchsorted(np.array(steps), self.unit(n) * total, side="right").astype(np.int64)
        return np.minimum(drawn, len(steps) - 1)

    def integer(self, bound: int) -> int:
        """Draw one integer in ``[0, bound)``."""
        return int(self.below(1, bound)[0])

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return bool(self.unit(1)[0] < probability)

    def choice(self, items: Sequence[T]) -> T:
        """Draw one item of a non-empty sequence."""
        return items[self.integer(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a drawn order."""
        return [items[i] for i in self.permutation(len(items)).tolist()]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Draw ``min(k, len(items))`` different items, in a drawn order."""
        return self.shuffled(items)[:k]


def key_of(seed: int, *names: object) -> int:
    """The 128-bit key of a stream: BLAKE2b over the seed and the names."""
    text = _SEPARATOR.join([str(seed), *(str(name) for name in names)])
    return int.from_bytes(blake2b(text.encode("utf-8"), digest_size=16).digest(), "big")


def stream(seed: int, *names: object) -> Stream:
    """The stream of that name.

    Args:
        seed: The world's seed, any integer.
        names: Stage first, then whatever tells this stream from its neighbours.
    """
    return Stream(key_of(seed, *names))
