"""Which page states what, in one language, and which of several statements the world's rule lets win.

The rule: trust of the site, then date, an undated page being the oldest. A statement that is wrong on purpose loses
by these two alone, or its fact is not asked for.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worldgen.facts.tables import Column, Facts, Table
from worldgen.records import Page, Statement
from worldgen.tasks.meaning import row_of

Ints = NDArray[np.int64]

_TRUST = {"low": 0, "medium": 1, "high": 2}
_RIGHT = ("sound", "undisclosed")
_AT_ONCE = 400
_STATING = (
    'SELECT url, fact, start, "end", value_start, value_end, label, form, claimed FROM wg_statement WHERE fact IN'
)


class _Stated(NamedTuple):
    """The pages that state a fact soundly, with the first such statement of each; the best rank of a wrong one."""

    sound: dict[int, Statement]
    wrong: tuple[int, str] | None


def _parts(table: Table, row: int) -> list[str]:
    """What the key of a row without a name of its own refers to."""
    if table.named:
        return []
    parts = [table.columns[name].canonical(row) for name in table.key if table.columns[name].type == "ref"]
    return [part for part in parts if part is not None]


class PageIndex:
    """The pages of a language by the facts they state and by the pages they link to; read as far as is asked.

    Args:
        pages: The pages of a world.
        connection: Its database, which holds them and has indexes for looking up a few of them.
        language: Only pages of this language are looked at.
    """

    def __init__(self, pages: Sequence[Page], connection: sqlite3.Connection, language: str) -> None:
        self.pages = [page for page in pages if page.language == language and page.kind != "haystack"]
        self._connection = connection
        self._numbers = {page.url: number for number, page in enumerate(self.pages)}
        self._subjects: dict[str, list[int]] = {}
        self._read: dict[str, _Stated] = {}
        self._linking: dict[str, list[int]] = {}
        self._showing: dict[str, list[int]] = {}
        self._listed: dict[int, str] = {}
        self._lines: dict[int, dict[str, int]] = {}
        self._chains: dict[int, list[int]] = {}
        self._referring: dict[tuple[str, str], tuple[Ints, Ints]] = {}

    def _stated(self, fact: str) -> _Stated:
        if fact not in self._read:
            self.read([fact])
        return self._read[fact]

    def read(self, facts: Iterable[str]) -> None:
        """Look up where facts are stated, many at a time."""
        new = [fact for fact in dict.fromkeys(facts) if fact not in self._read]
        for start in range(0, len(new), _AT_ONCE):
            some = new[start : start + _AT_ONCE]
            sound: dict[str, dict[int, Statement]] = {fact: {} for fact in some}
            wrong: dict[str, tuple[int, str]] = {}
            for url, *row in self._connection.execute(f"{_STATING} ({', '.join('?' * len(some))}) ORDER BY id", some):
                page = self._numbers.get(url)
                if page is None:
                    continue
                statement = Statement(*row)
                if statement.label in _RIGHT:
                    sound[statement.fact].setdefault(page, statement)
                else:
                    wrong[statement.fact] = max(wrong.get(statement.fact, (-1, "")), self.rank(page))
            self._read.update({fact: _Stated(sound[fact], wrong.get(fact)) for fact in some})

    def rank(self, page: int) -> tuple[int, str]:
        """What the rule compares."""
        return _TRUST[self.pages[page].trust], self.pages[page].date

    def stating(self, fact: str) -> list[int]:
        """All pages with a sound statement of a fact, each once."""
        return list(self._stated(fact).sound)

    def usable(self, fact: str) -> list[int]:
        """The pages with a sound statement that no wrong one outranks or equals; none where it cannot be asked."""
        found = self._stated(fact)
        if found.wrong is None:
            return list(found.sound)
        return [page for page in found.sound if self.rank(page) > found.wrong]

    def statement(self, fact: str, page: int) -> Statement:
        """The first sound statement of a fact on a page that `stating` gave."""
        return self._stated(fact).sound[page]

    def about(self, row: str) -> list[int]:
        """The pages whose subject is that row."""
        found = self._subjects.get(row)
        if found is None:
            found = self._subjects[row] = self._numbered(
                "SELECT url FROM wg_page WHERE subject = ? ORDER BY rowid", row
            )
        return found

    def linking(self, url: str) -> list[int]:
        """The pages that link to a URL, each once."""
        found = self._linking.get(url)
        if found is None:
            found = self._linking[url] = self._numbered("SELECT url FROM wg_link WHERE target = ? ORDER BY id", url)
        return found

    def _numbered(self, sql: str, value: str) -> list[int]:
        """The pages whose URLs a query gives, each once."""
        found = (self._numbers.get(url) for (url,) in self._connection.execute(sql, (value,)))
        return list(dict.fromkeys(page for page in found if page is not None))

    def lines(self, page: int, text: str) -> int:
        """The lines of a page in which a text stands, a bit each; all, where its title has the text."""
        known = self._lines.setdefault(page, {})
        found = known.get(text)
        if found is None:
            found = -1 if text in self.pages[page].title else 0
            if not found and text in self.pages[page].body:
                lines = self.pages[page].body.split("\n")
                found = sum(1 << number for number, line in enumerate(lines) if text in line)
            known[text] = found
        return found

    def listed(self, page: int) -> str:
        """The table whose rows a list page lists: that of most of its statements, else of most pages it links to."""
        found = self._listed.get(page)
        if found is None:
            tables = Counter(s.fact.split("/", 1)[0] for s in self.pages[page].statements)
            if not tables:
                linked = [self._numbers[link.url] for link in self.pages[page].links if link.url in self._numbers]
                tables = Counter(self.pages[other].subject.split("/", 1)[0] for other in linked)
                del tables[""]
            best = tables.most_common(1)
            found = self._listed[page] = best[0][0] if best else ""
        return found

    def chain(self, page: int) -> list[int]:
        """The list pages before and after a page, as far as each links to the next and back; of least URL first."""
        found = self._chains.get(page)
        if found is None:
            found = [page]
            seen = {page}
            for end in (-1, 0):
                while near := [other for other in self.neighbours(found[end]) if other not in seen]:
                    seen.add(near[0])
                    found.insert(len(found) if end else 0, near[0])
            if self.pages[found[0]].url > self.pages[found[-1]].url:
                found.reverse()
            self._chains.update(dict.fromkeys(found, found))
        return found

    def neighbours(self, page: int) -> list[int]:
        """The list pages that a list page links to and that link back."""
        url = self.pages[page].url
        near = {self._numbers[link.url] for link in self.pages[page].links if link.url in self._numbers}
        return [
            other
            for other in sorted(near)
            if other != page
            and self.pages[other].genre == "list"
            and any(link.url == url for link in self.pages[other].links)
        ]

    def showing(self, row: str, facts: Facts) -> list[int]:
        """The pages that show a row: they are about it, link to a page about it, or state a fact of it or with it.

        A row with a key is also shown where all that its key refers to is.
        """
        found = self._showing.get(row)
        if found is None:
            table = facts.tables[row.rsplit("/", 1)[0]]
            number = row_of(row)
            shown = self._showing_itself(row, [table.fact(number, name) for name in table.stated()])
            shown.update(self._naming(row, table.name, number, facts))
            parts = _parts(table, number)
            if parts:
                sets = [dict.fromkeys(self.showing(part, facts)) for part in parts]
                shown.update({page: None for page in sets[0] if all(page in other for other in sets[1:])})
            found = self._showing[row] = list(shown)
        return found

    def touching(self, row: str, facts: Facts) -> dict[int, None]:
        """The pages that show a row or anything that its key refers to, and so may name it."""
        found = dict.fromkeys(self.showing(row, facts))
        for part in _parts(facts.tables[row.rsplit("/", 1)[0]], row_of(row)):
            found.update(dict.fromkeys(self.showing(part, facts)))
        return found

    def _showing_itself(self, row: str, facts: Sequence[str]) -> dict[int, None]:
        found: dict[int, None] = {}
        for page in self.about(row):
            found[page] = None
            found.update(dict.fromkeys(self.linking(self.pages[page].url)))
        self.read(facts)
        for fact in facts:
            found.update(dict.fromkeys(self._stated(fact).sound))
        return found

    def _naming(self, row: str, name: str, number: int, facts: Facts) -> dict[int, None]:
        """The pages that state a ref to a row, or anything of a row which that ref tells from others."""
        said: list[str] = []
        for table in facts:
            stated = table.stated()
            for column in table.columns.values():
                if column.target != name:
                    continue
                told = stated if column.name in table.key else [column.name] if column.name in stated else []
                for other in self._referrers(table, column, number) if told else ():
                    said += [table.fact(other, attribute) for attribute in told]
        self.read(said)
        return {page: None for fact in said for page in self._read[fact].sound}

    def _referrers(self, table: Table, column: Column, number: int) -> list[int]:
        key = (table.name, column.name)
        if key not in self._referring:
            order = np.argsort(column.values, kind="stable")
            self._referring[key] = order, column.values[order]
        order, values = self._referring[key]
        start, end = np.searchsorted(values, [number, number + 1]).tolist()
        rows: list[int] = order[start:end].tolist()
        return rows

    def article(self, row: str) -> int | None:
        """The reference article about a row, if there is one."""
        for page in self.about(row):
            if self.pages[page].genre == "encyclopedia" and self.pages[page].kind == "sound":
                return page
        return None
