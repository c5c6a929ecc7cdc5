"""Terms and conditions evaluated over whole columns with numpy.

Proposals for questions are judged here, thousands a second; only accepted ones run as SQL. The two must select the
same rows, and the gold checks that they do.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from worldgen.facts.tables import EPOCH, Column, Facts, Table
from worldgen.tasks.meaning import Meaning, meaning
from worldgen.tasks.query import Agg, And, At, Attr, Compare, Condition, Not, TableQuery, Term

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Numbers = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """A term over all rows of its subject.

    Attributes:
        meaning: The term, resolved.
        values: As the facts store them (scaled, days, ordinals, indices, row numbers); a mean as a float at that scale.
        ok: False where there is no value: not disclosed, no ref on the way, no row to aggregate (a sum of none is 0).
        holders: The row that holds the value, of `meaning.table`; -1 for none and for aggregates.
        whole: False where some value in all the columns that were read is not disclosed.
    """

    meaning: Meaning
    values: Numbers
    ok: Bools
    holders: Ints
    whole: bool


class Frame:
    """Columns of terms, each computed once."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._values: dict[tuple[str, Term], Values] = {}
        self._meanings: dict[tuple[str, Term], Meaning] = {}
        self._series: dict[tuple[str, str], Ints] = {}
        self._counts: dict[tuple[str, Term], Ints] = {}
        self._sorted: dict[tuple[str, Term], Numbers] = {}

    def meaning(self, subject: str, term: Term) -> Meaning:
        """`worldgen.tasks.meaning.meaning`, remembered."""
        found = self._meanings.get((subject, term))
        if found is None:
            found = self._meanings[subject, term] = meaning(self.facts, subject, term)
        return found

    def values(self, subject: str, term: Term) -> Values:
        """The term over all rows of the subject."""
        found = self._values.get((subject, term))
        if found is None:
            found = self._aggregate(subject, term) if isinstance(term, Agg) else self._direct(subject, term)
            self._values[subject, term] = found
        return found

    def ordered(self, subject: str, term: Term) -> Numbers:
        """All values that there are, in order."""
        found = self._sorted.get((subject, term))
        if found is None:
            column = self.values(subject, term)
            found = self._sorted[subject, term] = ordered(column.values[column.ok])
        return found

    def counts(self, subject: str, term: Term) -> Ints:
        """How often each index or row number occurs, of a term that has a value in every row."""
        found = self._counts.get((subject, term))
        if found is None:
            found = self._counts[subject, term] = np.bincount(self.values(subject, term).values.astype(np.int64))
        return found

    def rows(self, query: TableQuery) -> Ints:
        """The rows that a query selects, in its order."""
        size = self.facts.tables[query.subject].size
        rows = np.arange(size, dtype=np.int64)
        if query.where is not None:
            rows = rows[self.mask(query.subject, query.where)]
        if query.order is None or query.limit is None:
            return rows
        column = self.values(query.subject, query.order.term)
        rows = rows[column.ok[rows]]
        values = column.values[rows]
        order = np.argsort(-values if query.order.descending else values, kind="stable")
        return np.asarray(rows[order][: query.limit])

    def mask(self, subject: str, condition: Condition) -> Bools:
        """Which rows of the subject meet the condition."""
        if isinstance(condition, Compare):
            return self._compare(subject, condition)
        if isinstance(condition, Not):
            return ~self.mask(subject, condition.item)
        masks = [self.mask(subject, item) for item in condition.items]
        fold = np.logical_and if isinstance(condition, And) else np.logical_or
        found = masks[0]
        for mask in masks[1:]:
            found = fold(found, mask)
        return found

    def _compare(self, subject: str, compare: Compare) -> Bools:
        column = self.values(subject, compare.term)
        wanted = stored(column.meaning, compare.value)
        values = column.values
        if compare.op == "=":
            found = values == wanted
        elif compare.op == "!=":
            found = values != wanted
        elif compare.op == "<":
            found = values < wanted
        elif compare.op == "<=":
            found = values <= wanted
        elif compare.op == ">":
            found = values > wanted
        else:
            found = values >= wanted
        return np.asarray(found & column.ok)

    def _direct(self, subject: str, term: Attr | At) -> Values:
        found = self.meaning(subject, term)
        rows = np.arange(self.facts.tables[subject].size, dtype=np.int64)
        ok = np.ones(len(rows), dtype=np.bool_)
        whole = True
        for table, name in found.hops:
            column = self.facts.tables[table].columns[name]
            rows, ok, fine = _follow(column, rows, ok)
            whole = whole and fine
        if isinstance(term, At):
            place = self._at(found.table, term.period)
            rows = np.where(ok, place[np.where(ok, rows, 0)], -1)
            ok = rows >= 0
        if found.column is None:
            return Values(found, rows, ok, rows, whole)
        safe = np.where(ok, rows, 0)
        values = found.column.values[safe]
        given = found.column.given
        ok = ok & given[safe]
        if found.type == "ref":
            ok = ok & (values >= 0)
        return Values(found, values, ok, rows, whole and bool(given.all()))

    def _at(self, series: Table, period: str) -> Ints:
        key = (series.name, period)
        if key not in self._series:
            of, when = (series.columns[name] for name in series.key)
            place = np.full(self.facts.tables[of.target or ""].size, -1, dtype=np.int64)
            rows = np.flatnonzero(when.values == ordinal(period))
            place[of.values[rows]] = rows
            self._series[key] = place
        return self._series[key]

    def _aggregate(self, subject: str, term: Agg) -> Values:
        found = self.meaning(subject, term)
        size = self.facts.tables[subject].size
        none = np.full(size, -1, dtype=np.int64)
        by = found.table.columns[term.by]
        use = by.given & (by.values >= 0)
        whole = bool(by.given.all())
        if term.where is not None:
            use = use & self.mask(term.table, term.where)
        if found.column is None:
            return Values(found, np.bincount(by.values[use], minlength=size), np.ones(size, np.bool_), none, whole)
        whole = whole and bool(found.column.given.all())
        use = use & found.column.given
        keys, values = by.values[use], found.column.values[use]
        counts = np.bincount(keys, minlength=size)
        ok = counts > 0 if term.how != "sum" else np.ones(size, np.bool_)
        return Values(found, _fold(term.how, keys, values, counts), ok, none, whole)


