"""A schema filled: one table per entity, relation and series, held in columns.

Values are exact: numbers are integers scaled by ``10**decimals``, dates are days since 1970-01-01, categories are
indices into the attribute's values, refs are row numbers of the table referred to (-1: none), periods are ordinals
(year, ``4*year + quarter - 1``, ``12*year + month - 1``). `Column.canonical` is the one text form of a value, the
same in the database, in statements and in proofs.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worldgen.schema.model import Attribute, Schema

ColumnType = Literal[
    "integer", "decimal", "money", "percent", "year", "date", "category", "boolean", "name", "ref", "period"
]
EPOCH = dt.date(1970, 1, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A coined name in both languages, or a built one."""

    en: str
    zh: str

    def say(self, language: str) -> str:
        """The name in that language."""
        return self.zh if language == "zh" else self.en


@dataclass(slots=True, eq=False)
class Column:
    """One attribute of all rows of a table.

    Attributes:
        name: Attribute name.
        type: What ``values`` hold; see the module's docstring.
        spec: The schema's node; None for a period and for the roles and values of series and relations without one.
        values: int64, shape (rows,).
        texts: For type ``name``: one per row, ``values`` then being the row numbers.
        given: bool, shape (rows,); False where the value is not disclosed.
        target: For refs: the table referred to.
        every: For periods: month, quarter or year.
        categories: For categories: the keys in order of the schema.
    """

    name: str
    type: ColumnType
    values: NDArray[np.int64]
    given: NDArray[np.bool_]
    spec: Attribute | None = None
    decimals: int = 0
    unit: str | None = None
    currency: str | None = None
    texts: list[Text] | None = None
    target: str | None = None
    every: str | None = None
    categories: tuple[str, ...] = ()

    def canonical(self, row: int) -> str | None:
        """The value in its one text form; None where it is not disclosed or refers to nothing."""
        if not self.given[row]:
            return None
        return canonical(self, int(self.values[row]), row)

    def canonicals(self) -> list[str | None]:
        """`canonical` of every row."""
        values, given = self.values.tolist(), self.given.tolist()
        return [canonical(self, v, i) if ok else None for i, (v, ok) in enumerate(zip(values, given, strict=True))]


def canonical(column: Column, value: int, row: int = 0) -> str | None:
    """The text form of a stored value of that column: `12.50`, `2029-06-18`, `2029-Q1`, `yes`, `maker/3`."""
    kind = column.type
    if kind == "ref":
        return None if value < 0 else f"{column.target}/{value}"
    if kind == "category":
        return column.categories[value]
    if kind == "date":
        return (EPOCH + dt.timedelta(days=value)).isoformat()
    if kind == "period":
        return period_text(value, column.every or "year")
    if kind == "boolean":
        return "yes" if value else "no"
    if kind == "name":
        return column.texts[row].en if column.texts is not None else None
    return scaled_text(value, column.decimals)


def scaled_text(value: int, decimals: int) -> str:
    """A scaled integer as a decimal number: ``scaled_text(1250, 2) == "12.50"``."""
    if decimals == 0:
        return str(value)
    whole, part = divmod(abs(value), 10**decimals)
    return f"{'-' if value < 0 else ''}{whole}.{part:0{decimals}d}"


def period_text(ordinal: int, every: str) -> str:
    """A period's text: `2029`, `2029-Q1` or `2029-03`."""
    if every == "year":
        return str(ordinal)
    if every == "quarter":
        return f"{ordinal // 4}-Q{ordinal % 4 + 1}"
    return f"{ordinal // 12}-{ordinal % 12 + 1:02d}"


@dataclass(slots=True, eq=False)
class Table:
    """The rows of one entity, relation or series.

    Attributes:
        name: Table name; ``<entity>_<series>`` for a series.
        kind: What it is in the schema.
        size: Number of rows.
        key: Columns that tell the rows apart; empty for named entities.
        names: One per row: the coined or built name, or the phrase of a row with a key.
        named: True where ``names`` are names of their own (unique), False where they are phrases.
        aliases: Row → other names that pages may use.
    """

    name: str
    kind: Literal["entity", "relation", "series"]
    size: int
    columns: dict[str, Column]
    names: list[Text]
    named: bool
    key: tuple[str, ...] = ()
    aliases: dict[int, list[Text]] = field(default_factory=dict)

    def id(self, row: int) -> str:
        """The id of a row: `phone/17`."""
        return f"{self.name}/{row}"

    def fact(self, row: int, attribute: str) -> str:
        """The id of a fact: `phone/17/price`, of a series `maker/3/shipments@2029-Q1`."""
        if self.kind == "series":
            of, period = (self.columns[name] for name in self.key)
            return f"{of.target}/{of.values[row]}/{attribute}@{period.canonical(row)}"
        return f"{self.name}/{row}/{attribute}"

    def stated(self) -> list[str]:
        """The columns whose values are facts that pages state: neither hidden nor, in a series, the key."""
        if self.kind == "series":
            return [name for name in self.columns if name not in self.key]
        skip = set(self.key[:-1]) if self.kind == "relation" else set(self.key)
        return [n for n, c in self.columns.items() if n not in skip and not (c.spec is not None and c.spec.hidden)]


@dataclass(slots=True, eq=False)
class Facts:
    """All facts of a world: the schema, the seed, the coined setting, the tables in schema order."""

    schema: Schema
    seed: int
    scope: Text
    tables: dict[str, Table]

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables.values())

    def count(self) -> int:
        """The number of facts, undisclosed ones included."""
        return sum(table.size * len(table.stated()) for table in self)
