"""Reads paths such as ``maker.founded`` over tables that are still being filled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import InternalError, SchemaError
from worldgen.facts.given import Given
from worldgen.facts.tables import Column, Table, Text, canonical
from worldgen.schema.expressions import Expression, evaluate
from worldgen.schema.layout import Fields
from worldgen.schema.model import Schema

Ints = NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Draft:
    """A world under construction.

    Attributes:
        schema: What is being filled.
        seed: The world's seed.
        layout: Table → columns, from `worldgen.schema.layout.tables`.
        tables: The tables begun so far; columns appear as they are drawn.
        given: What is not drawn.
    """

    schema: Schema
    seed: int
    layout: Mapping[str, Fields]
    tables: dict[str, Table] = field(default_factory=dict)
    given: Given = field(default_factory=Given)

    def size(self, table: str) -> int:
        """The number of rows."""
        return self.tables[table].size

    def column(self, table: str, name: str) -> Column:
        """A column that has been drawn."""
        try:
            return self.tables[table].columns[name]
        except KeyError as error:
            raise InternalError("facts.order", f"{table}.{name} was read before it was drawn") from error

    def follow(self, table: str, path: str) -> tuple[Column | None, str, Ints]:
        """Where a path ends: its last column (None for a name), that column's table, and the row there for each row.

        A row is -1 where a ref on the way refers to nothing. A path that ends in a ref gives that ref's column.
        """
        rows = np.arange(self.size(table), dtype=np.int64)
        words = path.split(".")
        for word in words[:-1]:
            ref = self.column(table, word)
            rows = _through(ref.values, rows)
            table = ref.target or ""
        if words[-1] in {"name", "name_zh"}:
            return None, table, rows
        return self.column(table, words[-1]), table, rows

    def numbers(self, table: str, path: str) -> NDArray[Any]:
        """The path's value for each row: float64 (nan where there is none), or str for categories.

        Dates are days since 1970-01-01, booleans and refs (there or not) 0 and 1.
        """
        column, _, rows = self.follow(table, path)
        if column is None or column.type == "name":
            raise InternalError("facts.path", f"{table}.{path} is a name, not a number")
        values = _gather(column.values, rows, -1 if column.type == "ref" else 0)
        if column.type == "ref":
            return np.where(values < 0, 0.0, 1.0)
        if column.type == "category":
            return np.where(rows < 0, "", np.array(column.categories)[values])
        result = values.astype(np.float64)
        if column.decimals:
            result = result / float(10**column.decimals)
        return np.where(rows < 0, np.nan, result)

    def refs(self, table: str, path: str) -> Ints:
        """The row that a path of refs leads to for each row of the table; -1 where it leads nowhere."""
        column, _, rows = self.follow(table, path)
        if column is None or column.type != "ref":
            got = "a name" if column is None else column.type
            raise SchemaError("schema.kind", f"`{table}.{path}`", expected="a ref", got=got)
        return _gather(column.values, rows, -1)

    def evaluate(self, table: str, expression: Expression) -> NDArray[Any]:
        """The expression for each row of the table."""
        result = evaluate(expression, lambda path: self.numbers(table, path))
        return np.broadcast_to(result, (self.size(table),))

    def says(self, table: str, path: str, language: str) -> list[str]:
        """The path's value for each row in words, as they stand in a name; empty where there is none."""
        column, target, rows = self.follow(table, path)
        if column is None:
            return [name.say(language) for name in _names(self.tables[target], rows)]
        if column.type == "ref":
            indices = _gather(column.values, rows, -1)
            return [name.say(language) for name in _names(self.tables[column.target or ""], indices)]
        if column.type == "name":
            assert column.texts is not None
            return [column.texts[row].say(language) if row >= 0 else "" for row in rows.tolist()]
        if column.type == "category":
            words = [_wording(column, key, language) for key in column.categories]
            return [words[v] if v >= 0 else "" for v in _gather(column.values, rows, -1).tolist()]
        values = column.values.tolist()
        return [canonical(column, values[row], row) or "" if row >= 0 else "" for row in rows.tolist()]


_NOTHING = Text("", "")


def _names(table: Table, rows: Ints) -> list[Text]:
    return [table.names[row] if row >= 0 else _NOTHING for row in rows.tolist()]


def _through(values: Ints, rows: Ints) -> Ints:
    return _gather(values, rows, -1)


def _gather(values: Ints, rows: Ints, missing: int) -> Ints:
    if len(values) == 0:
        return np.full(len(rows), missing, dtype=np.int64)
    return np.where(rows < 0, missing, values[np.maximum(rows, 0)])


def _wording(column: Column, key: str, language: str) -> str:
    values = column.spec.values if column.spec is not None else None
    value = values.get(key) if values else None
    wordings = (value.zh if language == "zh" else value.en) if value is not None else None
    return wordings[0] if wordings else key.replace("_", " ")
