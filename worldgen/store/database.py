"""Writing a world's database in bulk, and opening it for reading only.

Rows go in by ``executemany`` on statements compiled from the tables, indexes are made afterwards: about fifty times
as fast as ``session.add_all``. While rows pass, each table's digest is taken over their canonical JSON.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import monotonic

from sqlalchemy import Table as SqlTable
from sqlalchemy import insert
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlmodel import SQLModel

from worldgen.errors import CallerError, GenerationError, ServiceError, WorldFormatError
from worldgen.facts.tables import Facts
from worldgen.records import Page, Task
from worldgen.schema.model import Schema
from worldgen.store import catalogue, rows
from worldgen.store.typed import rows_of, typed_tables

_BATCH = 20_000
_LONGEST = 4_000_000
_STEPS = 1_000
"""Steps of SQLite's machine between two looks at the clock."""
_DIALECT = sqlite.dialect()


class DatabaseWriter:
    """A database in the making: facts first, then pages, then tasks, then `close`.

    Args:
        path: A file that does not exist yet.
        schema: The world's schema.
    """

    def __init__(self, path: Path, schema: Schema) -> None:
        self.schema = schema
        self.digests: dict[str, str] = {}
        self._tables = {table.name: table for table in typed_tables(schema).sorted_tables}
        self._catalogue = {str(model.__tablename__): _table_of(model) for model in catalogue.MODELS}
        self.connection = sqlite3.connect(path)
        add_functions(self.connection)
        # The file is beside its place until it is whole, so a crash loses nothing that a journal could save.
        self.connection.execute("PRAGMA journal_mode = OFF")
        self.connection.execute("PRAGMA synchronous = OFF")
        for table in [*self._tables.values(), *self._catalogue.values()]:
            self.connection.execute(str(CreateTable(table).compile(dialect=_DIALECT)))

    def write_facts(self, facts: Facts) -> None:
        """Write the typed tables, entities, aliases and facts."""
        for table in facts:
            self._insert(self._tables[table.name], rows_of(facts, table))
            self._index(self._tables[table.name])
        self._insert(self._catalogue["wg_entity"], rows.entity_rows(facts))
        self._insert(self._catalogue["wg_alias"], rows.alias_rows(facts))
        self._insert(self._catalogue["wg_fact"], rows.fact_rows(facts))
        self.connection.commit()

    def run_checks(self) -> None:
        """Run the schema's SQL checks; `GenerationError` shows the first rows that break one."""
        for name, check in self.schema.checks.items():
            broken = self.connection.execute(check.sql).fetchmany(5)
            if broken:
                raise GenerationError(
                    "facts.check-broken",
                    f"the generated rows break the check {name!r}",
                    expected="no row" + (f" ({check.why})" if check.why else ""),
                    got="; ".join(str(row) for row in broken),
                    fix="change the attributes' distributions or bounds so that the rule always holds",
                )

    def write_pages(self, pages: list[Page]) -> None:
        """Write pages, their statements and links."""
        self._insert(self._catalogue["wg_page"], rows.page_rows(pages))
        self._insert(self._catalogue["wg_statement"], rows.statement_rows(pages))
        self._insert(self._catalogue["wg_link"], rows.link_rows(pages))
        self.connection.commit()

    def write_tasks(self, tasks: list[Task]) -> None:
        """Write tasks and their evidence."""
        self._insert(self._catalogue["wg_task"], rows.task_rows(tasks))
        self._insert(self._catalogue["wg_evidence"], rows.evidence_rows(tasks))
        self.connection.commit()

    def close(self) -> None:
        """Make the indexes and close the file."""
        try:
            for table in self._catalogue.values():
                self._index(table)
            self.connection.commit()
        finally:
            self.connection.close()

    def _index(self, table: SqlTable) -> None:
        for index in sorted(table.indexes, key=lambda i: str(i.name)):
            self.connection.execute(str(CreateIndex(index).compile(dialect=_DIALECT)))

    def _insert(self, table: SqlTable, source: Iterable[tuple[object, ...]]) -> None:
        statement = str(insert(table).compile(dialect=_DIALECT))
        digest = sha256()
        try:
            for batch in _batched(source):
                digest.update(digest_text(batch))
                self.connection.executemany(statement, batch)
        except sqlite3.OperationalError as error:
            raise ServiceError(
                "store.write-failed",
                f"the database could not be written: {error}",
                fix="free disk space at the output folder, or choose another with --out",
            ) from error
        self.digests[table.name] = digest.hexdigest()


