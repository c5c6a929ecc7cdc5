from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import pytest
from sqlalchemy.schema import CreateIndex, CreateTable

from worldgen.facts.generate import generate
from worldgen.facts.tables import Facts, Table
from worldgen.records import Link, Page, Statement
from worldgen.schema import Schema, load_schema, sql_columns
from worldgen.store.catalogue import LinkRow, PageRow, StatementRow
from worldgen.store.rows import link_rows, page_rows, statement_rows
from worldgen.store.typed import rows_of

OPENED: list[sqlite3.Connection] = []


@pytest.fixture(scope="session", autouse=True)
def closing_databases() -> Iterator[None]:
    yield
    for connection in OPENED:
        connection.close()


@dataclass(frozen=True)
class Tiny:
    """A world without prose: facts, their typed tables, and pages that state one fact a line."""

    facts: Facts
    connection: sqlite3.Connection
    pages: list[Page]


def typed_database(facts: Facts) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    OPENED.append(connection)
    for table, columns in sql_columns(facts.schema).items():
        declared = ", ".join(f'"{n}" {kind}{" PRIMARY KEY" if n == "id" else ""}' for n, kind in columns.items())
        connection.execute(f'CREATE TABLE "{table}" ({declared})')
        marks = ", ".join("?" * len(columns))
        connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', list(rows_of(facts, facts.tables[table])))
    return connection


def add_pages(connection: sqlite3.Connection, pages: Sequence[Page]) -> sqlite3.Connection:
    """Write pages into a database as a world's is written."""
    for model, rows in ((PageRow, page_rows), (StatementRow, statement_rows), (LinkRow, link_rows)):
        table = model.__table__
        connection.execute(str(CreateTable(table)))
        marks = ", ".join("?" * len(table.columns))
        connection.executemany(f'INSERT INTO "{table.name}" VALUES ({marks})', list(rows(pages)))
        for index in table.indexes:
            connection.execute(str(CreateIndex(index)))
    return connection


def page(
    url: str, genre: str, facts: list[tuple[str, str | None]], subject: str, links: dict[str, str], language: str
) -> Page:
    """A page that says each fact in a line, then each link: URL to text."""
    lines: list[str] = []
    statements = []
    place = 0
    for fact, value in facts:
        line = f"{fact} is {value}."
        label = "sound" if value is not None else "undisclosed"
        end = place + len(line)
        statements.append(Statement(fact, place, end, place, end, label, "plain", value or ""))
        lines.append(line)
        place = end + 1
    trust = "high" if genre in ("encyclopedia", "list", "statistics") else "medium"
    body = "\n".join([*lines, *(f"- [{text}]({link})" for link, text in links.items())])
    return Page(
        url, "Site", genre, language, url, "2029-11-01", "", body, trust, "sound", subject,
        tuple(Link(link, text) for link, text in links.items()), tuple(statements),
    )  # fmt: skip


def stated(table: Table, row: int) -> list[tuple[str, str | None]]:
    return [(table.fact(row, name), table.columns[name].canonical(row)) for name in table.stated()]


def plain_pages(facts: Facts, language: str) -> list[Page]:
    """An article and a second page for each row, list pages of twelve, series by four entities."""
    pages = []
    start = f"https://site.example/{language}"
    for table in facts:
        if table.kind == "series":
            for first in range(0, table.size, 12):
                found = [item for row in range(first, min(first + 12, table.size)) for item in stated(table, row)]
                pages.append(page(f"{start}/{table.name}/s{first}", "statistics", found, "", {}, language))
            continue
        for row in range(table.size):
            found = [(fact, value) for fact, value in stated(table, row)]
            half = len(found) * 3 // 5
            name = table.names[row].say(language)
            url, other = f"{start}/{table.name}/{row}", f"{start}/{table.name}/{row}-news"
            pages.append(page(url, "encyclopedia", found[:half], table.id(row), {other: name}, language))
            pages.append(page(other, "news", found[half:], table.id(row), {url: name}, language))
        for first in range(0, table.size, 12):
            rows = range(first, min(first + 12, table.size))
            links = {f"{start}/{table.name}/{row}": table.names[row].say(language) for row in rows}
            pages.append(page(f"{start}/list/{table.name}/{first:03d}", "list", [], "", links, language))
    return sorted(pages, key=lambda p: p.url)


def tiny(name: str, seed: int) -> Tiny:
    return tiny_world_of(load_schema(name), seed)


def tiny_world_of(schema: Schema, seed: int) -> Tiny:
    facts = generate(schema, seed)
    pages = [item for language in ("en", "zh") for item in plain_pages(facts, language)]
    return Tiny(facts, add_pages(typed_database(facts), pages), pages)


@pytest.fixture(scope="session")
def holding() -> Callable[[Tiny, Sequence[Page]], sqlite3.Connection]:
    """The database of a tiny world that has other pages."""
    return lambda world, pages: add_pages(typed_database(world.facts), pages)


@pytest.fixture(scope="session")
def tiny_of() -> Callable[[Schema, int], Tiny]:
    return tiny_world_of


@pytest.fixture(scope="session")
def world_of() -> Callable[[str], Tiny]:
    """A shipped schema's tiny world by its name, each made once."""
    return cache(lambda name: tiny(name, 7))


@pytest.fixture(scope="session")
def phones(world_of) -> Tiny:
    return world_of("smartphone-market")
