"""Finds which entities a text names: longest match first, aliases included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from worldgen.audit.variety import name_pattern


class Mention(NamedTuple):
    """A name in a text: where it stands and the ids of all entities that bear it."""

    start: int
    end: int
    ids: tuple[str, ...]


class Resolver:
    """Resolves surface names to entity ids.

    Args:
        names: (name, entity id); a name may belong to several entities.

    >>> Resolver([("Zen", "phone/1"), ("Zen Max", "phone/2")]).find("the Zen Max and the Zen")[0].ids
    ('phone/2',)
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._ids: dict[str, list[str]] = {}
        for name, entity in names:
            found = self._ids.setdefault(name, [])
            if entity not in found:
                found.append(entity)
        self._pattern = name_pattern(self._ids)

    def find(self, text: str) -> list[Mention]:
        """All mentions in the order of the text, none overlapping; a name inside a longer Latin word is none."""
        found = []
        for match in self._pattern.finditer(text):
            start, end = match.span()
            if _inside_word(text, start) or _inside_word(text, end):
                continue
            found.append(Mention(start, end, tuple(self._ids[match[0]])))
        return found

    def ids(self, text: str) -> set[str]:
        """The ids of all entities named."""
        return {entity for mention in self.find(text) for entity in mention.ids}


def _inside_word(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return before.isalnum() and after.isalnum() and before.isascii() and after.isascii()
