"""Reading the catalogue back into records."""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from worldgen.records import Evidence, Link, Page, Statement, Task

_PAGE = "SELECT url, site, genre, language, title, date, author, body, trust, kind, subject FROM wg_page"
_STATEMENT = 'fact, start, "end", value_start, value_end, label, form, claimed FROM wg_statement'


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact as stored: `value` is None where it is not disclosed or refers to nothing."""

    id: str
    subject: str
    attribute: str
    time: str
    type: str
    value: str | None
    disclosed: bool


class FactView(Mapping[str, FactRow]):
    """All facts by id, read on demand."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __getitem__(self, fact: str) -> FactRow:
        try:
            row = self._connection.execute("SELECT * FROM wg_fact WHERE id = ?", (fact,)).fetchone()
        except UnicodeEncodeError:
            row = None  # half a character is no id
        if row is None:
            raise KeyError(fact)
        return _fact(row)

    def __iter__(self) -> Iterator[str]:
        return (row[0] for row in self._connection.execute("SELECT id FROM wg_fact ORDER BY rowid"))

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM wg_fact").fetchone()[0])

    def values(self) -> Iterator[FactRow]:  # type: ignore[override]
        """All facts in one pass."""
        return map(_fact, self._connection.execute("SELECT * FROM wg_fact ORDER BY rowid"))


class PageView(Mapping[str, Page]):
    """Pages by URL, read on demand with a small cache; iteration is by URL. Safe to use from several threads.

    Args:
        connection: A world's database.
        haystack: Whether pages of sibling worlds are among them.
    """

    def __init__(self, connection: sqlite3.Connection, *, haystack: bool = True, cached: int = 2_000) -> None:
        self._connection = connection
        self._where = "" if haystack else " WHERE kind <> 'haystack'"
        self._haystack = haystack
        self._cache: OrderedDict[str, Page] = OrderedDict()
        self._cached = cached
        self._lock = Lock()
        found = connection.execute("SELECT name FROM sqlite_master WHERE name = 'wg_years'").fetchone()
        self._dated = found is not None  # worlds of older versions do not tell where their years stand

    def __getitem__(self, url: str) -> Page:
        with self._lock:
            cached = self._cache.get(url)
            if cached is not None:
                self._cache.move_to_end(url)
                return cached
        try:
            row = self._connection.execute(f"{_PAGE} WHERE url = ?", (url,)).fetchone()
        except UnicodeEncodeError:
            raise KeyError(url) from None  # half a character is no address
        if row is None or (not self._haystack and row[9] == "haystack"):
            raise KeyError(url)
        statements = self._connection.execute(f"SELECT {_STATEMENT} WHERE url = ? ORDER BY id", (url,))
        links = self._connection.execute("SELECT target, text FROM wg_link WHERE url = ? ORDER BY id", (url,))
        page = _page(row, links, statements, self._years(url))
        with self._lock:
            self._cache[url] = page
            if len(self._cache) > self._cached:
                self._cache.popitem(last=False)
        return page

    def _years(self, url: str) -> str:
        query = "SELECT places FROM wg_years WHERE url = ?"
        found = self._connection.execute(query, (url,)).fetchone() if self._dated else None
        return "" if found is None else str(found[0])

    def __iter__(self) -> Iterator[str]:
        return (r[0] for r in self._connection.execute(f"SELECT url FROM wg_page{self._where} ORDER BY url"))

    def __len__(self) -> int:
        return int(self._connection.execute(f"SELECT count(*) FROM wg_page{self._where}").fetchone()[0])

    def listed(self, *, after: str, limit: int) -> list[tuple[str, str]]:
        """URL and title of the next pages by URL; a position that is no text is behind them all."""
        where = self._where + (" AND" if self._where else " WHERE")
        query = f"SELECT url, title FROM wg_page{where} url > ? ORDER BY url LIMIT ?"
        try:
            return list(self._connection.execute(query, (after, limit)))
        except UnicodeEncodeError:
            return []

    def values(self) -> Iterator[Page]:  # type: ignore[override]
        """All pages in one pass, by URL."""
        statements = _grouped(self._connection.execute(f"SELECT url, {_STATEMENT} ORDER BY url, id"))
        links = _grouped(self._connection.execute("SELECT url, target, text FROM wg_link ORDER BY url, id"))
        years = dict(self._connection.execute("SELECT url, places FROM wg_years")) if self._dated else {}
        said = next(statements, None)
        linked = next(links, None)
        for row in self._connection.execute(f"{_PAGE}{self._where} ORDER BY url"):
            url = row[0]
            while said is not None and said[0] < url:
                said = next(statements, None)
            while linked is not None and linked[0] < url:
                linked = next(links, None)
            yield _page(
                row,
                linked[1] if linked is not None and linked[0] == url else (),
                said[1] if said is not None and said[0] == url else (),
                years.get(url, ""),
            )


def _fact(row: tuple[Any, ...]) -> FactRow:
    fact, subject, attribute, time, kind, value, disclosed = row
    return FactRow(fact, subject, attribute, time, kind, value, bool(disclosed))


def _page(
    row: tuple[Any, ...], links: Iterable[tuple[Any, ...]], statements: Iterable[tuple[Any, ...]], years: str
) -> Page:
    url, site, genre, language, title, date, author, body, trust, kind, subject = row
    return Page(
        url=url,
        site=site,
        genre=genre,
        language=language,
        title=title,
        date=date,
        author=author,
        body=body,
        trust=trust,
        kind=kind,
        subject=subject,
        links=tuple(Link(*link) for link in links),
        statements=tuple(Statement(*statement) for statement in statements),
        years=tuple(map(int, years.split())),
    )


def _grouped(cursor: sqlite3.Cursor) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    current: str | None = None
    rows: list[tuple[Any, ...]] = []
    for row in cursor:
        if row[0] != current:
            if current is not None:
                yield current, rows
            current, rows = row[0], []
        rows.append(row[1:])
    if current is not None:
        yield current, rows


def read_tasks(connection: sqlite3.Connection) -> list[Task]:
    """All tasks with their evidence, in the order they were made."""
    evidence: dict[str, list[Evidence]] = {}
    rows = connection.execute('SELECT instance_id, row, "column", fact, url, start, "end" FROM wg_evidence ORDER BY id')
    for instance_id, *rest in rows:
        evidence.setdefault(instance_id, []).append(Evidence(*rest))
    tasks = []
    for row in connection.execute(
        "SELECT instance_id, language, question, columns, rows, evaluation, query, plan, difficulty"
        " FROM wg_task ORDER BY rowid"
    ):
        instance_id, language, question = row[:3]
        columns, table, evaluation, query, plan, difficulty = (json.loads(text) for text in row[3:])
        tasks.append(
            Task(
                instance_id=instance_id,
                language=language,
                question=question,
                columns=tuple(columns),
                rows=tuple(tuple(cells) for cells in table),
                evaluation=evaluation,
                query=query,
                plan=plan,
                evidence=tuple(evidence.get(instance_id, ())),
                difficulty=difficulty,
            )
        )
    return tasks
