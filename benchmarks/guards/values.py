"""A value in words: as it stands, rounded truthfully, in another unit, in number words, by its month only."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.language.units import convert, currencies, units

NUMBERS = ("integer", "decimal", "money", "percent")
_DIGITS = "零一二三四五六七八九"


@dataclass(frozen=True, slots=True)
class Spec:
    """What an attribute is: its table and name, type, labels in one language, unit, currency, wordings of values."""

    key: str
    type: str
    labels: tuple[str, ...]
    unit: str = ""
    currency: str = ""
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    target: str = ""
    period: bool = False


@dataclass(frozen=True, slots=True)
class Style:
    """A way of telling: ``plain``, ``number_words``, ``other_units``, ``month_year``, ``about``, ``over`` or ``under``.

    ``pick`` chooses among the forms of that way.
    """

    way: str = "plain"
    pick: int = 0


@cache
def wordings(language: str) -> dict[str, Any]:
    """The data of a language."""
    return dict(yaml.safe_load((Path(__file__).parent / "wordings.yaml").read_text("utf-8"))[language])


def said(spec: Spec, value: str, style: Style, language: str) -> str | None:
    """The words for a canonical value that is a number, a date or a year; None where the style does not fit it."""
    if spec.type in ("date", "year"):
        return _date(value, style, language)
    amount = Decimal(value)
    if style.way == "plain":
        return _amount(spec, amount, style.pick, language)
    if style.way == "number_words":
        words = _spelled(amount, language, measured=bool(spec.unit)) if spec.type == "integer" else None
        return None if words is None else _with_unit(words, spec, amount, language)
    if style.way == "other_units":
        return _converted(spec, amount, style.pick, language)
    if style.way in ("about", "over", "under"):
        rounded = _rounded(amount, style.way)
        if rounded is None or abs(rounded - amount) * 100 > amount * 3:
            return None
        return around(spec, rounded, style, language)
    return None


def around(spec: Spec, rounded: Decimal, style: Style, language: str) -> str:
    """A round number with the style's word of rounding."""
    forms = wordings(language)["rounding"][style.way]
    return str(forms[style.pick % len(forms)]).format(_amount(spec, rounded, style.pick, language))


def beyond(amount: Decimal, way: str) -> Decimal | None:
    """The round number that "over" or "under" wrongly names: on the other side of the amount."""
    return _rounded(amount, "under" if way == "over" else "over")


def digits(amount: Decimal, *, commas: bool) -> str:
    """Digits, in groups of three where wanted."""
    return f"{amount:,f}" if commas else f"{amount:f}"


def _amount(spec: Spec, amount: Decimal, pick: int, language: str) -> str:
    number = digits(amount, commas=pick % 3 != 2)
    if spec.type == "money":
        money = currencies().get(spec.currency)
        if money is None:
            return f"{number} {spec.currency}"
        if language == "zh":
            return (f"{number}{money.zh}", f"{number} {spec.currency}", f"{money.zh}{number}")[pick % 3 % 2]
        symbol = f"{money.symbol}{number}" if money.symbol else f"{number} {money.many}"
        return (symbol, f"{number} {money.many}", f"{spec.currency} {number}")[pick % 3]
    if spec.type == "percent":
        if language == "zh":
            return (f"{number}%", f"百分之{number}")[pick % 2]
        return (f"{number}%", f"{number} percent", f"{number} per cent")[pick % 3]
    return _with_unit(number, spec, amount, language, symbol=pick % 2 == 0)


def _with_unit(number: str, spec: Spec, amount: Decimal, language: str, *, symbol: bool = False) -> str:
    if not spec.unit:
        return number
    unit = units()[spec.unit]
    if language == "zh":
        return f"{number}{unit.symbol if symbol and unit.symbol and unit.prefer_symbol else unit.zh}"
    if symbol and unit.symbol and unit.id != "in":
        return f"{number} {unit.symbol}"
    return f"{number} {unit.one if amount == 1 else unit.many}".strip()


