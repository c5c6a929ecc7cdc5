"""A world's database opened for reading only, and its tables' digests taken again.

It stands apart from the writer, whose table definitions take half a second to import.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import monotonic

from worldgen.errors import CallerError, WorldFormatError

_BATCH = 20_000
_LONGEST = 4_000_000
CHECK_SECONDS = 120.0
"""How long one check of a schema may run."""
_STEPS = 1_000
"""Steps of SQLite's machine between two looks at the clock."""


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
            for batch in batched(cursor):
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


def read_only(path: Path, *, guarded: bool = True) -> sqlite3.Connection:
    """Open a world's database for reading.

    Args:
        path: The database.
        guarded: Nothing but SELECT works: no ATTACH, no PRAGMA, no extension; for queries that a caller gives. The
            guard is called back by SQLite, so such a connection must not be used by two threads at once: one would
            hold SQLite's lock and wait for Python's, the other the reverse. Unguarded ones may.

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
    if not guarded:
        return connection
    add_functions(connection)
    connection.set_authorizer(_authorize)
    # No value may be longer: a function that makes a huge one would run past any limit of time and memory.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    return connection


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in ("load_extension", "readfile", "writefile"):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


@contextmanager
def time_limit(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Stop what runs on a connection after some time: SQLite then raises ``OperationalError: interrupted``.

    Between its steps Python also hears a Ctrl-C, which a long query would else outlast.
    """
    end = monotonic() + seconds
    connection.set_progress_handler(lambda: int(monotonic() > end), _STEPS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


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
    try:
        with time_limit(connection, seconds), closing(connection.execute(sql)) as cursor:
            found = _bounded(cursor, limit, size)
            columns = [d[0] for d in cursor.description or ()]
    except (sqlite3.Error, OverflowError, ValueError) as error:
        reason = f"stopped after {seconds:g} s" if str(error) == "interrupted" else str(error)
        raise CallerError(
            "sql.refused", f"the query was refused: {reason}", expected="one SELECT over the world's tables", got=sql
        ) from error
    except sqlite3.Warning as error:
        raise CallerError("sql.refused", f"the query was refused: {error}", expected="one SELECT", got=sql) from error
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


def batched(source: Iterable[tuple[object, ...]]) -> Iterator[list[tuple[object, ...]]]:
    """Rows in lists of at most 20,000."""
    iterator = iter(source)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
