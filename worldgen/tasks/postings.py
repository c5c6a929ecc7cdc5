"""Where each of many strings stands in a list, for looking up a few of them.

A dict of a million strings takes longer to build than the questions that look into it take to make, so the strings are
only parted by some bits of their hash, with one radix sort, and compared when looked for. What is found, and its
order, does not depend on the hashes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_PARTS = 1 << 16


class Postings:
    """The places of strings in a list.

    >>> Postings(["b", "a", "b"]).find("b")
    [0, 2]
    """

    def __init__(self, strings: Sequence[str]) -> None:
        self._strings = strings
        hashes = np.fromiter(map(hash, strings), dtype=np.int64, count=len(strings))
        parts = (hashes & np.int64(_PARTS - 1)).astype(np.uint16)
        self._order = np.argsort(parts, kind="stable")
        self._ends: list[int] = [0, *np.cumsum(np.bincount(parts, minlength=_PARTS)).tolist()]

    def find(self, string: str) -> list[int]:
        """All places where the string stands, in order."""
        part = hash(string) & (_PARTS - 1)
        strings = self._strings
        near = self._order[self._ends[part] : self._ends[part + 1]]
        return [place for place in near.tolist() if strings[place] == string]
