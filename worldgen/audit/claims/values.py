"""Numbers, dates, categories and yes-or-no of a sentence against the claims that it may state."""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldgen.audit.claims import differences, moments
from worldgen.audit.claims.amounts import Amount
from worldgen.audit.claims.binding import bound, published, says
from worldgen.audit.claims.dates import Day
from worldgen.audit.claims.licence import Claim, number_of
from worldgen.audit.claims.matching import fits, shaped
from worldgen.audit.claims.reading import Reading, has
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.verdict import Problem, problem

_COMPARED = re.compile(
    r"\s*(?:(?:percentage points?|people|persons|units|votes) |(?:[a-z-]+ ){1,3}(?=[a-z]+ (?:than|compared)\b))?"
    r"(more|less|fewer|higher|lower|above|below|heavier|lighter|longer|shorter|larger|smaller|bigger|cheaper|dearer|older|"
    r"younger|taller|thicker|thinner|extra|additional|ahead|behind|short of|too)\b"
)


# What happened first, which is a date and no rank; so many times, which is a count and no comparison.
_FIRST_EVENT = re.compile(
    r"\s+(?:day|date|time|\w+ed|hit|went|came|saw|met|set|began|sold|shown|seen|put|got|took|left|ran|became|made|built|held|"
    r"reached|appeared|opened|drew|broke|rang|flew|blew|stood|sat|rose|woke|"
    r"breath|light|steps?|buy|bought|order|play|played|out|on sale|available|in stores)\b"
)
_TIMES = re.compile(r" times\b(?! (?:as|more|less|the|than|bigger|larger|smaller|higher|lower|heavier|longer|over)\b)")


