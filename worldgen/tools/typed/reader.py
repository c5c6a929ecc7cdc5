"""Reads a world's tables for the typed tools: rows as JSON, filters, order, pages by cursor. No SQL of a caller's."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from worldgen.search.wording import encodable
from worldgen.tools.tool import MalformedCall, echo
from worldgen.tools.typed.columns import SeenColumn, SeenTable

MAX_LIMIT = 100
DEFAULT_LIMIT = 20

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Condition:
    """``column operator value``, with ``operator`` one of ``=``, ``>=``, ``<=`` and ``contains``."""

    column: str
    operator: str
    value: str | int | float


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of rows: how many there are in all, and where the next page begins, if there is one."""

    total: int
    items: list[Row]
    next_cursor: str | None


class TableReader:
    """The rows of a world, as its typed tools show them.

    Args:
        connection: The world's database, from `worldgen.store.read_only`.
        tables: What may be seen of it.
    """

    def __init__(self, connection: sqlite3.Connection, tables: Mapping[str, SeenTable]) -> None:
        # SQLite's own lower() knows ASCII alone.
        connection.create_function("casefold", 1, _casefold, deterministic=True)
        self._connection = connection
        self.tables = tables

    def find(self, table: str, said: str) -> str:
        """The id of the row that an id, a name or an unambiguous alias means.

        Raises:
            MalformedCall: None or several are so called.
        """
        said = encodable(said)
        ids = self._ids("SELECT id FROM wg_entity WHERE id = ? AND type = ?", said, table) or self._ids(
            "SELECT id FROM wg_entity WHERE (name = ?1 OR name_zh = ?1) AND type = ?2", said, table
        )
        ids = ids or self._ids(
            "SELECT DISTINCT e.id FROM wg_alias a JOIN wg_entity e ON e.id = a.entity WHERE a.text = ? AND e.type = ?",
            said,
            table,
        )
        if len(ids) != 1:
            how_many = "no" if not ids else f"{len(ids)}"
            rows = f"{how_many} {table} is" if not ids else f"{how_many} rows of {table} are"
            raise MalformedCall(f"{rows} called {echo(said)!r}", expected="an id or a name as a reply shows it")
        return ids[0]

    def get(self, table: str, said: str) -> Row:
        """One row by id or name."""
        ordinal = self.find(table, said)
        return self._rows(table, [Condition("id", "=", ordinal)], "", 1, 0)[0]

    def count(self, table: str, conditions: Sequence[Condition]) -> int:
        """How many rows meet the conditions; a value that is not disclosed meets none."""
        where, values = self._where(table, conditions)
        found = self._connection.execute(f'SELECT count(*) FROM "{table}" AS t{where}', values).fetchone()
        return int(found[0])

    def page(
        self,
        table: str,
        conditions: Sequence[Condition],
        *,
        sort: str = "",
        limit: int = DEFAULT_LIMIT,
        cursor: str | None = None,
    ) -> Listing:
        """A page of the rows that meet the conditions.

        Args:
            table: Which.
            conditions: What they meet.
            sort: A column, with ``-`` before it for descending; values not disclosed come last.
            limit: Rows a page, 1 to `MAX_LIMIT`.
            cursor: Where the page begins, from the page before.

        Raises:
            MalformedCall: The cursor is not of this list.
        """
        asked = repr((table, list(conditions), sort))
        start = 0 if cursor is None else _start_of(cursor, asked)
        total = self.count(table, conditions)
        items = self._rows(table, conditions, sort, limit, start)
        after = start + len(items)
        return Listing(total, items, _cursor(after, asked) if after < total else None)

    def _ids(self, sql: str, *values: str) -> list[str]:
        return [str(row[0]) for row in self._connection.execute(sql, values)]

    def _where(self, table: str, conditions: Sequence[Condition]) -> tuple[str, list[Any]]:
        parts, values = [], []
        for condition in conditions:
            column = "id" if condition.column == "id" else self.tables[table].column(condition.column).name
            if condition.operator == "contains":
                parts.append(f't."{column}" IS NOT NULL AND instr(casefold(t."{column}"), casefold(?)) > 0')
            else:
                parts.append(f't."{column}" {condition.operator} ?')
            value = condition.value
            values.append(encodable(value) if isinstance(value, str) else value)
        return (" WHERE " + " AND ".join(parts) if parts else ""), values

    def _rows(self, table: str, conditions: Sequence[Condition], sort: str, limit: int, start: int) -> list[Row]:
        columns = self.tables[table].columns
        refs = [column for column in columns if column.kind == "ref"]
        chosen = ["t.id", *(f't."{column.name}"' for column in columns), *(f"e{i}.name" for i in range(len(refs)))]
        joins = "".join(f' LEFT JOIN wg_entity AS e{i} ON e{i}.id = t."{column.name}"' for i, column in enumerate(refs))
        where, values = self._where(table, conditions)
        order = "t.rowid"
        if sort:
            column = f't."{self.tables[table].column(sort.removeprefix("-")).name}"'
            order = f"{column} IS NULL, {column}{' DESC' if sort.startswith('-') else ''}, t.rowid"
        found = self._connection.execute(
            f'SELECT {", ".join(chosen)} FROM "{table}" AS t{joins}{where} ORDER BY {order} LIMIT ? OFFSET ?',
            [*values, limit, start],
        )
        return [_row(record, columns, refs) for record in found]


def _row(record: Sequence[Any], columns: Sequence[SeenColumn], refs: Sequence[SeenColumn]) -> Row:
    names = dict(zip((column.name for column in refs), record[1 + len(columns) :], strict=True))
    row: Row = {"id": record[0]}
    for column, value in zip(columns, record[1:], strict=False):
        if value is not None and column.kind == "ref":
            row[column.name] = {"id": value, "name": names[column.name]}
        elif value is not None and column.kind == "boolean":
            row[column.name] = bool(value)
        else:
            row[column.name] = value
    return row


def _casefold(text: object) -> str | None:
    return None if text is None else str(text).casefold()


def _cursor(start: int, asked: str) -> str:
    """A cursor holds where its page begins, and a digest that ties the place to the list."""
    tied = blake2b(f"{start} {asked}".encode("utf-8", "replace"), digest_size=6).hexdigest()
    return f"{start}-{tied}"


def _start_of(cursor: str, asked: str) -> int:
    start = cursor.partition("-")[0]
    if len(start) <= 15 and start.isascii() and start.isdigit() and cursor == _cursor(int(start), asked):
        return int(start)
    raise MalformedCall("the cursor does not belong to this list", expected="next_cursor of the page before")