def _converted(spec: Spec, amount: Decimal, pick: int, language: str) -> str | None:
    if (
        spec.type in ("integer", "money")
        and amount >= 10_000
        and (not spec.unit or units()[spec.unit].dimension == "count")
    ):
        return _scaled(spec, amount, language)
    if spec.type not in ("integer", "decimal") or not spec.unit or not units()[spec.unit].others:
        return None
    others = units()[spec.unit].others
    target, places = others[pick % len(others)]
    exact = convert(Fraction(amount), spec.unit, target)
    told = (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    if told == 0 or abs(Fraction(told) - exact) * 200 > exact:
        return None
    told = told.normalize() if told != told.to_integral() else told.to_integral()
    words = _with_unit(digits(told, commas=True), Spec("", "", (), unit=target), told, language, symbol=pick % 2 == 0)
    if Fraction(told) == exact:
        return words
    return str(wordings(language)["rounding"]["about"][0]).format(words)


def _scaled(spec: Spec, amount: Decimal, language: str) -> str | None:
    for name, size in (("亿", 10**8), ("万", 10**4)) if language == "zh" else (("million", 10**6), ("thousand", 10**3)):
        part = (amount / size).normalize()
        if part >= 1 and -int(part.as_tuple().exponent) <= 3:
            number = f"{part:f}{name}" if language == "zh" else f"{part:f} {name}"
            if spec.type == "money":
                money = currencies().get(spec.currency)
                return (
                    f"{number}{money.zh}"
                    if money and language == "zh"
                    else f"{number} {money.many if money else spec.currency}"
                )
            return _with_unit(number, spec, amount, language)
    return None


def _rounded(amount: Decimal, way: str) -> Decimal | None:
    if amount < 100:
        return None
    step = Decimal(1).scaleb(amount.adjusted() - 1)
    mode = {"about": ROUND_HALF_UP, "over": ROUND_FLOOR, "under": ROUND_CEILING}[way]
    rounded = (amount / step).to_integral(mode) * step
    return None if rounded == amount else Decimal(f"{rounded:f}")


def _spelled(amount: Decimal, language: str, *, measured: bool) -> str | None:
    if amount != amount.to_integral() or not 0 < amount < 100:
        return None
    number = int(amount)
    tens, ones = divmod(number, 10)
    if language == "zh":
        if number == 2 and measured:
            return "两"
        return (_DIGITS[tens] if tens > 1 else "") + ("十" if tens else "") + (_DIGITS[ones] if ones else "")
    if number < 20:
        return str(wordings("en")["small"][number])
    data = wordings("en")
    return str(data["tens"][tens - 2]) + (f"-{data['small'][ones]}" if ones else "")


def _date(value: str, style: Style, language: str) -> str | None:
    if len(value) == 4:
        if style.way != "plain":
            return None
        return f"{value}年" if language == "zh" else value
    year, month, day = (int(part) for part in value.split("-"))
    if style.way == "month_year":
        if language == "zh":
            return f"{year}年{month}月"
        return f"{_month(month)} {year}"
    if style.way != "plain":
        return None
    if language == "zh":
        return (f"{year}年{month}月{day}日", value, f"{year}年{month}月{day}号", f"{year}/{month}/{day}")[
            style.pick % 4
        ]
    name = _month(month)
    return (f"{day} {name} {year}", f"{name} {day}, {year}", value, f"{day} {name[:3]} {year}")[style.pick % 4]


def _month(month: int) -> str:
    return str(wordings("en")["months"][month - 1])


def when(spec: Spec, value: str, words: str, style: Style) -> str:
    """A date with its English preposition."""
    return f"in {words}" if style.way == "month_year" or len(value) == 4 or spec.type == "year" else f"on {words}"


def period(time: str, pick: int, language: str) -> str:
    """A series' period in words."""
    year, _, rest = time.partition("-")
    if language == "zh":
        return (
            f"{year}年"
            if not rest
            else f"{year}年第{'一二三四'[int(rest[1]) - 1]}季度"
            if rest[0] == "Q"
            else f"{year}年{int(rest)}月"
        )
    if not rest:
        return year
    if rest[0] == "Q":
        ordinal = ("first", "second", "third", "fourth")[int(rest[1]) - 1]
        return (f"the {ordinal} quarter of {year}", f"{rest} {year}")[pick % 2]
    return f"{_month(int(rest))} {year}"
