"""Checks of a world are compiled here, before anything is built: tables, columns, kinds."""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from collections.abc import Callable

from worldgen.errors import did_you_mean
from worldgen.schema.context import NUMERIC, Context
from worldgen.schema.layout import Fields, SqlType
from worldgen.schema.periods import ordinal
from worldgen.schema.problems import Path
from worldgen.schema.sql import Operand, Reader, statements, tokens

_READS = ("select", "with")
_WRITES = ("update", "insert", "delete", "replace")
_NUMBER_KINDS = NUMERIC | {"year", "boolean", "number"}
_MISSING = re.compile(r"no such (column|table): (.+)")


def year(date: str | None) -> int | None:
    """The SQL function `year(date)`, which every connection to a world offers.

    >>> year("2029-06-18")
    2029
    """
    return None if date is None else int(str(date)[:4])


def empty_database(columns: dict[str, dict[str, SqlType]]) -> sqlite3.Connection:
    """A database in memory with the tables of a schema and no rows."""
    connection = sqlite3.connect(":memory:")
    connection.create_function("year", 1, year, deterministic=True)
    for table, fields in columns.items():
        body = ", ".join(
            f'"{column}" {kind}' + (" PRIMARY KEY" if column == "id" else "") for column, kind in fields.items()
        )
        connection.execute(f'CREATE TABLE "{table}" ({body})')
    return connection


def check_queries(context: Context) -> None:
    """Report checks that do not compile, do the wrong thing, or compare what cannot be compared."""
    if not context.schema.checks:
        return
    columns = {table: {name: field.sql for name, field in fields.items()} for table, fields in context.layout.items()}
    connection = empty_database(columns)
    try:
        for name, check in context.schema.checks.items():
            _check_query(context, connection, check.sql, ("checks", name, "sql"), _READS)
            _check_query(context, connection, check.breaks, ("checks", name, "breaks"), _WRITES)
    finally:
        connection.close()


def _check_query(context: Context, connection: sqlite3.Connection, sql: str, at: Path, verbs: tuple[str, ...]) -> None:
    words = tokens(sql)
    report = context.report
    count = statements(words)
    if count != 1:
        report.add("sql-statements", "not one statement", at, expected="one statement", got=str(count))
        return
    if words[0].low not in verbs:
        expected = " or ".join(verb.upper() for verb in verbs)
        report.add("sql-verb", "the wrong kind of statement", at, expected=expected, got=words[0].text[:40])
        return
    if not _compiles(context, connection, sql, at):
        return
    known = {name for table, fields in context.layout.items() for name in (table, *fields)}
    for word in words:
        if word.kind == "quoted" and word.text[0] == '"' and word.name not in known:
            fix = f"write text in single quotes: '{word.name}'"
            report.add("sql-unknown-column", "unknown column", at, got=word.text, fix=fix)
            return
    reader = Reader(words, context.layout)
    for operand in reader.dates_of_year():
        if operand.kind not in ("date", "text"):
            report.add("sql-kinds", f"year({operand.text})", at, expected="a date", got=operand.kind)
    wrong: set[str] = set()
    for left, right, text in reader.comparisons():
        if left.text not in wrong and _differs(context, left, right, text, at):
            wrong.add(left.text)


def _compiles(context: Context, connection: sqlite3.Connection, sql: str, at: Path) -> bool:
    deny = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_DETACH)
    writes = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)
    reading = at[-1] == "sql"
    seen: list[int] = []

    def authorise(action: int, *_: str | None) -> int:
        seen.append(action)
        return sqlite3.SQLITE_DENY if action in deny else sqlite3.SQLITE_OK

    connection.set_authorizer(authorise)
    try:
        connection.execute(f"EXPLAIN {sql}").close()
    except sqlite3.Error as error:
        _explain(context, str(error), at)
        return False
    finally:
        connection.set_authorizer(None)
    if reading and any(action in writes for action in seen):
        context.report.add("sql-verb", "a rule must not write", at, expected="SELECT")
        return False
    return True


def _explain(context: Context, said: str, at: Path) -> None:
    match = _MISSING.fullmatch(said)
    if match is None:
        context.report.add("sql-syntax", f"SQLite refuses it: {said}", at)
        return
    what, word = match[1], match[2]
    names = list(context.layout) if what == "table" else list(_all_columns(context.layout))
    context.report.add(
        f"sql-unknown-{what}", f"unknown {what}", at, got=repr(word), fix=did_you_mean(word.split(".")[-1], names)
    )


def _all_columns(layout: dict[str, Fields]) -> dict[str, None]:
    return dict.fromkeys(column for fields in layout.values() for column in fields)


def _differs(context: Context, left: Operand, right: Operand, text: str, at: Path) -> bool:
    problem = _mismatch(left, right) or _mismatch(right, left)
    if problem is None:
        return False
    expected, got, fix = problem
    context.report.add("sql-kinds", f"`{text}` compares what differs in kind", at, expected=expected, got=got, fix=fix)
    return True


def _mismatch(one: Operand, other: Operand) -> tuple[str, str, str | None] | None:
    """What `one` wants beside it that `other` is not: (expected, got, fix)."""
    kind = one.kind
    if kind in _NUMBER_KINDS:
        if other.kind in _NUMBER_KINDS:
            return None
        fix = "a date is not a year: use year(…)" if other.kind == "date" else None
        return "a number", f"a {other.kind}", fix
    if kind in ("id", "ref"):
        if other.kind in ("id", "ref"):
            targets = (one.field.target if one.field else None, other.field.target if other.field else None)
            same = None in targets or targets[0] == targets[1]
            return None if same else (f"a ref to {targets[0]}", f"a ref to {targets[1]}", None)
        return None if other.kind == "text" else (f"an id such as '{_target(one)}/0'", f"a {other.kind}", None)
    if kind == "date":
        return _not_a(one, other, "date", "'2029-01-31'", _is_date)
    if kind == "period":
        return _not_a(one, other, "period", "'2029-Q1'", _is_period)
    if kind == "category" and other.literal is not None and one.field is not None:
        known = one.field.categories
        if other.literal not in known:
            return " or ".join(known), repr(other.literal), did_you_mean(other.literal, known)
        return None
    return None if other.kind not in _NUMBER_KINDS else ("a text", f"a {other.kind}", None)


def _target(operand: Operand) -> str:
    return (operand.field.target if operand.field is not None else None) or "entity"


def _not_a(
    one: Operand, other: Operand, kind: str, example: str, fits: Callable[[str], bool]
) -> tuple[str, str, str | None] | None:
    if other.literal is not None:
        return None if fits(other.literal) else (f"a {kind} such as {example}", repr(other.literal), None)
    fix = "a date is not a year: use year(…)" if kind == "date" and other.kind in ("year", "number") else None
    return None if other.kind in (kind, "text") else (f"a {kind}", f"a {other.kind}", fix)


def _is_date(text: str) -> bool:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == 10


def _is_period(text: str) -> bool:
    for every in ("year", "quarter", "month"):
        try:
            ordinal(text, every)
        except ValueError:
            continue
        return True
    return False
