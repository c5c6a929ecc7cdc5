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
from worldgen.records import Language

NUMBERS = ("integer", "decimal", "money", "percent")
WORDINGS = Path(__file__).parent / "wordings"
SETS = ("first", "second", "third", "fourth", "fifth", "sixth")
PLAIN = ("seventh", "eighth")
"""Sets in plain words, some of them those of an earlier set; the audit was not mended with them."""
_DIGITS = "零一二三四五六七八九"
_YEAR_DIGITS = "〇一二三四五六七八九"


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


@dataclass(frozen=True, slots=True)
class Wordings:
    """What a set of wordings, named as its file in ``wordings/``, has for a language."""

    source: str
    language: Language

    def __getitem__(self, name: str) -> Any:
        return _read(self.source)[self.language][name]


@cache
def _read(source: str) -> dict[str, Any]:
    return dict(yaml.safe_load((WORDINGS / f"{source}.yaml").read_text("utf-8")))


def said(spec: Spec, value: str, style: Style, wordings: Wordings) -> str | None:
    """The words for a canonical value that is a number, a date or a year; None where the style does not fit it."""
    if spec.type in ("date", "year"):
        return _date(value, style, wordings)
    amount = Decimal(value)
    if style.way == "plain":
        return _amount(spec, amount, style.pick, wordings)
    if style.way == "number_words":
        number = _spelled(amount, wordings, measured=bool(spec.unit)) if spec.type == "integer" else None
        return None if number is None else _with_unit(number, spec, amount, wordings)
    if style.way == "other_units":
        return _converted(spec, amount, style.pick, wordings)
    if style.way in ("about", "over", "under"):
        rounded = _rounded(amount, style.way)
        if rounded is None or abs(rounded - amount) * 100 > amount * 3:
            return None
        return around(spec, rounded, style, wordings)
    return None


def around(spec: Spec, rounded: Decimal, style: Style, wordings: Wordings) -> str:
    """A round number with the style's word of rounding."""
    forms = wordings["rounding"][style.way]
    return str(forms[style.pick % len(forms)]).format(_amount(spec, rounded, style.pick, wordings))


def beyond(amount: Decimal, way: str) -> Decimal | None:
    """The round number that "over" or "under" wrongly names: on the other side of the amount."""
    return _rounded(amount, "under" if way == "over" else "over")


def digits(amount: Decimal, *, commas: bool) -> str:
    """Digits, in groups of three where wanted."""
    return f"{amount:,f}" if commas else f"{amount:f}"


def _amount(spec: Spec, amount: Decimal, pick: int, wordings: Wordings) -> str:
    number = digits(amount, commas=pick % 3 != 2)
    if spec.type == "money":
        return _money(_form(wordings, "money", pick), number, spec.currency, wordings)
    if spec.type == "percent":
        return _form(wordings, "percents", pick).format(number=number)
    return _with_unit(number, spec, amount, wordings, symbol=pick % 2 == 0)


def _form(wordings: Wordings, name: str, pick: int) -> str:
    forms = wordings[name]
    return str(forms[pick % len(forms)])


def _money(form: str, number: str, code: str, wordings: Wordings) -> str:
    money = currencies().get(code)
    if money is None:
        return f"{number} {code}"
    if "{symbol}" in form and not money.symbol:
        form = "{number}{zh}" if wordings.language == "zh" else "{number} {many}"
    return form.format(number=number, code=code, symbol=money.symbol, many=money.many, zh=money.zh)


def _with_unit(number: str, spec: Spec, amount: Decimal, wordings: Wordings, *, symbol: bool = False) -> str:
    if not spec.unit:
        return number
    unit = units()[spec.unit]
    if wordings.language == "zh":
        return f"{number}{unit.symbol if symbol and unit.symbol and unit.prefer_symbol else unit.zh}"
    if symbol and unit.symbol and unit.id != "in":
        return f"{number} {unit.symbol}"
    return f"{number} {unit.one if amount == 1 else unit.many}".strip()


