"""A schema tried out: its facts drawn and its checks run in memory, so that what a build would stumble over is told.

Pages and questions are not made; what is left to fail in a build after a good rehearsal hangs on the seed or the disk.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from functools import partial

from worldgen.errors import CheckBroken, SchemaError, WorldgenError
from worldgen.facts.generate import generate
from worldgen.facts.reading import read_schema
from worldgen.schema import Schema
from worldgen.schema.context import Context
from worldgen.schema.model import Check
from worldgen.schema.problems import Path
from worldgen.settings import Settings
from worldgen.store.connection import CHECK_SECONDS, time_limit
from worldgen.store.database import DatabaseWriter


def rehearse(source: str | os.PathLike[str], *, seed: int | None = None) -> Schema:
    """Read a schema, check it, and try it out with one seed.

    Args:
        source: Name of a shipped schema, or path of a `.yaml` or `.yml` file.
        seed: By default `Settings.seed`.

    Raises:
        SchemaErrors: What is wrong, each problem with file, line, what was expected and what came.
        CallerError: There is no such schema, or its file cannot be read.
    """
    number = Settings().seed if seed is None else seed
    return read_schema(source, further=(partial(attempt, number),))


def attempt(seed: int, context: Context) -> None:
    """Report what stops the facts, and checks that the facts break or that nothing can break."""
    try:
        facts = generate(context.schema, seed)
    except WorldgenError as error:
        context.report.note(error, _place(context, error.message))
        return
    writer = DatabaseWriter(":memory:", context.schema)
    with closing(writer.connection) as connection:
        writer.write_facts(facts)
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode = MEMORY")  # damage is to be taken back
        for name, check in context.schema.checks.items():
            with time_limit(connection, CHECK_SECONDS):
                problem = _broken(connection, name, check)
            if problem is not None:
                context.report.note(problem, ("checks", name))


def _broken(connection: sqlite3.Connection, name: str, check: Check) -> WorldgenError | None:
    """What is wrong with a check on sound facts, and after the damage that it names."""
    try:
        found = connection.execute(check.sql).fetchmany(1)
        if found:
            message = f"checks.{name}: the generated rows break it"
            return CheckBroken(name, message, expected="no row", got=str(found[0]))
        connection.execute("BEGIN")
        try:
            rows = connection.execute(check.breaks).rowcount
            if connection.execute(check.sql).fetchone() is None:
                return SchemaError(
                    "schema.check-cannot-fail",
                    f"checks.{name}: the damage in `breaks` goes unnoticed",
                    expected="a row of `sql` after it",
                    got=f"none after {max(rows, 0)} rows were changed",
                    fix="make `breaks` change rows that the rule is about, so that they break it",
                )
        finally:
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        if str(error) == "interrupted":
            return SchemaError(
                "schema.check-too-slow",
                f"checks.{name}: it does not end",
                expected=f"an end within {CHECK_SECONDS:g} s",
            )
        return SchemaError("schema.sql-failed", f"checks.{name}: SQLite refuses it: {error}")
    return None


def _place(context: Context, message: str) -> Path:
    """Where the attribute stands that a message of the generator begins with."""
    table, _, column = re.split(r"[: ]", message, maxsplit=1)[0].partition(".")
    field = context.field(table, column)
    if field is not None and column not in ("id", "name"):
        return field.origin
    kind = next((kind for kind in ("entities", "relations") if table in getattr(context.schema, kind)), None)
    return () if kind is None else (kind, table)
