"""Columns as `worldgen.language` wants them: numbers, dates and periods said in bulk and one at a time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import cache

from worldgen.corpus.years import marking
from worldgen.facts.tables import EPOCH, Column
from worldgen.language import (
    Currency,
    ValueSpec,
    currencies,
    plain_renderer,
    relative_date,
    relative_year,
    styles,
    unit,
)
from worldgen.language import in_other_unit as _other_unit
from worldgen.language.words import words_of

_EPOCH = EPOCH.toordinal()
_SOME_YEAR = 2000
_CALENDAR = frozenset({"date", "year", "quarter", "month"})
_DATE = ValueSpec("date")
_PERIODS = {"year": ValueSpec("year"), "quarter": ValueSpec("quarter"), "month": ValueSpec("month")}


@cache
def _currency(code: str) -> Currency:
    return currencies().get(code) or Currency(code, "", code, code, code)


def spec_of(column: Column) -> ValueSpec:
    """What the column's integers mean, in the terms of `worldgen.language`."""
    if column.type == "period":
        return _PERIODS[column.every or "year"]
    if column.type == "money":
        return ValueSpec("money", column.decimals, currency=_currency(column.currency or "USD"))
    if column.type in ("integer", "decimal"):
        return ValueSpec(column.type, column.decimals, unit=column.unit)
    if column.type == "percent":
        return ValueSpec("percent", column.decimals)
    return ValueSpec("year" if column.type == "year" else "date")


def renderers(column: Column, language: str) -> list[Callable[[int], str]]:
    """Style → a function that says a value of the column."""
    found = _renderers(spec_of(column), language)
    if column.type == "year":
        found = found[:1]  # in prose a year is not said as a bare number in Chinese
    if language == "zh" and column.unit is not None and not unit(column.unit).prefer_symbol:
        names = styles(spec_of(column).type, language)
        found = [say for say, name in zip(found, names, strict=True) if name != "symbol"]
    return [_from_epoch(say) for say in found] if column.type == "date" else found


def _renderers(spec: ValueSpec, language: str) -> list[Callable[[int], str]]:
    found = [plain_renderer(spec, style, language) for style in range(len(styles(spec.type, language)))]
    return [marking(say) for say in found] if spec.type in _CALENDAR else found


def _from_epoch(say: Callable[[int], str]) -> Callable[[int], str]:
    return lambda value: say(value + _EPOCH)


def bare(column: Column, language: str) -> tuple[Callable[[int], str], str]:
    """What says a number of the column without its unit, and the unit, for the head of a table's column."""
    say = plain_renderer(ValueSpec("decimal", column.decimals), 0, language)
    if column.type == "money":
        known = _currency(column.currency or "USD")
        return say, known.zh if language == "zh" else known.code
    if column.type == "percent":
        return say, "%"
    if column.unit is None:
        return say, ""
    used = unit(column.unit)
    return say, used.zh if language == "zh" else used.symbol if used.prefer_symbol else used.many


def in_other_unit(column: Column, value: int, language: str) -> str | None:
    """A value in another unit, where that is exact."""
    return _other_unit(spec_of(column), value, language)


def say_points(column: Column, value: int, language: str, pattern: str) -> str:
    """A difference of two percentages, which is no percentage: ``pattern`` has a place ``{n}``."""
    number = plain_renderer(ValueSpec("decimal", column.decimals), 0, language)(value)
    return pattern.replace("{n}", number)


def say_date(day: int, language: str, style: int = 0) -> str:
    """A day, counted from 1970-01-01."""
    say = _date_renderers(language)
    return say[style % len(say)](day + _EPOCH)


@cache
def _date_renderers(language: str) -> list[Callable[[int], str]]:
    return _renderers(_DATE, language)


def say_period(ordinal: int, every: str, language: str, style: int = 0) -> str:
    """A year, quarter or month."""
    say = _period_renderers(every, language)
    return say[style % len(say)](ordinal)


@cache
def _period_renderers(every: str, language: str) -> list[Callable[[int], str]]:
    return _renderers(_PERIODS[every], language)


def distance(day: int, reference: int, language: str) -> str | None:
    """How far a day is from another, where that can be said exactly and reads well."""
    return relative_date(day + _EPOCH, reference + _EPOCH, language)


def since(day: int, reference: int, language: str) -> str | None:
    """How far a day is from the day on which that is told: `three weeks ago`."""
    told = distance(day, reference, language)
    if told is None:
        return None
    table = words_of(language)
    near = {table["day_before"]: table["yesterday"], table["day_after"]: table["tomorrow"]}
    if told in near:
        return str(near[told])
    if language == "en":
        return told.replace(" earlier", " ago").replace(" later", " from now")
    return told


def apart_from(gap: int, shape: str, language: str) -> str:
    """A distance of years or days that goes before what it is counted from: `two weeks after`."""
    if shape == "year":
        told = relative_year(_SOME_YEAR + gap, _SOME_YEAR, language) or ""
    else:
        told = relative_date(_EPOCH + gap, _EPOCH, language) or ""
    if language == "en":
        told = told.replace(" earlier", " before").replace(" later", " after")
        return f"{told} as" if gap == 0 else told
    return told


@cache
def days_later(gap: int, language: str) -> str:
    """A distance of days that can be told whatever the dates: up to 13 days, and whole weeks."""
    return relative_date(_EPOCH + gap, _EPOCH, language) or ""


@cache
def years_later(gap: int, language: str) -> str:
    """A distance of a few years."""
    return relative_year(_SOME_YEAR + gap, _SOME_YEAR, language) or ""


def period_end(ordinal: int, every: str) -> int:
    """The last day of a period, counted from 1970-01-01."""
    if every == "year":
        return (dt.date(ordinal + 1, 1, 1) - EPOCH).days - 1
    months = ordinal * 3 + 3 if every == "quarter" else ordinal + 1
    return (dt.date(months // 12, months % 12 + 1, 1) - EPOCH).days - 1