def digest_text(batch: list[tuple[object, ...]]) -> bytes:
    """The canonical bytes of rows: one JSON array a line."""
    lines = json.dumps(batch, ensure_ascii=False, separators=(",", ":"))
    return f"{lines[1:-1]},".encode()


def table_digests(connection: sqlite3.Connection) -> dict[str, str]:
    """Each table's digest, read back from a database; equal to what the writer took."""
    names = [n for (n,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    digests = {}
    for name in names:
        digest = sha256()
        # The name comes from this database's own list of tables and is quoted.
        with closing(connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid')) as cursor:
            for batch in _batched(cursor):
                digest.update(digest_text(batch))
        digests[name] = digest.hexdigest()
    return digests


def add_functions(connection: sqlite3.Connection) -> None:
    """The functions that checks and queries may use beside SQLite's own: ``year(date)``."""
    connection.create_function("year", 1, _year, deterministic=True)


def _year(date: object) -> int | None:
    return int(str(date)[:4]) if date is not None else None


_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


def read_only(path: Path) -> sqlite3.Connection:
    """Open a world's database so that nothing but SELECT works: no write, no ATTACH, no PRAGMA, no extension.

    Raises:
        WorldFormatError: The file is missing or not a database.
    """
    if not path.is_file():
        raise WorldFormatError("world.no-database", "the world has no database", path=path, fix="build it again")
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        connection.close()
        raise WorldFormatError(
            "world.damaged-database", f"the world's database cannot be read: {error}", path=path, fix="build it again"
        ) from error
    add_functions(connection)
    connection.set_authorizer(_authorize)
    # No value may be longer: a function that makes a huge one would run past any limit of time and memory.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    return connection


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in ("load_extension", "readfile", "writefile"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def select(
    connection: sqlite3.Connection,
    sql: str,
    *,
    seconds: float = 10,
    limit: int = 100_000,
    size: int = 200_000_000,
) -> tuple[list[str], list[tuple[object, ...]]]:
    """Run one SELECT under a bound of time and rows.

    Args:
        connection: From `read_only`.
        sql: A single statement.
        seconds: Time after which it is stopped.
        limit: Most rows returned; one more is an error, never a silent cut.
        size: Characters and bytes of all values together at most, likewise.

    Returns:
        Column names and rows.

    Raises:
        CallerError: Not a SELECT, wrong SQL, too slow, too many rows, too large.
    """
    end = monotonic() + seconds
    connection.set_progress_handler(lambda: int(monotonic() > end), _STEPS)
    try:
        with closing(connection.execute(sql)) as cursor:
            found = _bounded(cursor, limit, size)
            columns = [d[0] for d in cursor.description or ()]
    except (sqlite3.Error, OverflowError, ValueError) as error:
        reason = f"stopped after {seconds:g} s" if str(error) == "interrupted" else str(error)
        raise CallerError(
            "sql.refused", f"the query was refused: {reason}", expected="one SELECT over the world's tables", got=sql
        ) from error
    except sqlite3.Warning as error:
        raise CallerError("sql.refused", f"the query was refused: {error}", expected="one SELECT", got=sql) from error
    finally:
        connection.set_progress_handler(None, 0)
    if len(found) > limit:
        raise CallerError("sql.too-many-rows", f"the query returns more than {limit:,} rows", fix="add a LIMIT")
    return columns, found


def _bounded(cursor: sqlite3.Cursor, limit: int, size: int) -> list[tuple[object, ...]]:
    """The rows, one more than the limit at most."""
    found = []
    for row in cursor:
        found.append(row)
        size -= sum(len(value) if isinstance(value, (str, bytes)) else 8 for value in row)
        if size < 0:
            raise CallerError("sql.too-large", "the query returns too much text", fix="select fewer rows or columns")
        if len(found) > limit:
            break
    return found


def _table_of(model: type[SQLModel]) -> SqlTable:
    table = model.__table__  # type: ignore[attr-defined]
    assert isinstance(table, SqlTable)
    return table


def _batched(source: Iterable[tuple[object, ...]]) -> Iterator[list[tuple[object, ...]]]:
    iterator = iter(source)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
