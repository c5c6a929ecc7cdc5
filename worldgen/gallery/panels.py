"""What a world's figure shows, chosen by rule from its facts: distributions, correlations, a series, a category."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest

import numpy as np

from worldgen.facts.tables import Column, Facts, Table, period_text
from worldgen.gallery.intended import Ties
from worldgen.gallery.quantities import Numbers, Quantity, quantities, quantity, rank_correlation, rows_called

PANELS = 9
SCATTERS = 2
LINES = 3
_ROWS, _VALUES = 12, 7  # fewer make no distribution
_POINTS, _CLEAR = 20, 0.4  # pairs of fewer rows, or weaker, are taken where nothing better is there
_STRONGEST = 0.95  # beyond it the one is the other with a factor, and a plot shows a line


@dataclass(frozen=True, slots=True, eq=False)
class Scatter:
    """Two quantities of the same rows and their rank correlation."""

    x: Quantity
    y: Quantity
    correlation: float


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """A series: one line an entity, of which a few are named.

    Attributes:
        observed: What is observed; its values are those of ``lines``, row after row.
        periods: The periods in words, in order.
        lines: Shape (entities, periods), NaN where not disclosed.
        named: Name → row of ``lines``: the greatest, the middle and the least by their mean.
    """

    observed: Quantity
    periods: tuple[str, ...]
    lines: Numbers
    named: dict[str, int]


@dataclass(frozen=True, slots=True)
class Bars:
    """How often each value of a category occurs, the most frequent first."""

    label: str
    rows: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Panels:
    """All that one figure shows."""

    histograms: tuple[Quantity, ...]
    scatters: tuple[Scatter, ...]
    course: Course | None
    bars: Bars | None


def choose(facts: Facts) -> Panels:
    """The panels of a world: at most `PANELS`, of which histograms take what the others leave."""
    measured = {table.name: [q for q in quantities(facts, table) if _spread(q)] for table in facts}
    scatters = _scatters(facts, measured)
    course, bars = _course(facts), _bars(facts)
    left = PANELS - len(scatters) - (course is not None) - (bars is not None)
    return Panels(tuple(_histograms(facts, measured, left)), tuple(scatters), course, bars)


def _spread(found: Quantity) -> bool:
    return found.known.size >= _ROWS and np.unique(found.known).size >= _VALUES


def _histograms(facts: Facts, measured: dict[str, list[Quantity]], count: int) -> list[Quantity]:
    """One quantity of each table in turn, large tables first, numbers with a unit before others, years last."""
    found = [table for table in facts if table.kind != "series" and measured[table.name]]
    found.sort(key=lambda table: -table.size)
    ordered = [sorted(measured[table.name], key=lambda q: (q.is_year, not q.unit)) for table in found]
    turns: Iterable[tuple[Quantity | None, ...]] = zip_longest(*ordered)
    return [one for turn in turns for one in turn if one is not None][:count]


def _scatters(facts: Facts, measured: dict[str, list[Quantity]]) -> list[Scatter]:
    """The strongest of the correlations that the schema intends, each of a table of its own where there are enough."""
    ties = Ties(facts.schema)
    found = [
        Scatter(x, y, rank_correlation(x.values, y.values))
        for table, columns in measured.items()
        for x, y in combinations(columns, 2)
        if ties.tied(table, x.name, y.name)
    ]
    found = [one for one in found if abs(one.correlation) < _STRONGEST]
    found.sort(key=_clarity, reverse=True)
    first = {one.x.table: one for one in reversed(found)}
    apart = sorted(first.values(), key=_clarity, reverse=True)
    return [*apart, *(one for one in found if one not in apart)][:SCATTERS]


def _clarity(pair: Scatter) -> tuple[bool, float]:
    strength = abs(pair.correlation)
    return strength >= _CLEAR and pair.x.values.size >= _POINTS, strength


def _course(facts: Facts) -> Course | None:
    """The longest series."""
    found = [table for table in facts if table.kind == "series"]
    if not found:
        return None
    table = max(found, key=lambda one: len(set(one.columns["period"].values.tolist())))
    observed = quantity(facts, table, table.stated()[0])
    of, period = table.columns[table.key[0]], table.columns["period"]
    when = sorted(set(period.values.tolist()))
    who = sorted(set(of.values.tolist()))
    lines = np.full((len(who), len(when)), np.nan)
    lines[np.searchsorted(who, of.values), np.searchsorted(when, period.values)] = observed.values
    order = np.argsort(-np.nanmean(lines, axis=1), kind="stable").tolist()
    rows = [order[0], order[len(order) // 2], order[-1]] if len(order) >= LINES else order
    names = facts.tables[of.target or ""].names
    return Course(
        observed,
        tuple(period_text(number, period.every or "year") for number in when),
        lines,
        {names[who[row]].en: row for row in rows},
    )


def _bars(facts: Facts) -> Bars | None:
    """A category of the largest table, of those that have neither so few values that they say little nor too many."""
    found = [
        (table, name, column)
        for table in facts
        for name, column in table.columns.items()
        if column.type == "category" and name in table.stated()
    ]
    best = max(found, key=lambda one: (_readable(one[2]), one[0].size), default=None)
    return None if best is None else _counted(facts, *best)


def _readable(column: Column) -> int:
    values = np.unique(column.values[column.given]).size
    return 2 if 4 <= values <= 9 else int(values == 3)


def _counted(facts: Facts, table: Table, name: str, column: Column) -> Bars:
    spec = column.spec
    label = spec.label["en"][0] if spec is not None and spec.label.get("en") else name.replace("_", " ")
    counts = np.bincount(column.values[column.given], minlength=len(column.categories)).tolist()
    order: Sequence[int] = sorted(range(len(counts)), key=lambda index: -counts[index])
    told = {_said(column, column.categories[index]): counts[index] for index in order if counts[index]}
    return Bars(label, rows_called(facts, table), told)


def _said(column: Column, key: str) -> str:
    values = column.spec.values if column.spec is not None else None
    wordings = values[key].en if values is not None and key in values else None
    return wordings[0] if wordings else key.replace("_", " ")
