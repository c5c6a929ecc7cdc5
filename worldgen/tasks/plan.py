"""The plan that solves a task with the three tools: pure data, for an oracle to carry out.

First searches made of the question's own words, then the list pages that show the keys, then the fewest pages that
state everything the gold rests on, each with the name to search for where no page seen so far links to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

from worldgen.facts.tables import Facts
from worldgen.records import Evidence, Page, Statement
from worldgen.tasks.evidence import PageIndex
from worldgen.tasks.gold import GoldRow
from worldgen.tasks.meaning import row_of
from worldgen.tasks.wording import Wording

_LONGEST_WALK = 60
_SHORT_CHAIN = 15
_MOST_STEPS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan, the evidence it gathers, and how hard it is."""

    data: dict[str, Any]
    evidence: tuple[Evidence, ...]
    difficulty: dict[str, Any]


def needed_facts(rows: Sequence[GoldRow]) -> list[str]:
    """Every fact that a gold table rests on, once, row by row."""
    found: dict[str, None] = {}
    for row in rows:
        for cell in row.cells:
            found.update(dict.fromkeys(cell.facts))
        found.update(dict.fromkeys(row.conditions))
    return list(found)


def make_plan(rows: Sequence[GoldRow], wording: Wording, index: PageIndex, facts: Facts, keys: int) -> Plan | None:
    """Plan how to find a gold table; None where some fact is stated on no page that the rule lets win."""
    needed = needed_facts(rows)
    index.read(needed)
    stated = {fact: index.usable(fact) for fact in needed}
    if not all(stated.values()):
        return None
    lists = list_pages(rows, index, facts)
    opened = pruned(_with_articles(cover(stated, lists, index), lists, index), stated, lists, index)
    places = {page: place for place, page in enumerate([*lists, *opened])}
    chosen = {fact: min(pages, key=lambda page: places.get(page, len(places))) for fact, pages in stated.items()}
    said = {fact: index.statement(fact, page) for fact, page in chosen.items()}
    where = {fact: (index.pages[page].url, said[fact].start, said[fact].end) for fact, page in chosen.items()}
    language = index.pages[0].language if index.pages else "en"
    cells = [
        [number, wording.headings[column], list(cell.facts)]
        for number, row in enumerate(rows)
        for column, cell in enumerate(row.cells)
    ]
    data = {
        "queries": first_queries(wording, language),
        "enumerate": [index.pages[page].url for page in lists],
        "open": [{"url": index.pages[page].url, "via": _via(page, index, facts, language)} for page in opened],
        "cells": cells,
        "conditions": [[number, list(row.conditions)] for number, row in enumerate(rows)],
    }
    evidence = tuple(
        Evidence(number, wording.headings[column], fact, *where[fact])
        for number, row in enumerate(rows)
        for column, cell in enumerate(row.cells)
        for fact in cell.facts
    )
    return Plan(data, evidence, _difficulty(rows, keys, data, said))


def first_queries(wording: Wording, language: str) -> list[str]:
    """Searches made only of words that stand in the question: the noun and the setting, then each of the two.

    Second comes what a list of such things is called, for nouns that half of the pages have.
    """
    if language == "zh":
        return [f"{wording.noun}{wording.scope}", f"{wording.scope}{wording.noun}", wording.scope, wording.noun]
    titled = f"{wording.noun} in {wording.scope}"
    return [f"{wording.noun} {wording.scope}", titled, wording.scope, wording.noun]


def list_pages(rows: Sequence[GoldRow], index: PageIndex, facts: Facts) -> list[int]:
    """List pages that together show all rows which any list page shows: greedily few, by address."""
    shown: dict[int, set[str]] = {}
    for row in rows:
        for page in index.showing(row.id, facts):
            if index.pages[page].genre == "list" and index.pages[page].kind == "sound":
                shown.setdefault(page, set()).add(row.id)
    table = rows[0].id.rsplit("/", 1)[0] if rows else ""
    own = {page: found for page, found in shown.items() if index.listed(page) == table}
    shown = own or shown
    chosen = []
    known: set[str] = set()
    for page in sorted(shown, key=lambda p: (-len(shown[p]), index.pages[p].url)):
        if not shown[page] <= known:
            chosen.append(page)
            known |= shown[page]
    return _walk(chosen, index)


def _walk(chosen: Sequence[int], index: PageIndex) -> list[int]:
    """The chosen pages in the order in which they link to one another, with those that lie between them.

    A short chain is walked from end to end, since a search may find any of its pages first.
    """
    walked: dict[int, None] = {}
    for page in sorted(chosen, key=lambda p: index.pages[p].url):
        if page in walked:
            continue
        chain = index.chain(page)
        wanted = set(chosen)
        places = [place for place, member in enumerate(chain) if member in wanted]
        between = chain if len(chain) <= _SHORT_CHAIN else chain[places[0] : places[-1] + 1]
        walked.update(dict.fromkeys(between if len(between) <= _LONGEST_WALK else [chain[p] for p in places]))
    return list(walked)