def _converted(spec: Spec, amount: Decimal, pick: int, wordings: Wordings) -> str | None:
    if (
        spec.type in ("integer", "money")
        and amount >= 10_000
        and (not spec.unit or units()[spec.unit].dimension == "count")
    ):
        return _scaled(spec, amount, wordings)
    if spec.type not in ("integer", "decimal") or not spec.unit or not units()[spec.unit].others:
        return None
    others = units()[spec.unit].others
    target, places = others[pick % len(others)]
    exact = convert(Fraction(amount), spec.unit, target)
    told = (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    if told == 0 or abs(Fraction(told) - exact) * 200 > exact:
        return None
    told = told.normalize() if told != told.to_integral() else told.to_integral()
    number, unit = digits(told, commas=True), Spec("", "", (), unit=target)
    words = _with_unit(number, unit, told, wordings, symbol=pick % 2 == 0)
    if Fraction(told) == exact:
        return words
    return str(wordings["rounding"]["about"][0]).format(words)


def _scaled(spec: Spec, amount: Decimal, wordings: Wordings) -> str | None:
    for name, size in wordings["scales"].items():
        part = (amount / size).normalize()
        if part >= 1 and -int(part.as_tuple().exponent) <= 3:
            number = f"{part:f}{name}"
            if spec.type == "money":
                return _money(str(wordings["scaled_money"]), number, spec.currency, wordings)
            return _with_unit(number, spec, amount, wordings)
    return None


def _rounded(amount: Decimal, way: str) -> Decimal | None:
    if amount < 100:
        return None
    step = Decimal(1).scaleb(amount.adjusted() - 1)
    mode = {"about": ROUND_HALF_UP, "over": ROUND_FLOOR, "under": ROUND_CEILING}[way]
    rounded = (amount / step).to_integral(mode) * step
    return None if rounded == amount else Decimal(f"{rounded:f}")


def _spelled(amount: Decimal, wordings: Wordings, *, measured: bool) -> str | None:
    if amount != amount.to_integral() or not 0 < amount < 100:
        return None
    number = int(amount)
    tens, ones = divmod(number, 10)
    if wordings.language == "zh":
        if number == 2 and measured:
            return "两"
        return _han(number)
    if number < 20:
        return str(wordings["small"][number])
    return str(wordings["tens"][tens - 2]) + (f"-{wordings['small'][ones]}" if ones else "")


def _han(number: int) -> str:
    tens, ones = divmod(number, 10)
    return (_DIGITS[tens] if tens > 1 else "") + ("十" if tens else "") + (_DIGITS[ones] if ones else "")


def _date(value: str, style: Style, wordings: Wordings) -> str | None:
    if len(value) == 4:
        if style.way != "plain":
            return None
        return f"{value}年" if wordings.language == "zh" else value
    if style.way not in ("plain", "month_year"):
        return None
    form = _form(wordings, "dates" if style.way == "plain" else "month_years", style.pick)
    year, month, day = value.split("-")
    fields = {"year": year, "mm": month, "dd": day, "m": int(month), "day": int(day)}
    if wordings.language == "zh":
        return form.format(**fields, han_year="".join(_YEAR_DIGITS[int(digit)] for digit in year),
                           han_month=_han(int(month)), han_day=_han(int(day)))  # fmt: skip
    name = str(wordings["months"][int(month) - 1])
    return form.format(**fields, month=name, mon=name[:3], nth=_nth(int(day)))


def _nth(day: int) -> str:
    return f"{day}{'th' if day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def when(spec: Spec, value: str, words: str, style: Style) -> str:
    """A date with its English preposition."""
    return f"in {words}" if style.way == "month_year" or len(value) == 4 or spec.type == "year" else f"on {words}"


def period(time: str, pick: int, wordings: Wordings) -> str:
    """A series' period in words."""
    year, _, rest = time.partition("-")
    if not rest:
        return f"{year}年" if wordings.language == "zh" else year
    if rest[0] == "Q":
        number = int(rest[1])
        ordinals = ("一", "二", "三", "四") if wordings.language == "zh" else ("first", "second", "third", "fourth")
        return _form(wordings, "quarters", pick).format(year=year, code=rest, n=number, ordinal=ordinals[number - 1])
    return f"{year}年{int(rest)}月" if wordings.language == "zh" else f"{wordings['months'][int(rest) - 1]} {year}"
