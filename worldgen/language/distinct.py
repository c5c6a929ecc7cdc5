"""Keeps roots apart: turns away any word within one edit of an earlier one, a whole batch at a time.

Two words within one insertion, deletion or substitution share a word that is made by leaving out at most one letter;
words that merely swap neighbours do too. Each word is remembered by 64-bit hashes of those words, computed for all
words of a batch at once. Two words whose hashes meet by chance are held to be near, which only turns one more away.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
_BASE = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1
_NO_ONE = np.iinfo(np.int64).max


class Distinct:
    """Remembers words and turns away any that is within one edit of a remembered one."""

    def __init__(self) -> None:
        self._seen: Keys = np.empty(0, dtype=np.uint64)

    def add(self, words: Sequence[str]) -> list[bool]:
        """Go through the words in order; True, and the word remembered, where none remembered so far is near.

        Args:
            words: Lower-case ASCII words, none empty.
        """
        if not words:
            return []
        keys, owners = _keys(words)
        known = self._known(keys)
        kept = np.zeros(len(words), dtype=np.bool_)
        waiting = np.ones(len(words), dtype=np.bool_)
        waiting[owners[known]] = False
        size, places = _numbered(keys)
        # Who comes first for all of its keys is kept; who shares one with a kept word is out; the rest go on.
        while waiting.any():
            live = waiting[owners]
            mine, at = owners[live], places[live]
            first = np.full(size, _NO_ONE, dtype=np.int64)
            np.minimum.at(first, at, mine)
            beaten = np.zeros(len(words), dtype=np.bool_)
            beaten[mine[first[at] != mine]] = True
            won = waiting & ~beaten
            kept |= won
            held = np.zeros(size, dtype=np.bool_)
            held[at[won[mine]]] = True
            waiting &= ~won
            waiting[mine[held[at]]] = False
        self._seen = np.sort(np.concatenate([self._seen, keys[kept[owners]]]))
        return [bool(flag) for flag in kept]

    def _known(self, keys: Keys) -> NDArray[np.bool_]:
        if not len(self._seen):
            return np.zeros(len(keys), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self._seen, keys), len(self._seen) - 1)
        return np.asarray(self._seen[at] == keys, dtype=np.bool_)


def _numbered(keys: Keys) -> tuple[int, NDArray[np.int64]]:
    """How many different keys there are, and the number of each."""
    order = np.argsort(keys)
    ordered = keys[order]
    places = np.empty(len(keys), dtype=np.int64)
    places[order] = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])])
    return int(places.max()) + 1, places


def _keys(words: Sequence[str]) -> tuple[Keys, NDArray[np.int64]]:
    """Hashes of each word and of it with each letter left out, and the number of the word each belongs to."""
    letters = np.array(words, dtype=np.bytes_)
    width = letters.dtype.itemsize
    codes = letters.view(np.uint8).reshape(len(words), width).astype(np.uint64)
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    powers = np.array([pow(_BASE, k, _MASK + 1) for k in range(width + 1)], dtype=np.uint64)
    # A word's hash is the sum of code * base**place, so that leaving a letter out moves what follows one place down.
    before = np.zeros((len(words), width + 1), dtype=np.uint64)
    before[:, 1:] = np.cumsum(codes * powers[:width], axis=1, dtype=np.uint64)
    shifted = np.zeros((len(words), width + 1), dtype=np.uint64)
    shifted[:, 2:] = np.cumsum(codes[:, 1:] * powers[: width - 1], axis=1, dtype=np.uint64)
    without = before[:, :-1] + (shifted[:, -1:] - shifted[:, 1:])
    table = np.concatenate([before[:, -1:], without], axis=1)
    real = np.arange(width + 1)[None, :] <= lengths[:, None]
    owners = np.broadcast_to(np.arange(len(words))[:, None], table.shape)
    return table[real], owners[real]
