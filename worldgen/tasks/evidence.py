"""Which page states what, in one language, and which of several statements the world's rule lets win.

The rule: trust of the site, then date, an undated page being the oldest. A statement that is wrong on purpose loses
by these two alone, or its fact is not asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from worldgen.facts.tables import Facts
from worldgen.records import Page, Statement
from worldgen.tasks.meaning import row_of

_TRUST = {"low": 0, "medium": 1, "high": 2}
_RIGHT = ("sound", "undisclosed")


class PageIndex:
    """The pages of a language by the facts they state and by the pages they link to."""

    def __init__(self, pages: Sequence[Page], language: str) -> None:
        self.pages = [page for page in pages if page.language == language and page.kind != "haystack"]
        # A page's number, or a list of them: most facts stand on one or two pages, and lists cost time to build.
        self._sound: dict[str, int | list[int]] = {}
        self._wrong: dict[str, tuple[int, str]] = {}
        self._linking: dict[str, list[int]] = {}
        self._about: dict[str, list[int]] = {}
        self._naming: dict[str, list[int]] = {}
        self._showing: dict[str, list[int]] = {}
        self._listed: dict[int, str] = {}
        self._chains: dict[int, list[int]] = {}
        self._subjects = {page.url: page.subject for page in self.pages if page.subject}
        for number, page in enumerate(self.pages):
            self._add(number, page)

    def _add(self, number: int, page: Page) -> None:
        sound = self._sound
        for statement in page.statements:
            if "/" in statement.claimed:
                self._naming.setdefault(statement.claimed, []).append(number)
            if statement.label in _RIGHT:
                known = sound.get(statement.fact)
                if known is None:
                    sound[statement.fact] = number
                elif isinstance(known, list):
                    known.append(number)
                else:
                    sound[statement.fact] = [known, number]
            else:
                rank = self.rank(number)
                self._wrong[statement.fact] = max(rank, self._wrong.get(statement.fact, rank))
        for link in page.links:
            self._linking.setdefault(link.url, []).append(number)
        if page.subject:
            self._about.setdefault(page.subject, []).append(number)

    def rank(self, page: int) -> tuple[int, str]:
        """What the rule compares."""
        return _TRUST[self.pages[page].trust], self.pages[page].date

    def stating(self, fact: str) -> list[int]:
        """All pages with a sound statement of a fact, each once."""
        found = self._sound.get(fact)
        if found is None:
            return []
        return list(dict.fromkeys(found)) if isinstance(found, list) else [found]

    def usable(self, fact: str) -> list[int]:
        """The pages with a sound statement that no wrong one outranks or equals; none where it cannot be asked."""
        wrong = self._wrong.get(fact)
        found = self.stating(fact)
        return found if wrong is None else [page for page in found if self.rank(page) > wrong]

    def statement(self, fact: str, page: int) -> Statement:
        """The first sound statement of a fact on a page that `stating` gave."""
        return next(s for s in self.pages[page].statements if s.fact == fact and s.label in _RIGHT)

    def about(self, row: str) -> list[int]:
        """The pages whose subject is that row."""
        return self._about.get(row, [])

    def linking(self, url: str) -> list[int]:
        """The pages that link to a URL."""
        return self._linking.get(url, [])

    def listed(self, page: int) -> str:
        """The table whose rows a list page lists: that of most of its statements, else of most pages it links to."""
        found = self._listed.get(page)
        if found is None:
            fact_tables = Counter(s.fact.split("/", 1)[0] for s in self.pages[page].statements)
            linked = Counter(self._subjects.get(link.url, "").split("/", 1)[0] for link in self.pages[page].links)
            del linked[""]
            best = (fact_tables or linked).most_common(1)
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
        """The pages of the same genre that a page links to and that link back."""
        url, genre = self.pages[page].url, self.pages[page].genre
        back = [other for other in self.linking(url) if self.pages[other].genre == genre]
        linked = {link.url for link in self.pages[page].links}
        return [other for other in dict.fromkeys(back) if self.pages[other].url in linked and other != page]

    def showing(self, row: str, facts: Facts) -> list[int]:
        """The pages that show a row: they are about it, link to a page about it, or state a fact of it or with it.

        A row with a key is also shown where all that its key refers to is.
        """
        found = self._showing.get(row)
        if found is None:
            table = facts.tables[row.rsplit("/", 1)[0]]
            number = row_of(row)
            shown = self._showing_itself(row, [table.fact(number, name) for name in table.stated()])
            parts = [c.canonical(number) for c in map(table.columns.__getitem__, table.key) if c.type == "ref"]
            if parts and not table.named:
                sets = [dict.fromkeys(self.showing(part, facts)) for part in parts if part is not None]
                shown.update({page: None for page in sets[0] if all(page in other for other in sets[1:])})
            found = self._showing[row] = list(shown)
        return found

    def _showing_itself(self, row: str, facts: Iterable[str]) -> dict[int, None]:
        found: dict[int, None] = {}
        for page in self.about(row):
            found[page] = None
            found.update(dict.fromkeys(self.linking(self.pages[page].url)))
        found.update(dict.fromkeys(self._naming.get(row, ())))
        for fact in facts:
            found.update(dict.fromkeys(self.stating(fact)))
        return found

    def article(self, row: str) -> int | None:
        """The reference article about a row, if there is one."""
        for page in self.about(row):
            if self.pages[page].genre == "encyclopedia" and self.pages[page].kind == "sound":
                return page
        return None
