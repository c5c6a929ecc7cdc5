"""A line that is nothing but a name, labels and their values, joined by marks and small words: `B / price / $140`.

Whatever stands between them, such a line says that the attribute of that name has this value, so it is judged as a
row of a table is: by its parts and not by its frame. Where the value is a name too, only an order that tells whose
it is will do. A line with any word more is left to the judges of sentences.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from worldgen.audit.claims import twists
from worldgen.audit.claims.amounts import Amount
from worldgen.audit.claims.dates import Day
from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import covers, fits, period_span
from worldgen.audit.claims.names import Named
from worldgen.audit.claims.reading import Reading, read
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.silence import undisclosed_words
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.words import vocabulary

_MOST = 400
_BRACKETED = re.compile(r"<([^<>\n]{1,80})>")
_VALUE = re.compile(
    r"(?:[A-Z]{3} ?(?=\d))?[^A-Za-z/!?][^/!?]*|[a-z]+ty-[a-z]+|yes|no|one|two|three|four|five|six|seven|eight|nine|ten"
)
_MARKS = re.compile(r"[^\w]*")
_BOUND = re.compile(r"\s*[:=]+\s*[\"']?\s*")
_OF = re.compile(r"\s*(?:of|to|for)(?: the)?\s*")
_WORDS = re.compile(r"[a-z]+(?:'[a-z]+)?|[\u3400-\u9fff]+")

Span = tuple[int, int]


class _Label(NamedTuple):
    start: int
    end: int
    traits: tuple[Trait, ...]


class _Line(NamedTuple):
    """A line with its labels and the places of its values."""

    reading: Reading
    labels: list[_Label]
    values: list[Span]


def told(text: str, scope: Scope) -> list[Claim]:
    """The claims that a line states, where it is nothing but names, labels and values and they all are claimed."""
    if len(text) > _MOST:
        return []
    reading = read(text, scope.lexicon, scope.licence.foreign)
    for table in dict.fromkeys([*(claim.trait.table for claim in scope.licence.claims)]):
        labels = _labels(table, reading, scope)
        if not labels or len(labels) > 3:
            continue
        for subject in [*reading.names, None]:
            claims = _facts(table, subject, labels, reading, scope)
            stated = [claim for claim, _ in claims]
            if (
                claims
                and _nothing_more(claims, labels, reading, scope)
                and not any(twists.judge(stated, reading, scope))
            ):
                return stated
    return []


def turned(text: str, scope: Scope) -> bool:
    """Whether a line is nothing but a name, a label and another name, of which the first is the value of the second."""
    reading = read(text, scope.lexicon, scope.licence.foreign)
    if len(text) > _MOST or len(reading.names) != 2:
        return False
    first, last = reading.names
    for claim in scope.licence.claims:
        if claim.trait.kind == "ref" and claim.value in first.ids and claim.subject in last.ids:
            labels = [lab for lab in _labels(claim.trait.table, reading, scope) if claim.trait in lab.traits]
            between = len(labels) == 1 and first.end <= labels[0].start and labels[0].end <= last.start
            if between and _MARKS.fullmatch(reading.lower[labels[0].end : last.start]):
                return _nothing_more([(claim, (first.start, first.end))], labels, reading, scope)
    return False


def _labels(table: str, reading: Reading, scope: Scope) -> list[_Label]:
    """Where whole labels of a table's attributes stand, the longest first."""
    found: list[_Label] = []
    lower = reading.lower.replace("-", " ")
    phrases: dict[str, list[Trait]] = {}
    for trait in scope.lexicon.traits.get(table, ()):
        for phrase in trait.phrases:
            phrases.setdefault(phrase.replace("-", " "), []).append(trait)
    for phrase in sorted(phrases, key=lambda word: (-len(word), word)):
        at = lower.find(phrase)
        while at >= 0:
            end = at + len(phrase)
            inside = phrase.isascii() and (lower[max(0, at - 1) : at].isalnum() or lower[end : end + 1].isalnum())
            if not inside and not any(at < label.end and label.start < end for label in found):
                found.append(_Label(at, end, tuple(phrases[phrase])))
            at = lower.find(phrase, at + 1)
    return sorted(found)


def _facts(
    table: str, subject: Named | None, labels: list[_Label], reading: Reading, scope: Scope
) -> list[tuple[Claim, Span]]:
    """A claim for each label, with where its value stands."""
    owners = subject.ids if subject else scope.spoken(table) or frozenset()
    if subject is None and any(scope.table(one) == table for named in reading.names for one in named.ids):
        return []
    found: list[tuple[Claim, Span]] = []
    for label in labels:
        claims = [c for c in scope.licence.claims if c.subject in owners and c.trait in label.traits]
        taken = [span for _, span in found]
        hit = next((hit for claim in claims if (hit := _value(claim, subject, label, taken, reading, scope))), None)
        if hit is None or (len(labels) > 1 and hit[1][0] < label.end):
            return []
        found.append(hit)
    return found if len({span for _, span in found}) == len(labels) else []


def _value(
    claim: Claim, subject: Named | None, label: _Label, taken: list[Span], reading: Reading, scope: Scope
) -> tuple[Claim, Span] | None:
    """The claim with where its value stands, the nearest behind the label first."""
    spans = [span for span in _values(claim, reading, scope) if span not in taken and _in_time(claim, span, reading)]
    spans.sort(key=lambda span: (span[0] < label.end, abs(span[0] - label.start)))
    for span in spans:
        if claim.trait.kind != "ref" or subject is None or _ordered(subject, label, span, reading):
            return claim, span
    return None


