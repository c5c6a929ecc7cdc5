"""Can every text of a schema stand on a page as it is?

Texts go unchanged into Markdown pages, tables and grammars. What these read as their own signs would break a page
far from the schema that caused it, so such texts are refused where they are written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from worldgen.schema.context import PLACEHOLDER, Context
from worldgen.schema.layout import relation_ref
from worldgen.schema.model import Attribute, Labels, Texts
from worldgen.schema.problems import Path, Report

MOST = 80
MOST_SENTENCE = 400
MOST_PREMISE = 1_000
_SIGNS = re.compile(r"[|\[\]{}<>*`\\#_/]")
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class _Text:
    """One text, where it stands and what it may hold."""

    text: str
    at: Path
    most: int = MOST
    filled: bool = False
    noun: bool = False


def check_texts(context: Context) -> None:
    """Report texts that are blank, too long, or hold what a page cannot show."""
    for text in _texts(context):
        if _well_formed(context.report, text.text, text.at, text.most):
            _check_signs(context.report, text)
    _well_formed(context.report, context.schema.premise.replace("\n", " "), ("premise",), MOST_PREMISE)


def _well_formed(report: Report, text: str, at: Path, most: int) -> bool:
    unseen = next((sign for sign in text if unicodedata.category(sign) in _UNSEEN), None)
    if not text.strip():
        report.add("blank-text", "the text is blank", at, expected="words", got=repr(text))
    elif unseen is not None:
        report.add(
            "control-character",
            "a line break or a sign that cannot be seen",
            at,
            expected="one line of plain text",
            got=f"U+{ord(unseen):04X} {unicodedata.name(unseen, '')}".strip(),
            fix="take it out",
        )
    elif len(text) > most:
        expected = f"at most {most} characters"
        report.add("long-text", "the text is too long", at, expected=expected, got=str(len(text)), fix="shorten it")
    else:
        return True
    return False


def _check_signs(report: Report, text: _Text) -> None:
    bare = PLACEHOLDER.sub("", text.text) if text.filled else text.text
    found = sorted(set(_SIGNS.findall(bare)) - ({"/"} if text.noun else set()))
    if not found:
        return
    expected = "words, and {placeholders} in braces" if text.filled else "words without placeholders"
    fix = {"_": "write a space", "/": "write `or` or `per`"}.get(found[0], "say it in words")
    got = f"{' '.join(found)} in {text.text!r}"
    report.add("text-syntax", "a page would read a sign as markup", text.at, expected=expected, got=got, fix=fix)


def _texts(context: Context) -> Iterator[_Text]:
    schema = context.schema
    yield from _single(schema.title, ("title",), filled=False)
    yield from _single(schema.scope.phrase, ("scope", "phrase"))
    for name, entity in schema.entities.items():
        at: Path = ("entities", name)
        yield from _listed(entity.label, (*at, "label"), nouns=True)
        if entity.name is not None:
            yield from _single(entity.name.template, (*at, "name", "template"))
        yield from _single(entity.phrase, (*at, "phrase"))
    for name, relation in schema.relations.items():
        at = ("relations", name)
        yield from _listed(relation.label, (*at, "label"), nouns=relation_ref(relation) is None)
        yield from _single(relation.phrase, (*at, "phrase"))
    for place in context.places():
        yield from _of_attribute(place.attribute, place.at)
    for name, series in schema.series.items():
        yield from _listed(series.label, ("series", name, "label"))
        if series.currency is not None:
            yield _Text(series.currency, ("series", name, "currency"))
    for position, site in enumerate(schema.sites):
        yield from _single(site.name, ("sites", position, "name"))
    for name, subject in schema.tasks.subjects.items():
        yield from _listed(subject.reasons, ("tasks", "subjects", name, "reasons"), most=MOST_SENTENCE)


def _of_attribute(attribute: Attribute, at: Path) -> Iterator[_Text]:
    yield from _listed(attribute.label, (*at, "label"))
    yield from _listed(attribute.say, (*at, "say"), most=MOST_SENTENCE, filled=True)
    if attribute.currency is not None:
        yield _Text(attribute.currency, (*at, "currency"))
    for key, value in (attribute.values or {}).items():
        spot = (*at, "values", key)
        if value.en is None and not attribute.hidden:
            yield _Text(key, spot)
        for language, words in (("en", value.en), ("zh", value.zh)):
            yield from (_Text(word, (*spot, language, position)) for position, word in enumerate(words or ()))


def _single(texts: Texts | None, at: Path, *, filled: bool = True) -> Iterator[_Text]:
    for language, text in (texts or {}).items():
        yield _Text(text, (*at, language), filled=filled)


def _listed(
    labels: Labels, at: Path, *, most: int = MOST, filled: bool = False, nouns: bool = False
) -> Iterator[_Text]:
    for language, words in labels.items():
        for position, word in enumerate(words):
            yield _Text(word, (*at, language, position), most, filled, nouns and language == "en")
