"""An attribute as texts speak of it: its labels, units, wordings and verbs, taken from the schema in one language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from worldgen.audit.claims.words import concepts, stems, table
from worldgen.language import unit
from worldgen.records import Language
from worldgen.schema import Schema, tables
from worldgen.schema.layout import entity_attributes, relation_ref
from worldgen.schema.model import Attribute, Series

_PLACE = re.compile(r"\{\w+\}")


@dataclass(frozen=True, slots=True)
class Trait:
    """An attribute of one table as texts speak of it.

    Attributes:
        table: The table.
        name: The attribute.
        kind: Its type.
        dimension: Of its unit, ``percent``, ``money:CODE``, or "".
        factor: What one of its units is in the base of the dimension.
        labels: The stems of each label.
        phrases: The labels themselves, in lower case.
        cues: Stems that hint at it, of labels and of its own sentences.
        categories: Key → wordings, in lower case.
        target: The table a ref leads to.
        rank: Whether it is a place in an order.
        period: The word of time that its labels hold (a monthly fee), or "".
        agent: ``value`` where its sentences say "by {value}", ``name`` where "by {name}", else "".
        says: Its own sentences, in lower case, without name and value.
        series: Whether it has a value for each of several periods.
        units: The words of what it counts, in lower case.
        place: Whether its sentences put the thing in, at or under the value.
        verbs: What stands between name and value in its sentences: whether the name comes first, its stems with all
            that may say the same, and whether it is passive.
    """

    table: str
    name: str
    kind: str
    dimension: str
    factor: Fraction
    labels: tuple[tuple[str, ...], ...]
    phrases: tuple[str, ...]
    cues: frozenset[str]
    categories: Mapping[str, tuple[str, ...]]
    target: str
    rank: bool
    period: str
    agent: str
    says: tuple[str, ...] = ()
    series: bool = False
    units: tuple[str, ...] = ()
    place: bool = False
    verbs: tuple[tuple[bool, frozenset[str], bool], ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Table and attribute."""
        return self.table, self.name


def traits_of(schema: Schema, language: Language) -> dict[str, tuple[Trait, ...]]:
    """The attributes of every table that texts may speak of."""
    found: dict[str, list[Trait]] = {name: [] for name in tables(schema)}
    for name in schema.entities:
        for attribute, node in entity_attributes(schema, name).items():
            if not node.hidden:
                found[name].append(_trait(name, attribute, node, language))
    for name, relation in schema.relations.items():
        if relation_ref(relation) is None:
            for attribute, node in relation.attributes.items():
                if not node.hidden:
                    found.setdefault(name, []).append(_trait(name, attribute, node, language))
            for column, target in zip(relation.columns, (relation.source, relation.target), strict=True):
                found.setdefault(name, []).append(
                    _trait(name, column, Attribute(ref=target, label=_ones(schema, target)), language)
                )
    for name, series in schema.series.items():
        found[series.of].append(_trait(series.of, name, series, language))
    return {name: tuple(traits) for name, traits in found.items()}


def _trait(table: str, name: str, node: Attribute | Series, language: Language) -> Trait:
    own = node if isinstance(node, Attribute) else None
    kind = own.kind if own else node.type or "integer"
    labels = list(node.label.get(language, []))
    say = [_PLACE.sub(" ", text) for text in own.say.get(language, [])] if own else []
    used = unit(node.unit) if node.unit else None
    dimension, factor = "", Fraction(1)
    if kind == "money":
        dimension = f"money:{node.currency}"
    elif kind == "percent":
        dimension = "percent"
    elif used is not None and used.dimension != "count":
        dimension, factor = used.dimension, used.factor
    counted = [used.one, used.many] if used is not None and language == "en" else [used.zh] if used is not None else []
    said = [stem for text in [*labels, *say, *counted] for stem in stems(text, language)]
    groups = concepts(language)
    cues = set(said) | {other for stem in said for other in groups.get(stem, ())}
    if language == "zh":
        cues |= {
            other
            for group in groups.values()
            for word in group
            if any(word in text for text in [*labels, *say])
            for other in group
        }
    return Trait(
        table=table,
        name=name,
        kind=kind,
        dimension=dimension,
        factor=factor,
        labels=tuple(tuple(stems(label, language)) for label in labels),
        phrases=tuple(label.lower() for label in labels),
        cues=frozenset(cues),
        categories=_categories(own, language) if own else {},
        target=own.ref or "" if own else "",
        rank=own is not None and own.rank is not None,
        period=_period([*labels, *say], language),
        agent=_agent(own, language),
        says=tuple(text.lower() for text in say),
        series=own is None,
        units=tuple(word.lower() for word in counted if word),
        place=own is not None and _place(own),
        verbs=tuple(_verbs(own.say.get(language, []), language)) if own else (),
    )


_PUTS = re.compile(r"\b(?:in|at|under|within|to|part of) (?:the )?\{value\}|(?:在|于|属|隶属|常驻|归)\{value\}")


def _place(node: Attribute) -> bool:
    return any(_PUTS.search(text) for said in node.say.values() for text in said)


_BETWEEN = re.compile(r"\{(name|value)\}([^{}]+)\{(name|value)\}")


def _verbs(say: list[str], language: Language) -> Iterator[tuple[bool, frozenset[str], bool]]:
    groups = concepts(language)
    for text in say:
        for match in _BETWEEN.finditer(text):
            own = stems(match[2], language)
            if own and match[1] != match[3]:
                alike = {other for word in own for other in groups.get(word, ())}
                passive = re.search(r"\bby\b|[由被的]", match[2]) is not None
                yield match[1] == "name", frozenset([*own, *alike]), passive


def _categories(node: Attribute, language: Language) -> dict[str, tuple[str, ...]]:
    if node.values is None:
        return {}
    found = {}
    for key, value in node.values.items():
        words = (value.zh if language == "zh" else value.en) or [key]
        found[key] = tuple(words)
    return found


def _period(texts: list[str], language: Language) -> str:
    words: dict[str, list[str]] = table(language)["period"]
    for period in ("month", "week", "quarter", "day", "year"):
        if language == "zh":
            if period != "year" and any(word in text for text in texts for word in words[period] if len(word) > 1):
                return period
        elif any(re.search(rf"\b(?:{'|'.join(words[period])})\b", text.lower()) for text in texts):
            return period
    return ""


def _agent(node: Attribute | None, language: Language) -> str:
    if node is None:
        return ""
    texts = " ".join([*node.say.get(language, []), *node.say.get("en", [])])
    if "by {value}" in texts or "由{value}" in texts:
        return "value"
    return "name" if "by {name}" in texts or "由{name}" in texts else ""


def _ones(schema: Schema, table: str) -> dict[Language, list[str]]:
    """The nouns of a table in the singular."""
    return {
        lang: [word.split("/")[0].strip() for word in words] for lang, words in schema.entities[table].label.items()
    }
