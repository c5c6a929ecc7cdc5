"""Adds attributes that follow from others: ranks, counts and figures over the rows that refer to a thing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from worldgen.schema import Schema
from worldgen.schema.layout import entity_attributes, tables
from worldgen.schema.model import Attribute
from worldgen.seeds import Stream
from worldgen.variation.data import read
from worldgen.variation.drawing import whole
from worldgen.variation.outline import Outline, Plain

_LONGEST = 60
_LEAST_ROWS = 6
_IDENTIFIER = 40


@dataclass(frozen=True, slots=True)
class _Addition:
    """An attribute that could be added to a table."""

    table: str
    name: str
    attribute: Plain


def derive(outline: Outline, rng: Stream) -> None:
    """Add ranks, counts and folds."""
    plan = read("plan")["derive"]
    for key, find in (("ranks", _ranks), ("counts", _counts), ("folds", _folds)):
        left = whole(plan[key], rng)
        for addition in rng.shuffled(find(outline.schema())):
            if left and _add(outline, addition):
                left -= 1


def _add(outline: Outline, addition: _Addition) -> bool:
    attributes = outline.plain["entities"][addition.table].setdefault("attributes", {})
    told = {word.casefold() for one in attributes.values() for words in one.get("label", {}).values() for word in words}
    words = [word for words in addition.attribute["label"].values() for word in words]
    if addition.name in attributes or len(addition.name) > _IDENTIFIER:
        return False
    if any(len(word) > _LONGEST or word.casefold() in told for word in words):
        return False
    attributes[addition.name] = addition.attribute
    subject = outline.plain.get("tasks", {}).get("subjects", {}).get(addition.table, {})
    for key in ("columns", "where"):
        if key in subject:
            subject[key].append(addition.name)
    outline.changes.append(f"with {addition.table}.{addition.name}")
    return True


def _ranks(schema: Schema) -> list[_Addition]:
    data = read("derived")["rank"]
    ranked = {(table, one.rank.of) for table, one in _all(schema) if one.rank is not None}
    found = []
    for table, entity in schema.entities.items():
        if entity.count is None or entity.count < _LEAST_ROWS:
            continue
        for column, one in entity.attributes.items():
            if one.kind not in data["types"] or one.hidden or one.undisclosed or one.rank is not None:
                continue
            if (
                (table, column) in ranked
                or one.known is not None
                or entity.known is not None
                or one.source == "process"
            ):
                continue
            name = data["name"].format(column=column)
            label = {lang: _filled(data["label"][lang], words) for lang, words in one.label.items()}
            attribute: Plain = {"type": "integer", "rank": {"of": column}, "label": label}
            found.append(_Addition(table, name, attribute))
    return found


def _counts(schema: Schema) -> list[_Addition]:
    data = read("derived")["count"]
    counted = {
        (one.aggregate.table, one.aggregate.by)
        for _, one in _all(schema)
        if one.aggregate is not None and one.aggregate.how == "count"
    }
    found = []
    for table, by, target in _single_refs(schema):
        if (table, by) in counted:
            continue
        nouns = {lang: [_many(word, lang) for word in words] for lang, words in schema.entities[table].label.items()}
        label = {lang: _filled(data["label"][lang], words) for lang, words in nouns.items()}
        aggregate = {"table": table, "by": by, "how": "count"}
        attribute: Plain = {"type": "integer", "aggregate": aggregate, "label": label}
        found.append(_Addition(target, data["name"].format(table=table), attribute))
    return found


def _folds(schema: Schema) -> list[_Addition]:
    data = read("derived")["fold"]
    found = []
    for table, by, target in _single_refs(schema):
        entity = schema.entities[table]
        for column, one in entity.attributes.items():
            if one.kind not in ("integer", "money") or one.hidden or one.undisclosed or one.rank is not None:
                continue
            for how in data["hows"]:
                if how not in one.folds or (how == "mean" and one.source == "aggregate"):
                    continue
                label = {
                    lang: [
                        text.format(*words, many=_many(schema.entities[table].label[lang][0], lang))
                        for text in data["hows"][how][lang]
                    ]
                    for lang, words in one.label.items()
                }
                attribute: Plain = {
                    "type": one.kind,
                    "aggregate": {"table": table, "by": by, "how": how, "of": column},
                    "label": label,
                }
                # A mean of multiples is no multiple itself.
                kept = ("unit", "currency") if how == "mean" else ("unit", "currency", "round")
                attribute |= {key: getattr(one, key) for key in kept if getattr(one, key)}
                attribute["decimals"] = one.decimals
                found.append(_Addition(target, data["name"].format(how=how, column=column), attribute))
    return found


def _single_refs(schema: Schema) -> list[tuple[str, str, str]]:
    """The refs (table, column, target) that are a table's only one to that target, every row having one."""
    found = []
    for table, entity in schema.entities.items():
        if entity.name is None:
            continue
        refs = {name: one for name, one in entity_attributes(schema, table).items() if one.kind == "ref"}
        times = Counter(one.ref for one in refs.values())
        for name, one in refs.items():
            if (
                one.ref is not None
                and times[one.ref] == 1
                and one.ref != table
                and not one.optional
                and not one.distinct
            ):
                found.append((table, name, one.ref))
    return found


def _all(schema: Schema) -> list[tuple[str, Attribute]]:
    return [
        (table, field.attribute)
        for table, fields in tables(schema).items()
        for field in fields.values()
        if field.attribute is not None
    ]


def _filled(texts: list[str], words: list[str]) -> list[str]:
    three = [words[position % len(words)] for position in range(3)]
    return [text.format(*three) for text in texts]


def _many(noun: str, language: str) -> str:
    return noun.split("/")[-1] if language == "en" else noun
