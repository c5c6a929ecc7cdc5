"""Numbers, dates, categories and yes-or-no of a sentence against the claims that it may state."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from functools import cache

from worldgen.audit.claims import differences
from worldgen.audit.claims.amounts import Amount
from worldgen.audit.claims.dates import Day, relative_words, shifted
from worldgen.audit.claims.licence import Claim, number_of
from worldgen.audit.claims.matching import covers, fits, period_span, shaped
from worldgen.audit.claims.reading import Reading, has
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import phrases, stems, vocabulary
from worldgen.records import Language

_COMPARED = re.compile(
    r"\s*(?:(?:percentage points?|people|persons|units|votes) |(?:[a-z-]+ ){1,3}(?=[a-z]+ (?:than|compared)\b))?"
    r"(more|less|fewer|higher|lower|above|below|heavier|lighter|longer|shorter|larger|smaller|bigger|cheaper|dearer|older|"
    r"younger|taller|thicker|thinner|extra|additional|ahead|behind|short of|too)\b"
)


def judge(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The problems of a sentence's values."""
    paired = _respectively(reading, scope)
    yield from _amounts(
        [a for a in reading.amounts if not a.ordinal and (a.start, a.end) not in paired], reading, scope
    )
    for day in reading.days:
        if (day.start, day.end) in paired:
            continue
        code = _day(day, reading, scope)
        if code:
            yield problem(code, _around(reading, day.start, day.end))
    for gap in reading.gaps:
        if differences.gap(gap, reading, scope):
            scope.derived = True
        else:
            yield problem("unlicensed-date", reading.text[gap.start : gap.end])
    yield from _amounts([a for a in reading.amounts if a.ordinal], reading, scope)
    yield from _relative(reading, scope)


def _amounts(said: list[Amount], reading: Reading, scope: Scope) -> Iterator[Problem]:
    for amount in said:
        code = _amount(amount, reading, scope)
        if code:
            yield problem(code, _around(reading, amount.start, amount.end))
        elif amount.near:
            scope.used_up.append((max(0, amount.start - 26), amount.end))
        elif amount.part:
            scope.used_up.append((amount.start, amount.end))


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
                    (c for c in scope.licence.claims if c.trait is trait and c.subject in n.ids and _says(value, c)),
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


def _says(value: Amount | Day, claim: Claim) -> bool:
    if isinstance(value, Day):
        return claim.day is not None and covers(value, claim.day)
    return fits(value, claim.trait, claim.number)


def _amount(amount: Amount, reading: Reading, scope: Scope) -> str:
    """The code of what is wrong with an amount, or ""."""
    compared = _COMPARED.match(reading.lower, amount.end) if reading.language == "en" else None
    if differences.amount(amount, reading, scope):
        scope.derived = True
        return ""
    for claim in scope.licence.claims:
        own = not compared or any(compared[1] in said for said in claim.trait.says)
        if own and _fits(amount, claim) and _bound(claim, amount, reading, scope, lambda t: shaped(amount, t)):
            scope.use(claim)
            return ""
    if _free(amount, reading, scope) or _in_wording(amount, reading, scope):
        return ""
    if amount.ordinal and re.match(r"\s+(?:day|date|time)\b", reading.lower[amount.end :]):
        return "" if any(c.day is not None for c in scope.used) else "comparison"
    if amount.ordinal:
        return "comparison"
    return _reason(amount, reading, scope)


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