def ordered(values: Numbers) -> Numbers:
    """The values in order."""
    found: Numbers = np.sort(values)  # type: ignore[assignment]
    return found


def _follow(column: Column, rows: Ints, ok: Bools) -> tuple[Ints, Bools, bool]:
    safe = np.where(ok, rows, 0)
    values = column.values[safe]
    return values, ok & column.given[safe] & (values >= 0), bool(column.given.all())


def _fold(how: str, keys: Ints, values: Ints, counts: Ints) -> Numbers:
    """Fold the values of each key; a key has as many as ``counts`` says, and nought where it has none."""
    folded = np.zeros(len(counts), dtype=np.int64)
    has = counts > 0
    if has.any():
        inorder = values[np.argsort(keys, kind="stable")]
        starts = (np.cumsum(counts) - counts)[has]
        fold = {"min": np.minimum, "max": np.maximum}.get(how, np.add)
        folded[has] = fold.reduceat(inorder, starts)
    return folded / np.maximum(counts, 1) if how == "mean" else folded


def stored(found: Meaning, value: str) -> int | float:
    """A canonical literal as the facts store it."""
    if found.type == "ref":
        table, row = value.rsplit("/", 1)
        return int(row) if table == found.target else -2
    if found.type == "category":
        categories = found.column.categories if found.column is not None else ()
        return categories.index(value) if value in categories else -2
    if found.type == "boolean":
        return int(value == "yes")
    if found.type == "date":
        return (dt.date.fromisoformat(value) - EPOCH).days
    if found.type == "period":
        return ordinal(value)
    scale = found.column.decimals if found.column is not None else 0
    exact = Decimal(value).scaleb(scale)
    return int(exact) if exact == exact.to_integral_value() else float(exact)


def ordinal(period: str) -> int:
    """A period's number: 2029 → 2029, 2029-Q1 → 8116, 2029-03 → 24350."""
    year, _, part = period.partition("-")
    if not part:
        return int(year)
    return 4 * int(year) + int(part[1]) - 1 if part[0] == "Q" else 12 * int(year) + int(part) - 1
