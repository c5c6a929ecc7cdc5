"""Numbers in an English text: digits, words, ratios, parts and ranks, each with whatever stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from worldgen.audit.claims.measures import NUMBER, Amount, measured, number, scales
from worldgen.language.words import words_of

_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fifth": 5,
    "fifths": 5,
    "sixth": 6,
    "sixths": 6,
    "seventh": 7,
    "sevenths": 7,
    "eighth": 8,
    "eighths": 8,
    "ninth": 9,
    "ninths": 9,
    "tenth": 10,
    "tenths": 10,
    "twentieth": 20,
    "twentieths": 20,
}


@cache
def _en_words() -> tuple[dict[str, int], re.Pattern[str]]:
    words = words_of("en")
    values = {name: i for i, name in enumerate(words["small"])}
    values |= {name: 10 * i for i, name in enumerate(words["tens"]) if name}
    values |= {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
    inner = "|".join(sorted(values, key=len, reverse=True))
    one = rf"(?:{inner})"
    return values, re.compile(rf"(?<![\w'])(?:(?:a|an) )?{one}(?:(?:-| and | |, ){one})*(?![\w'])", re.IGNORECASE)


_EN_DIGITS = re.compile(
    rf"(?<![\w.,])(?:(?P<minus>-)(?=\d))?(?P<n>{NUMBER})(?P<ord>st|nd|rd|th)?(?P<joined>k|bn|mn)?(?![\d])",
    re.IGNORECASE,
)
_EN_RATIO = re.compile(
    r"(?<![\w.,])(\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten)(?: in |"
    r" out of (?:every )?| in every |/)(\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|"
    r"twenty|hundred)(?![\w])",
    re.IGNORECASE,
)
_EN_PART = re.compile(
    r"(?<![\w'])(?:(?P<n>a|an|one|two|three|four|five|six|seven|eight|nine)[ -])?(?P<p>"
    + "|".join(_PARTS)
    + r")(?![\w'])",
    re.IGNORECASE,
)
_EN_ORDINAL = re.compile(
    r"(?<![\w'])(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|"
    r"twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|"
    r"twentieth)(?![\w'])",
    re.IGNORECASE,
)
_ORDINALS = [
    "",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
_SKIPPED = re.compile(
    r"(?<![\w'])(?:no one|one of (?:the|its|these|those|several|many)|one another|this one|"
    r"that one|the one|one can|each one|which one|any one|one by one|one may|one and all|"
    r"on the one hand|one must|at one with|one's|for one|second-hand|at first|first of all|"
    r"first glance|in the first place|half-)(?![\w'])",
    re.IGNORECASE,
)


def english(text: str) -> Iterator[Amount]:
    """Every reading of a number, in no order; one that begins in another is dropped by `amounts`."""
    text = _SKIPPED.sub(lambda m: " " * len(m[0]), text)
    for match in _EN_RATIO.finditer(text):
        a, b = _small(match[1]), _small(match[2])
        if b and a is not None and 0 < a < b:
            yield Amount(match.start(), match.end(), Fraction(a, b) * 100, "percent", part=True)
    for match in _EN_DIGITS.finditer(text):
        value = number(match["n"].rstrip(","))
        end = match.start("n") + len(match["n"].rstrip(","))
        if value is None:
            yield Amount(match.start(), end, Fraction(-1), "?")
            continue
        if match["joined"]:
            value, end = value * scales()[match["joined"].lower()], match.end()
        if match["minus"]:
            value = -value
        if match["ord"]:
            yield Amount(match.start(), match.end(), value, ordinal=True)
        else:
            yield measured(text, match.start(), end, value, "en")
    values, pattern = _en_words()
    for match in pattern.finditer(text):
        spelled = _spelled(match[0].lower(), values)
        if spelled is not None:
            yield measured(text, match.start(), match.end(), Fraction(spelled), "en")
    for match in _EN_PART.finditer(text):
        word = match["p"].lower()
        many = _small(match["n"]) if match["n"] else None
        if match["n"] is None and word != "half":
            continue
        yield Amount(match.start(), match.end(), Fraction(many or 1, _PARTS[word]) * 100, "percent", part=True)
    for match in _EN_ORDINAL.finditer(text):
        yield Amount(match.start(), match.end(), Fraction(_ORDINALS.index(match[0].lower())), ordinal=True)


def _small(word: str) -> int | None:
    if word.isdigit():
        return int(word)
    if word.lower() in ("a", "an"):
        return 1
    values, _ = _en_words()
    return values.get(word.lower())


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
