"""Since when each fact is known, and whether it can ever have been different: what the dates of pages rest on."""

from __future__ import annotations

import datetime as dt

import numpy as np
from numpy.typing import NDArray

from worldgen.corpus.amounts import period_end
from worldgen.facts.tables import EPOCH, Column, Facts, Table
from worldgen.language import units
from worldgen.schema.dependencies import attribute_order
from worldgen.schema.expressions import parse
from worldgen.schema.model import Aggregate, Attribute, Entity, Relation

Days = NDArray[np.int64]
Step = tuple[str, str]

ALWAYS = -(10**9)
"""The day since which a fact is known that needs no day."""
_NUMBERS = frozenset({"integer", "decimal", "money", "percent"})


def known_days(facts: Facts) -> dict[Step, Days]:
    """(table, attribute) → the first day on which each row's value is known; without those that always are.

    A value of a series is known when its period is over, a computed one when all that it is computed from is.
    """
    found: dict[Step, Days] = {}
    for table, attribute in attribute_order(facts.schema):
        source = facts.tables.get(table)
        if source is not None and attribute in source.columns:
            days = _days(facts, found, source, attribute)
            if bool((days > ALWAYS).any()):
                found[table, attribute] = days
    return found


def may_change(facts: Facts, table: str, attribute: str) -> bool:
    """Whether the attribute may have had another value before."""
    column, node = facts.tables[table].columns[attribute], _node(facts, table)
    for told in (column.spec.changes if column.spec is not None else None, node.changes if node is not None else None):
        if told is not None:
            return told
    measured = column.unit is not None and column.unit in units() and units()[column.unit].dimension != "count"
    return column.type == "ref" or (column.type in _NUMBERS and not measured)


def _node(facts: Facts, table: str) -> Entity | Relation | None:
    return facts.schema.entities.get(table) or facts.schema.relations.get(table)


def _days(facts: Facts, found: dict[Step, Days], table: Table, attribute: str) -> Days:
    out = np.full(table.size, ALWAYS, dtype=np.int64)
    if table.kind == "series":
        period = table.columns[table.key[-1]]
        ends = [period_end(value, period.every or "year") + 1 for value in period.values.tolist()]
        return out if attribute in table.key else np.array(ends, dtype=np.int64)
    node, spec = _node(facts, table.name), table.columns[attribute].spec
    for known in (node.known if node is not None else None, spec.known if spec is not None else None):
        if known is not None:
            out = np.maximum(out, _told(facts, table, known))
    if spec is None:
        return out
    if spec.aggregate is not None:
        return np.maximum(out, _aggregated(facts, found, table, spec.aggregate))
    for path in _sources(spec):
        out = np.maximum(out, _at(facts, found, table, path))
    if spec.rank is not None:
        return _greatest(out, np.zeros(table.size, dtype=np.int64))
    if spec.share is not None:
        return _greatest(out, _groups(facts, table, spec.share.within))
    return out


def _told(facts: Facts, table: Table, known: str) -> Days:
    """The days that `known` itself gives."""
    if known[:1].isdigit():
        return np.full(table.size, (dt.date.fromisoformat(known) - EPOCH).days, dtype=np.int64)
    end, last, rows = _follow(facts, table, known)
    column = end.columns[last]
    values = [int(column.values[row]) if row >= 0 else None for row in rows.tolist()]
    return np.array([ALWAYS if value is None else _day(column, value) for value in values], dtype=np.int64)


def _day(column: Column, value: int) -> int:
    return value if column.type == "date" else period_end(value, "year") + 1


def _sources(spec: Attribute) -> list[str]:
    """The paths that a value is computed from."""
    if spec.expr is not None:
        return list(parse(spec.expr, "known").paths)
    if spec.share is not None:
        return list(parse(spec.share.weight, "known").paths)
    if spec.depends is not None:
        return [spec.depends.on]
    return [spec.rank.of] if spec.rank is not None else []


def _at(facts: Facts, found: dict[Step, Days], table: Table, path: str) -> Days:
    """Since when what stands at a path is known, for each row."""
    end, last, rows = _follow(facts, table, path)
    days = found.get((end.name, last))
    return np.full(table.size, ALWAYS, dtype=np.int64) if days is None else _gather(days, rows, ALWAYS)


def _follow(facts: Facts, table: Table, path: str) -> tuple[Table, str, Days]:
    """The table and the column in which a path ends, and the row there for each row: -1 behind a ref to nothing."""
    *refs, last = path.split(".")
    rows = np.arange(table.size, dtype=np.int64)
    for ref in refs:
        column = table.columns[ref]
        rows = _gather(column.values, rows, -1)
        table = facts.tables[column.target or ""]
    return table, last, rows


def _gather(values: Days, rows: Days, missing: int) -> Days:
    if len(values) == 0:
        return np.full(len(rows), missing, dtype=np.int64)
    return np.where(rows < 0, missing, values[rows])


def _groups(facts: Facts, table: Table, within: str | None) -> Days:
    if within is None:
        return np.zeros(table.size, dtype=np.int64)
    end, last, rows = _follow(facts, table, within)
    return _gather(end.columns[last].values, rows, -1)


def _greatest(days: Days, groups: Days) -> Days:
    """The latest day of each row's group."""
    if not bool((days > ALWAYS).any()):
        return days
    latest: dict[int, int] = {}
    for group, day in zip(groups.tolist(), days.tolist(), strict=True):
        latest[group] = max(day, latest.get(group, ALWAYS))
    return np.array([latest[group] for group in groups.tolist()], dtype=np.int64)


def _aggregated(facts: Facts, found: dict[Step, Days], table: Table, aggregate: Aggregate) -> Days:
    out = np.full(table.size, ALWAYS, dtype=np.int64)
    source = facts.tables[aggregate.table]
    targets = source.columns[aggregate.by].values
    for attribute in (aggregate.by, aggregate.of):
        days = found.get((aggregate.table, attribute or ""))
        if days is not None:
            np.maximum.at(out, targets[targets >= 0], days[targets >= 0])
    return out