def judge(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The problems of a sentence's values."""
    paired = _respectively(reading, scope)
    yield from _amounts(
        [a for a in reading.amounts if not a.ordinal and (a.start, a.end) not in paired], reading, scope
    )
    for day in reading.days:
        if (day.start, day.end) in paired:
            continue
        code = moments.day(day, reading, scope)
        if code:
            yield problem(code, _around(reading, day.start, day.end))
    for gap in reading.gaps:
        if differences.gap(gap, reading, scope):
            scope.derived = True
        else:
            yield problem("unlicensed-date", reading.text[gap.start : gap.end])
    yield from _amounts([a for a in reading.amounts if a.ordinal], reading, scope)
    yield from moments.relative(reading, scope)


def _amounts(said: list[Amount], reading: Reading, scope: Scope) -> Iterator[Problem]:
    for amount in said:
        code = _amount(amount, reading, scope)
        if code:
            yield problem(code, _around(reading, amount.start, amount.end))
        elif amount.near or amount.part:
            scope.used_up.append(amount.span)
        elif _TIMES.match(reading.lower, amount.end):
            scope.used_up.append((amount.start, amount.end + len(" times")))


def _around(reading: Reading, start: int, end: int) -> str:
    first, last = reading.segment(start)
    return reading.text[first : max(last, end)].strip(" ,;:()") or reading.text[start:end]


def _respectively(reading: Reading, scope: Scope) -> set[tuple[int, int]]:
    """Values that belong to names in order, where the sentence says so and they all do."""
    if not has("respectively", reading.lower, reading.language):
        return set()
    said: list[Amount | Day] = sorted([*reading.amounts, *reading.days], key=lambda value: value.start)
    for table in scope.tables():
        named = [n for group in scope.groups(table) for n in group]
        if len(named) != len(said) or len(named) < 2:
            continue
        for trait in scope.lexicon.traits.get(table, ()):
            pairs = [
                next(
                    (c for c in scope.licence.claims if c.trait is trait and c.subject in n.ids and says(value, c)),
                    None,
                )
                for n, value in zip(named, said, strict=True)
            ]
            if all(pairs) and scope.cue(trait, reading.stems((0, len(reading.text)))) > 0:
                for claim in pairs:
                    if claim is not None:
                        scope.use(claim)
                return {(value.start, value.end) for value in said}
    return set()


def _amount(amount: Amount, reading: Reading, scope: Scope) -> str:
    """The code of what is wrong with an amount, or ""."""
    compared = _COMPARED.match(reading.lower, amount.end) if reading.language == "en" else None
    if differences.amount(amount, reading, scope):
        scope.derived = True
        return ""
    for claim in scope.licence.claims:
        own = not compared or any(compared[1] in said for said in claim.trait.says)
        if own and _fits(amount, claim) and bound(claim, amount, reading, scope, lambda t: shaped(amount, t)):
            scope.use(claim)
            return ""
    if _free(amount, reading, scope) or _in_wording(amount, reading, scope):
        return ""
    if amount.ordinal and _first_event(amount, reading):
        ranked = reading.lower[: amount.start].endswith(("the ", "a "))
        told = (reading.days and not ranked) or any(c.day is not None or c.trait.kind == "year" for c in scope.used)
        return "" if told else "comparison"
    if amount.ordinal:
        return "comparison"
    return _reason(amount, reading, scope)


def _first_event(amount: Amount, reading: Reading) -> bool:
    """Whether `first` is when something happened, and no rank."""
    if _FIRST_EVENT.match(reading.text.lower(), amount.end):
        return True
    may = reading.language == "en" and _MAY_FIRST.search(reading.text[: amount.start].lower())
    return bool(may) and _NO_EVENT.match(reading.text.lower(), amount.end) is None


_MAY_FIRST = re.compile(r"\b(?:could|can|did|was|were|had|got|has|have|to) $")
_NO_EVENT = re.compile(r" (?:of|among|in|by|to|on|at|for|with|place|from|and|or|the)\b|\W*$|[,.;:]")


def _fits(amount: Amount, claim: Claim) -> bool:
    if claim.day is not None:
        return amount.dimension == "" and not amount.near and not amount.ordinal and amount.value == claim.day.year
    return fits(amount, claim.trait, claim.number)


def _in_wording(amount: Amount, reading: Reading, scope: Scope) -> bool:
    """Whether a number is part of how the schema words an attribute: `first day of work`, `of seven`."""
    word = reading.text[amount.start : amount.end].lower()
    for table in scope.tables():
        for trait in scope.lexicon.traits.get(table, ()):
            for phrase in trait.phrases:
                at = phrase.find(word)
                if at >= 0 and reading.lower.startswith(phrase, amount.start - at):
                    return True
    before = reading.lower[: amount.start].split()[-1:]
    return any(
        " ".join([*before, word]) in " ".join(said.split()) for claim in scope.used for said in claim.trait.says if word
    )


def _free(amount: Amount, reading: Reading, scope: Scope) -> bool:
    """Whether a number stands in the index's text outside its statements, in like words, or belongs to a name."""
    digits = reading.text[amount.start : amount.end].strip()
    if amount.dimension == "" and any(
        digits in scope.lexicon.phrased[c.subject][1]
        for c in scope.licence.claims
        if c.subject in scope.lexicon.phrased and scope.phrase(c.subject)
    ):
        return True
    if amount.dimension == "" and scope.licence.date and amount.value == scope.licence.date.year and published(reading):
        return not moments.of_a_date(reading, scope)
    if amount.dimension == "" and any(c.time and str(amount.value) == c.time[:4] for c in scope.used):
        return True
    words = set(reading.stems((0, len(reading.text))))
    if any(
        scope.cue(t, list(words)) >= 3
        for table in scope.tables()
        for t in scope.lexicon.traits.get(table, ())
        if shaped(amount, t)
    ):
        return False
    return any(words & loose for loose in scope.licence.loose.get(digits.lower(), ()))


def _reason(amount: Amount, reading: Reading, scope: Scope) -> str:
    """Why an amount is wrong: of another subject, another value of a licensed attribute, a leak, or unknown."""
    words = reading.stems((0, len(reading.text)))
    if any(_fits(amount, c) for c in scope.licence.claims):
        return (
            "wrong-subject"
            if not any(_fits(amount, c) and scope.of(c, amount.start) for c in scope.licence.claims)
            else "wrong-value"
        )
    for table in scope.tables():
        for subject in sorted(scope.subjects(table, amount.start)):
            for known in scope.lexicon.facts.get(subject, ()):
                trait = scope.lexicon.trait(subject, known.attribute)
                if (
                    trait is not None
                    and fits(amount, trait, number_of(trait, known.value))
                    and scope.cue(trait, words) > 0
                ):
                    return "unlicensed-fact"
            cued_traits = [
                t for t in scope.lexicon.traits.get(table, ()) if shaped(amount, t) and scope.cue(t, words) > 0
            ]
            licensed = {c.trait.key for c in scope.licence.claims if c.subject == subject}
            if any(t.key in licensed for t in cued_traits):
                return "wrong-value"
            if any(c.subject == subject and c.trait in cued_traits for seen in scope.licence.seen for c in seen.claims):
                return "contradiction"
    return "unlicensed-number"
