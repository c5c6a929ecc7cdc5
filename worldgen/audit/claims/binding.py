"""Whether a value is said of a claim's subject, attribute and time, by the words around it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from worldgen.audit.claims.amounts import Amount
from worldgen.audit.claims.dates import Day
from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import covers, fits, period_span
from worldgen.audit.claims.reading import Reading, has
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.words import stems, vocabulary
from worldgen.records import Language


def bound(claim: Claim, said: Amount | Day, reading: Reading, scope: Scope, shape: Callable[[Trait], bool]) -> bool:
    """Whether a value is said of the claim's subject and attribute, and at its time."""
    if not scope.of(claim, said.start) or not _in_time(claim, said, reading, scope):
        return False
    group = scope.together(scope.table(claim.subject), said.start)
    for other in group:
        if claim.subject not in other.ids and not any(
            c.subject in other.ids and c.trait is claim.trait and says(said, c) for c in scope.licence.claims
        ):
            return False
    return _period_agrees(claim.trait, said, reading) and cued(claim, said, reading, scope, shape)


def _in_time(claim: Claim, said: Amount | Day, reading: Reading, scope: Scope) -> bool:
    if not claim.time:
        return True
    span = period_span(claim.time)
    told = [d for d in reading.days if d.spans and d.precision in ("quarter", "month", "year")]
    years = [a for a in reading.amounts if a is not said and a.dimension == "" and 1000 <= a.value <= 2999]
    if not told and not years:
        times = {c.time for c in scope.licence.claims if c.subject == claim.subject and c.trait is claim.trait}
        return len(times) == 1
    segment = reading.segment(said.start)
    near = [d for d in told if segment[0] <= d.start < segment[1]] or told
    if any(span in d.spans for d in near):
        return True
    return bool(span) and any(claim.time == str(a.value) for a in years)


def _period_agrees(trait: Trait, said: Amount | Day, reading: Reading) -> bool:
    """Whether `a month` after an amount of money is the attribute's own period."""
    if not isinstance(said, Amount) or trait.kind != "money" or reading.language != "en":
        return True
    match = re.match(
        r"\s*(?:a|per|each|every|/|an)\s?(day|week|month|quarter|year|annum)\b|\s*(daily|weekly|"
        r"monthly|quarterly|yearly|annually)",
        reading.lower[said.end :],
    )
    if not match:
        return True
    word = match[1] or match[2].removesuffix("ly").removesuffix("al")
    period = {"annum": "year", "annu": "year", "dai": "day", "annual": "year"}.get(word, word)
    return period == (trait.period or "year")


def cued(claim: Claim, said: Amount | Day, reading: Reading, scope: Scope, shape: Callable[[Trait], bool]) -> bool:
    """Whether the words around a value speak of the claim's attribute rather than of another."""
    trait = claim.trait
    rivals = [t for t in scope.lexicon.traits.get(trait.table, ()) if t is not trait]
    around = _window(said, reading, scope, [t for t in rivals if shape(t)] + [trait])
    if isinstance(said, Amount):
        if said.dimension == "" and trait.dimension and _of_another_unit(said, reading):
            return False
        if said.dimension and _bare(said, reading) and not any(t.dimension == trait.dimension for t in rivals):
            return True
        whole = reading.stems((0, len(reading.text)))
        if _counts(said, trait, reading) and not any(
            (shape(t) and _counts(said, t, reading)) or scope.cue(t, whole) >= 3 for t in rivals
        ):
            return True
    for words in (around, reading.stems((0, len(reading.text)))):
        own = scope.cue(trait, words)
        strong = [t for t in rivals if scope.cue(t, words) >= 3]
        others = max((scope.cue(t, words) for t in rivals if shape(t)), default=0.0)
        if not strong and others == 0 and claim.source:
            own += 0.4 * len(set(words) & set(stems(claim.source, reading.language)) - _page_words(reading.language))
        if (
            words is around
            and own < 3
            and any(scope.cue(t, words) > own for t in [*strong, *_elsewhere(trait, shape, scope)])
        ):
            return False
        if own < 1 and any(scope.cue(t, words) > own for t in strong):
            return False
        if own > 0 and own >= others:
            return not (isinstance(said, Amount) and said.dimension == "" and trait.dimension and own < 3)
        if others > 0 or (strong and own == 0):
            return False
    return _only_one(claim, said, scope, shape)


