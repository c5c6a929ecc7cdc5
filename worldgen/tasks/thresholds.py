"""Where a condition may cut: at a round number that lies further from every value than the values' rounding."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from worldgen.facts.tables import EPOCH
from worldgen.tasks.frame import Numbers
from worldgen.tasks.meaning import NUMBERS, Meaning

_DIGITS = (1, 5, 2)


def between(found: Meaning, low: float, high: float) -> tuple[int, int] | None:
    """The roundest threshold that separates two neighbouring values, and how round it is (lower is rounder).

    Rounded quantities keep more than one step of distance on both sides, so that it does not matter whether the
    threshold itself counts. Whole numbers and years are exact: the threshold may be the upper value itself. A date
    is never the threshold.

    Returns:
        The threshold at the column's scale, and its rank; None where nothing fits.
    """
    if found.type == "date":
        return _round_date(int(low) + 1, int(high) - 1)
    step = found.step
    if step:
        return _round_number(int(low // 1) + step + 1, -int(-high // 1) - step - 1, found)
    return _round_number(int(low // 1) + 1, int(high // 1), found)


def _round_number(least: int, most: int, found: Meaning) -> tuple[int, int] | None:
    if least > most:
        return None
    quarter = found.type == "period" and found.column is not None and found.column.every != "year"
    if quarter or found.type not in NUMBERS | {"year", "period"}:
        return least, 0
    size = 10 ** len(str(max(abs(least), abs(most))))
    rank = 0
    while size >= 1:
        for digit in _DIGITS:
            part = size * digit // 10 if digit != 1 else size
            if part < 1:
                continue
            first = -(-least // part) * part
            if first <= most:
                return first, rank
            rank += 1
        size //= 10
    return least, rank


def _round_date(least: int, most: int) -> tuple[int, int] | None:
    if least > most:
        return None
    start, end = EPOCH + dt.timedelta(days=least), EPOCH + dt.timedelta(days=most)
    for rank, months in enumerate(((1,), (7,), (4, 10), tuple(range(1, 13)))):
        for day in _firsts(start, end, months):
            return (day - EPOCH).days, rank
    return None


def _firsts(start: dt.date, end: dt.date, months: tuple[int, ...]) -> Iterator[dt.date]:
    for year in range(start.year, end.year + 1):
        for month in months:
            day = dt.date(year, month, 1)
            if start <= day <= end:
                yield day


def cuts(found: Meaning, ordered: Numbers, least: int, most: int, *, top: bool) -> list[tuple[int, int, int]]:
    """Thresholds that keep between ``least`` and ``most`` of the ordered values.

    Returns:
        (rank, number kept, threshold), roundest first.
    """
    size = len(ordered)
    options = []
    for kept in range(max(1, least), min(most, size - 1) + 1):
        place = size - kept if top else kept
        low, high = ordered[place - 1], ordered[place]
        if low == high:
            continue
        cut = between(found, float(low), float(high))
        if cut is not None:
            options.append((cut[1], kept, cut[0]))
    return sorted(options)


def apart(ordered: Numbers, threshold: int) -> float:
    """How far a threshold is from the nearest of the ordered values."""
    place = int(ordered.searchsorted(threshold))
    near = ordered[max(0, place - 1) : place + 1]
    return min(abs(float(value) - threshold) for value in near)


def clear_cut(found: Meaning, ordered: Numbers, kept: int, *, top: bool) -> bool:
    """Whether the best ``kept`` of the ordered values stand apart from the rest by more than the rounding."""
    size = len(ordered)
    if not 1 <= kept < size:
        return False
    place = size - kept if top else kept
    return float(ordered[place]) - float(ordered[place - 1]) > found.step