def cover(stated: dict[str, list[int]], seen: Sequence[int], index: PageIndex) -> list[int]:
    """Few pages that state all facts not stated on the pages seen: the most facts first, an article before others."""
    known = set(seen)
    open_ = {fact for fact, pages in stated.items() if known.isdisjoint(pages)}
    on: dict[int, list[str]] = {}
    for fact in stated:
        if fact in open_:
            for page in stated[fact]:
                on.setdefault(page, []).append(fact)
    counts = {page: len(found) for page, found in on.items()}
    heap = [(-count, *_preference(index.pages[page]), page) for page, count in counts.items()]
    heapify(heap)
    chosen = []
    while open_:
        count, late, url, best = heappop(heap)
        if -count != counts[best]:
            heappush(heap, (-counts[best], late, url, best))
            continue
        chosen.append(best)
        for fact in on[best]:
            if fact in open_:
                open_.discard(fact)
                for page in stated[fact]:
                    counts[page] -= 1
    return chosen


def _preference(page: Page) -> tuple[int, str]:
    return (page.genre != "encyclopedia") + 2 * (page.kind != "sound"), page.url


def _with_articles(chosen: Sequence[int], lists: Sequence[int], index: PageIndex) -> list[int]:
    """The pages in an order in which each is linked from one before it, with the articles that this takes."""
    way = _Way(index, lists)
    for page in sorted(chosen, key=lambda p: index.pages[p].genre != "encyclopedia"):
        way.reach(page, _MOST_STEPS)
    return [page for page in way.reached if page not in set(lists)]


class _Way:
    """Pages in an order in which each is linked from one before it, and the addresses that they link to."""

    def __init__(self, index: PageIndex, lists: Sequence[int]) -> None:
        self.index = index
        self.reached: dict[int, None] = {}
        self.linked: set[str] = set()
        for page in lists:
            self._add(page)

    def reach(self, page: int, steps: int) -> None:
        """Add a page, and before it those that lead to it where none so far does."""
        pages = self.index.pages
        if page in self.reached:
            return
        if steps and pages[page].url not in self.linked:
            linking = [other for other in self.index.linking(pages[page].url) if pages[other].kind == "sound"]
            if linking:
                best = min(linking, key=lambda o: (pages[o].url not in self.linked, *_preference(pages[o])))
                self.reach(best, steps - 1)
        self._add(page)

    def _add(self, page: int) -> None:
        self.reached[page] = None
        if self.index.pages[page].kind == "sound":
            self.linked.update(link.url for link in self.index.pages[page].links)


def pruned(opened: Sequence[int], stated: dict[str, list[int]], lists: Sequence[int], index: PageIndex) -> list[int]:
    """Drop pages that the way to others has made needless: all they state stands elsewhere, none depends on them."""
    kept = dict.fromkeys([*lists, *opened])
    on: dict[int, list[str]] = {page: [] for page in kept}
    counts: dict[str, int] = {}
    for fact, pages in stated.items():
        having = [page for page in pages if page in kept]
        counts[fact] = len(having)
        for page in having:
            on[page].append(fact)
    place = {page: number for number, page in enumerate(kept)}
    parents = _parents(opened, place, index)
    children: dict[int, list[int]] = {}
    for page, found in parents.items():
        for parent in found:
            children.setdefault(parent, []).append(page)
    for page in sorted(opened, key=lambda p: (len(on[p]), -place[p])):
        if any(counts[fact] < 2 for fact in on[page]) or any(parents[c] == {page} for c in children.get(page, ())):
            continue
        del kept[page]
        for fact in on[page]:
            counts[fact] -= 1
        for child in children.get(page, ()):
            parents[child].discard(page)
        for parent in parents.pop(page):
            if parent in children:
                children[parent].remove(page)
    return [page for page in opened if page in kept]


def _parents(opened: Sequence[int], place: dict[int, int], index: PageIndex) -> dict[int, set[int]]:
    """For each page opened, the pages before it that link to it."""
    parents: dict[int, set[int]] = {page: set() for page in opened}
    known = {index.pages[page].url: page for page in opened}
    for page in place:
        for link in index.pages[page].links:
            child = known.get(link.url)
            if child is not None and place[page] < place[child]:
                parents[child].add(page)
    return parents


def _via(page: int, index: PageIndex, facts: Facts, language: str) -> str:
    """The name to search for: of the page's subject, or of a subject whose article links to it."""
    subject = index.pages[page].subject
    for other in () if subject else index.linking(index.pages[page].url):
        subject = subject or index.pages[other].subject
    if not subject:
        return index.pages[page].title
    table = facts.tables[subject.rsplit("/", 1)[0]]
    return table.names[row_of(subject)].say(language)


def _difficulty(rows: Sequence[GoldRow], keys: int, data: dict[str, Any], said: dict[str, Statement]) -> dict[str, Any]:
    cells = [cell for row in rows for cell in row.cells[keys:]]
    indirect = sum(any(said[fact].form != "plain" for fact in cell.giving) for cell in cells)
    opens = len(data["enumerate"]) + len(data["open"])
    return {
        "rows": len(rows),
        "columns": len(rows[0].cells) if rows else 0,
        "cells": sum(len(row.cells) for row in rows),
        "pages": len({*data["enumerate"], *(step["url"] for step in data["open"])}),
        "opens": opens,
        "queries": len(data["queries"]) + len(data["open"]),
        "facts": len(said),
        "indirect": round(indirect / len(cells), 4) if cells else 0.0,
    }
