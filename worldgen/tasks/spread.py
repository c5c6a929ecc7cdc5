"""How a task's answer is spread: over pages, and against the tasks accepted before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from worldgen.facts.tables import Facts
from worldgen.tasks.evidence import PageIndex
from worldgen.tasks.gold import GoldRow
from worldgen.tasks.query import TableQuery, Term

MOST_CELLS = 0.25
MOST_KEYS = 0.60
MOST_SHARED = 0.5
_NEAR = 0.2
"""Share of the rows that must lead to a page for its text to be searched for their keys."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The most that any one page gives away: shares of the non-key cells and of the keys."""

    cells: float
    keys: float

    @property
    def easy(self) -> bool:
        """Whether one page says more than a wide question should allow."""
        return self.cells > MOST_CELLS or self.keys > MOST_KEYS


def cells_held(rows: Sequence[GoldRow], keys: int, index: PageIndex) -> float:
    """The largest share of the non-key cells that any one page states."""
    index.read(fact for row in rows for cell in row.cells[keys:] for fact in cell.giving)
    held: dict[int, int] = {}
    total = 0
    for row in rows:
        for cell in row.cells[keys:]:
            total += 1
            for page in _holding(cell.giving, index):
                held[page] = held.get(page, 0) + 1
    return max(held.values(), default=0) / max(1, total)


def keys_shown(ids: Sequence[str], keys: Sequence[Sequence[str]], index: PageIndex, facts: Facts) -> float:
    """The largest share of the keys that any one page shows.

    A page shows a key whose texts stand in one line of it, save what its title names already. Only pages are searched
    that state or link to something of enough of the rows: reading them all for each proposal would take too long.

    Args:
        ids: Of the rows.
        keys: Of each row, the texts of its key cells.
        index: Of the pages.
        facts: The world in columns.
    """
    near: dict[int, int] = {}
    for id_ in ids:
        for page in index.touching(id_, facts):
            near[page] = near.get(page, 0) + 1
    least = _NEAR * len(ids)
    most = 0
    for page, count in near.items():
        if count >= least:
            most = max(most, sum(_shows(page, key, index) for key in keys))
    return most / max(1, len(ids))


def _shows(page: int, key: Sequence[str], index: PageIndex) -> bool:
    lines = index.lines(page, key[0])
    for text in key[1:]:
        if not lines:
            return False
        lines &= index.lines(page, text)
    return lines != 0


def _holding(giving: Sequence[str], index: PageIndex) -> list[int]:
    """Pages that state all facts which give a cell its value, whatever else its way leads over."""
    if not giving:
        return []
    found = index.stating(giving[0])
    for fact in giving[1:]:
        others = set(index.stating(fact))
        found = [page for page in found if page in others]
    return found


class Overlap:
    """The cells of the tasks accepted so far, of all languages.

    A key cell is known by its row and column, another by the facts it rests on. Cells with the keys among them, and
    without: neither may be shared by more than half.
    """

    def __init__(self) -> None:
        self._owners: dict[Hashable, list[int]] = {}
        self._sizes: list[tuple[int, int]] = []
        self._grids: dict[str, list[tuple[set[str], set[Term]]]] = {}

    def likely(self, query: TableQuery, ids: Sequence[str]) -> bool:
        """Whether one accepted task has the same rows, or over half of these rows and columns."""
        rows, terms = set(ids), set(query.columns)
        keys = len(query.keys)
        for other_rows, other_terms in self._grids.get(query.subject, ()):
            if rows == other_rows:
                return True
            both = len(rows & other_rows)
            least = min(len(rows) * len(terms), len(other_rows) * len(other_terms))
            if both * len(terms & other_terms) > MOST_SHARED * least:
                return True
            least = min(len(rows) * (keys + len(terms)), len(other_rows) * (keys + len(other_terms)))
            if both * (keys + len(terms & other_terms)) > MOST_SHARED * least:
                return True
        return False

    def share(self, query: TableQuery, rows: Sequence[GoldRow]) -> float:
        """The largest share of cells in common with one accepted task, of the smaller of the two."""
        named, others = _cells(query, rows)
        most = 0.0
        shared = self._counts(others)
        for owner, count in shared.items():
            most = max(most, count / min(len(others), self._sizes[owner][1]))
        for owner, count in self._counts(named).items():
            least = min(len(named) + len(others), sum(self._sizes[owner]))
            most = max(most, (count + shared.get(owner, 0)) / least)
        return most

    def add(self, query: TableQuery, rows: Sequence[GoldRow]) -> None:
        """Remember an accepted task."""
        self._grids.setdefault(query.subject, []).append(({row.id for row in rows}, set(query.columns)))
        named, others = _cells(query, rows)
        for cell in (*named, *others):
            self._owners.setdefault(cell, []).append(len(self._sizes))
        self._sizes.append((len(named), len(others)))

    def _counts(self, cells: Iterable[Hashable]) -> Counter[int]:
        return Counter(owner for cell in cells for owner in self._owners.get(cell, ()))


def _cells(query: TableQuery, rows: Sequence[GoldRow]) -> tuple[list[Hashable], list[Hashable]]:
    """The key cells, and the others without those that rest on no fact."""
    keys = len(query.keys)
    named: list[Hashable] = [(row.id, key.path) for row in rows for key in query.keys]
    return named, list(dict.fromkeys(frozenset(cell.facts) for row in rows for cell in row.cells[keys:] if cell.facts))
