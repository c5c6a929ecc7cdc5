"""Writing a world's database in bulk.

Rows go in by ``executemany`` on statements compiled from the tables, indexes are made afterwards: about fifty times
as fast as ``session.add_all``. While rows pass, each table's digest is taken over their canonical JSON.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Table as SqlTable
from sqlalchemy import insert
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlmodel import SQLModel

from worldgen.errors import CheckBroken, GenerationError
from worldgen.facts.tables import Facts
from worldgen.records import Page, Task
from worldgen.schema.model import Schema
from worldgen.store import catalogue, rows
from worldgen.store.connection import CHECK_SECONDS, add_functions, batched, digest_text, time_limit
from worldgen.store.typed import rows_of, typed_tables

_DIALECT = sqlite.dialect()
_OF_PAGES = ("wg_page", "wg_statement", "wg_link")


class DatabaseWriter:
    """A database in the making: facts first, then pages, then tasks, then `close`.

    Args:
        path: A file that does not exist yet, or ``":memory:"``.
        schema: The world's schema.
    """

    def __init__(self, path: str | Path, schema: Schema) -> None:
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
        """Run the schema's SQL checks; `CheckBroken` shows the first rows that break one."""
        for name, check in self.schema.checks.items():
            try:
                with time_limit(self.connection, CHECK_SECONDS):
                    broken = self.connection.execute(check.sql).fetchmany(5)
            except sqlite3.DatabaseError as error:
                raise GenerationError(
                    "facts.check-failed",
                    f"the check {name!r} cannot be run: {error}",
                    expected=f"a SELECT that ends within {CHECK_SECONDS:g} s",
                    fix="try it with `worldgen validate`",
                ) from error
            if broken:
                raise CheckBroken(
                    name,
                    f"the generated rows break the check {name!r}",
                    expected="no row" + (f" ({check.why})" if check.why else ""),
                    got="; ".join(str(row) for row in broken),
                )

    def write_pages(self, pages: list[Page]) -> None:
        """Write pages, their statements and links, with their indexes: questions look pages up by them."""
        self._insert(self._catalogue["wg_page"], rows.page_rows(pages))
        self._insert(self._catalogue["wg_statement"], rows.statement_rows(pages))
        self._insert(self._catalogue["wg_link"], rows.link_rows(pages))
        self._insert(self._catalogue["wg_years"], rows.years_rows(pages))
        for name in _OF_PAGES:
            self._index(self._catalogue[name])
        self.connection.commit()

    def write_tasks(self, tasks: list[Task]) -> None:
        """Write tasks and their evidence."""
        self._insert(self._catalogue["wg_task"], rows.task_rows(tasks))
        self._insert(self._catalogue["wg_evidence"], rows.evidence_rows(tasks))
        self.connection.commit()

    def close(self) -> None:
        """Make the other indexes and close the file."""
        try:
            for name, table in self._catalogue.items():
                if name not in _OF_PAGES:
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
        for batch in batched(source):
            digest.update(digest_text(batch))
            self.connection.executemany(statement, batch)
        self.digests[table.name] = digest.hexdigest()


def _table_of(model: type[SQLModel]) -> SqlTable:
    table = model.__table__  # type: ignore[attr-defined]
    assert isinstance(table, SqlTable)
    return table
