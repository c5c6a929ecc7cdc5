"""The gold table of a query: rows selected and joined in SQL, cells computed in Python from exact columns.

Every cell comes with the facts it rests on, every row with those that its conditions rest on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from worldgen.facts.tables import Facts
from worldgen.tasks.cells import aggregate_text, cell_writer
from worldgen.tasks.meaning import Meaning, fact_namer, meaning, row_of
from worldgen.tasks.query import Agg, At, Attr, Condition, TableQuery, Term, comparisons
from worldgen.tasks.sql import compile_members, compile_rows
from worldgen.tasks.words import words

_AT_ONCE = 400

Needs = Callable[[int], list[str]]
"""Row of the subject → the facts by which a term is known for it, the one that gives the value last."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A gold cell.

    Attributes:
        text: What stands in the table.
        facts: The facts it rests on; none where a key is the row's own name.
        giving: Those of them that give the value itself, not the way to it.
    """

    text: str
    facts: tuple[str, ...]
    giving: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoldRow:
    """A row of a gold table: the subject row's id, its cells, and the facts by which it belongs to the answer."""

    id: str
    cells: tuple[Cell, ...]
    conditions: tuple[str, ...]


def gold_rows(query: TableQuery, connection: sqlite3.Connection, facts: Facts, language: str) -> list[GoldRow]:
    """Answer a query.

    Args:
        query: What is asked.
        connection: The world's typed tables.
        facts: The same facts in columns.
        language: Of names and category values.
    """
    select = compile_rows(query, facts)
    found = connection.execute(select.text, select.parameters).fetchall()
    ids = [row[0] for row in found]
    numbers = [row_of(id_) for id_ in ids]
    columns = []
    place = 0
    for term in query.terms:
        if isinstance(term, Agg):
            columns.append(_aggregate_cells(term, query.subject, ids, connection, facts, language))
            continue
        place += 1
        columns.append(_direct_cells(term, query.subject, numbers, [row[place] for row in found], facts, language))
    conditions = _conditions(query, ids, connection, facts)
    return [
        GoldRow(id_, tuple(column[number] for column in columns), conditions[number]) for number, id_ in enumerate(ids)
    ]


def _direct_cells(
    term: Attr | At, subject: str, numbers: list[int], holders: list[str | None], facts: Facts, language: str
) -> list[Cell]:
    found = meaning(facts, subject, term)
    hops = hop_needs(found, facts)
    write = cell_writer(found, facts, language)
    name = fact_namer(found.table, term.words[-1])
    cells = []
    for number, holder in zip(numbers, holders, strict=True):
        needed = hops(number) if found.hops else []
        if holder is None:
            cells.append(Cell(words(language).nothing, tuple(needed), ()))
            continue
        row = row_of(holder)
        fact = name(row)
        giving = (fact,) if fact is not None else ()
        cells.append(Cell(write(row), tuple(dict.fromkeys([*needed, *giving])) if needed else giving, giving))
    return cells


def hop_needs(found: Meaning, facts: Facts) -> Needs:
    """The facts of the refs that lead to a term's value."""
    steps = []
    for name, word in found.hops:
        table = facts.tables[name]
        steps.append((fact_namer(table, word), table.columns[word].values))

    def needs(row: int) -> list[str]:
        needed = []
        for name, values in steps:
            if row < 0:
                break
            fact = name(row)
            if fact is not None:
                needed.append(fact)
            row = int(values[row])
        return needed

    return needs


def term_needs(term: Attr | At, subject: str, facts: Facts) -> Needs:
    """All facts by which a term is known: the refs on the way, then the value."""
    found = meaning(facts, subject, term)
    hops = hop_needs(found, facts)
    steps = [facts.tables[name].columns[word].values for name, word in found.hops]
    end = subject if not found.hops else facts.tables[found.hops[-1][0]].columns[found.hops[-1][1]].target
    name = fact_namer(found.table, term.words[-1]) if isinstance(term, Attr) else None

    def needs(row: int) -> list[str]:
        needed = hops(row)
        for values in steps:
            row = int(values[row])
            if row < 0:
                return needed
        if isinstance(term, At):
            return [*needed, f"{end}/{row}/{term.words[-1]}@{term.period}"]
        fact = name(row) if name is not None else None
        return [*needed, fact] if fact is not None else needed

    return needs


def _aggregate_cells(
    term: Agg, subject: str, ids: list[str], connection: sqlite3.Connection, facts: Facts, language: str
) -> list[Cell]:
    members = aggregate_members(term, ids, connection, facts)
    found = meaning(facts, subject, term)
    by = fact_namer(found.table, term.by)
    of = fact_namer(found.table, term.of) if term.of is not None else by
    filters = _filter_needs(term.where, term.table, facts)
    cells = []
    for id_ in ids:
        rows = members[id_]
        giving = [fact for row in rows if (fact := of(row)) is not None]
        needed = [fact for row in rows for fact in (by(row), *filters(row), of(row)) if fact is not None]
        text = aggregate_text(term, found, rows, language)
        cells.append(Cell(text, tuple(dict.fromkeys(needed)), tuple(dict.fromkeys(giving))))
    return cells


def aggregate_members(
    term: Agg, ids: Iterable[str], connection: sqlite3.Connection, facts: Facts
) -> dict[str, list[int]]:
    """Subject id → the rows that its aggregate is computed from."""
    subjects = list(dict.fromkeys(ids))
    members: dict[str, list[int]] = {id_: [] for id_ in subjects}
    for start in range(0, len(subjects), _AT_ONCE):
        select = compile_members(term, facts, subjects[start : start + _AT_ONCE])
        for subject, row in connection.execute(select.text, select.parameters):
            members[subject].append(row_of(row))
    return members


def _filter_needs(where: Condition | None, table: str, facts: Facts) -> Needs:
    terms = [item.term for item in comparisons(where)]
    needs = [term_needs(term, table, facts) for term in terms if not isinstance(term, Agg)]
    return lambda row: [fact for need in needs for fact in need(row)]


def _conditions(
    query: TableQuery, ids: list[str], connection: sqlite3.Connection, facts: Facts
) -> list[tuple[str, ...]]:
    terms: list[Term] = [item.term for item in comparisons(query.where)]
    if query.order is not None:
        terms.append(query.order.term)
    needed: list[list[str]] = [[] for _ in ids]
    for term in dict.fromkeys(terms):
        if isinstance(term, Agg):
            cells = _aggregate_cells(term, query.subject, ids, connection, facts, "en")
            for place, cell in zip(needed, cells, strict=True):
                place.extend(cell.facts)
            continue
        needs = term_needs(term, query.subject, facts)
        for place, id_ in zip(needed, ids, strict=True):
            place.extend(needs(row_of(id_)))
    return [tuple(dict.fromkeys(place)) for place in needed]
