"""Facts that a world takes as they are: names and values that stand in the place of draws.

What is given is settled before anything rests on it; what is drawn keeps clear of it. A value that the schema's own
rules do not allow, or that they compute differently, is an error that names the fact, the rule and who told it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import GenerationError
from worldgen.facts.settle import FAR, Range
from worldgen.facts.tables import EPOCH, Column, Text, canonical, scaled_text
from worldgen.schema.layout import categories_of
from worldgen.schema.model import Attribute

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Told(NamedTuple):
    """A value in its canonical form (a ref by the id of its row) and who told it, for messages: ``turn 3``."""

    value: str
    by: str


@dataclass(frozen=True, slots=True)
class Given:
    """What is not drawn.

    Attributes:
        names: Entity → the names of its first rows.
        values: (entity, attribute) → row → its value.
        series: (entity, series) → (row, ordinal of the period) → its value.
    """

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[tuple[str, str], Mapping[int, Told]] = field(default_factory=dict)
    series: Mapping[tuple[str, str], Mapping[tuple[int, int], Told]] = field(default_factory=dict)

    def count(self) -> int:
        """How many facts are given; names are none."""
        return sum(len(rows) for part in (self.values, self.series) for rows in part.values())

    def column(self, table: str, name: str) -> Mapping[int, Told]:
        """Row → what is told of an attribute."""
        return self.values.get((table, name), {})

    def coined(self) -> Iterator[str]:
        """All names that are given: of entities, and of attributes that hold names of their own."""
        for names in self.names.values():
            yield from names


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """The given values of one attribute as a column stores them: rows, values, who told each."""

    table: str
    name: str
    rows: Ints
    values: Ints
    told: tuple[Told, ...]

    def mask(self, size: int) -> Bools:
        """Which rows of the table are fixed."""
        found = np.zeros(size, dtype=np.bool_)
        found[self.rows] = True
        return found

    def over(self, draw: Callable[[Ints], Ints], size: int) -> Callable[[Ints], Ints]:
        """A draw that gives fixed rows their own values."""
        own = np.zeros(size, dtype=np.int64)
        own[self.rows] = self.values
        fixed = self.mask(size)
        return lambda rows: np.where(fixed[rows], own[rows], draw(rows))

    def within(self, bounds: Range, spec: Attribute) -> Range:
        """The bounds with fixed rows held to their values.

        Raises:
            GenerationError: A given value lies outside of its bounds, or off the grid.
        """
        low, high = bounds.low.copy(), bounds.high.copy()
        for row, value, told in zip(self.rows.tolist(), self.values.tolist(), self.told, strict=True):
            if not low[row] <= value <= high[row] or value % bounds.step:
                raise self.broken(row, told, _rule(spec, int(low[row]), int(high[row])))
            low[row] = high[row] = value
        return Range(low, high, bounds.step)

    def broken(self, row: int, told: Told, rule: str) -> GenerationError:
        """The error of a given value that a rule does not allow."""
        return broken(f"{self.table}/{row}/{self.name}", told, rule)


def broken(fact: str, told: Told, rule: str) -> GenerationError:
    """The error of a given value that a rule does not allow."""
    return GenerationError(
        "facts.given-broken", f"{fact}, as {told.by} gives it, breaks a rule of the schema", expected=rule,
        got=told.value, fix="take it out of what is given, or change the rule",
    )  # fmt: skip


def fixed(given: Given, table: str, name: str, spec: Attribute) -> Fixed | None:
    """The given values of an attribute; None where there are none."""
    told = given.column(table, name)
    if not told:
        return None
    rows = np.array(sorted(told), dtype=np.int64)
    values = np.array([stored(spec, told[row].value) for row in rows.tolist()], dtype=np.int64)
    return Fixed(table, name, rows, values, tuple(told[row] for row in rows.tolist()))


def stored(spec: Attribute, text: str) -> int:
    """The integer that a column stores for a canonical value; the inverse of `worldgen.facts.tables.canonical`.

    >>> stored(Attribute.model_validate({"type": "money", "decimals": 2, "uniform": [1, 9]}), "4.50")
    450
    """
    kind = spec.kind
    if kind == "ref":
        return int(text.partition("/")[2])
    if kind == "category":
        return categories_of(spec).index(text)
    if kind == "date":
        return (dt.date.fromisoformat(text) - EPOCH).days
    if kind == "boolean":
        return int(text == "yes")
    return int(Decimal(text).scaleb(spec.decimals))


def computed(spec: Attribute) -> bool:
    """Whether an attribute's values follow from others, so that none can be chosen.

    >>> computed(Attribute.model_validate({"type": "integer", "rank": {"of": "staff"}}))
    True
    """
    return spec.source in ("rank", "share", "aggregate", "process") or (
        spec.source in ("expr", "depends") and not spec.noise
    )


def verify(given: Given, table: str, column: Column) -> None:
    """Raise where a finished column says something else than is given.

    Raises:
        GenerationError: Names the fact, the rule that computes it, and who told it.
    """
    for row, told in sorted(given.column(table, column.name).items()):
        found = column.canonical(row)
        if column.type == "name" and column.texts is not None:
            found = told.value if told.value in (column.texts[row].en, column.texts[row].zh) else found
        if found != told.value:
            rule = f"{found or 'no value'}, which {_source(column.spec)} gives"
            raise broken(f"{table}/{row}/{column.name}", told, rule)


def named(text: str, drawn: Text) -> Text:
    """A given name in the language of its script; in the other one the row is called what was drawn."""
    return Text(drawn.en, text) if is_chinese(text) else Text(text, drawn.zh)


def is_chinese(text: str) -> bool:
    """Whether a name is written in Chinese characters.

    >>> is_chinese("克斯马尔"), is_chinese("Kesmar")
    (True, False)
    """
    return any("\u3400" <= letter <= "\u9fff" for letter in text)


def _source(spec: Attribute | None) -> str:
    if spec is None:
        return "the schema"
    value = getattr(spec, spec.source)
    if spec.source == "process" or value is True:
        return "a process"
    shown = value if isinstance(value, str) else value.model_dump(exclude_none=True) if hasattr(value, "on") else ""
    return f"`{spec.source}`" + (f" `{shown}`" if isinstance(shown, str) and shown else "")


def _near(*bounds: int) -> tuple[int, ...]:
    """Bounds, with 0 for those that stand for none."""
    return tuple(bound if -FAR < bound < FAR else 0 for bound in bounds)


def _rule(spec: Attribute, low: int, high: int) -> str:
    """The bounds of a row in words, with the keys of the schema that they come from."""
    column = Column("", spec.kind, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_), decimals=spec.decimals)
    dated = spec.kind == "date"
    least, most = (canonical(column, b) if dated else scaled_text(b, spec.decimals) for b in _near(low, high))
    parts = [f"at least {least}"] if low > -FAR else []
    parts += [f"at most {most}"] if high < FAR else []
    parts += [f"a multiple of {spec.round:g}"] if spec.round is not None else []
    keys = [f"{key}: {getattr(spec, key)}" for key in ("after", "before") if getattr(spec, key) is not None]
    return " and ".join(parts) + (f" ({', '.join(keys)})" if keys else "")
