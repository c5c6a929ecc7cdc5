"""True values told as something else: a price as a rate, inhabitants as phones, a budget as money spent.

Such a sentence has the right number beside the right name, and one word of its own that makes another fact of it. The
words are in `data/twists.yaml`; what the attribute's own labels and sentences say is no twist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.audit.claims.amounts import Amount
from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import fits
from worldgen.audit.claims.names import Named
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.records import Language

_MEASURED = ("integer", "decimal", "money", "percent")


def judge(claims: Iterable[Claim], reading: Reading, scope: Scope) -> Iterator[Problem]:
    """What a sentence makes of the values of the claims that it states, where that is another fact.

    Args:
        claims: What it states.
        reading: The sentence.
        scope: Of whom it speaks.
    """
    for amount in reading.amounts:
        told = [c for c in claims if c.trait.kind in _MEASURED and fits(amount, c.trait, c.number)]
        if not told or amount.ordinal:
            continue
        for word in (_rate(amount, told, reading), _counted(amount, told, reading, scope), _spent(told, reading)):
            if word:
                yield problem("wrong-value", word)


def attached(claims: Iterable[Claim], reading: Reading, scope: Scope) -> Iterator[Problem]:
    """Where a date of one attribute is tied by a preposition alone to a name or a category that is another's value.

    `Formed in 1988 by X` and `born in X on 20 December 1999` are made of two facts, and tell a third.
    """
    claims = list(claims)
    dated = [c for c in claims if c.trait.kind in ("date", "year")]
    other = [c for c in claims if c.trait.kind in ("ref", "name", "category", "money")]
    if not dated or not other or reading.language != "en":
        if dated and other and _SINCE_ZH.search(reading.masked):
            yield problem("wrong-value", reading.text)
        return
    whens = [(d.start, d.end) for d in reading.days] + [(a.start, a.end) for a in reading.amounts if not a.dimension]
    for start, end in whens:
        for first, last in _valued(other, reading):
            between = reading.text[end:first] if end <= first else reading.text[last:start]
            tied = _AFTER if end <= first else _TIED
            if tied.fullmatch(between.lower()):
                yield problem("wrong-value", reading.text[min(start, first) : max(end, last)])
                return
        # Nothing but `since` says what began then, so that whatever else is told did.
        if _SINCE.search(reading.lower[:start]) and not any(scope.cue(c.trait, _words(reading)) for c in dated):
            yield problem("wrong-value", reading.text)
            return


_TIED = re.compile(r" (?:on|in|since|from) (?:the )?")
_AFTER = re.compile(r" (?:by|under|at|with) (?:the )?")
_SINCE = re.compile(r"\bsince $")
_SINCE_ZH = re.compile(r"\x02起(?:一直|就|便)?(?:为|是|任|担任)")


def _words(reading: Reading) -> list[str]:
    return [word for word in reading.stems((0, len(reading.text))) if word != "sinc"]


def _valued(claims: list[Claim], reading: Reading) -> Iterator[tuple[int, int]]:
    """Where names and categories stand that are values of the claims."""
    for claim in claims:
        wanted = claim.value if claim.trait.kind == "ref" else f"={claim.value}"
        yield from ((n.start, n.end) for n in reading.names if wanted in n.ids)
        for word in claim.trait.categories.get(claim.value or "", ()):
            at = reading.lower.find(word.lower())
            if at >= 0:
                yield at, at + len(word)


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "data" / "twists.yaml").read_text("utf-8"))
    return found


def of_people(person: Named, thing: Named, reading: Reading) -> bool:
    """Whether a sentence has a thing do with a person, or have, what only people do and have.

    Args:
        person: The name of somebody.
        thing: The name of what somebody sees to.
        reading: The sentence.
    """
    done, had = _people(reading.language)
    lower = reading.lower
    if reading.language == "zh":
        return re.match(rf"(?:的)?(?:{had})", lower[thing.end :]) is not None or (
            thing.start < person.start
            and re.fullmatch(rf"(?:来|所)?(?:{done})(?:了|着|过)?", lower[thing.end : person.start]) is not None
        )
    owned = re.search(rf"\b(?:{had}) of (?:the )?$", lower[: thing.start]) or re.match(
        rf"'s? (?:{had})\b", lower[thing.end :]
    )
    return owned is not None or re.search(rf"\b(?:{done}) (?:the )?$", lower[: person.start]) is not None


@cache
def _people(language: Language) -> tuple[str, str]:
    done, had = (_data()[kind][language] for kind in ("done_by_people", "had_by_people"))
    return (
        "|".join(sorted(done, key=lambda word: (-len(word), word))),
        "|".join(sorted(had, key=lambda word: (-len(word), word))),
    )


def own_words(claim: Claim) -> str:
    """All that the schema and the material say of a claim's attribute."""
    trait = claim.trait
    return " \n ".join([*trait.phrases, *trait.says, *trait.units, claim.source.lower()])


