"""Can everything be said, in every language, in words that tell things apart?"""

from __future__ import annotations

from collections.abc import Sequence

from worldgen.records import Language
from worldgen.schema.context import PLACEHOLDER, Context, Place
from worldgen.schema.layout import relation_ref
from worldgen.schema.model import Attribute, Labels, Texts
from worldgen.schema.problems import Path

LEAST_LABELS = 3
LEAST_NOUNS = 2


def check_wording(context: Context) -> None:
    """Report what lacks words, and words that stand for two things."""
    schema = context.schema
    for name, entity in schema.entities.items():
        at: Path = ("entities", name)
        _check_nouns(context, entity.label, (*at, "label"))
        if entity.name is not None and entity.name.template is not None:
            _check_texts(context, entity.name.template, (*at, "name", "template"))
        if entity.phrase is not None:
            _check_phrase(context, name, entity.phrase, entity.key or [], (*at, "phrase"))
    for name, relation in schema.relations.items():
        at = ("relations", name)
        if relation_ref(relation) is not None:
            _check_labels(context, relation.label, at)
            continue
        _check_nouns(context, relation.label, (*at, "label"))
        if relation.phrase is None:
            context.report.add(
                "missing-key", "`phrase` is missing", at, expected="how a row is said, e.g. `{a} at {b}`"
            )
        else:
            _check_phrase(context, name, relation.phrase, list(relation.columns), (*at, "phrase"))
    for place in context.places():
        if not _silent(context, place):
            _check_labels(context, place.attribute.label, place.at)
        _check_say(context, place)
        _check_values(context, place)
    for name, series in schema.series.items():
        _check_labels(context, series.label, ("series", name))
    _check_distinct(context)
    _check_texts(context, schema.title, ("title",), schema.languages)
    _check_placeholders(context, schema.scope.phrase, ("scope", "phrase"), {"name"}, {"name"})
    _check_texts(context, schema.scope.phrase, ("scope", "phrase"))


def _silent(context: Context, place: Place) -> bool:
    """Whether an attribute is never stated by itself, or may be stated by its process's words."""
    entity = context.schema.entities.get(place.table)
    keys = entity.key or [] if entity is not None and place.at[0] == "entities" else []
    return place.attribute.hidden or place.attribute.process is not None or place.name in keys


def _check_labels(context: Context, label: Labels, at: Path) -> None:
    for language in context.languages:
        words = label.get(language, [])
        where = (*at, "label", language)
        if len(set(words)) < LEAST_LABELS:
            expected = f"at least {LEAST_LABELS} different wordings in {language}"
            context.report.add("label-count", "too few wordings", where, expected=expected, got=str(len(set(words))))
        elif len(set(words)) < len(words):
            context.report.add("label-repeated", "a wording is given twice", where, expected="different wordings")


def _check_nouns(context: Context, label: Labels, at: Path) -> None:
    for language in context.languages:
        words = label.get(language, [])
        where = (*at, language)
        if len(set(words)) < LEAST_NOUNS:
            expected = f"at least {LEAST_NOUNS} different nouns in {language}"
            context.report.add("label-count", "too few nouns", where, expected=expected, got=str(len(set(words))))
        elif len(set(words)) < len(words):
            context.report.add("label-repeated", "a noun is given twice", where, expected="different nouns")
        for position, word in enumerate(words):
            parts = word.split("/")
            if language == "en" and word.strip() and (len(parts) != 2 or not all(part.strip() for part in parts)):
                context.report.add("label-form", "no plural", (*where, position), expected="`one/many`", got=repr(word))


def _check_distinct(context: Context) -> None:
    """No two attributes of one entity share a wording: a question could not tell them apart."""
    seen: dict[tuple[str, str, str], Path] = {}
    for table, name, label, at in _stated(context):
        for language, words in label.items():
            for word in dict.fromkeys(word.casefold() for word in words):
                key = (table, language, word)
                other = seen.setdefault(key, at)
                if other != at:
                    context.report.add(
                        "label-shared",
                        f"`{name}` is worded like another attribute",
                        (*at, "label", language),
                        got=repr(word),
                        fix=f"{'.'.join(map(str, other))} has it already",
                    )


def _stated(context: Context) -> list[tuple[str, str, Labels, Path]]:
    found = [(p.table, p.name, p.attribute.label, p.at) for p in context.places() if not p.attribute.hidden]
    for name, relation in context.schema.relations.items():
        spot = relation_ref(relation)
        if spot is not None:
            found.append((spot[0], spot[1], relation.label, ("relations", name)))
    for name, series in context.schema.series.items():
        found.append((series.of, name, series.label, ("series", name)))
    return found


def _check_texts(context: Context, texts: Texts, at: Path, languages: Sequence[Language] = ()) -> None:
    for language in languages or context.languages:
        if language not in texts:
            context.report.add("missing-text", f"no text in {language}", at, expected=f"a text under `{language}:`")


def _check_placeholders(context: Context, texts: Texts, at: Path, known: set[str], needed: set[str]) -> None:
    for language, text in texts.items():
        found = PLACEHOLDER.findall(text)
        where = (*at, language)
        for word in found:
            if word not in known:
                context.report.unknown("placeholder", word, sorted(known), where)
        for word in sorted(needed - set(found)):
            context.report.add("missing-placeholder", f"`{{{word}}}` is missing", where, got=repr(text))


def _check_phrase(context: Context, table: str, phrase: Texts, keys: list[str], at: Path) -> None:
    _check_texts(context, phrase, at)
    for language, text in phrase.items():
        where = (*at, language)
        found = PLACEHOLDER.findall(text)
        for path in found:
            context.follow(table, path, where)
        for key in keys:
            if not any(path.split(".")[0] == key for path in found):
                context.report.add("missing-placeholder", f"`{{{key}}}` is missing", where, got=repr(text))


def _check_say(context: Context, place: Place) -> None:
    for language, sentences in place.attribute.say.items():
        for position, sentence in enumerate(sentences):
            at = (*place.at, "say", language, position)
            found = set(PLACEHOLDER.findall(sentence))
            for word in sorted(found - {"name", "value"}):
                context.report.unknown("placeholder", word, ["name", "value"], at)
            for word in sorted({"name", "value"} - found):
                context.report.add("missing-placeholder", f"`{{{word}}}` is missing", at, got=repr(sentence))


def _check_values(context: Context, place: Place) -> None:
    attribute: Attribute = place.attribute
    if attribute.values is None or attribute.hidden:
        return
    seen: dict[tuple[str, str], str] = {}
    for key, value in attribute.values.items():
        at = (*place.at, "values", key)
        if "zh" in context.languages and value.zh is None:
            context.report.add("missing-text", "no wording in zh", at, expected="Chinese words under `zh:`")
        for language, words in (("en", value.en or [key]), ("zh", value.zh or [])):
            for word in dict.fromkeys(word.casefold() for word in words):
                other = seen.setdefault((language, word), key)
                if other != key:
                    context.report.add("label-shared", f"worded like `{other}`", at, got=repr(word))
