"""What stands beside a number and makes it an amount: a unit, a currency, a percent sign, a scale."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
def scales() -> dict[str, int]:
    """English words of powers of ten."""
    found: dict[str, int] = _data()["scales"]
    return found


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a text.

    Attributes:
        start: Where it begins, its unit included.
        end: Where it ends.
        value: The number in the base of its dimension.
        dimension: Of its unit; ``money:CODE``, ``percent``, or "" for a bare number.
        near: ``about``, ``under`` or ``over`` where the words round, else "".
        ordinal: Whether it is a rank.
        part: Whether it is a fraction in words, which may stand for a percentage.
        points: Whether it is a number of points, which is a distance between percentages and never one itself.
    """

    start: int
    end: int
    value: Fraction
    dimension: str = ""
    near: str = ""
    ordinal: bool = False
    part: bool = False
    points: bool = False


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


_EN_SCALE = re.compile(r"[ -]?(thousand|million|billion|trillion|bn|mn)(?![a-z])", re.IGNORECASE)
_POINTS = re.compile(
    r"[ -]?(?:(?:percentage|percent|per cent|pct|%)[ -]?)?(?:points?|pts|pps?)(?![a-z])|个?百分点", re.IGNORECASE
)
_EN_PERCENT = re.compile(r"[ -]?(?:%|percentage(?= point)|percent|per cent|pct|p\.c\.)(?![a-z])", re.IGNORECASE)
_EN_THOUSANDTH = re.compile(r" (?:per thousand|per mille|in a thousand)|‰")


def measured(text: str, start: int, end: int, value: Fraction, language: str) -> Amount:
    """The amount with whatever scale, unit, currency or percent stands beside the number."""
    scale = _EN_SCALE.match(text, end) if language == "en" else None
    if scale:
        value, end = value * scales()[scale[1].lower()], scale.end()
    points = _POINTS.match(text, end)
    if points:
        dimension = "percent" if _EN_PERCENT.match(points[0]) or "百分" in points[0] else ""
        return Amount(start, points.end(), value, dimension, points=True)
    percent = _EN_PERCENT.match(text, end)
    if percent:
        return Amount(start, percent.end(), value, "percent")
    thousandth = _EN_THOUSANDTH.match(text, end)
    if thousandth:
        return Amount(start, thousandth.end(), value / 10, "percent")
    codes, before, after = _money(language)
    lead = text[max(0, start - 5) : start]
    for match in before.finditer(lead):
        rest = lead[match.end() :]
        if rest.strip(" -") == "" and (
            match.start() == 0 or not lead[match.start() - 1].isalpha() or not match[0].isalpha()
        ):
            begin = start - (len(lead) - match.start())
            signed = -value if text[max(0, begin - 1) : begin] == "-" or rest.endswith("-") else value
            tail = after.match(text, end + 1 if text[end : end + 1] == " " else end)
            if tail and codes.get(tail[0].lower()) != codes[match[0].lower()]:
                return Amount(begin, tail.end(), value, "money:?")
            return Amount(begin, end, signed, f"money:{codes[match[0].lower()]}")
    at = end + 1 if text[end : end + 1] in (" ", "-") else end
    tail = after.match(text, at)
    if tail and not (
        tail[0][-1:].isascii()
        and tail[0].isalpha()
        and text[tail.end() : tail.end() + 1].isalpha()
        and text[tail.end() : tail.end() + 1].isascii()
    ):
        return Amount(start, tail.end(), value, f"money:{codes[tail[0].lower()]}")
    unit = _unit_pattern(language).match(text, end)
    if unit:
        name = unit[0].lstrip(" -")
        if name == "in" and not _INCHES.match(text, unit.end()):
            return Amount(start, end, value)
        dimension, factor = _spellings(language)[name]
        if dimension == "dozen":
            return Amount(start, unit.end(), value * factor)
        return Amount(start, unit.end(), value * factor, dimension)
    return Amount(start, end, value)


_INCHES = re.compile(
    r"\W*$|[^\w\s]| (?:more|less|larger|smaller|bigger|longer|shorter|wider|higher|lower|above|"
    r"below|screen|display|panel|diagonal"
    r"|across|wide|tall|high|long|thick|and|or|with|as|is|was|for|screens|corner|from|\x01)"
)
