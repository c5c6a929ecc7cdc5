"""Says a date by its distance from another: exact, or not at all."""

from __future__ import annotations

from datetime import date

from worldgen.language.words import number_words, words_of

_MOST_DAYS = 13
_MOST_WEEKS = 8
_MOST_MONTHS = 23
_MOST_YEARS = 40
_SAFE_DAY = 28


def relative_date(day: int, reference: int, language: str) -> str | None:
    """How far a date is from a reference date, as days counted by ``date.toordinal()``.

    A distance in months or years is only said where the day of the month is the same and no later than the 28th, so
    that it has one meaning. None where no exact phrase reads well.

    >>> at = date(2029, 6, 18).toordinal()
    >>> relative_date(at - 3, at, "en"), relative_date(at + 14, at, "en"), relative_date(at - 3, at, "zh")
    ('three days earlier', 'two weeks later', '三天前')
    """
    table = words_of(language)
    gap = day - reference
    if gap == 0:
        return str(table["same_day"])
    if abs(gap) == 1:
        return str(table["day_before" if gap < 0 else "day_after"])
    if abs(gap) % 7 == 0 and abs(gap) <= 7 * _MOST_WEEKS:
        return _distance(gap // 7, "week", language)
    if abs(gap) <= _MOST_DAYS:
        return _distance(gap, "day", language)
    told, asked = date.fromordinal(day), date.fromordinal(reference)
    if told.day != asked.day or told.day > _SAFE_DAY:
        return None
    months = (told.year - asked.year) * 12 + told.month - asked.month
    if months % 12 == 0 and abs(months) <= 12 * _MOST_YEARS:
        return _distance(months // 12, "year", language)
    return _distance(months, "month", language) if abs(months) <= _MOST_MONTHS else None


def relative_year(year: int, reference: int, language: str) -> str | None:
    """How far a year is from a reference year.

    >>> relative_year(2027, 2029, "en"), relative_year(2030, 2029, "zh"), relative_year(1900, 2029, "en")
    ('two years earlier', '次年', None)
    """
    table = words_of(language)
    gap = year - reference
    if gap == 0:
        return str(table["same_year"])
    if abs(gap) == 1:
        return str(table["year_before" if gap < 0 else "year_after"])
    return _distance(gap, "year", language) if abs(gap) <= _MOST_YEARS else None


def _distance(gap: int, step: str, language: str) -> str:
    table = words_of(language)
    size = abs(gap)
    number = number_words(size, language, counting=True)
    return str(table["earlier" if gap < 0 else "later"].format(n=number, unit=table["steps"][step][size > 1]))
