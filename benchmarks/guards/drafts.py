"""The honest text: which facts it tells, in which sentences, joined how. A lie is rendered after one change."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.guards.material import Excerpt, Known, Material
from benchmarks.guards.values import Style, period, said, when, wordings
from worldgen.seeds import Stream

VOICES = (
    "journalist",
    "forum",
    "encyclopedia",
    "catalogue",
    "translator",
    "passive",
    "fronted",
    "value_first",
    "appositive",
)
STYLES = {"number_words": ("number_words",), "other_units": ("other_units",), "month_year": ("month_year",),
          "rounding": ("about", "over", "under")}  # fmt: skip
SORTS = ("boolean", "undisclosed", "series")
FAMILIES = (*VOICES, "idiomatic", *STYLES, *SORTS, "two_facts", "pronoun", "filler", "list", "table")
_AFTER = ("encyclopedia", "passive", "value_first", "idiomatic")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou])")


@dataclass(frozen=True, slots=True)
class Clause:
    """One fact as a text tells it; ``subject`` and ``value`` are the words used, ``sentence`` the template."""

    known: Known
    subject: str
    noun: str
    label: str
    value: str
    style: Style
    sentence: str
    person: bool
    pronoun: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A text before it is written down; ``extra`` are sentences after the clauses, ``tail`` what stands behind all."""

    language: str
    family: str
    clauses: tuple[Clause, ...]
    join: str = ""
    opening: str = ""
    closing: str = ""
    heading: str = ""
    extra: tuple[str, ...] = ()
    tail: str = ""

    def text(self) -> str:
        """The text itself."""
        if self.family == "table":
            lines = [
                f"| {clause.subject} | {clause_label(clause, self.language)} | {clause.value} |"
                for clause in self.clauses
            ]
            body = "\n".join(["| | | |", "| --- | --- | --- |", *lines])
        elif self.family == "list":
            colon, between = ("：", "的") if self.language == "zh" else (": ", ", ")
            body = "\n".join(
                f"- {c.subject}{between}{clause_label(c, self.language)}{colon}{c.value}" for c in self.clauses
            )
        else:
            body = self._prose()
        extra = list(self.extra)
        flat = self.family not in ("table", "list")
        if flat:
            body = running([self.opening, body, *extra, self.closing], self.language)
        else:
            body = "\n\n".join([body, *extra])
        head = f"# {self.heading}\n\n" if self.heading else ""
        return head + body + self.tail

    def _prose(self) -> str:
        sentences = [written(clause, self.language) for clause in self.clauses]
        if self.join and len(sentences) > 1:
            first, second = (sentence.rstrip(".。") for sentence in sentences[:2])
            stop = "。" if self.language == "zh" else "."
            sentences[:2] = [self.join.format(first=first, second=_lower(second, self.clauses[1])) + stop]
        return running(sentences, self.language)


def running(sentences: Iterable[str], language: str) -> str:
    """Sentences as running text; after one without an end of its own a line begins."""
    text = ""
    for sentence in filter(None, sentences):
        if text:
            text += "\n" if text[-1] not in ".!?。！？～：:" else "" if language == "zh" else " "
        text += sentence
    return text


def written(clause: Clause, language: str) -> str:
    """The clause as a sentence."""
    subject, owner = clause.subject, f"{clause.subject}'" if clause.subject.endswith("s") else f"{clause.subject}'s"
    if clause.pronoun and language == "zh":
        subject = f"该{clause.noun}" if clause.person else "它"
    elif clause.pronoun:
        subject, owner = (f"the {clause.noun}", f"the {clause.noun}'s") if clause.person else ("it", "its")
    sentence = filled(
        clause.sentence, language, subject=subject, owner=owner, label=clause.label, value=clause.value,
        when=when(clause.known.spec, clause.known.value, clause.value, clause.style), noun=clause.noun,
        time=period(clause.known.time, clause.style.pick, language) if clause.known.time else "",
    )  # fmt: skip
    return sentence


def filled(template: str, language: str, **words: Any) -> str:
    """A template with its words, its first letter and its articles put right."""
    text = template.format(**words)
    if language == "en":
        text = _ARTICLE.sub(r"\1n ", text)
        text = text[:1].upper() + text[1:]
    return text


def clause_label(clause: Clause, language: str) -> str:
    """The label, with the period of a series."""
    if not clause.known.time:
        return clause.label
    words = period(clause.known.time, 0, language)
    return f"{words}{clause.label}" if language == "zh" else f"{clause.label} in {words}"


