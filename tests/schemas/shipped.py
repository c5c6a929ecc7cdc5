"""The shipped schemas filled with facts, and the statistics that their tests ask for."""

import sqlite3
from contextlib import closing
from functools import cache

import numpy as np
import pytest

from worldgen.facts.generate import generate
from worldgen.facts.tables import Facts, Table
from worldgen.schema import load_schema, sql_columns
from worldgen.schema.catalogue import shipped
from worldgen.store.connection import add_functions
from worldgen.store.typed import rows_of

SHIPPED = tuple(shipped())
SEEDS = (7, 8, 2026)
each_seed = pytest.mark.parametrize("seed", SEEDS)


@cache
def filled(name: str, seed: int) -> Facts:
    return generate(load_schema(name), seed)


def database(facts: Facts) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    add_functions(connection)
    for name, columns in sql_columns(facts.schema).items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(f'{c} {kind}' for c, kind in columns.items())})")
        marks = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows_of(facts, facts.tables[name]))
    return connection


def rows(facts: Facts, sql: str) -> list[tuple]:
    with closing(database(facts)) as connection:
        return connection.execute(sql).fetchall()


def numbers(table: Table, column: str) -> np.ndarray:
    found = table.columns[column]
    return found.values / 10.0**found.decimals


def through(facts: Facts, table: str, ref: str, column: str) -> np.ndarray:
    source = facts.tables[table].columns[ref]
    return numbers(facts.tables[source.target or ""], column)[source.values]


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    def ranks(values: np.ndarray) -> np.ndarray:
        _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
        return (np.cumsum(counts) - (counts - 1) / 2)[inverse]

    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def skewed(values: np.ndarray) -> bool:
    return bool(values.mean() > 1.1 * np.median(values))


def mean_by(facts: Facts, sql: str) -> dict[str, float]:
    return dict(rows(facts, sql))
