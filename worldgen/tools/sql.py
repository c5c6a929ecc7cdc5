"""Read-only SQL over a world's typed tables: tasks, labels and hidden helpers stay out of sight."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from worldgen.errors import CallerError
from worldgen.store.database import add_functions, select
from worldgen.tools.tool import MalformedCall, only, read_spec, text
from worldgen.tools.typed import SeenTable

SECONDS = 2.0
ROWS = 1_000
MAX_QUERY = 20_000
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_FORBIDDEN = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}


class SqlTool:
    """Runs one SELECT a call, over views that show what may be seen.

    Args:
        database: The world's database file.
        tables: What may be seen of it.
    """

    name = "sql_query"

    def __init__(self, database: Path, tables: Mapping[str, SeenTable]) -> None:
        self._database = database
        self._tables = tables

    def spec(self) -> dict[str, Any]:
        """See `Tool.spec`; the description lists the tables."""
        spec = read_spec(self.name)
        lines = [f"{table.name}({', '.join(_columns(table))})" for table in self._tables.values()]
        spec["function"]["description"] += " Tables: " + "; ".join(lines) + "."
        return spec

    def call(self, arguments: Mapping[str, Any]) -> str:
        """See `Tool.call`; the reply is JSON: ``{"columns": […], "rows": [[…], …]}``."""
        columns, rows = self.query(**dict(arguments))
        return json.dumps({"columns": columns, "rows": rows}, ensure_ascii=False, default=repr)

    def query(self, **arguments: Any) -> tuple[list[str], list[tuple[object, ...]]]:
        """Column names and rows of one SELECT, given as ``query``.

        Raises:
            MalformedCall: It is missing, too long, no single SELECT, wrong, too slow, or brings too many rows.
        """
        only(arguments, "query")
        query = text(arguments, "query")
        if len(query) > MAX_QUERY:
            raise MalformedCall("the query is too long", expected=f"{MAX_QUERY} characters at most")
        with closing(_opened(self._database, list(self._tables.values()))) as connection:
            try:
                return select(connection, query, seconds=SECONDS, limit=ROWS)
            except CallerError as error:
                raise MalformedCall(error.message, expected=error.expected or error.fix) from error


def _columns(table: SeenTable) -> list[str]:
    return ["id", *(column.name for column in table.columns)]


def _opened(database: Path, tables: Collection[SeenTable]) -> sqlite3.Connection:
    """A connection on which a query reaches the tables through temporary views of the same names, and nothing else."""
    connection = sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    names = {table.name for table in tables}
    hidden = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")} - names
    for table in tables:
        chosen = ", ".join(f'"{column}"' for column in _columns(table))
        connection.execute(f'CREATE TEMP VIEW "{table.name}" AS SELECT {chosen} FROM main."{table.name}"')

    def authorize(action: int, first: str | None, second: str | None, base: str | None, view: str | None) -> int:
        if action == sqlite3.SQLITE_READ:
            allowed = _readable(first or "", second or "", base, view, names, hidden)
        elif action == sqlite3.SQLITE_FUNCTION:
            allowed = (second or "").lower() not in _FORBIDDEN
        else:
            allowed = action in _READING
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    add_functions(connection)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000)
    connection.set_authorizer(authorize)
    return connection


def _readable(table: str, column: str, base: str | None, view: str | None, names: set[str], hidden: set[str]) -> bool:
    """Whether a query may read a column; SQLite names none where only the rows count, as in ``count(*)``."""
    if table in names:
        return not column or base == "temp" or view == table
    # What is no table of the file and has no column named is a common table expression of the query's own.
    return not column and table not in hidden and not table.lower().startswith("sqlite_")
