"""Marks of the calendar: while a page is composed, the digits of its years are other characters of the same width.

Whatever says a date, a year or a period says the year in marked digits; the finished page gets plain ones, and with
them the places where they stood. So the place of every year on a page is known from what wrote it, and a number that
looks like a year is none.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from worldgen.facts.tables import EPOCH, Column, Facts, Table
from worldgen.records import Link, Page

_FIRST = 0xE000
_MARK = {ord("0") + digit: chr(_FIRST + digit) for digit in range(10)}
_UNMARK = {_FIRST + digit: str(digit) for digit in range(10)}
_MARKED = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + 9)}]+")
_NUMBER = re.compile(r"\d+")
_LONG = re.compile(r"\d{3,}")
_IN_WORDING = re.compile(r"(?<![\d.,])\d{4}(?![.,]?\d)")
_PLACE = re.compile(r"\{[^{}]*\}")
_CENTURY = 100


def marked(text: str) -> str:
    """A text that is a year, or that tells a date or a period: its year in marked digits."""
    return (_NUMBER if text.isdigit() else _LONG).sub(_mark, text)


def marking(say: Callable[[int], str]) -> Callable[[int], str]:
    """What says dates, years or periods, with their years in marked digits."""
    return lambda value: marked(say(value))


def marked_wording(text: str, now: int) -> str:
    """A wording of a schema's: a number of four digits within a century of the world's present is a year."""
    return _IN_WORDING.sub(lambda match: _mark(match) if abs(int(match[0]) - now) <= _CENTURY else match[0], text)


def said_names(facts: Facts, table: Table, language: str) -> list[str]:
    """What the rows of a table are called; the phrase of a row with a key tells its years in marked digits."""
    texts = [text.say(language) for text in table.names]
    if table.named or table.kind == "series":
        return texts
    template = _template(facts, table, language)
    fixed = {match[0] for match in _IN_WORDING.finditer(_PLACE.sub(" ", template))}
    years = _years_of(facts, table)
    return [_marked_years(text, fixed | told) for text, told in zip(texts, years, strict=True)]


def _years_of(facts: Facts, table: Table) -> list[set[str]]:
    """Row → the years that its phrase may tell: of its key, and of the keys of rows with a key that this refers to."""
    out: list[set[str]] = [set() for _ in range(table.size)]
    for column in table.columns.values():
        values = column.values.tolist()
        if column.type in ("year", "period", "date"):
            for row, value in enumerate(values):
                out[row].add(str(_year_of(column, value)))
        elif column.type == "ref" and column.target in facts.tables:
            target = facts.tables[column.target]
            if not target.named and target.kind != "series" and target is not table:
                told = _years_of(facts, target)
                for row, value in enumerate(values):
                    out[row] |= told[value] if value >= 0 else set()
    return out


def _year_of(column: Column, value: int) -> int:
    if column.type == "date":
        return (EPOCH + dt.timedelta(days=value)).year
    return value // {"quarter": 4, "month": 12}.get(column.every or "year", 1) if column.type == "period" else value


def _template(facts: Facts, table: Table, language: str) -> str:
    schema = facts.schema
    node = schema.entities.get(table.name) or schema.relations.get(table.name)
    phrase: dict[str, str] = dict((node.phrase if node is not None else None) or {})  # type: ignore[arg-type]
    return phrase.get(language, "")


def _marked_years(text: str, years: set[str]) -> str:
    return _NUMBER.sub(lambda match: _mark(match) if match[0] in years else match[0], text) if years else text


def marked_at(text: str, places: Iterable[int]) -> str:
    """A plain text whose years stand at those places: they in marked digits."""
    out: list[str] = []
    last = 0
    for place in places:
        found = _NUMBER.match(text, place)
        end = found.end() if found else place
        out += (text[last:place], text[place:end].translate(_MARK))
        last = end
    return "".join([*out, text[last:]])


def unmarked(text: str) -> str:
    """The text in plain digits."""
    return text.translate(_UNMARK)


def settled(page: Page) -> Page:
    """A composed page in plain digits, with the places of its years in title, line end and body put together."""
    whole = f"{page.title}\n{page.body}"
    return replace(
        page,
        title=unmarked(page.title),
        body=unmarked(page.body),
        links=tuple(Link(link.url, unmarked(link.text)) for link in page.links),
        years=tuple(match.start() for match in _MARKED.finditer(whole)),
    )


def marked_title(page: Page) -> str:
    """The title of a settled page, its years in marked digits again."""
    return marked_at(page.title, (place for place in page.years if place < len(page.title)))


def _mark(match: re.Match[str]) -> str:
    return match[0].translate(_MARK)
