"""Where each of many strings stands in a list, for looking up a few of them.

A dict of a million strings takes longer to build than the questions that look into it take to make, so the strings are
only parted by some bits of their hash, with one radix sort, and compared when looked for. What is found, and its
order, does not depend on the hashes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_LEAST_BITS, _MOST_BITS = 8, 24


class Postings:
    """The places of strings in a list.

    >>> Postings(["b", "a", "b"]).find("b")
    [0, 2]
    """

    def __init__(self, strings: Sequence[str]) -> None:
        self._strings = strings
        bits = min(max(len(strings).bit_length(), _LEAST_BITS), _MOST_BITS)
        self._mask = (1 << bits) - 1
        hashes = np.fromiter(map(hash, strings), dtype=np.int64, count=len(strings))
        parts = (hashes & np.int64(self._mask)).astype(np.uint32)
        # numpy sorts 16-bit numbers by radix, and larger ones several times as slowly.
        order = np.argsort(parts.astype(np.uint16), kind="stable")
        if bits > 16:
            order = order[np.argsort((parts[order] >> np.uint32(16)).astype(np.uint16), kind="stable")]
        self._order = order
        self._ends = np.cumsum(np.bincount(parts, minlength=self._mask + 1))

    def find(self, string: str) -> list[int]:
        """All places where the string stands, in order."""
        part = hash(string) & self._mask
        start = self._ends[part - 1] if part else 0
        strings = self._strings
        return [place for place in self._order[start : self._ends[part]].tolist() if strings[place] == string]
