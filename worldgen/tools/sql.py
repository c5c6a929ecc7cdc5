"""Read-only SQL over a world's typed tables: tasks, labels and hidden helpers stay out of sight."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import local
from typing import Any

from worldgen.errors import CallerError
from worldgen.store.connection import add_functions, select
from worldgen.tools.sql_text import refuse_odd
from worldgen.tools.tool import MalformedCall, only, read_spec, text
from worldgen.tools.typed import SeenTable

SECONDS = 2.0
ROWS = 1_000
MAX_QUERY = 10_000
MAX_RESULT = 2_000_000
"""Characters of all values together, as they stand in the database."""
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
# What reads files, and what says something else each time, so that an episode could not be replayed.
_FORBIDDEN = {
    *("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"),
    *("random", "randomblob", "current_date", "current_time", "current_timestamp"),
    *("sqlite_version", "sqlite_source_id", "sqlite_compileoption_get", "sqlite_compileoption_used"),
    *("changes", "total_changes", "last_insert_rowid"),
}
# Functions of time, with the number of arguments from which on they do not mean the present.
_CLOCKS = {"date": 1, "time": 1, "datetime": 1, "julianday": 1, "unixepoch": 1, "strftime": 2}
_LONGEST = 50_000
# SQLite looks at the clock between steps only. These keep a step short, and what is read before the first one.
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: _LONGEST,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 10_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}


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
        only(arguments, "query")
        columns, rows = self.query(text(arguments, "query"))
        return json.dumps({"columns": columns, "rows": [[_plain(v) for v in row] for row in rows]}, ensure_ascii=False)

    def query(self, query: str) -> tuple[list[str], list[tuple[object, ...]]]:
        """Column names and rows of one SELECT.

        Raises:
            MalformedCall: It is too long, no single SELECT, wrong, too slow, or brings too much.
        """
        if len(query) > MAX_QUERY:
            raise MalformedCall(
                "the query is too long", expected=f"{MAX_QUERY} characters at most", got=f"{len(query)}"
            )
        refuse_odd(query)
        with closing(_opened(self._database, list(self._tables.values()))) as connection:
            try:
                return select(connection, query, seconds=SECONDS, limit=ROWS, size=MAX_RESULT)
            except CallerError as error:
                raise MalformedCall(error.message, expected=error.expected or error.fix) from error


def _plain(value: object) -> object:
    """A value as JSON can hold it: bytes as SQL writes them, numbers without end as words."""
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _instr(text: object, part: object) -> int | None:
    if text is None or part is None:
        return None
    if isinstance(text, bytes) and isinstance(part, bytes):
        return text.find(part) + 1
    return _said(text).find(_said(part)) + 1


def _replace(text: object, old: object, new: object) -> str | None:
    if text is None or old is None or new is None:
        return None
    whole, part, other = _said(text), _said(old), _said(new)
    if not part:
        return whole
    if len(whole) + whole.count(part) * (len(other) - len(part)) > _LONGEST:
        raise ValueError("too long")
    return whole.replace(part, other)


def _said(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _columns(table: SeenTable) -> list[str]:
    return ["id", *(column.name for column in table.columns)]


def _opened(database: Path, tables: Collection[SeenTable]) -> sqlite3.Connection:
    """A connection on which a query reaches the tables through temporary views of the same names, and nothing else."""
    connection = sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    readable = {table.name: {"", *_columns(table)} for table in tables}
    present = "SELECT name FROM sqlite_master UNION SELECT name FROM pragma_module_list"
    hidden = {name.casefold() for (name,) in connection.execute(present)} - set(readable)
    for table in tables:
        chosen = ", ".join(f'"{column}"' for column in _columns(table))
        connection.execute(f'CREATE TEMP VIEW "{table.name}" AS SELECT {chosen} FROM main."{table.name}"')

    def may_read(table: str, column: str) -> bool:
        known = table.casefold()
        if known in readable:
            return column in readable[known]
        # Where only the rows count SQLite names no column. What is then none of the file's and none of SQLite's own
        # is a common table expression of the query.
        return not column and known not in hidden and not known.startswith(("sqlite_", "pragma_"))

    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ:
            allowed = may_read(first or "", second or "")
        elif action == sqlite3.SQLITE_FUNCTION:
            allowed = (second or "").lower() not in _FORBIDDEN
        else:
            allowed = action in _READING
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    add_functions(connection)
    for name, least in _CLOCKS.items():
        connection.create_function(name, -1, partial(_timeless, name, least), deterministic=True)
    # SQLite's own take the square of the length.
    connection.create_function("instr", 2, _instr, deterministic=True)
    connection.create_function("replace", 3, _replace, deterministic=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    connection.set_authorizer(authorize)
    return connection


def _timeless(name: str, least: int, *arguments: str | float | None) -> str | float | None:
    """A function of SQLite's that tells times, but not the present: that is NULL."""
    if len(arguments) < least or any(isinstance(a, str) and a.strip().casefold() == "now" for a in arguments):
        return None
    marks = ", ".join("?" * len(arguments))
    # The name is one of `_CLOCKS`.
    found: tuple[str | float | None] = _clock().execute(f"SELECT {name}({marks})", arguments).fetchone()
    return found[0]


def _clock() -> sqlite3.Connection:
    connection = getattr(_LOCAL, "connection", None)
    if connection is None:
        connection = _LOCAL.connection = sqlite3.connect(":memory:")
    return connection


_LOCAL = local()