def _bound(claim: Claim, said: Amount | Day, reading: Reading, scope: Scope, shape: Callable[[Trait], bool]) -> bool:
    """Whether a value is said of the claim's subject and attribute, and at its time."""
    if not scope.of(claim, said.start) or not _in_time(claim, said, reading, scope):
        return False
    group = scope.together(scope.table(claim.subject), said.start)
    for other in group:
        if claim.subject not in other.ids and not any(
            c.subject in other.ids and c.trait is claim.trait and _says(said, c) for c in scope.licence.claims
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
    alone = isinstance(said, Amount) and said.dimension and _bare(said, reading)
    if alone and not any(t.dimension == trait.dimension for t in rivals):
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
    if isinstance(said, Amount) and said.dimension:
        return not any(shape(t) and t.dimension == trait.dimension for t in rivals)
    if isinstance(said, Day):
        return not any(t.kind == "date" for t in rivals) or reading.language == "zh"
    return False


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


def _free(amount: Amount, reading: Reading, scope: Scope) -> bool:
    """Whether a number stands in the index's text outside its statements, in like words, or belongs to a name."""
    digits = reading.text[amount.start : amount.end].strip()
    if amount.dimension == "" and any(
        digits in scope.lexicon.phrased[c.subject][1]
        for c in scope.licence.claims
        if c.subject in scope.lexicon.phrased and scope.phrase(c.subject)
    ):
        return True
    if (
        amount.dimension == ""
        and scope.licence.date
        and amount.value == scope.licence.date.year
        and _publishing(reading)
    ):
        return True
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


def _publishing(reading: Reading) -> bool:
    return has_any(reading.lower, "publishing", reading.language)


def has_any(lower: str, kind: str, language: str) -> bool:
    """Whether a text has a phrase of a kind."""
    return phrases(kind, language).search(lower) is not None


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


def _day(day: Day, reading: Reading, scope: Scope) -> str:
    """The code of what is wrong with a date, or ""."""
    claims = scope.licence.claims
    if any(c.time and period_span(c.time) in day.spans for c in scope.used):
        return ""
    for claim in claims:
        if (
            claim.day is not None
            and covers(day, claim.day)
            and _bound(claim, day, reading, scope, lambda t: t.kind in ("date", "year"))
        ):
            scope.use(claim)
            return ""
        if (
            claim.trait.kind == "year"
            and day.precision == "year"
            and day.spans
            and claim.number == day.spans[0][0].year
        ) and _bound(claim, day, reading, scope, lambda t: t.kind in ("date", "year")):
            scope.use(claim)
            return ""
    page = scope.licence.date
    asked = [t for table in scope.tables() for t in scope.lexicon.traits.get(table, ()) if t.kind in ("date", "year")]
    strong = any(scope.cue(t, reading.stems((0, len(reading.text)))) >= 3 for t in asked)
    if page and covers(day, page) and not strong and (_publishing(reading) or not scope.substance()):
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


def _relative(reading: Reading, scope: Scope) -> Iterator[Problem]:
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
        if word in ("today", "recently", "lately", "just now", "今天", "今日", "近日") and (
            scope.used or not (days or years)
        ):
            continue
        if page is not None and _comes_to(word, page, days, years):
            continue
        yield problem("unlicensed-date", reading.text[start:end])


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


_UNTOLD = {
    "en": re.compile(
        r"\b(?:nobody|no one|none|never|not|n't|yet to|without|refus\w+ to|declin\w+ to|unwilling to|reluctant to)"
        r"(?: \w+){0,3} (?:(?:publish|disclos|reveal|releas|announc|shar|divulg|declar|told|tell|stat|say|said)\w*|"
        r"ma[dk]e public)"
    ),
    "zh": re.compile(
        r"(?:未|没有?人?|不|拒绝|无人|不愿|不肯|尚未|从未)(?:曾|予|对外|向外|向公众|至今|正式|作出?|加以|能|被)*"
        r"(?:公开|披露|公布|透露|说明|提供|发布|公示|告知|外传|泄露|回应)"
    ),
}
"""Ways of saying that something is not told, by their frame."""


def undisclosed_words(lower: str, language: str) -> re.Match[str] | None:
    """Words that say that something is not disclosed."""
    return phrases("undisclosed", language).search(lower) or _UNTOLD[language].search(lower)


def untold(lower: str, language: str) -> str:
    """The text without words that say that something is not disclosed."""
    for pattern in (phrases("undisclosed", language), _UNTOLD[language]):
        lower = pattern.sub(lambda m: " " * len(m[0]), lower)
    return lower


def negative(text: str, language: str) -> bool:
    """Whether a part of a sentence says no."""
    text = phrases("question", language).sub(lambda m: " " * len(m[0]), text)
    return phrases("boolean_no", language).search(text) is not None
