"""Does a said value mean a claimed one? Units, coarser dates and honest rounding are equal; nothing else is."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

from worldgen.audit.claims.amounts import Amount
from worldgen.audit.claims.dates import Day
from worldgen.audit.claims.traits import Trait

_TOLERANCE = Fraction(5, 100)


def fits(amount: Amount, trait: Trait, value: Fraction | None) -> bool:
    """Whether an amount states a value of an attribute."""
    if value is None or (amount.points and trait.kind == "percent"):
        return False
    if amount.ordinal:
        return trait.rank and amount.value == value
    if amount.dimension == trait.dimension:
        return close(amount, amount.value, value)
    if amount.dimension == "" and trait.kind != "money":
        return close(amount, amount.value * trait.factor, value)
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


def close(amount: Amount, said: Fraction, value: Fraction) -> bool:
    """Whether a said number is the claimed one, or an honest rounding of it in the right direction."""
    if said == value:
        return amount.near not in ("under", "over")
    if not amount.near and not amount.part:
        return False
    if not amount.near or value == 0 or abs(said - value) > abs(value) * _TOLERANCE:
        return False
    if not amount.part and _digits(said) >= _digits(value):
        return False
    if amount.near.startswith("under"):
        return value < said
    return value > said if amount.near.startswith("over") else True


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
