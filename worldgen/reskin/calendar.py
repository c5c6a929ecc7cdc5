"""Moves the calendar of a world by whole years: pages, hits, facts, questions and queries.

Where the years of a page stand is known from what wrote it (`worldgen.corpus.years`). Differences and orders of dates
are the same as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from worldgen.records import Hit, Page, Statement, Task
from worldgen.reskin.questions import Literals, exchanged, moved_query, terms_of
from worldgen.reskin.reading import TIMES, Reading, kind_of_fact, read_calendar
from worldgen.reskin.swap import Moved, exchange
from worldgen.search.snippets import Span, shown
from worldgen.seeds import stream
from worldgen.store import read_only
from worldgen.store.reader import FactRow, read_tasks
from worldgen.tasks.wording.headings import normal_heading

_CANONICAL = re.compile(r"(\d{3,4})(-\d\d-\d\d|-\d\d|-Q[1-4])?")
_NUMBER = re.compile(r"\d+")


class Dated(NamedTuple):
    """A page whose calendar has moved, with where the places of its body have gone."""

    page: Page
    body: Moved


class Calendar:
    """The calendar of one epoch.

    Args:
        years: By how many years it moves; 0 where it stays.
        reading: What is known of the world's calendar.
        stays: Why it stays, where it does.
    """

    def __init__(self, years: int, reading: Reading, *, stays: str = "") -> None:
        self.years = years
        self.stays = stays
        self._reading = reading
        self._told = {str(year): str(year + years) for year in reading.years}
        self._back = {new: old for old, new in self._told.items()}

    @classmethod
    def of(cls, path: Path, digest: str, seed: int, epoch: int) -> Calendar:
        """The calendar of an epoch of a world.

        Args:
            path: The world's folder.
            digest: Its digest.
            seed: Of its epochs; epochs that follow one another have different calendars.
            epoch: Which.
        """
        reading, stays = _read(path, digest)
        moves = () if stays else stream(seed, "reskin", "calendar").shuffled(reading.moves)
        return cls(moves[epoch % len(moves)] if moves else 0, reading, stays=stays)

    def value(self, value: str) -> str:
        """A canonical date, year or period, moved; what is none, as `Not disclosed`, stays."""
        found = _CANONICAL.fullmatch(value)
        return f"{int(found[1]) + self.years}{found[2] or ''}" if found else value

    def text(self, text: str) -> str:
        """A text to search for, in which every number that is a year on some page is one."""
        return exchanged(text, self._told)

    def query(self, text: str) -> str:
        """A query of the epoch's years as one in the built years."""
        return exchanged(text, self._back)

    def wording(self, text: str) -> str:
        """A wording of the schema."""
        worded = {str(year): str(year + self.years) for year in self._reading.worded if self._reading.in_wording(year)}
        return exchanged(text, worded)

    def page(self, page: Page) -> Dated:
        """A page, with where the places of its body have gone."""
        if not self.years:
            return Dated(page, Moved(page.body, [], []))
        size = len(page.title)
        title = self._at(page.title, [place for place in page.years if place < size]).text
        body = self._at(page.body, [place - size - 1 for place in page.years if place > size])
        links = []
        for link in page.links:
            start = page.body.find(f"[{link.text}]({link.url})") + 1
            end = start + len(link.text)
            links.append(link._replace(text=body.text[body.place(start) : body.place(end)]) if start else link)
        moved = replace(
            page,
            title=title,
            body=body.text,
            date=self.value(page.date),
            links=tuple(links),
            statements=tuple(self._statement(statement, body) for statement in page.statements),
            years=(),
        )
        return Dated(moved, body)

    def _statement(self, statement: Statement, body: Moved) -> Statement:
        moves = kind_of_fact(self._reading.kinds, statement.fact) in TIMES
        return statement._replace(
            start=body.place(statement.start),
            end=body.place(statement.end),
            value_start=body.place(statement.value_start),
            value_end=body.place(statement.value_end),
            claimed=self.value(statement.claimed) if moves else statement.claimed,
        )

    def hit(self, hit: Hit, dated: Dated, spans: Iterable[Span]) -> Hit:
        """A search result.

        Args:
            hit: As the world has it.
            dated: Its page, moved.
            spans: The spans of the page's body that its snippet was made of.
        """
        if not self.years:
            return hit
        page, body = dated
        places = [(body.place(start), body.place(end)) for start, end in spans]
        return replace(hit, title=page.title, date=page.date, snippet=shown(page, places))

    def fact(self, fact: FactRow) -> FactRow:
        """A fact; its id stays."""
        moves = fact.type in TIMES and fact.value is not None
        return replace(fact, value=self.value(fact.value or "") if moves else fact.value, time=self.value(fact.time))

    def task(self, task: Task) -> Task:
        """A question with gold, evidence and plan."""
        if not self.years:
            return task
        literals = Literals.of(task, self._reading)
        say = {str(year): str(year + self.years) for year in literals.years}
        columns = tuple(exchanged(text, say) for text in task.columns)
        headed = dict(zip(task.columns, columns, strict=True))
        folded = {normal_heading(old): normal_heading(new) for old, new in headed.items()}
        kinds = [kind for _, kind in terms_of(task, self._reading)]
        return replace(
            task,
            question=exchanged(task.question, say),
            columns=columns,
            rows=tuple(
                tuple(self._cell(cell, kind) for cell, kind in zip(row, kinds, strict=True)) for row in task.rows
            ),
            evaluation=_renamed(task.evaluation, folded),
            query=moved_query(task.query, self._reading, self.value),
            plan=self._plan(task.plan, headed),
            evidence=tuple(replace(found, column=headed[found.column]) for found in task.evidence),
        )

    def _cell(self, cell: str, kind: str) -> str:
        if kind in TIMES:
            return self.value(cell)
        return self.wording(cell) if kind == "category" else cell

    def _plan(self, plan: dict[str, Any], headed: Mapping[str, str]) -> dict[str, Any]:
        return {
            **plan,
            "queries": list(map(self.text, plan["queries"])),
            "open": [{**step, "via": self.text(step["via"])} for step in plan["open"]],
            "cells": [[row, headed[column], facts] for row, column, facts in plan["cells"]],
        }

    def _at(self, text: str, places: Iterable[int]) -> Moved:
        found = [match for place in places if (match := _NUMBER.match(text, place))]
        return exchange(text, [(match.start(), match.end(), str(int(match[0]) + self.years)) for match in found])


@lru_cache(maxsize=16)
def _read(path: Path, digest: str) -> tuple[Reading, str]:
    """A world's calendar, and why it must stay as it is, if it must."""
    reading = read_calendar(path)
    if not reading.years:
        return reading, "no page tells where its years stand"
    if not reading.moves:
        return reading, "no shift keeps the distances of all dates and the digits of all years"
    connection = read_only(path / "world.db", guarded=False)
    try:
        tasks = read_tasks(connection)
    finally:
        connection.close()
    for task in tasks:
        unclear = sorted(Literals.of(task, reading).unclear)
        if unclear:
            return reading, f"{task.instance_id} has a number that may be a year or none: {unclear[0]}"
    return reading, ""


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Plain JSON with some texts exchanged, keys included."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(inner, names) for key, inner in value.items()}
    return [_renamed(inner, names) for inner in value] if isinstance(value, (list, tuple)) else value
