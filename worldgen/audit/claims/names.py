"""Finds the names of a world in a text: longest match first, in time that grows with the text alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Named(NamedTuple):
    """A name in a text and the ids of all that bear it; no id for a name of which the world's facts say nothing."""

    start: int
    end: int
    ids: frozenset[str]


class Names:
    """The names of a world.

    Args:
        names: (name, id); a name may belong to several.
        common: Words in lower case that are no name unless capitalised.

    >>> [n.ids for n in Names([("Zen", "phone/1"), ("Zen Max", "phone/2")]).find("the Zen Max")]
    [frozenset({'phone/2'})]
    """

    def __init__(self, names: Iterable[tuple[str, str]], common: frozenset[str] = frozenset()) -> None:
        ids: dict[str, set[str]] = {}
        for name, bearer in names:
            if name:
                ids.setdefault(name.casefold(), set()).add(bearer)
        self._ids = {name: frozenset(found) for name, found in ids.items()}
        self._starts: dict[str, list[str]] = {}
        for name in sorted(self._ids, key=lambda name: (-len(name), name)):
            self._starts.setdefault(name[:2], []).append(name)
        self._common = common

    def ids(self, name: str) -> frozenset[str]:
        """The ids that bear a name."""
        return self._ids.get(name.casefold(), frozenset())

    def find(self, text: str) -> list[Named]:
        """All names in the order of the text, none overlapping; a name inside a longer Latin word is none."""
        folded = text.casefold()
        if len(folded) != len(text):
            folded = "".join(c.casefold() if len(c.casefold()) == 1 else c for c in text)
        found: list[Named] = []
        at, size = 0, len(folded)
        starts, get = self._starts, self._starts.get
        while at < size:
            candidates = get(folded[at : at + 2])
            end = 0
            if candidates is not None and starts and not _inside(folded, at):
                for name in candidates:
                    last = at + len(name)
                    if folded.startswith(name, at) and not _inside(folded, last):
                        if text[at].islower() and name in self._common:
                            continue
                        end = last
                        found.append(Named(at, end, self._ids[name]))
                        break
            at = end or at + 1
        return found


def _inside(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isalnum() and after.isalnum() and before < "\u2e80" and after < "\u2e80"
