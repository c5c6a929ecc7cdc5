"""Dates of a sentence, and words such as `last year`, against the claims that it may state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from worldgen.audit.claims.binding import bound, published
from worldgen.audit.claims.dates import Day
from worldgen.audit.claims.gaps import relative_words, shifted
from worldgen.audit.claims.matching import covers, period_span
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.verdict import Problem, problem

_WORD_GAPS = {
    "yesterday": (-1, "day"),
    "昨天": (-1, "day"),
    "昨日": (-1, "day"),
    "today": (0, "day"),
    "今天": (0, "day"),
    "今日": (0, "day"),
    "tomorrow": (1, "day"),
    "明天": (1, "day"),
}


def day(day: Day, reading: Reading, scope: Scope) -> str:
    """The code of what is wrong with a date, or ""."""
    claims = scope.licence.claims
    if any(c.time and period_span(c.time) in day.spans for c in scope.used):
        return ""
    for claim in claims:
        if (
            claim.day is not None
            and covers(day, claim.day)
            and bound(claim, day, reading, scope, lambda t: t.kind in ("date", "year"))
        ):
            scope.use(claim)
            return ""
        if (
            claim.trait.kind == "year"
            and day.precision == "year"
            and day.spans
            and claim.number == day.spans[0][0].year
        ) and bound(claim, day, reading, scope, lambda t: t.kind in ("date", "year")):
            scope.use(claim)
            return ""
    page = scope.licence.date
    asked = [t for table in scope.tables() for t in scope.lexicon.traits.get(table, ()) if t.kind in ("date", "year")]
    strong = any(scope.cue(t, reading.stems((0, len(reading.text)))) >= 3 for t in asked)
    given = strong or (day.precision == "year" and of_a_date(reading, scope))
    if page and covers(day, page) and not given and (published(reading) or not scope.substance()):
        return ""
    loose = scope.licence.loose.get(reading.text[day.start : day.end].lower(), ())
    words = set(reading.stems((0, len(reading.text))))
    if not strong and any(words & known for known in loose):
        return ""
    if any(c.time and period_span(c.time) in day.spans for c in claims) and not reading.amounts:
        return ""
    if any(c.day is not None and covers(day, c.day) for c in claims):
        return "wrong-subject"
    return _date_reason(day, reading, scope)


def _date_reason(day: Day, reading: Reading, scope: Scope) -> str:
    for table in scope.tables():
        for subject in sorted(scope.subjects(table, day.start)):
            for known in scope.lexicon.facts.get(subject, ()):
                trait = scope.lexicon.trait(subject, known.attribute)
                if (
                    trait is not None
                    and trait.kind == "date"
                    and known.value
                    and covers(day, dt.date.fromisoformat(known.value))
                ) and not any(c.subject == subject and c.trait is trait for c in scope.licence.claims):
                    return "unlicensed-fact"
            if any(c.subject == subject and c.day is not None for c in scope.licence.claims):
                return "wrong-value"
    return "unlicensed-date"


def relative(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """Words such as `last year`, which must come to a licensed date from the page's."""
    labels = scope.labels(reading.masked.lower().replace("-", " "))
    for start, end, word in relative_words(reading.lower, reading.language):
        if any(start < b and a < end for a, b in labels):
            continue
        if not scope.substance() or any(word in claim.source.lower() for claim in scope.used):
            continue
        page = scope.licence.date
        days = [c.day for c in scope.licence.claims if c.day is not None and scope.of(c, start)]
        years = [
            int(c.number)
            for c in scope.licence.claims
            if c.trait.kind == "year" and c.number is not None and scope.of(c, start)
        ]
        if word in _NOW and (scope.used or not (days or years) or not of_a_date(reading, scope)):
            continue
        if page is not None and _comes_to(word, page, days, years):
            continue
        yield problem("unlicensed-date", reading.text[start:end])


_NOW = frozenset(["today", "tonight", "recently", "lately", "just now", "今天", "今日", "近日"])


def of_a_date(reading: Reading, scope: Scope) -> bool:
    """Whether a sentence has words of an attribute that is a date, so that `today` may be meant as its value."""
    words = reading.stems((0, len(reading.text)))
    traits = [t for table in scope.tables() for t in scope.lexicon.traits.get(table, ()) if t.kind in ("date", "year")]
    return any(scope.cue(trait, words) > 0 for trait in traits)


def _comes_to(word: str, page: dt.date, days: list[dt.date], years: list[int]) -> bool:
    if word in _WORD_GAPS:
        size, unit = _WORD_GAPS[word]
        return shifted(page, size, unit) in days
    step = (
        -1
        if word.startswith(("last", "the previous", "上", "去"))
        else 1
        if word.startswith(("next", "the coming", "下", "明"))
        else 0
    )
    if word.endswith("year") or word in ("去年", "今年", "明年"):
        return page.year + step in {*years, *(day.year for day in days)}
    if word.endswith("month") or "月" in word:
        at = page.year * 12 + page.month - 1 + step
        return any(day.year * 12 + day.month - 1 == at for day in days)
    return False