def _only_one(claim: Claim, said: Amount | Day, scope: Scope, shape: Callable[[Trait], bool]) -> bool:
    """Whether no other licensed value of the subject is of the kind of a telling value, so that no word need say so."""
    if isinstance(said, Amount) and said.dimension == "" and abs(said.value) < _TELLING:
        return False
    for other in scope.licence.claims:
        alike = other.subject == claim.subject and other.trait is not claim.trait and shape(other.trait)
        if alike and (isinstance(said, Day) or other.trait.dimension == claim.trait.dimension):
            return False
    return True


_TELLING = 100


def _counts(said: Amount, trait: Trait, reading: Reading) -> bool:
    """Whether a number is followed by what an attribute counts: `six cores`, `六个核`."""
    if not trait.units or trait.dimension or said.dimension:
        return False
    rest = reading.lower[said.end :].lstrip(" -")
    if reading.language == "zh":
        rest = re.sub(r"^[多余来]?[个名位张件只台]?(?=.)", "", rest) if not rest.startswith(trait.units) else rest
        return rest.startswith(trait.units)
    return any(re.match(rf"(?:[a-z]+ ){{0,1}}{re.escape(unit)}(?![\w'])", rest) for unit in trait.units)


def _of_another_unit(said: Amount, reading: Reading) -> bool:
    """Whether a bare number is followed by a word that may be a unit, so that it is none of the attribute's own."""
    if reading.language == "zh":
        rest = reading.lower[said.end :].lstrip()
        small = vocabulary("line_words", "zh") | vocabulary("stop", "zh")
        return re.match(r"[\u3400-\u9fff]", rest) is not None and not rest.startswith(tuple(small - {"个", "数"}))
    word = re.match(r"[ -]?([a-z]+)", reading.lower[said.end :])
    return word is not None and word[1] not in vocabulary("stop", "en") | vocabulary("line_words", "en")


def _bare(said: Amount, reading: Reading) -> bool:
    """Whether a value stands alone in its part of a list: `206 g, 6 GB RAM`."""
    first, last = reading.segment(said.start)
    return re.sub(r"[\W_]|[\x01-\x04]", "", reading.masked[first:last]) == "" and len(reading.segments) > 2


def _elsewhere(trait: Trait, shape: Callable[[Trait], bool], scope: Scope) -> list[Trait]:
    """Attributes of other things that the sentence names, where it names none of the attribute's own table."""
    if scope.groups(trait.table):
        return []
    named = [table for table in scope.tables() if table != trait.table and scope.groups(table)]
    return [t for table in named for t in scope.lexicon.traits.get(table, ()) if shape(t)]


@cache
def _page_words(language: Language) -> frozenset[str]:
    """Stems that pages use of themselves, which tell nothing of an attribute."""
    told = [*vocabulary("publishing", language), *vocabulary("generic", language)]
    return frozenset(word for text in told for word in stems(text, language))


def _valued(reading: Reading) -> list[Amount | Day]:
    return [*reading.amounts, *reading.days]


def _window(said: Amount | Day, reading: Reading, scope: Scope, traits: list[Trait]) -> list[str]:
    """The words that belong to a value: its part of the sentence, shared out among the values in it."""
    first, last = reading.segment(said.start)
    values = sorted((v.start, v.end) for v in _valued(reading) if first <= v.start < last)
    if len(values) > 1:
        index = values.index((said.start, said.end))
        head = reading.stems((first, values[0][0]))
        if any(scope.cue(t, head) > 0 for t in traits):
            first, last = (values[index - 1][1] if index else first), said.start
        else:
            first, last = said.end, (values[index + 1][0] if index + 1 < len(values) else last)
    found = reading.stems((first, last))
    if any(scope.cue(t, found) > 0 for t in traits):
        return found
    idle = [s for s in reading.segments if not any(s[0] <= v.start < s[1] for v in _valued(reading))]
    near = sorted(idle, key=lambda s: abs(s[0] - said.start))[:2]
    return found + [word for span in sorted(near) for word in reading.stems(span)]


def says(value: Amount | Day, claim: Claim) -> bool:
    """Whether a value is a claim's."""
    if isinstance(value, Day):
        return claim.day is not None and covers(value, claim.day)
    return fits(value, claim.trait, claim.number)


def published(reading: Reading) -> bool:
    """Whether a sentence speaks of when a page was written."""
    return has("publishing", reading.lower, reading.language) is not None