@cache
def _rates(language: Language) -> tuple[dict[str, str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Each word of a rate with its period; patterns of a rate behind a value, before it, and anywhere."""
    periods = {word: period for period, words in _data()["periods"][language].items() for word in words}
    inner = "|".join(sorted(periods, key=lambda word: (-len(word), word)))
    if language == "zh":
        behind = re.compile(r" ?(?:/|每|一)个?(?P<word>年|月|日|天|周|季度|小时)")
        before = re.compile(r"每个?(?P<word>年|月|日|天|周|季度|小时) ?$")
        return periods, behind, before, re.compile(f"(?P<word>{inner})")
    return (
        periods,
        re.compile(rf"(?: [a-z]+)?(?: (?:a|an|per)|\s?/) ?(?P<word>{inner})\b|"
                   rf"(?:,? [a-z]+){{0,2}},? (?:each|every|per) (?P<each>{inner})\b"),
        re.compile(rf"^\W*(?:each|every|(?:in|within|over) (?:a|one|each|every)) (?P<word>{inner})\b"),
        re.compile(r"(?<![\w'-])(?P<word>hourly|daily|weekly|monthly|quarterly|yearly|annual|annually)(?![\w'-])"),
    )  # fmt: skip


def _rate(amount: Amount, told: list[Claim], reading: Reading) -> str:
    """The words that make a rate of a value which is none, or is one of another period."""
    periods, behind, before, anywhere = _rates(reading.language)
    lower = reading.lower
    # Talk is blanked in what is searched whole, but `each year` straight beside a value is none.
    text = reading.text.lower()
    ahead = text[: amount.start] if reading.language == "zh" else lower
    found = [behind.match(text, amount.end), before.search(ahead), *anywhere.finditer(lower)]
    for match in filter(None, found):
        word = next(word for word in match.groupdict().values() if word)
        if any(claim.time or _has_period(claim, periods.get(word, word), reading.language) for claim in told):
            continue
        return reading.text[min(amount.start, match.start()) : max(amount.end, match.end())]
    return ""


def _has_period(claim: Claim, period: str, language: str) -> bool:
    own = own_words(claim)
    if language == "zh":
        # The material names periods of other things: a yearbook, a date.
        signs, own = _data()["period_signs"]["zh"], own.removesuffix(claim.source.lower())
        return any(sign in own for sign in signs.get(period, [period[-1]]))
    words = _data()["periods"][language][period]
    return re.search(rf"\b(?:{'|'.join(words)})s?\b", own) is not None


def _counted(amount: Amount, told: list[Claim], reading: Reading, scope: Scope) -> str:
    """The noun straight behind a bare number that counts rows of a table, or what another attribute counts."""
    if amount.dimension:
        return ""
    if reading.language == "zh":
        noun = _counted_zh(amount, reading, scope)
        return (
            ""
            if not noun or any(noun in own_words(c) for c in told)
            else reading.text[amount.start : amount.end] + noun
        )
    match = re.match(r" ([a-z]+(?: [a-z]+)?)", reading.lower[amount.end :])
    if match is None:
        return ""
    for noun in (match[1], match[1].split()[0]):
        if noun in _countable(scope) and not any(_counts(claim.trait, noun, claim) for claim in told):
            return reading.text[amount.start : amount.end + 1 + len(noun)]
    return ""


_CLASSIFIER_ZH = re.compile(r"\s?[个名位台部家支座款场条项件所]?")


def _counted_zh(amount: Amount, reading: Reading, scope: Scope) -> str:
    """The noun for a kind of thing straight behind a number, where nothing is said of what it belongs to: 5家公司."""
    at = _CLASSIFIER_ZH.match(reading.lower, amount.end)
    start = at.end() if at else amount.end
    nouns = {noun for found in scope.lexicon.nouns.values() for noun in found if len(noun) > 1}
    held = [
        n for n in nouns if reading.lower.startswith(n, start) and not reading.lower.startswith("的", start + len(n))
    ]
    return max(held, key=len, default="")


def _countable(scope: Scope) -> set[str]:
    """Plural nouns for things of the world and for what its attributes count."""
    found = {noun for nouns in scope.lexicon.nouns.values() for noun in nouns if noun.endswith("s")}
    traits: Iterable[Trait] = (trait for own in scope.lexicon.traits.values() for trait in own)
    return found | {unit for trait in traits for unit in trait.units if len(unit) > 1}


def _counts(trait: Trait, noun: str, claim: Claim) -> bool:
    return (
        re.search(rf"(?<!\w){re.escape(noun.removesuffix('s'))}", own_words(claim)) is not None or noun in trait.units
    )


def _spent(told: list[Claim], reading: Reading) -> str:
    """The words by which money that is set aside is told as spent or left over."""
    data, language = _data(), reading.language
    for claim in told:
        if any(plan in phrase for phrase in claim.trait.phrases for plan in data["plans"][language]):
            for word in data["not_of_plans"][language]:
                edge = "" if language == "zh" else r"(?![\w'])"
                if re.search(f"{re.escape(word)}{edge}", reading.lower) and word not in own_words(claim):
                    return str(word)
    return ""
