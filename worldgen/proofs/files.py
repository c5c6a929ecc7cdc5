"""A world as the proofs see it: its files, read afresh, with no help from the code that wrote them."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from worldgen.errors import WorldFormatError


class Said(NamedTuple):
    """A statement with the page it stands on."""

    url: str
    fact: str
    start: int
    end: int
    value_start: int
    value_end: int
    label: str
    form: str
    claimed: str


class Known(NamedTuple):
    """A fact as the catalogue holds it."""

    id: str
    subject: str
    attribute: str
    time: str
    type: str
    value: str | None
    disclosed: int


class Leaf(NamedTuple):
    """A page as the catalogue holds it."""

    url: str
    site: str
    genre: str
    language: str
    title: str
    date: str
    author: str
    trust: str
    kind: str
    subject: str
    body: str


class Files:
    """The files of one world.

    Args:
        world: Its folder, already known to have a readable manifest.
    """

    def __init__(self, world: Path) -> None:
        self.world = world
        self.manifest: dict[str, Any] = self._json("manifest.json")
        self.schema: dict[str, Any] = self._json("schema.json")
        self.database = sqlite3.connect(f"{(world / 'world.db').resolve().as_uri()}?mode=ro", uri=True)
        self.database.create_function("year", 1, lambda text: None if text is None else int(str(text)[:4]))

    def _json(self, name: str) -> Any:
        try:
            return json.loads((self.world / name).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise WorldFormatError(
                "world.damaged-file", f"the file cannot be read: {error}", path=self.world / name, fix="build it again"
            ) from error

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self.database.execute(sql).fetchall()

    @cached_property
    def tables(self) -> dict[str, list[str]]:
        """Typed table → its columns."""
        names = self.rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
        return {n: [c[1] for c in self.rows(f'PRAGMA table_info("{n}")')] for (n,) in names if not n.startswith("wg_")}

    def table(self, name: str) -> Iterator[dict[str, Any]]:
        """Rows of a typed table as dictionaries, in order."""
        columns = self.tables[name]
        for row in self.database.execute(f'SELECT * FROM "{name}" ORDER BY rowid'):
            yield dict(zip(columns, row, strict=True))

    @cached_property
    def facts(self) -> dict[str, Known]:
        """All facts by id."""
        return {row[0]: Known(*row) for row in self.rows("SELECT * FROM wg_fact")}

    @cached_property
    def pages(self) -> dict[str, Leaf]:
        """All pages by URL, without the haystack."""
        rows = self.rows(
            "SELECT url, site, genre, language, title, date, author, trust, kind, subject, body FROM wg_page"
            " WHERE kind <> 'haystack'"
        )
        return {row[0]: Leaf(*row) for row in rows}

    @cached_property
    def statements(self) -> list[Said]:
        """All statements in order."""
        return [
            Said(*row)
            for row in self.rows(
                'SELECT url, fact, start, "end", value_start, value_end, label, form, claimed'
                " FROM wg_statement ORDER BY id"
            )
        ]

    @cached_property
    def links(self) -> dict[str, list[tuple[str, str]]]:
        """URL → its page's links in order: target and text."""
        found: dict[str, list[tuple[str, str]]] = {}
        for url, target, text in self.rows("SELECT url, target, text FROM wg_link ORDER BY id"):
            found.setdefault(url, []).append((target, text))
        return found

    @cached_property
    def names(self) -> dict[str, tuple[str, str]]:
        """Entity id → its name in English and Chinese."""
        return {row[0]: (row[1], row[2]) for row in self.rows("SELECT id, name, name_zh FROM wg_entity")}

    @cached_property
    def surfaces(self) -> dict[str, set[str]]:
        """Entity id → every text that names it: names and aliases, case-folded."""
        found = {entity: {en.casefold(), zh.casefold()} for entity, (en, zh) in self.names.items()}
        for entity, text in self.rows("SELECT entity, text FROM wg_alias"):
            found.setdefault(entity, set()).add(text.casefold())
        return found

    @cached_property
    def task_lines(self) -> list[dict[str, Any]]:
        """The lines of ``tasks/widesearch.jsonl``."""
        path = self.world / "tasks" / "widesearch.jsonl"
        if not path.is_file():
            return []
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def gold(self, instance_id: str) -> list[list[str]] | None:
        """Heading and rows of a task's gold file; None where it is missing."""
        path = self.world / "tasks" / "widesearch_gold" / f"{instance_id}.csv"
        if not path.is_file():
            return None
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    def file_digest(self, name: str) -> str:
        """The sha256 of one file of the world."""
        return sha256((self.world / name).read_bytes()).hexdigest()

    def close(self) -> None:
        """Close the database."""
        self.database.close()
