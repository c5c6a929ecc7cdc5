"""Which page states what, in one language, and which of several statements the world's rule lets win.

The rule: trust of the site, then date, an undated page being the oldest. A statement that is wrong on purpose loses
by these two alone, or its fact is not asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import attrgetter, itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worldgen.facts.tables import Column, Facts, Table
from worldgen.records import Page, Statement
from worldgen.tasks.meaning import row_of
from worldgen.tasks.postings import Postings

Ints = NDArray[np.int64]

_TRUST = {"low": 0, "medium": 1, "high": 2}
_RIGHT = ("sound", "undisclosed")


class _Stated(NamedTuple):
    """The pages that state a fact soundly, with the first such statement of each; the best rank of a wrong one."""

    sound: dict[int, Statement]
    wrong: tuple[int, str] | None


def _owners(counts: list[int]) -> Ints:
    """The page of each of its parts."""
    return np.repeat(np.arange(len(counts), dtype=np.int64), counts)


def _parts(table: Table, row: int) -> list[str]:
    """What the key of a row without a name of its own refers to."""
    if table.named:
        return []
    parts = [table.columns[name].canonical(row) for name in table.key if table.columns[name].type == "ref"]
    return [part for part in parts if part is not None]


class PageIndex:
    """The pages of a language by the facts they state and by the pages they link to; read as far as is asked."""

    def __init__(self, pages: Sequence[Page], language: str) -> None:
        self.pages = [page for page in pages if page.language == language and page.kind != "haystack"]
        self._statements = list(chain.from_iterable(map(attrgetter("statements"), self.pages)))
        self._stating = _owners([len(page.statements) for page in self.pages])
        self._facts = Postings(list(map(itemgetter(0), self._statements)))
        self._linked = _owners([len(page.links) for page in self.pages])
        self._links = Postings(list(map(itemgetter(0), chain.from_iterable(map(attrgetter("links"), self.pages)))))
        self._lists = {page.url: number for number, page in enumerate(self.pages) if page.genre == "list"}
        self._subjects = Postings([page.subject for page in self.pages])
        self._urls = Postings([page.url for page in self.pages])
        self._read: dict[str, _Stated] = {}
        self._linking: dict[str, list[int]] = {}
        self._showing: dict[str, list[int]] = {}
        self._listed: dict[int, str] = {}
        self._lines: dict[int, dict[str, int]] = {}
        self._chains: dict[int, list[int]] = {}
        self._referring: dict[tuple[str, str], tuple[Ints, Ints]] = {}

    def _stated(self, fact: str) -> _Stated:
        found = self._read.get(fact)
        if found is None:
            sound: dict[int, Statement] = {}
            wrong: tuple[int, str] | None = None
            for place in self._facts.find(fact):
                statement, page = self._statements[place], int(self._stating[place])
                if statement.label in _RIGHT:
                    sound.setdefault(page, statement)
                else:
                    rank = self.rank(page)
                    wrong = rank if wrong is None else max(wrong, rank)
            found = self._read[fact] = _Stated(sound, wrong)
        return found

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
        return self._subjects.find(row)

    def linking(self, url: str) -> list[int]:
        """The pages that link to a URL, each once."""
        found = self._linking.get(url)
        if found is None:
            found = self._linking[url] = list(dict.fromkeys(self._linked[self._links.find(url)].tolist()))
        return found

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
                linked = [other for link in self.pages[page].links for other in self._urls.find(link.url)]
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
        near = {self._lists[link.url] for link in self.pages[page].links if link.url in self._lists}
        return [
            other
            for other in sorted(near)
            if other != page and any(link.url == url for link in self.pages[other].links)
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

    def _showing_itself(self, row: str, facts: Iterable[str]) -> dict[int, None]:
        found: dict[int, None] = {}
        for page in self.about(row):
            found[page] = None
            found.update(dict.fromkeys(self.linking(self.pages[page].url)))
        for fact in facts:
            found.update(dict.fromkeys(self._stated(fact).sound))
        return found

    def _naming(self, row: str, name: str, number: int, facts: Facts) -> dict[int, None]:
        """The pages that state a ref to a row, or anything of a row which that ref tells from others."""
        found: dict[int, None] = {}
        for table in facts:
            stated = table.stated()
            for column in table.columns.values():
                if column.target != name:
                    continue
                told = stated if column.name in table.key else [column.name] if column.name in stated else []
                for other in self._referrers(table, column, number) if told else ():
                    for attribute in told:
                        found.update(dict.fromkeys(self._stated(table.fact(other, attribute)).sound))
        return found

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
