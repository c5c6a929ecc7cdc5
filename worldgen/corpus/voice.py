"""How the values of one column are said in one language: bulk strings, labels, and the form each fact takes.

A fact keeps one form on all its pages, so that a reader who needs it cannot sidestep the conversion, the date or the
arithmetic by finding another page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from worldgen.corpus import amounts
from worldgen.corpus.grammar import settings_of
from worldgen.corpus.years import marked_wording, said_names
from worldgen.facts.tables import Column, Facts, Table
from worldgen.language import unit, with_article
from worldgen.records import Form

NUMERIC = frozenset({"integer", "decimal", "money", "percent"})
BODIES = frozenset(
    {
        "company",
        "technology_company",
        "industrial_company",
        "pharmaceutical_company",
        "airline",
        "bank",
        "organisation",
        "department",
        "party",
        "club",
        "school",
        "university",
        "hospital",
        "museum",
        "newspaper",
    }
)
"""Kinds of names that people who act as one have."""
SHAPES = ("number", "year", "date", "category", "boolean", "ref", "name")


class Wording(NamedTuple):
    """A label: itself, with its article, the ending of the rules that suit it, whether it is a plural."""

    label: str
    a_label: str
    suffix: str
    many: bool


class Series(NamedTuple):
    """Of the rows of a series: the table of the entities that they are about, the entity and the period of each."""

    target: str
    owners: list[int]
    periods: list[int]
    every: str


class Mention(NamedTuple):
    """How the rows of a table may be spoken of: patterns for subject and possessive, with a place ``{name}``.

    ``thing`` tells whether they are things with names, which may be spoken of as `it`.
    """

    subjects: tuple[str, ...]
    possessives: tuple[str, ...]
    thing: bool = False


@dataclass(slots=True)
class Voice:
    """One column in one language.

    Attributes:
        key: Whether it is the far end of a relation.
        counted: Whether its values are counts.
        shape: Which rules of a grammar state it; one of `SHAPES`.
        labels: What the attribute is called; wordings: the same, ready for sentences.
        series: For the values of a series: whose they are and when.
        facts: The ids of the facts.
        values: The column's values; plain: style → what says one of them.
        unit: The same values in another unit, where the fact takes that form.
        canonical: The fact's one text form, None where nothing is disclosed.
        forms: The form each fact takes.
        steps: A draw for each fact, which fixes the arithmetic that its sentences share.
        peers: Row → the row beside which its value is told, where its form calls for another row.
        said: Sentence patterns of the schema's own, split around name and value.
    """

    table: str
    attribute: str
    column: Column
    shape: str
    labels: list[str]
    wordings: list[Wording]
    series: Series | None
    facts: list[str]
    values: list[int]
    plain: list[Callable[[int], str]]
    unit: list[str | None]
    canonical: list[str | None]
    forms: list[Form]
    steps: list[int]
    said: list[str]
    peers: dict[int, int]
    key: bool
    counted: bool

    def void(self) -> list[tuple[str, int, str]]:
        """The items that are disclosed and yet have no value: refs that refer to nothing."""
        if self.shape != "ref":
            return []
        given = self.column.given.tolist()
        return [
            (self.table, row, self.attribute)
            for row, value in enumerate(self.canonical)
            if value is None and given[row]
        ]


def labels_of(facts: Facts, table: Table, attribute: str, language: str) -> list[str]:
    """The wordings of an attribute's label: the schema's, or the nouns of what a role refers to."""
    column = table.columns[attribute]
    schema = facts.schema
    found: list[str] | None = None
    if column.spec is not None:
        found = column.spec.label.get(language)  # type: ignore[call-overload]
    elif table.kind == "series" and attribute in schema.series:
        found = schema.series[attribute].label.get(language)  # type: ignore[call-overload]
    if not found and column.target is not None:
        found = [one for one, _ in nouns_of(facts, column.target, language)]
    return [marked_wording(text, schema.as_of.year) for text in found or [attribute.replace("_", " ")]]


def nouns_of(facts: Facts, table: str, language: str) -> list[tuple[str, str]]:
    """The nouns of a table's rows, each for one and for many."""
    schema = facts.schema
    if table in schema.entities:
        wordings = schema.entities[table].label.get(language)  # type: ignore[call-overload]
    elif table in schema.relations:
        wordings = schema.relations[table].label.get(language)  # type: ignore[call-overload]
    else:
        series = next(name for name in schema.series if table.endswith(f"_{name}"))
        wordings = schema.series[series].label.get(language)  # type: ignore[call-overload]
    out = []
    for wording in wordings or [table.replace("_", " ")]:
        one, _, many = marked_wording(wording, schema.as_of.year).partition("/")
        out.append((one, many or one))
    return out


def sort_of(facts: Facts, table: str) -> str:
    """What the rows of a table are: one of `worldgen.corpus.grammar.SORTS`."""
    entity = facts.schema.entities.get(table)
    kind = entity.name.kind if entity is not None and entity.name is not None else None
    return "person" if kind == "person" else "body" if kind in BODIES else "thing"


