"""Nouns and labels from the schema: what rows and values are called, per language."""

from __future__ import annotations

from worldgen.facts.tables import Column, Facts, Table
from worldgen.language import ValueSpec, plain, plural, unit
from worldgen.tasks.words import words

_FALLBACK = "en"


def nouns(facts: Facts, table: str, language: str) -> list[tuple[str, str]]:
    """The nouns for the rows of a table, as (one, many)."""
    schema = facts.schema
    if table in schema.entities:
        labels = schema.entities[table].label
    elif table in schema.relations:
        labels = schema.relations[table].label
    else:
        return _series_nouns(facts, facts.tables[table], language)
    found = labels.get(language) or labels.get(_FALLBACK) or [table.replace("_", " ")]  # type: ignore[call-overload]
    return [_forms(text, language) for text in found]


def _forms(text: str, language: str) -> tuple[str, str]:
    one, slash, many = text.partition("/")
    if language == "zh":
        return one, one
    return one, many if slash else plural(one)


def _series_nouns(facts: Facts, table: Table, language: str) -> list[tuple[str, str]]:
    of = table.columns[table.key[0]].target or ""
    label = series_labels(facts, table, language)[0]
    one, many = nouns(facts, of, language)[0]
    said = words(language).tables["series_nouns"]
    return [(said.format(label=label, nouns=one), said.format(label=label, nouns=many))]


def series_labels(facts: Facts, table: Table, language: str) -> list[str]:
    """The labels of a series."""
    series = facts.schema.series[table.stated()[0]]
    return list(series.label.get(language) or series.label.get(_FALLBACK) or [table.stated()[0]])  # type: ignore[call-overload]


def labels(facts: Facts, table: Table, name: str, language: str) -> list[str]:
    """The labels of a column; those of the noun it refers to where it has none of its own."""
    column = table.columns.get(name)
    if table.kind == "series" and name not in table.key:
        return series_labels(facts, table, language)
    if column is None:
        return [one for one, _ in nouns(facts, table.name, language)]
    spec = column.spec
    if spec is not None:
        found = spec.label.get(language) or spec.label.get(_FALLBACK)  # type: ignore[call-overload]
        if found:
            return list(dict.fromkeys(text.partition("/")[0] for text in found))
    if column.type == "period":
        return list(words(language).tables["headings"]["period"][column.every or "year"])
    if column.target is not None:
        return [one for one, _ in nouns(facts, column.target, language)]
    return [name.replace("_", " ")]


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
        return column.currency or ""
    if column.type == "percent":
        return str(words(language).tables["headings"]["percent"])
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
