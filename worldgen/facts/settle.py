"""Brings drawn values into their ranges and apart from one another, by drawing again rather than by piling up.

Everything works on scaled integers on a grid; a range may differ by row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import GenerationError

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

FAR = 2**61
"""Stands for no bound."""

_ROUNDS = 24
_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """Least and greatest value of each row, multiples of ``step``."""

    low: Ints
    high: Ints
    step: int

    def violated(self, values: Ints) -> Bools:
        """Which values lie outside."""
        return (values < self.low) | (values > self.high)


def ids(table: str, rows: Ints) -> str:
    """The first few row ids, for messages."""
    shown = ", ".join(f"{table}/{row}" for row in rows[:_SHOWN].tolist())
    return shown + (f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else "")


def count_within(values: Ints) -> Ints:
    """How many rows before this one hold the same value."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(values) else order
    lengths = np.diff(np.append(starts, len(values)))
    counts = np.empty(len(values), dtype=np.int64)
    counts[order] = np.arange(len(values)) - np.repeat(starts, lengths)
    return counts


def repeats(values: Ints, groups: Ints, fixed: Bools | None = None) -> Bools:
    """Which rows hold a value that a row before them in the same group holds; fixed rows stand before all others."""
    order = np.lexsort((values, groups) if fixed is None else (~fixed, values, groups))
    again = np.zeros(len(values), dtype=np.bool_)
    if len(values) > 1:
        same = (values[order][1:] == values[order][:-1]) & (groups[order][1:] == groups[order][:-1])
        again[order[1:][same]] = True
    return again


def settle(
    draw: Callable[[Ints], Ints], bounds: Range, groups: Ints | None, *, again: bool, table: str, where: str,
    fixed: Bools | None = None,
) -> Ints:  # fmt: skip
    """Values inside their ranges, and different within each group.

    Args:
        draw: Row numbers → new values for them.
        bounds: The range of each row.
        groups: Rows of one group must differ; None where they need not.
        again: Whether drawing again may give something else.
        table: For messages.
        where: For messages.
        fixed: Rows whose values `draw` always gives again: of two alike, the other one moves.

    Raises:
        GenerationError: A range is empty, or no free value is left; names the rows.
    """
    empty = np.flatnonzero(bounds.low > bounds.high)
    if len(empty):
        raise GenerationError(
            "facts.empty-range", f"{where}: no value lies within the bounds of {ids(table, empty)}",
            expected="a least value below the greatest", fix="widen the bounds, or move what they are after or before",
        )  # fmt: skip
    values = draw(np.arange(len(bounds.low), dtype=np.int64))
    for _ in range(_ROUNDS if again else 0):
        bad = bounds.violated(values)
        if groups is not None:
            bad |= repeats(values, groups, fixed)
        rows = np.flatnonzero(bad)
        if len(rows) == 0:
            return values
        values[rows] = draw(rows)
    values = _reflected(values, bounds)
    return values if groups is None else _apart(values, bounds, groups, fixed=fixed, table=table, where=where)


def _reflected(values: Ints, bounds: Range) -> Ints:
    below, above = values < bounds.low, values > bounds.high
    values = np.where(below, 2 * bounds.low - values, np.where(above, 2 * bounds.high - values, values))
    return np.minimum(np.maximum(values, bounds.low), bounds.high)


def _apart(values: Ints, bounds: Range, groups: Ints, *, fixed: Bools | None, table: str, where: str) -> Ints:
    """Moves what still repeats to the nearest free value, in order of rows."""
    rows = np.flatnonzero(repeats(values, groups, fixed))
    if len(rows) == 0:
        return values
    taken = set(zip(groups.tolist(), values.tolist(), strict=True))
    for row in rows.tolist():
        group, low, high = int(groups[row]), int(bounds.low[row]), int(bounds.high[row])
        free = _nearest(int(values[row]), low, high, bounds.step, lambda v, g=group: (g, v) not in taken)  # type: ignore[misc]
        if free is None:
            raise GenerationError(
                "facts.not-unique", f"{where}: no free value is left for {ids(table, rows)}",
                expected="as many different values as rows", fix="widen the range, or lower the count",
            )  # fmt: skip
        values[row] = free
        taken.add((group, free))
    return values


def _nearest(value: int, low: int, high: int, step: int, free: Callable[[int], bool]) -> int | None:
    distance = step
    while value - distance >= low or value + distance <= high:
        for candidate in (value + distance, value - distance):
            if low <= candidate <= high and free(candidate):
                return candidate
        distance += step
    return None