def _values(claim: Claim, reading: Reading, scope: Scope) -> list[Span]:
    """Where the value of a claim stands."""
    trait, language = claim.trait, reading.language
    if claim.value == "":
        match = undisclosed_words(reading.lower, language)
        return [match.span()] if match else []
    if trait.kind in ("ref", "name"):
        wanted = claim.value if trait.kind == "ref" else f"={claim.value}"
        return [(n.start, n.end) for n in reading.names if wanted in n.ids]
    if trait.kind in ("category", "boolean"):
        words = trait.categories.get(claim.value, ()) if trait.kind == "category" else _ANSWERS[language][claim.value]
        return [match.span() for match in _exactly(tuple(words)).finditer(reading.lower)]
    spans = [*map(_span, reading.amounts), *map(_span, reading.days)]
    return [span for span in spans if _states(claim, span, reading)]


_ANSWERS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {"yes": ("yes",), "no": ("no",)},
    "zh": {"yes": ("是", "有"), "no": ("否", "无")},
}


@cache
def _exactly(words: tuple[str, ...]) -> re.Pattern[str]:
    inner = "|".join(re.escape(word.lower()) for word in sorted(words, key=lambda word: (-len(word), word)))
    return re.compile(rf"(?<![a-z0-9])(?:{inner})(?![a-z0-9])")


def _span(value: Amount | Day) -> Span:
    return value.start, value.end


def _states(claim: Claim, span: Span, reading: Reading) -> bool:
    for amount in reading.amounts:
        if _span(amount) == span:
            if claim.day is not None:
                return amount.dimension == "" and not amount.near and amount.value == claim.day.year
            return fits(amount, claim.trait, claim.number)
    day = next(day for day in reading.days if _span(day) == span)
    if claim.day is not None:
        return covers(day, claim.day)
    whole = any(claim.number == first.year == last.year for first, last in day.spans)
    return claim.trait.kind == "year" and day.precision == "year" and whole


def _in_time(claim: Claim, span: Span, reading: Reading) -> bool:
    """Whether the line gives the claim's period, and no other."""
    others = [day for day in reading.days if _span(day) != span]
    years = [amount for amount in reading.amounts if _span(amount) != span]
    if not claim.time:
        return not others and not years
    if years:
        return len(years) == 1 and not others and str(years[0].value) == claim.time
    return len(others) == 1 and period_span(claim.time) in others[0].spans


def _ordered(subject: Named, label: _Label, value: Span, reading: Reading) -> bool:
    """Whether the order tells which of two names is whose value: the subject first, or the value bound to its label."""
    between = reading.lower[label.end : value[0]]
    if subject.start < label.start < value[0]:
        return _OF.fullmatch(between) is None
    if value[0] < label.start:
        return False
    bound = _BOUND.fullmatch(between) is not None and _BOUND.match(reading.lower[value[1] :]) is None
    behind = label.end <= subject.start < value[0]
    return bound or (behind and _BOUND.fullmatch(reading.lower[subject.end : value[0]]) is None and "(" not in between)


def _nothing_more(claims: list[tuple[Claim, Span]], labels: list[_Label], reading: Reading, scope: Scope) -> bool:
    """Whether all that is left of the line are marks, small words and nouns for what it speaks of."""
    spans = [span for _, span in claims] + [(label.start, label.end) for label in labels]
    spans += [(n.start, n.end) for n in reading.names] + [(d.start, d.end) for d in reading.days]
    spans += [amount.span for amount in reading.amounts]
    told = {(n.start, n.end) for n in reading.names} - {span for _, span in claims}
    if len(told) > 1 or not all(_speaks_of(n, claims, scope) for n in reading.names if (n.start, n.end) in told):
        return False
    rest = reading.lower
    for start, end in spans:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    counted = {word for claim, _ in claims for unit in claim.trait.units for word in unit.split()}
    nouns = {word for claim, _ in claims for noun in scope.lexicon.nouns.get(claim.trait.table, ()) for word in [noun]}
    if reading.language == "zh":
        for word in sorted({*_small("zh"), *counted, *nouns}, key=lambda word: (-len(word), word)):
            rest = rest.replace(word, " ")
        return _WORDS.search(rest) is None
    small = _small("en") | counted | {word for noun in nouns for word in noun.split()}
    return all(match[0] in small for match in _WORDS.finditer(rest))


def _speaks_of(named: Named, claims: list[tuple[Claim, Span]], scope: Scope) -> bool:
    """Whether a name is of whatever the claims are about, or a part of how that is said."""
    parts = {part for claim, _ in claims for part in scope.lexicon.phrased.get(claim.subject, ((), ()))[0]}
    return bool(named.ids & parts) or any(claim.subject in named.ids for claim, _ in claims)


@cache
def _small(language: str) -> frozenset[str]:
    """Words that a line may have beside its parts: those of the headers of tables, and such as join or introduce."""
    told = vocabulary("columns", language) | vocabulary("line_words", language)
    told |= vocabulary("subject_columns", language) | vocabulary("value_columns", language)
    if language == "zh":
        return told
    return frozenset(word for text in told for word in text.split())


def unbracketed(text: str, lexicon: Lexicon) -> str:
    """The text without angle brackets around names, labels and numbers, which are no tags."""

    def bare(match: re.Match[str]) -> str:
        inner = match[1].strip()
        phrases = {phrase for traits in lexicon.traits.values() for trait in traits for phrase in trait.phrases}
        words = {
            word.lower()
            for traits in lexicon.traits.values()
            for t in traits
            for ws in t.categories.values()
            for word in ws
        }
        known = lexicon.names.ids(inner) or inner.lower() in phrases or inner.lower() in words
        return f" {inner} " if known or _VALUE.fullmatch(inner) else match[0]

    return _BRACKETED.sub(bare, text) if "<" in text else text
