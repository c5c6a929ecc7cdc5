"""Does a said value mean a claimed one? Units, coarser dates and honest rounding are equal; nothing else is."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

from worldgen.audit.claims.amounts import Amount
from worldgen.audit.claims.dates import Day
from worldgen.audit.claims.traits import Trait

_TOLERANCE = Fraction(5, 100)
_LEAST_DIGITS = 3


def fits(amount: Amount, trait: Trait, value: Fraction | None) -> bool:
    """Whether an amount states a value of an attribute."""
    if value is None or (amount.points and trait.kind == "percent"):
        return False
    if amount.ordinal:
        return trait.rank and amount.value == value
    if amount.dimension == trait.dimension:
        return close(amount, amount.value, value, trait.factor)
    if amount.dimension == "" and trait.kind != "money":
        return close(amount, amount.value * trait.factor, value, trait.factor)
    return False


def shaped(amount: Amount, trait: Trait) -> bool:
    """Whether an amount might state some value of an attribute."""
    if trait.kind not in ("integer", "decimal", "money", "percent", "year"):
        return trait.kind == "date" and _like_year(amount)
    if amount.ordinal:
        return trait.rank
    if trait.kind == "year":
        return _like_year(amount)
    return amount.dimension == trait.dimension or amount.dimension == ""


def _like_year(amount: Amount) -> bool:
    return amount.dimension == "" and amount.value.denominator == 1 and 1000 <= amount.value <= 2999


def close(amount: Amount, said: Fraction, value: Fraction, factor: Fraction = Fraction(1)) -> bool:
    """Whether a said number is the claimed one, or an honest rounding of it in the right direction.

    Args:
        amount: How it was said.
        said: What was said, in the base of the dimension.
        value: What is claimed, in the base of the dimension.
        factor: What one of the claim's own unit is in that base.
    """
    if said == value:
        return amount.near not in ("under", "over")
    if value == 0 or abs(said - value) > abs(value) * _TOLERANCE:
        return False
    # The last digit that is told, without zeros at the end, says how exact the number means to be.
    digits, step = _precision(amount, said)
    exact = step > 0 and 2 * abs(said - value) <= step
    if not amount.near:
        converted = amount.dimension != "" and amount.factor != factor
        return exact and converted and digits >= _LEAST_DIGITS
    if not (amount.part or exact or digits < _digits(value / factor)):
        return False
    if amount.near.startswith("under"):
        return value < said
    return value > said if amount.near.startswith("over") else True


def _precision(amount: Amount, said: Fraction) -> tuple[int, Fraction]:
    """Significant digits of a number as it is told, and what one of the last of them is worth."""
    plain = amount.told.replace(",", "")
    whole, _, decimals = plain.partition(".")
    if not plain.replace(".", "", 1).isdecimal() or not plain.isascii() or not Fraction(plain):
        return _digits(said), Fraction(0)
    kept = whole if decimals else whole.rstrip("0")
    step = Fraction(1, 10 ** len(decimals)) if decimals else Fraction(10 ** (len(whole) - len(kept)))
    return len((kept + decimals).lstrip("0")), abs(said) / Fraction(plain) * step


def _digits(value: Fraction) -> int:
    """Significant digits of a decimal."""
    scaled = abs(value)
    for _ in range(9):
        if scaled.denominator == 1:
            break
        scaled *= 10
    return len(str(int(scaled)).rstrip("0")) or 1


def period_span(time: str) -> tuple[dt.date, dt.date] | None:
    """First and last day of a period in canonical form."""
    try:
        if "Q" in time:
            year, quarter = time.split("-Q")
            first = dt.date(int(year), int(quarter) * 3 - 2, 1)
            return first, _month_end(first.year, first.month + 2)
        if "-" in time:
            year, month = time.split("-")
            return dt.date(int(year), int(month), 1), _month_end(int(year), int(month))
        return dt.date(int(time), 1, 1), dt.date(int(time), 12, 31)
    except ValueError:
        return None


def _month_end(year: int, month: int) -> dt.date:
    return dt.date(year + month // 12, month % 12 + 1, 1) - dt.timedelta(days=1)


def covers(day: Day, date: dt.date) -> bool:
    """Whether a date or part of one is true of a date."""
    if day.precision == "any":
        return day.month == date.month and day.day in (0, date.day)
    return any(first <= date <= last for first, last in day.spans)
