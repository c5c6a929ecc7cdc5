"""What may be asked of each table: the terms that can be columns, and those that can be conditions.

The schema says so where it lists paths; where it does not, everything that is stated and not marked `ask: false` is
askable, one ref away included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from worldgen.facts.tables import Facts, Table
from worldgen.tasks.frame import Frame
from worldgen.tasks.query import Agg, At, Attr, How, Term

Family = Literal["own", "hop", "at", "aggregate"]
_LEAST_ROWS = 8
_SEVERAL = 3
"""One in so many rows that others refer to must be referred to by several: an average of one value is no question."""


@dataclass(frozen=True, slots=True)
class Option:
    """A term that may be asked, and of which family it is."""

    term: Term
    family: Family


@dataclass(frozen=True, slots=True)
class Askable:
    """All that may be asked of one table."""

    table: str
    weight: float
    keys: tuple[Attr, ...]
    columns: tuple[Option, ...]
    wheres: tuple[Option, ...]

    def of(self, family: Family, *, where: bool = False) -> list[Option]:
        """The options of a family."""
        return [option for option in (self.wheres if where else self.columns) if option.family == family]


def askables(frame: Frame) -> list[Askable]:
    """Every table that questions can be about, in the order of the schema."""
    facts = frame.facts
    subjects = facts.schema.tasks.subjects
    found = []
    for table in facts:
        if table.size < _LEAST_ROWS or (subjects and table.name not in subjects):
            continue
        if not subjects and table.kind == "series":
            continue
        keys = _keys(table, facts)
        if keys:
            found.append(_askable(frame, table, keys))
    return [item for item in found if len(item.columns) >= 1]


def _keys(table: Table, facts: Facts) -> tuple[Attr, ...]:
    if table.named:
        return (Attr("name"),)
    coined = [
        name for name in table.key
        if table.columns[name].type == "ref" and facts.tables[table.columns[name].target or ""].named
    ]  # fmt: skip
    if not coined or not all(_sayable(table, name, facts) for name in table.key):
        return ()
    return tuple(Attr(name) for name in table.key)


def _sayable(table: Table, name: str, facts: Facts) -> bool:
    column = table.columns[name]
    return column.type != "ref" or facts.tables[column.target or ""].named


def _askable(frame: Frame, table: Table, keys: tuple[Attr, ...]) -> Askable:
    facts = frame.facts
    node = facts.schema.tasks.subjects.get(table.name)
    listed_columns = node.columns if node is not None else None
    listed_wheres = node.where if node is not None else None
    folded = _aggregates(frame, table)
    columns = [*_direct(frame, table, listed_columns), *_series(frame, table, listed_columns), *folded]
    own = [*_direct(frame, table, listed_wheres, where=True), *_series(frame, table, listed_wheres)]
    wheres = [option for option in [*own, *folded] if _decidable(frame, table, option)]
    return Askable(
        table=table.name,
        weight=node.weight if node is not None else 1.0,
        keys=keys,
        columns=tuple(option for option in columns if option.term not in keys),
        wheres=tuple(wheres),
    )


def _decidable(frame: Frame, table: Table, option: Option) -> bool:
    """Whether every row has a value that is published, and the term can be compared."""
    values = frame.values(table.name, option.term)
    complete = bool(values.ok.all()) or isinstance(option.term, Agg)
    spec = values.meaning.column.spec if values.meaning.column is not None else None
    ranked = spec is not None and spec.rank is not None
    return values.whole and complete and not ranked and values.meaning.type != "name"


def _direct(frame: Frame, table: Table, listed: list[str] | None, *, where: bool = False) -> list[Option]:
    if listed is not None:
        paths = [path for path in listed if "@" not in path]
    else:
        paths = [*_attributes(table), *_hops(frame.facts, table)]
    if where and listed is None and table.kind == "series":
        paths.append(table.key[-1])
    found = []
    for path in paths:
        if _is_series(frame.facts, table, path):
            continue
        term = Attr(path)
        values = frame.values(table.name, term)
        target = values.meaning.target
        named = values.meaning.type != "ref" or frame.facts.tables[target or ""].named
        if named:
            found.append(Option(term, "hop" if values.meaning.hops else "own"))
    return found


def _attributes(table: Table) -> list[str]:
    return [name for name in table.stated() if name not in table.key and _may_ask(table, name)]


def _may_ask(table: Table, name: str) -> bool:
    spec = table.columns[name].spec
    return spec is None or (spec.ask and not spec.hidden)


def _hops(facts: Facts, table: Table) -> list[str]:
    found = []
    for name, column in table.columns.items():
        if column.type != "ref" or column.target is None or not _may_ask(table, name):
            continue
        target = facts.tables[column.target]
        found += [f"{name}.{far}" for far in _attributes(target) if target.columns[far].type != "name"]
    return found


def _is_series(facts: Facts, table: Table, path: str) -> bool:
    *hops, last = path.split(".")
    for word in hops:
        column = table.columns.get(word)
        if column is None or column.target is None:
            return False
        table = facts.tables[column.target]
    return last not in table.columns and f"{table.name}_{last}" in facts.tables


def _series(frame: Frame, table: Table, listed: list[str] | None) -> list[Option]:
    facts = frame.facts
    paths = [
        name for name, series in facts.schema.series.items() if series.of == table.name and series.ask
    ]  # fmt: skip
    for name, column in table.columns.items():
        if column.type == "ref" and _may_ask(table, name):
            owned = [key for key, series in facts.schema.series.items() if series.of == column.target and series.ask]
            paths += [f"{name}.{key}" for key in owned if table.kind != "series"]
    paths = list(dict.fromkeys([*paths, *(path for path in listed or () if _is_series(facts, table, path))]))
    found = []
    for path in paths:
        series = frame.meaning(table.name, At(path, "2000")).table
        when = series.columns[series.key[1]]
        periods = dict.fromkeys(when.canonicals())
        found += [Option(At(path, period), "at") for period in periods if period is not None]
    return found


def _aggregates(frame: Frame, table: Table) -> list[Option]:
    if not table.named:
        return []
    facts = frame.facts
    known = _stored_aggregates(facts, table)
    found = []
    for other in facts:
        for name, column in other.columns.items():
            if column.type != "ref" or column.target != table.name or not _countable(other, name):
                continue
            if other.kind != "series":
                found.append(Agg("count", other.name, name))
            for of in _attributes(other):
                found += [Agg(how, other.name, name, of, None, decimals) for how, decimals in _hows(facts, other, of)]
    return [Option(term, "aggregate") for term in found if (term.how, term.table, term.by, term.of) not in known]


def _countable(other: Table, name: str) -> bool:
    """Whether pages say of all rows of ``other`` which row they belong to, and many rows have several."""
    by = other.columns[name]
    hidden = by.spec is not None and not _may_ask(other, name)
    if hidden or not by.given.all() or (other.kind == "entity" and not other.named and name not in other.key):
        return False
    sizes = np.bincount(by.values[by.values >= 0])
    return bool((sizes > 1).sum() * _SEVERAL >= max(1, (sizes > 0).sum()))


def _hows(facts: Facts, table: Table, of: str) -> list[tuple[How, int]]:
    """What may be computed of a column all of whose values are published, and the digits of a mean."""
    column = table.columns[of]
    node = facts.schema.series[of] if table.kind == "series" else column.spec
    if node is None or not column.given.all():
        return []
    return [(how, min(6, column.decimals + 1) if how == "mean" else 0) for how in node.folds]


def _stored_aggregates(facts: Facts, table: Table) -> set[tuple[str, str, str, str | None]]:
    found: set[tuple[str, str, str, str | None]] = set()
    for column in table.columns.values():
        spec = column.spec.aggregate if column.spec is not None else None
        if spec is not None:
            found.add((spec.how, spec.table, spec.by, spec.of))
    return found
