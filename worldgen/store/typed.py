"""The typed tables of one world: SQLAlchemy Core tables in a `MetaData` of their own, and the rows that fill them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Column as SqlColumn
from sqlalchemy import Float, Index, Integer, MetaData, String
from sqlalchemy import Table as SqlTable

from worldgen.facts.tables import Column, Facts, Table
from worldgen.schema import Schema, sql_columns, tables

_TYPES = {"INTEGER": Integer, "REAL": Float, "TEXT": String}


def typed_tables(schema: Schema) -> MetaData:
    """The Core tables of a schema, in the layout of `worldgen.schema.tables`, with an index on every ref."""
    metadata = MetaData()
    for name, fields in tables(schema).items():
        table = SqlTable(
            name,
            metadata,
            *(SqlColumn(column, _TYPES[field.sql](), primary_key=column == "id") for column, field in fields.items()),
        )
        for column, field in fields.items():
            if field.kind == "ref":
                Index(f"ix_{name}_{column}", table.c[column])
    return metadata


def rows_of(facts: Facts, table: Table) -> Iterator[tuple[object, ...]]:
    """The rows of one table in the order of its SQL columns."""
    columns: list[list[object]] = []
    for name in sql_columns(facts.schema)[table.name]:
        columns.append(_values(table, name))
    return zip(*columns, strict=True)


def _values(table: Table, name: str) -> list[object]:
    if name == "id":
        return [table.id(row) for row in range(table.size)]
    if name in ("name", "name_zh") and name not in table.columns:
        return [text.zh if name == "name_zh" else text.en for text in table.names]
    if name not in table.columns and name.endswith("_zh"):
        texts = table.columns[name.removesuffix("_zh")].texts or []
        return [text.zh for text in texts]
    return _sql_values(table.columns[name])


def _sql_values(column: Column) -> list[object]:
    given = column.given.tolist()
    if column.type in ("integer", "year", "boolean") or (
        column.type in ("decimal", "money", "percent") and column.decimals == 0
    ):
        values: list[object] = column.values.tolist()
    elif column.type in ("decimal", "money", "percent"):
        # The nearest double of the exact decimal: division of two exact doubles rounds correctly.
        values = [value / 10**column.decimals for value in column.values.tolist()]
    else:
        return list(column.canonicals())
    return [value if ok else None for value, ok in zip(values, given, strict=True)]
