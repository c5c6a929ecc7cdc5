"""Nouns and labels from the schema: what rows and values are called, per language."""

from __future__ import annotations

from worldgen.facts.tables import Column, Facts, Table
from worldgen.language import ValueSpec, currencies, plain, plural, unit
from worldgen.tasks.query import Agg
from worldgen.tasks.words import words

_FALLBACK = "en"


def nouns(facts: Facts, table: str, language: str) -> list[tuple[str, str]]:
    """The nouns for the rows of an entity or relation, as (one, many)."""
    schema = facts.schema
    labels = schema.entities[table].label if table in schema.entities else schema.relations[table].label
    found = labels.get(language) or labels.get(_FALLBACK) or [table.replace("_", " ")]  # type: ignore[call-overload]
    return [_forms(text, language) for text in found]


def _forms(text: str, language: str) -> tuple[str, str]:
    one, slash, many = text.partition("/")
    if language == "zh":
        return one, one
    return one, many if slash else plural(one)


def series_labels(facts: Facts, table: Table, language: str) -> list[str]:
    """The labels of a series."""
    series = facts.schema.series[table.stated()[0]]
    return list(series.label.get(language) or series.label.get(_FALLBACK) or [table.stated()[0]])  # type: ignore[call-overload]


def named_after(facts: Facts, table: Table, name: str, language: str) -> str | None:
    """The table whose noun stands for a column: of a row's own name, and of a ref without a label of its own."""
    column = table.columns.get(name)
    if column is None:
        return table.name
    spec = column.spec
    if spec is not None and (spec.label.get(language) or spec.label.get(_FALLBACK)):  # type: ignore[call-overload]
        return None
    return column.target


def labels(facts: Facts, table: Table, name: str, language: str) -> list[str]:
    """The labels of a column that is not named after a table."""
    column = table.columns[name]
    if table.kind == "series" and name not in table.key:
        return series_labels(facts, table, language)
    spec = column.spec
    if spec is not None:
        found = spec.label.get(language) or spec.label.get(_FALLBACK)  # type: ignore[call-overload]
        if found:
            return list(dict.fromkeys(text.partition("/")[0] for text in found))
    if column.type == "period":
        return list(words(language).tables["period_labels"][column.every or "year"])
    return [name.replace("_", " ")]


def role_of(facts: Facts, subject: str, term: Agg, language: str) -> bool:
    """Whether it must be said what the subject is to the rows of an aggregate.

    That a phone has a maker goes without saying; which of the two sides of a match a club is does not, nor what an
    employee has to do with an incident.
    """
    table = facts.tables[term.table]
    refs = [name for name, column in table.columns.items() if column.type == "ref" and column.target == subject]
    if len(refs) == 1 and named_after(facts, table, term.by, language) is not None:
        return False
    ones = [one.casefold() for one, _ in nouns(facts, subject, language)]
    told = [text.casefold() for text in labels(facts, table, term.by, language)]
    return len(refs) > 1 or not any(one.endswith(text) for one in ones for text in told)


def unfolded(found: list[str], language: str) -> list[str]:
    """Those labels that do not speak of an average, a least or a greatest value themselves."""
    said = words(language).tables["awkward"]["folded"]
    if language == "zh":
        return [text for text in found if not any(word in text for word in said)]
    return [text for text in found if not set(text.lower().split()) & set(said)]


def smooth(found: list[str], language: str) -> list[str]:
    """Those labels that read well inside a sentence; all of them where none does."""
    awkward = words(language).tables["awkward"]
    good = []
    for text in found:
        lower = text.lower()
        bad = any(word in f" {lower} " for word in awkward["inside"])
        if language == "zh":
            bad = bad or any(lower.startswith(word) for word in awkward["starts"])
        else:
            parts = lower.split()
            bad = bad or parts[0] in awkward["starts"] or parts[-1] in awkward["ends"]
        if not bad:
            good.append(text)
    return good or found


def unit_text(column: Column | None, language: str) -> str:
    """The unit as a heading names it; empty for plain numbers and for things counted."""
    if column is None:
        return ""
    if column.type == "money":
        known = currencies().get(column.currency or "")
        return known.zh if known is not None and language == "zh" else column.currency or ""
    if column.type == "percent":
        return str(words(language).tables["percent"])
    if column.unit is None:
        return ""
    found = unit(column.unit)
    if found.dimension == "count":
        return ""
    if language == "zh":
        return found.zh
    return found.symbol or found.many


def period_said(value: int, every: str, language: str) -> str:
    """A period in words: `Q1 2029`, `2029年第一季度`."""
    kind = {"year": "year", "quarter": "quarter", "month": "month"}[every]
    return plain(ValueSpec(kind), value, 0, language)  # type: ignore[arg-type]
