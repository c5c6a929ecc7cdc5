"""Which numbers of a question are years: its literals of dates and periods, and those in the schema's wordings.

Sentences of the questions' own wordings that show how something is written, such as `2001-Q3`, stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.records import Task
from worldgen.reskin.reading import LEAST, TIMES, YEAR, Reading
from worldgen.tasks import wording
from worldgen.tasks.query import Agg, At, Compare, Condition, Not, TableQuery, Term, comparisons


@dataclass(frozen=True, slots=True)
class Literals:
    """Numbers of three or four digits that stand in the words of a question.

    Attributes:
        years: Those that are years.
        unclear: Those that may be a year and may be none.
    """

    years: frozenset[int]
    unclear: frozenset[int]

    @classmethod
    def of(cls, task: Task, reading: Reading) -> Literals:
        """Read them off the query of a task, which says of what type each literal is."""
        query = TableQuery.from_json(task.query)
        years, numbers = {reading.present.year}, set(reading.named)
        for value, kind in _literals(query, reading):
            found = {int(text) for text in YEAR.findall(value)}
            (years if kind in TIMES else numbers).update(found)
        numbers.add(query.limit or 0)
        said = {int(text) for text in _tokens("\n".join([task.question, *task.columns]))}
        years |= {number for number in said if reading.in_wording(number)}
        unknown = {number for number in said if number >= LEAST} - years - numbers - reading.worded
        doubtful = (years & numbers & said) | unknown
        phrased = {
            int(text)
            for column, (target, kind) in enumerate(terms_of(task, reading))
            if kind in ("ref", "name") and target not in reading.named_tables
            for row in task.rows
            for text in YEAR.findall(row[column])
        }
        return cls(frozenset(years), frozenset(doubtful | (phrased - numbers)))


def exchanged(text: str, say: Mapping[str, str]) -> str:
    """A text with some years exchanged, but for sentences that show how something is written."""
    return _pattern().sub(lambda match: say.get(match[0], match[0]), text)


def _tokens(text: str) -> Iterator[str]:
    return (found for found in _pattern().findall(text) if YEAR.fullmatch(found))


@cache
def _pattern() -> re.Pattern[str]:
    """Sentences that show how something is written, and numbers that may be years."""
    shown: set[str] = set()
    for path in sorted(Path(wording.__file__).parent.glob("*.yaml")):
        shown.update(_shown(yaml.safe_load(path.read_text("utf-8"))))
    return re.compile("|".join([*map(re.escape, sorted(shown, key=lambda text: (-len(text), text))), YEAR.pattern]))


def _shown(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from [value] if any(int(found) >= LEAST for found in YEAR.findall(value)) else []
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _shown(inner)


def terms_of(task: Task, reading: Reading) -> list[tuple[str, str]]:
    """For each column of a task the table that its value names, if it names one, and what it holds."""
    query = TableQuery.from_json(task.query)
    return [_kind(query.subject, term, reading) for term in query.terms]


def moved_query(data: dict[str, Any], reading: Reading, move: Callable[[str], str]) -> dict[str, Any]:
    """A query with its dates, years and periods moved."""
    query = TableQuery.from_json(data)
    mover = _Mover(reading, move)
    order = query.order and replace(query.order, term=mover.term(query.subject, query.order.term))
    return replace(
        query,
        columns=tuple(mover.term(query.subject, term) for term in query.columns),
        where=mover.condition(query.subject, query.where) if query.where is not None else None,
        order=order,
    ).to_json()


@dataclass(frozen=True, slots=True)
class _Mover:
    reading: Reading
    move: Callable[[str], str]

    def term(self, table: str, term: Term) -> Term:
        if isinstance(term, At):
            return replace(term, period=self.move(term.period))
        if isinstance(term, Agg) and term.where is not None:
            return replace(term, where=self.condition(term.table, term.where))
        return term

    def condition(self, table: str, condition: Condition) -> Condition:
        if isinstance(condition, Compare):
            _, kind = _kind(table, condition.term, self.reading)
            value = self.move(condition.value) if kind in TIMES else condition.value
            return replace(condition, term=self.term(table, condition.term), value=value)
        if isinstance(condition, Not):
            return Not(self.condition(table, condition.item))
        return replace(condition, items=tuple(self.condition(table, item) for item in condition.items))


def _kind(table: str, term: Term, reading: Reading) -> tuple[str, str]:
    """The table that a term's value names, if it names one, and what it holds."""
    kinds = reading.kinds
    if isinstance(term, Agg):
        if term.of is None or term.how in ("count", "sum", "mean"):
            return "", "integer"
        return "", kinds[term.table][term.of][0]
    for word in term.words[:-1]:
        table = kinds[table][word][1] or ""
    if isinstance(term, At):
        return "", "number"
    last = term.words[-1]
    if last == "name":
        return table, "name"
    kind, target = kinds[table][last]
    return target or table, kind


def _literals(query: TableQuery, reading: Reading) -> Iterator[tuple[str, str]]:
    """Every literal that the words of a query may tell, with its type."""
    conditions = [(query.subject, query.where)]
    terms: list[Term] = [*query.terms, *([query.order.term] if query.order is not None else [])]
    terms += [found.term for found in comparisons(query.where)]
    for term in terms:
        if isinstance(term, At):
            yield term.period, "period"
        elif isinstance(term, Agg) and term.where is not None:
            conditions.append((term.table, term.where))
    for table, condition in conditions:
        for found in comparisons(condition):
            yield found.value, _kind(table, found.term, reading)[1]
            if isinstance(found.term, At):
                yield found.term.period, "period"
