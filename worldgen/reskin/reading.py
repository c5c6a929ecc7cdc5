"""What is known of a world's calendar: the years and dates that it tells, and by how much they may move.

A calendar moves by years whose number is a multiple of four and keeps every distance between two dates; it moves only
where the place of each year is known.
"""

from __future__ import annotations

import datetime as dt
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from worldgen.schema import from_canonical
from worldgen.schema.layout import tables
from worldgen.store import read_only

YEAR = re.compile(r"(?<![\d.,])\d{3,4}(?![.,]?\d)")
"""A number of three or four digits that is no part of another."""
LEAST = 1000
"""A number below it is a year only where it is known to be one."""
_EARLIEST = 100
TIMES = frozenset({"date", "year", "period"})
"""Kinds of values that a calendar moves."""
FARTHEST = 40
"""Years by which a calendar moves at most."""
_STEP = 4
_CENTURY = 100
_NUMBER = re.compile(r"\d+")
_LANGUAGES = ("en", "zh")

Kinds = Mapping[str, Mapping[str, tuple[str, str | None]]]
"""Table → column → what it holds, and for a ref the table referred to."""


@dataclass(frozen=True)
class Reading:
    """A world's calendar.

    Attributes:
        years: All years that stand on some page, haystack included.
        dates: All dates of facts, claims and pages, and the world's present.
        kinds: What the columns of the world's tables hold.
        worded: Numbers that may be years in the wordings of the schema.
        named: Numbers that may be years in names of things.
        named_tables: Tables whose rows have names of their own.
        present: The world's present.
    """

    years: frozenset[int]
    dates: tuple[dt.date, ...]
    kinds: Kinds
    worded: frozenset[int]
    named: frozenset[int]
    named_tables: frozenset[str]
    present: dt.date

    @cached_property
    def moves(self) -> tuple[int, ...]:
        """By how many years it may move: no year has fewer than three digits, every two dates keep their distance."""
        steps = range(-FARTHEST, FARTHEST + 1, _STEP)
        return tuple(step for step in steps if step and self.years and self._fits(step))

    def _fits(self, step: int) -> bool:
        if min(self.years) + step < _EARLIEST:
            return False
        try:
            apart = {(day.replace(year=day.year + step) - day).days for day in self.dates}
        except ValueError:
            return False
        return len(apart) == 1

    def in_wording(self, year: int) -> bool:
        """Whether a number in a wording of the schema is a year; see `worldgen.corpus.years.marked_wording`."""
        return year >= LEAST and year in self.worded and abs(year - self.present.year) <= _CENTURY


def read_calendar(path: Path) -> Reading:
    """Read a world's calendar: one pass over its pages."""
    schema = from_canonical((path / "schema.json").read_text("utf-8"))
    connection = read_only(path / "world.db", guarded=False)
    try:
        kinds = {
            table: {name: (field.kind, field.target) for name, field in fields.items()}
            for table, fields in tables(schema).items()
        }
        return Reading(
            years=frozenset(_years(connection)),
            dates=tuple(sorted({*map(dt.date.fromisoformat, _dates(connection, kinds)), schema.as_of})),
            kinds=kinds,
            worded=frozenset(int(text) for text in YEAR.findall("\n".join(_wordings(schema.model_dump(mode="json"))))),
            named=frozenset(_in_names(connection)),
            named_tables=frozenset(name for name, entity in schema.entities.items() if entity.name is not None),
            present=schema.as_of,
        )
    finally:
        connection.close()


def kind_of_fact(kinds: Kinds, fact: str) -> str:
    """What the value of a fact is, by the fact's id: `club/3/founded`, of a series `maker/3/shipments@2029-Q1`."""
    table, _, attribute = fact.split("/", 2)
    return "" if "@" in attribute else kinds[table][attribute][0]


def _years(connection: sqlite3.Connection) -> Iterator[int]:
    if connection.execute("SELECT name FROM sqlite_master WHERE name = 'wg_years'").fetchone() is None:
        return
    query = "SELECT p.title || char(10) || p.body, y.places FROM wg_page p JOIN wg_years y ON y.url = p.url"
    for text, places in connection.execute(query):
        for place in places.split():
            found = _NUMBER.match(text, int(place))
            assert found is not None, "a year has digits"
            yield int(found[0])


def _dates(connection: sqlite3.Connection, kinds: Kinds) -> Iterator[str]:
    yield from (day for (day,) in connection.execute("SELECT DISTINCT date FROM wg_page WHERE date <> ''"))
    query = "SELECT DISTINCT value FROM wg_fact WHERE type = 'date' AND value IS NOT NULL"
    yield from (day for (day,) in connection.execute(query))
    for fact, claimed in connection.execute(
        "SELECT DISTINCT fact, claimed FROM wg_statement WHERE claimed LIKE '%-%-%'"
    ):
        if kind_of_fact(kinds, fact) == "date":
            yield claimed


def _in_names(connection: sqlite3.Connection) -> Iterator[int]:
    queries = (
        "SELECT name FROM wg_entity WHERE named = 1",
        "SELECT name_zh FROM wg_entity WHERE named = 1",
        "SELECT text FROM wg_alias",
        "SELECT value FROM wg_fact WHERE type = 'name' AND value IS NOT NULL",
    )
    for query in queries:
        for (text,) in connection.execute(query):
            yield from map(int, YEAR.findall(text))


def _wordings(value: Any, *, worded: bool = False) -> Iterator[str]:
    """All texts of a schema that are in a language."""
    if isinstance(value, str):
        if worded:
            yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _wordings(inner, worded=worded or key in _LANGUAGES)
    elif isinstance(value, list):
        for inner in value:
            yield from _wordings(inner, worded=worded)
