"""Numbers in an English text: digits, words, ratios, parts and ranks, each with whatever stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from worldgen.audit.claims.measures import NUMBER, Amount, about_texts, measured, number, words
from worldgen.language import units
from worldgen.language.words import words_of


@cache
def _values() -> dict[str, int]:
    """Words of whole numbers."""
    told = words_of("en")
    values = {name: i for i, name in enumerate(told["small"])}
    values |= {name: 10 * i for i, name in enumerate(told["tens"]) if name}
    values |= {"nil": 0, "nought": 0, "fourty": 40, "ninty": 90}
    return values | {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}


@cache
def _spelled_pattern() -> re.Pattern[str]:
    one = rf"(?:{'|'.join(sorted(_values(), key=len, reverse=True))})"
    return re.compile(rf"(?<![\w'])(?:(?:a|an) )?{one}(?:(?:-| and | |, ){one})*(?![\w'])", re.IGNORECASE)


_DIGITS = re.compile(
    rf"(?<![\w.])(?<!\d,)(?:(?P<minus>-)(?=\d))?(?P<n>{NUMBER})(?P<ord>(?:st|nd|rd|th)(?![a-z]))?(?![\d])",
    re.IGNORECASE,
)
_RATIO = re.compile(
    r"(?<![\w.,])(\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten)(?: in |"
    r" out of (?:every )?| in every |/)(\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|"
    r"twenty|hundred)(?![\w])",
    re.IGNORECASE,
)
_PART = re.compile(
    r"(?<![\w'])(?:(?P<n>a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})[ -])?(?P<p>"
    + "|".join(sorted(words("parts"), key=lambda word: (-len(word), word)))
    + r")(?![\w'])",
    re.IGNORECASE,
)
_AND_HALF = re.compile(
    r"(?<![\w'.,])(?P<n>\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a) and a "
    r"(?P<p>half|quarter)(?![\w'])",
    re.IGNORECASE,
)
_HALF_SCALE = re.compile(
    r"(?<![\w'])half(?: a| an)? (?P<s>dozen|hundred|thousand|million|billion)(?![\w'])", re.IGNORECASE
)
_ORDINAL = re.compile(rf"(?<![\w'])({'|'.join(words('ordinals'))})(?![\w'])", re.IGNORECASE)
_SKIPPED = re.compile(
    r"(?<![\w'])(?:no one|one of (?:the|its|these|those|several|many)|one another|this one|"
    r"that one|the one|each one|which one|any one|one by one|one and all|another one|every one|"
    r"on the one hand|at one with|one's|for one(?=,)|second-hand|at first|first of all|one day|at one point|"
    r"first glance|in the first place|first things first|half-|(?:in|at|into) one (?:place|go|spot|breath|sitting|"
    r"piece|sweep|stop|swoop|corner|look|glance|view)|one (?:more time|more thing|last time|last thing|after another)|"
    r"(?:my|our|your) two (?:cents|pence)|in two minds|a (?:hundred|thousand|million) (?:thanks|apologies|times over)|"
    r"one (?:can|cannot|can't|may|might|must|should|"
    r"could|would|will|has|is|ought|and only|thing is)|ones?-(?:on|to)-one)(?![\w'])",
    re.IGNORECASE,
)
_ONE = re.compile(r"(?<![\w'-])one (?P<next>[a-z]+)", re.IGNORECASE)
_SUCH_ONE = re.compile(
    r"(?<![\w'-])(?P<before>(?:quick|easy|short|simple|good|nice|big|small|new|old|next|last|first|final|other|another|"
    r"right|wrong|hard|little|brief|interesting|latest|the|this|that|which|each|every|any) )one(?=\W|$)",
    re.IGNORECASE,
)


def english(text: str) -> Iterator[Amount]:
    """Every reading of a number, in no order; one that begins in another is dropped by `amounts`."""
    text = _SKIPPED.sub(lambda m: " " * len(m[0]), text)
    text = _ONE.sub(lambda m: m[0] if _counts(m["next"].lower()) else "   " + m[0][3:], text)
    text = _SUCH_ONE.sub(lambda m: m["before"] + "   ", text)
    for match in _RATIO.finditer(text):
        a, b = _small(match[1]), _small(match[2])
        if b and a is not None and 0 < a < b:
            yield Amount(match.start(), match.end(), Fraction(a, b) * 100, "percent", part=True)
    for match in _DIGITS.finditer(text):
        yield _in_digits(match, text)
    yield from _compound(text)
    for match in _spelled_pattern().finditer(text):
        spelled = _spelled(match[0].lower(), _values())
        if spelled is not None:
            yield measured(text, match.start(), match.end(), Fraction(spelled), "en")
    for match in _PART.finditer(text):
        word = match["p"].lower()
        many = _small(match["n"]) if match["n"] else None
        if match["n"] is None and word != "half":
            continue
        yield Amount(match.start(), match.end(), Fraction(many or 1, words("parts")[word]) * 100, "percent", part=True)
    for match in _ORDINAL.finditer(text):
        yield Amount(match.start(), match.end(), Fraction(words("ordinals")[match[0].lower()]), ordinal=True)


def _counts(word: str) -> bool:
    """Whether `one` before a word counts: not before a verb (`one finds`), nor before what a text is made of."""
    counted = not word.endswith("s") or word.endswith("ss") or word == "times" or word in _counted_things()
    return counted and word not in about_texts()


@cache
def _counted_things() -> frozenset[str]:
    return frozenset(word for unit in units().values() for word in unit.many.split())


def _in_digits(match: re.Match[str], text: str) -> Amount:
    value = number(match["n"].rstrip(","))
    end = match.start("n") + len(match["n"].rstrip(","))
    if value is None:
        return Amount(match.start(), end, Fraction(-1), "?")
    value = -value if match["minus"] else value
    if match["ord"]:
        return Amount(match.start(), match.end(), value, ordinal=True)
    return measured(text, match.start(), end, value, "en")


def _compound(text: str) -> Iterator[Amount]:
    """Two and a half years; half a million."""
    for match in _AND_HALF.finditer(text):
        value = (_small(match["n"]) or 0) + Fraction(1, words("parts")[match["p"].lower()])
        yield measured(text, match.start(), match.end(), value, "en")
    for match in _HALF_SCALE.finditer(text):
        yield measured(text, match.start(), match.end(), Fraction(_values()[match["s"].lower()], 2), "en")


def _small(word: str) -> int | None:
    if word.isdigit():
        return int(word)
    if word.lower() in ("a", "an"):
        return 1
    return _values().get(word.lower())


def _spelled(text: str, values: dict[str, int]) -> int | None:
    total, current = 0, 0
    for word in re.findall(r"[a-z]+", text):
        if word in ("a", "an"):
            current = 1
        elif word == "and":
            continue
        elif values[word] == 100:
            current = (current or 1) * 100
        elif values[word] >= 1_000:
            total, current = total + (current or 1) * values[word], 0
        elif word == "dozen":
            current = (current or 1) * 12
        else:
            current += values[word]
    return total + current
