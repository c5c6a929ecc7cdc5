"""What stands beside a number and makes it an amount: a unit, a currency, a percent sign, a scale."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.language import currencies, units

_MOST_DIGITS = 30
NUMBER = r"\d[\d,]{0,30}(?:\.\d{1,12})?"


@cache
def _data() -> dict[str, Any]:
    path = Path(__file__).parent / "data" / "measures.yaml"
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return found


@cache
def words(name: str) -> dict[str, int]:
    """English words of numbers by the name of their table: ``scales``, ``money_scales``, ``parts``, ``ordinals``."""
    found: dict[str, int] | list[str] = _data()[name]
    return found if isinstance(found, dict) else {word: place for place, word in enumerate(found, 1)}


@cache
def about_texts() -> frozenset[str]:
    """English nouns of which a text is made: `one line` counts nothing of the world."""
    return frozenset(_data()["about_texts"])


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a text.

    Attributes:
        start: Where it begins, its unit included.
        end: Where it ends.
        value: The number in the base of its dimension.
        dimension: Of its unit; ``money:CODE``, ``percent``, or "" for a bare number.
        near: ``about``, ``under`` or ``over`` where the words round, else ""; with ``=`` the bound is included.
        ordinal: Whether it is a rank.
        part: Whether it is a fraction in words, which may stand for a percentage.
        points: Whether it is a number of points, which is a distance between percentages and never one itself.
        told: The number as it is told, before its unit and scale count.
        factor: What one of its unit is in the base of the dimension.
        lead: Where its words of rounding begin, if any stand before it.
        tail: Where its words of rounding end, if any stand behind it.
    """

    start: int
    end: int
    value: Fraction
    dimension: str = ""
    near: str = ""
    ordinal: bool = False
    part: bool = False
    points: bool = False
    told: str = ""
    factor: Fraction = Fraction(1)
    lead: int | None = None
    tail: int | None = None

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands with its words of rounding."""
        return self.start if self.lead is None else self.lead, self.end if self.tail is None else self.tail


def number(text: str) -> Fraction | None:
    """A number in digits with separators, or None where the separators are out of place."""
    bare = text.replace(",", "")
    if not bare or len(bare) > _MOST_DIGITS:
        return None
    if "," in text and not re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        return None
    return Fraction(bare)


@cache
def _spellings(language: str) -> dict[str, tuple[str, Fraction]]:
    found: dict[str, tuple[str, Fraction]] = {}
    for unit in units().values():
        if unit.dimension == "count":
            continue
        names = (unit.one, unit.many, unit.symbol, unit.zh)
        for name in names:
            if name:
                found.setdefault(name.replace("µ", "μ"), (unit.dimension, unit.factor))
        for name in (unit.one, unit.many):
            american = name.replace("metre", "meter").replace("litre", "liter")
            found.setdefault(american, (unit.dimension, unit.factor))
    extra = [*_data()["units"].items(), *(_data()["units_zh"].items() if language == "zh" else ())]
    for name, (dimension, factor) in extra:
        found.setdefault(name, (dimension, Fraction(factor)))
    return found


@cache
def _money(language: str) -> tuple[dict[str, str], re.Pattern[str], re.Pattern[str]]:
    """Words of currencies → code; patterns of what stands before a number and after it."""
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for code, kind in currencies().items():
        before[code.lower()] = code
        after[code.lower()] = code
        if kind.symbol:
            before[kind.symbol] = code
            after[kind.symbol] = code
        for name in (kind.one, kind.many, kind.zh) if language == "zh" else (kind.one, kind.many):
            after[name.lower()] = code
    for name, code in _data()["money"].items():
        after.setdefault(name, code)
    for name, code in _data()["money_before"].items():
        before.setdefault(name, code)
    both = {**after, **before}
    return both, _any(before), _any(after)


def _any(names: dict[str, str]) -> re.Pattern[str]:
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return re.compile("|".join(re.escape(name) for name in ordered), re.IGNORECASE)


@cache
def _unit_pattern(language: str) -> re.Pattern[str]:
    ordered = sorted(_spellings(language), key=lambda name: (-len(name), name))
    inner = "|".join(re.escape(name) for name in ordered)
    tail = r"(?![A-Za-zμ²³/])" if language != "zh" else r"(?![A-Za-zμ²³])"
    return re.compile(rf"[ \-]?(?:{inner}){tail}")


_EN_PERCENT = re.compile(r"[ -]?(?:%|percentage(?= point)|percent|per cent|pct|p\.c\.)(?![a-z])", re.IGNORECASE)
_POINTS = re.compile(
    r"[ -]?(?:(?:percentage|percent|per cent|pct|%|basis|base)[ -]?)?(?:points?|pts|pps?|bps?)(?![a-z])|"
    r"个?(?:百分|千分|万分|基本?)点",
    re.IGNORECASE,
)
_EN_THOUSANDTH = re.compile(r"[ -]?(?:per thousand|per ?mill?e?|permille|in a thousand)(?![a-z])|‰", re.IGNORECASE)
_INCHES = re.compile(
    r"\W*$|[^\w\s]| (?:more|less|larger|smaller|bigger|longer|shorter|wider|higher|lower|above|"
    r"below|screen|display|panel|diagonal"
    r"|across|wide|tall|high|long|thick|and|or|with|as|is|was|for|screens|corner|from|\x01)"
)


@cache
def _scale(name: str) -> re.Pattern[str]:
    inner = "|".join(sorted(words(name), key=lambda word: (-len(word), word)))
    return re.compile(rf"[ -]?({inner})(?![a-z])", re.IGNORECASE)


def measured(text: str, start: int, end: int, value: Fraction, language: str) -> Amount:
    """The amount with whatever scale, unit, currency or percent stands beside the number."""
    told = text[start:end]
    lead = _before(text, start, language)
    if language == "en":
        scale = _scale("scales").match(text, end) or (_scale("money_scales").match(text, end) if lead else None)
        while scale:
            value, end = value * {**words("scales"), **words("money_scales")}[scale[1].lower()], scale.end()
            scale = _scale("scales").match(text, end)
        if not lead and re.match(r" ?M(?![\w²³])", text[end:]):
            value, end = value * 1_000_000, end + text[end:].index("M") + 1
    found = _shared(text, start, end, value) or (_paid(text, start, end, value, lead, language))
    found = found or _in_unit(text, start, end, value, language) or Amount(start, end, value)
    return replace(found, told=told)


def _shared(text: str, start: int, end: int, value: Fraction) -> Amount | None:
    """A number of points, hundredths or thousandths."""
    points = _POINTS.match(text, end)
    if points:
        bare = re.fullmatch(r"[ -]?(?:points?|pts)", points[0], re.IGNORECASE)
        return Amount(start, points.end(), value, "" if bare else "percent", points=True)
    percent = _EN_PERCENT.match(text, end)
    if percent:
        return Amount(start, percent.end(), value, "percent")
    thousandth = _EN_THOUSANDTH.match(text, end)
    return Amount(start, thousandth.end(), value / 10, "percent") if thousandth else None


def _before(text: str, start: int, language: str) -> tuple[int, str] | None:
    """Where a word or sign of a currency begins that stands before a number, and its code."""
    codes, before, _ = _money(language)
    lead = text[max(0, start - 7) : start]
    for match in before.finditer(lead):
        ahead = lead[match.start() - 1] if match.start() else ""
        latin = ahead.isalpha() and ahead.isascii() and match[0].isascii() and match[0][0].isalpha()
        if lead[match.end() :].strip(" -") == "" and not latin:
            return start - (len(lead) - match.start()), codes[match[0].lower()]
    return None


def _paid(
    text: str, start: int, end: int, value: Fraction, lead: tuple[int, str] | None, language: str
) -> Amount | None:
    """A number with a currency before it or behind it; two that differ are of none."""
    codes, _, after = _money(language)
    tail = after.match(text, end + 1 if text[end : end + 1] in (" ", "-") else end)
    if tail and tail[0].isascii() and tail[0][-1:].isalpha():
        follows = text[tail.end() : tail.end() + 1]
        tail = None if follows.isalpha() and follows.isascii() else tail
    if lead:
        begin, code = lead
        if tail and codes.get(tail[0].lower()) != code:
            return Amount(begin, tail.end(), value, "money:?")
        minus = text[max(0, begin - 1) : begin] == "-" or text[start - 1] == "-"
        return Amount(begin, tail.end() if tail else end, -value if minus else value, f"money:{code}")
    return Amount(start, tail.end(), value, f"money:{codes[tail[0].lower()]}") if tail else None


def _in_unit(text: str, start: int, end: int, value: Fraction, language: str) -> Amount | None:
    unit = _unit_pattern(language).match(text, end)
    if unit is None:
        return None
    name = unit[0].lstrip(" -")
    if name == "in" and not _INCHES.match(text, unit.end()):
        return None
    dimension, factor = _spellings(language)[name]
    if dimension == "dozen":
        return Amount(start, unit.end(), value * factor)
    return Amount(start, unit.end(), value * factor, dimension, factor=factor)
