"""The plain fact: one label, one thing, one value, in whatever words around them.

A sentence that names one attribute by the schema's own label, one thing that has it, and one value leaves no choice
of what is said, so its frame need not be known. Whatever else it says is judged by its words as in any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from worldgen.audit.claims.amounts import Amount
from worldgen.audit.claims.categories import unnamed, wordings
from worldgen.audit.claims.frames import whose
from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import covers, fits
from worldgen.audit.claims.names import Named
from worldgen.audit.claims.plainness import is_plain
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.words import vocabulary

_COUNTED = ("integer", "decimal", "money", "percent", "year", "date")
_MANY = 10
_HINT = 0.9
"""The most that a word may hint at an attribute which is not meant."""


class Label(NamedTuple):
    """A label in a sentence and the attributes that it may be of."""

    start: int
    end: int
    traits: tuple[Trait, ...]


def labels(reading: Reading, scope: Scope) -> list[Label]:
    """The labels in a sentence, the longest first where they overlap, in the order of the text."""
    lower = reading.lower.replace("-", " ")
    found: dict[tuple[int, int], list[Trait]] = {}
    for table in scope.tables():
        for trait in scope.lexicon.traits.get(table, ()):
            for phrase in trait.phrases:
                for at in _places(phrase.replace("-", " "), lower):
                    found.setdefault((at, at + len(phrase)), []).append(trait)
    kept: list[tuple[int, int]] = []
    for start, end in sorted(found, key=lambda span: (span[0] - span[1], span[0])):
        if not any(start < b and a < end for a, b in kept):
            kept.append((start, end))
    return [Label(start, end, tuple(found[start, end])) for start, end in sorted(kept)]


def _places(phrase: str, lower: str) -> Iterator[int]:
    at = lower.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if not phrase.isascii() or not (lower[max(0, at - 1) : at].isalnum() or lower[end : end + 1].isalnum()):
            yield at
        at = lower.find(phrase, at + 1)


def plain(reading: Reading, scope: Scope) -> Claim | None:
    """The claim that a sentence makes by one label, one thing and one value; None where it makes none or another."""
    told = labels(reading, scope)
    if not told or reading.gaps:
        return None
    for claim in scope.licence.claims:
        if claim.value and not claim.time and _named_alone(claim, told) and _says(claim, reading, scope):
            names = _others(claim, reading)
            if names is not None and _spoken(claim, reading, scope) and _only(claim, names, scope):
                return claim
    return None


def bare(reading: Reading, scope: Scope) -> Claim | None:
    """The claim that a sentence without a label makes: its only value is one thing's, and hints at no other attribute.

    A value of more than one digit, or of a unit, is hardly met by chance.
    """
    amounts = [amount for amount in reading.amounts if not amount.ordinal]
    if reading.gaps or len(amounts) + len(reading.days) != 1 or labels(reading, scope):
        return None
    words = reading.stems((0, len(reading.text)))
    found = [
        claim
        for claim in scope.licence.claims
        if claim.value
        and not claim.time
        and claim.trait.kind in _COUNTED
        and _says(claim, reading, scope)
        and _spoken(claim, reading, scope)
        and _only(claim, reading.names, scope)
    ]
    if len(found) != 1 or (amounts and not amounts[0].dimension and abs(amounts[0].value) < _MANY):
        return None
    (claim,) = found
    rivals = [t for t in scope.lexicon.traits[claim.trait.table] if t is not claim.trait]
    own = scope.cue(claim.trait, words)
    return None if any(scope.cue(t, words) > max(own, _HINT) for t in rivals) else claim


def _named_alone(claim: Claim, told: list[Label]) -> bool:
    return all(claim.trait in label.traits for label in told)


def _says(claim: Claim, reading: Reading, scope: Scope) -> bool:
    """Whether the only value of the sentence is the claim's."""
    amounts = [amount for amount in reading.amounts if not amount.ordinal]
    kind = claim.trait.kind
    if kind in ("ref", "name", "category"):
        if kind == "category":
            text = unnamed(reading)
            said = wordings(claim.trait, text, text.lower())
            alone = not reading.days and not amounts
            return alone and bool(said) and all(key == claim.value for key, _, _ in said)
        return not amounts and not reading.days and bool(_values(claim, reading))
    if len(amounts) + len(reading.days) != 1:
        return False
    if reading.days:
        day = reading.days[0]
        if claim.day is not None:
            return covers(day, claim.day)
        return kind == "year" and bool(day.spans) and day.precision == "year" and day.spans[0][0].year == claim.number
    if claim.day is not None:
        return amounts[0].dimension == "" and amounts[0].value == claim.day.year
    return fits(amounts[0], claim.trait, claim.number) and _counted(claim, amounts[0], reading)


_UNIT_EN = re.compile(r"[ -]?([A-Za-zμ°]+)")
_UNIT_ZH = re.compile(r" ?[A-Za-zμ°\u3400-\u9fff]")
_NO_UNIT_ZH = re.compile(r"[的是哦啊呢哈吧嘛啦呀这那即就乃为便,，。;；!！?？、]")


def _counted(claim: Claim, amount: Amount, reading: Reading) -> bool:
    """Whether a bare number for what has a unit stands before no word that may be another unit."""
    if not claim.trait.dimension or amount.dimension:
        return True
    if reading.language == "zh":
        found = _UNIT_ZH.match(reading.text, amount.end)
        return found is None or _NO_UNIT_ZH.match(reading.text, amount.end) is not None
    word = _UNIT_EN.match(reading.text, amount.end)
    return word is None or (word[1].islower() and (is_plain(word[1]) or word[1] in vocabulary("stop", "en")))


def _values(claim: Claim, reading: Reading) -> list[Named]:
    value = claim.value if claim.trait.kind == "ref" else f"={claim.value}"
    return [named for named in reading.names if value in named.ids]


def _others(claim: Claim, reading: Reading) -> list[Named] | None:
    """The names besides the value's; None where the value is not the only one of its kind."""
    if claim.trait.kind not in ("ref", "name"):
        return reading.names
    values = _values(claim, reading)
    return [named for named in reading.names if named not in values] if values else None


def _spoken(claim: Claim, reading: Reading, scope: Scope) -> bool:
    if any(claim.subject in named.ids for named in reading.names) or scope.phrase(claim.subject):
        return True
    return not scope.groups(claim.trait.table) and claim.subject in (scope.spoken(claim.trait.table) or ())


def _only(claim: Claim, names: list[Named], scope: Scope) -> bool:
    """Whether no other thing is named than the claim's and what makes up its phrase."""
    parts = {claim.subject, *scope.lexicon.phrased.get(claim.subject, ((), ()))[0]}
    return all(named.ids & parts for named in names)


def direction(claim: Claim, reading: Reading, scope: Scope) -> int:
    """1 where the sentence gives a relation its way round, -1 where the other, 0 where its words leave that open."""
    if claim.trait.kind not in ("ref", "name"):
        return 1
    values = _values(claim, reading)
    subjects = [named for named in reading.names if claim.subject in named.ids and named not in values]
    if len(values) != 1 or len(subjects) != 1:
        return 0
    first, second = sorted((values[0], subjects[0]))
    for label in labels(reading, scope):
        held = whose(label.start, label.end, first, second, reading)
        if held is not None:
            return 1 if held is subjects[0] else -1
    return 0