def _lower(sentence: str, clause: Clause) -> str:
    if clause.subject and sentence.startswith(clause.subject):
        return sentence
    return (
        sentence[:1].lower() + sentence[1:]
        if re.match(r"(The|It|Its|In|For|On|As|Under|By|With) ", sentence)
        else sentence
    )


def clause_of(known: Known, material: Material, rng: Stream, family: str) -> Clause | None:
    """A fact told in the manner of a family; None where that manner does not fit it."""
    if not _fits(known, family):
        return None
    style = Style(rng.choice(STYLES.get(family, ("plain",))), rng.integer(12))
    value = value_words(known, style, material.language)
    if value is None:
        return None
    sentence = _sentence(known, material.language, rng, family)
    if sentence is None:
        return None
    return Clause(
        known, material.names[known.subject], material.nouns[material.table(known.subject)][0],
        rng.choice(known.spec.labels), value, style, sentence, material.table(known.subject) in material.persons,
    )  # fmt: skip


def _fits(known: Known, family: str) -> bool:
    """Whether the sentences of a family are made for a fact of this sort."""
    sort = "series" if known.spec.period else "boolean" if known.spec.type == "boolean" else ""
    if not known.value:
        sort = "" if known.spec.period else "undisclosed"
        return bool(sort) and family not in (*VOICES, *STYLES, "idiomatic", "boolean", "series")
    if family in SORTS:
        return family == sort
    return not sort or family not in VOICES


def value_words(known: Known, style: Style, language: str) -> str | None:
    """The words for a fact's value; None where the style does not fit it."""
    spec = known.spec
    if not known.value:
        hidden = ("未公开", "不公开") if language == "zh" else ("not disclosed", "undisclosed")
        return hidden[style.pick % 2] if style.way == "plain" else None
    if spec.type in ("ref", "name", "category", "boolean"):
        if style.way != "plain":
            return None
        if spec.type == "boolean":
            return {"yes": "是", "no": "否"}[known.value] if language == "zh" else known.value
        if spec.type == "category":
            forms = dict(spec.values)[known.value]
            return forms[style.pick % len(forms)]
        return known.shown
    return said(spec, known.value, style, language)


def _sentence(known: Known, language: str, rng: Stream, family: str) -> str | None:
    data = wordings(language)
    spec = known.spec
    if not known.value:
        return None if spec.period else str(rng.choice(data["undisclosed"]))
    if spec.period:
        return str(rng.choice(data["series"]))
    own = data["attributes"].get(spec.key)
    if isinstance(own, dict):
        own = own[known.value]
    if family == "idiomatic":
        return str(rng.choice(own)) if own else None
    if family not in VOICES and own and rng.chance(0.4):
        return str(rng.choice(own))
    if spec.type == "boolean":
        return str(rng.choice(data["boolean"]))
    voice = data["families"][family if family in VOICES else rng.choice(VOICES)]
    kind = "amount" if spec.type in ("integer", "decimal", "money", "percent") else spec.type
    return str(rng.choice([*voice["any"], *voice.get(kind, [])]))


def draft_of(excerpt: Excerpt, material: Material, rng: Stream, family: str) -> Draft | None:
    """An honest text of a family; None where the excerpt does not allow one."""
    data = wordings(material.language)
    wanted = 2 if family in ("two_facts", "pronoun", "list", "table") else 1
    limit = wanted if family in ("two_facts", "pronoun") else wanted + rng.integer(3)
    clauses: list[Clause] = []
    for known in rng.shuffled(excerpt.known):
        if family == "pronoun" and (known.spec.period or (clauses and known.subject != clauses[0].known.subject)):
            continue
        # The first clause is in the family's manner, the others in any.
        manner = family
        if clauses:
            manner = rng.choice(_AFTER) if family == "pronoun" else "filler" if family in (*STYLES, *SORTS) else family
        clause = clause_of(known, material, rng, manner)
        # Nobody writes "the price of it".
        stilted = family == "pronoun" and bool(clauses) and clause is not None and "of {subject}" in clause.sentence
        if clause is not None and not stilted:
            clauses.append(clause)
        if len(clauses) == limit:
            break
    if len(clauses) < wanted:
        return None
    if family == "pronoun":
        clauses[1] = replace(clauses[1], pronoun=True)
    return Draft(
        material.language, family, tuple(clauses),
        join=rng.choice(data["joins"]) if family == "two_facts" else "",
        opening=rng.choice(data["openings"]) if family == "filler" else "",
        closing=rng.choice(data["closings"]) if family == "filler" else "",
        heading=excerpt.page.title if excerpt.shape == "page" else "",
    )  # fmt: skip