def is_plural(label: str, settings: Any) -> bool:
    """Whether a label takes a plural verb, by the language's own endings and exceptions."""
    rule = settings.get("plural", {})
    if not rule:
        return False
    head = label.lower()
    for cut in rule["before"]:
        head = head.partition(cut)[0]
    words = head.split(" ")
    while len(words) > 1 and words[-1].endswith(tuple(rule["dropped"])):
        words.pop()
    last = words[-1]
    if last in rule["one"]:
        return False
    return last in rule["many"] or (last.endswith(tuple(rule["endings"])) and not last.endswith(tuple(rule["not"])))


def is_loose(label: str, settings: Any) -> bool:
    """Whether a label is no noun phrase, such as `formed in`, and so only fits into a sentence in quotes."""
    rule = settings.get("loose", {})
    if not rule:
        return False
    padded = f" {label.lower()} "
    return any(cue in padded for cue in rule["has"]) or padded.strip() in rule["whole"]


def _shape(column: Column) -> str:
    return "number" if column.type in NUMERIC else column.type


def voices(facts: Facts, language: str) -> dict[tuple[str, str], Voice]:
    """A voice for every stated column of every table, by (table, attribute)."""
    settings = settings_of(language)
    out: dict[tuple[str, str], Voice] = {}
    for table in facts:
        for attribute in table.stated():
            out[table.name, attribute] = _voice(facts, table, attribute, language, settings)
    return out


def _voice(facts: Facts, table: Table, attribute: str, language: str, settings: Any) -> Voice:
    column = table.columns[attribute]
    labels = labels_of(facts, table, attribute, language)
    phrase = not table.named and table.kind != "series"
    said: list[str] = []
    if column.spec is not None:
        wordings = column.spec.say.get(language, [])  # type: ignore[call-overload]
        said = [marked_wording(text, facts.schema.as_of.year) for text in wordings]
    return Voice(
        table=table.name,
        attribute=attribute,
        column=column,
        shape=_shape(column),
        labels=labels,
        wordings=[_wording(label, language, settings, phrase=phrase) for label in labels],
        series=_series(table) if table.kind == "series" else None,
        facts=_ids(table, attribute),
        values=column.values.tolist(),
        plain=renderers_of(facts, column, language),
        unit=[None] * table.size,
        canonical=column.canonicals(),
        forms=[],
        steps=[],
        said=said,
        peers={},
        key=attribute in table.key,
        counted=_counted(column),
    )


def _counted(column: Column) -> bool:
    """Whether the numbers of a column count things, of which there are fewer rather than less."""
    return column.type == "integer" and (column.unit is None or unit(column.unit).dimension == "count")


def _wording(label: str, language: str, settings: Any, *, phrase: bool) -> Wording:
    """The label; ``phrase`` says that its subject is a phrase, which takes no possessive."""
    many = is_plural(label, settings)
    suffix = "/loose" if is_loose(label, settings) else "/many" if many else ""
    a_label = with_article(label) if language == "en" and not suffix else label
    return Wording(label, a_label, suffix + ("/phrase" if phrase else ""), many)


def _series(table: Table) -> Series:
    of, period = (table.columns[key] for key in table.key)
    return Series(of.target or "", of.values.tolist(), period.values.tolist(), period.every or "year")


def _ids(table: Table, attribute: str) -> list[str]:
    """`Table.fact` of every row."""
    if table.kind == "series":
        return [table.fact(row, attribute) for row in range(table.size)]
    return [f"{table.name}/{row}/{attribute}" for row in range(table.size)]


def renderers_of(facts: Facts, column: Column, language: str) -> list[Callable[[int], str]]:
    """Style → a function that says a value of the column; none for booleans, which the grammar says."""
    if column.type == "ref":
        names = said_names(facts, facts.tables[column.target or ""], language)
        return [names.__getitem__]
    if column.type == "name":
        texts = column.texts or []
        return [lambda value: texts[value].say(language)]
    if column.type == "category":
        now = facts.schema.as_of.year
        wordings = [[marked_wording(text, now) for text in texts] for texts in _categories(column, language)]
        return [texts.__getitem__ for texts in wordings]
    if column.type == "boolean":
        return []
    return amounts.renderers(column, language)


def _categories(column: Column, language: str) -> list[list[str]]:
    """Style → the wording of each category; a category with fewer wordings repeats them."""
    wordings: list[list[str]] = []
    for key in column.categories:
        value = (column.spec.values or {}).get(key) if column.spec is not None else None
        found = getattr(value, language, None) if value is not None else None
        wordings.append(list(found or [key.replace("_", " ")]))
    most = max((len(w) for w in wordings), default=1)
    return [[w[style % len(w)] for w in wordings] for style in range(most)]
