"""Rows into the database beside raw `executemany` of the same rows, both ready as tuples, indexes made afterwards."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

from benchmarks.large import market
from benchmarks.measuring import Row, best, times
from worldgen.facts.generate import generate
from worldgen.facts.tables import Facts
from worldgen.store import rows as catalogue_rows
from worldgen.store.database import DatabaseWriter
from worldgen.store.typed import rows_of

_NUMBER = iter(range(10**9))


def rows(entities: int) -> list[Row]:
    """Rows a second, ours beside raw."""
    facts = generate(market(entities), 7)
    tables = {table.name: list(rows_of(facts, table)) for table in facts}
    tables["wg_entity"] = list(catalogue_rows.entity_rows(facts))
    tables["wg_fact"] = list(catalogue_rows.fact_rows(facts))
    count = sum(len(made) for made in tables.values())
    with tempfile.TemporaryDirectory() as folder:
        raw = best(lambda: _raw(Path(folder) / f"{next(_NUMBER)}.db", tables))
        ours = best(lambda: _ours(Path(folder) / f"{next(_NUMBER)}.db", facts))
    return [
        Row(
            f"rows into the database, {count:,} rows (ours makes them from columns and takes digests)",
            f"executemany of ready tuples: {count / raw.cpu:,.0f}/s",
            f"{count / ours.cpu:,.0f}/s",
            times(raw.cpu, ours.cpu),
            "0.8×",
        )
    ]


def _raw(path: Path, tables: dict[str, list[tuple[object, ...]]]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    for name, made in tables.items():
        columns = ", ".join(f"c{i}" for i in range(len(made[0])))
        connection.execute(f'CREATE TABLE "{name}" ({columns}, PRIMARY KEY (c0))')
        marks = ", ".join("?" * len(made[0]))
        connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', made)
    connection.execute("CREATE INDEX by_subject ON wg_fact (c1)")
    connection.commit()
    connection.close()


def _ours(path: Path, facts: Facts) -> None:
    writer = DatabaseWriter(path, facts.schema)
    writer.write_facts(facts)
    writer.close()
