"""How values stand in a gold table and in a question: the one text of each value, per language."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal

from worldgen.facts.tables import EPOCH, Column, Facts, canonical, period_text
from worldgen.tasks.meaning import Meaning, row_of
from worldgen.tasks.query import Agg
from worldgen.tasks.words import words


def cell_writer(found: Meaning, facts: Facts, language: str) -> Callable[[int], str]:
    """What writes the cell of the row that holds a value.

    Names and category values are in the language; numbers, dates and periods in canonical form.
    """
    said = words(language)
    column = found.column
    if column is None:
        names = found.table.names
        return lambda row: names[row].say(language)
    values, given = column.values, column.given
    tell = _teller(column, facts, language)

    def write(row: int) -> str:
        return tell(int(values[row]), row) if given[row] else said.undisclosed

    return write


def _teller(column: Column, facts: Facts, language: str) -> Callable[[int, int], str]:
    said = words(language)
    if column.type == "ref":
        names = facts.tables[column.target or ""].names
        return lambda value, _row: names[value].say(language) if value >= 0 else said.nothing
    if column.type == "name":
        texts = column.texts or []
        return lambda _value, row: texts[row].say(language)
    if column.type == "category":
        wordings = [category_text(column, key, language) for key in column.categories]
        return lambda value, _row: wordings[value]
    if column.type == "boolean":
        return lambda value, _row: said.yes if value else said.no
    return lambda value, row: canonical(column, value, row) or said.nothing


def aggregate_text(term: Agg, found: Meaning, rows: list[int], language: str) -> str:
    """An aggregate over those rows as a cell; values that are not disclosed are left out.

    A mean is computed in `Decimal` and rounded half to even.
    """
    if found.column is None:
        return str(len(rows))
    column = found.column
    values = [int(column.values[row]) for row in rows if column.given[row]]
    if not values and term.how != "sum":
        return words(language).nothing
    if term.how == "mean":
        exact = Decimal(sum(values)).scaleb(-column.decimals) / Decimal(len(values))
        return str(exact.quantize(Decimal(1).scaleb(-term.decimals), rounding=ROUND_HALF_EVEN))
    folded = sum(values) if term.how == "sum" else min(values) if term.how == "min" else max(values)
    return canonical(column, folded) or words(language).nothing


def category_text(column: Column, key: str, language: str) -> str:
    """The wording of a category's value that answers use: the first in the schema."""
    spec = column.spec
    value = spec.values.get(key) if spec is not None and spec.values is not None else None
    said = (value.zh if language == "zh" else value.en) if value is not None else None
    return said[0] if said else key


def literal_text(found: Meaning, value: str, facts: Facts, language: str) -> str:
    """A canonical literal as a question says it, without its unit."""
    if found.type == "ref":
        return facts.tables[found.target or ""].names[row_of(value)].say(language)
    if found.type == "category" and found.column is not None:
        return category_text(found.column, value, language)
    if found.type == "boolean":
        return words(language).yes if value == "yes" else words(language).no
    return value


def literal_of(found: Meaning, value: int) -> str:
    """A stored value, or a whole number between the stored ones, as a canonical literal."""
    if found.type == "date":
        return (EPOCH + dt.timedelta(days=value)).isoformat()
    if found.type == "period" and found.column is not None:
        return period_text(value, found.column.every or "year")
    if found.column is None:
        return str(value)
    return canonical(found.column, value) or ""
