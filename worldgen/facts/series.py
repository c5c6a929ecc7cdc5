"""Values observed over time: a first value, growth from period to period, seasons, never back where monotone."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.distributions import noise_factor, standard_normal
from worldgen.facts.given import broken
from worldgen.facts.paths import Draft
from worldgen.facts.plan import Plan
from worldgen.facts.settle import ids
from worldgen.facts.tables import Column, Table, period_text
from worldgen.facts.values import disclosed, limits, step_of, to_grid
from worldgen.schema.model import Series
from worldgen.seeds import stream

Ints = NDArray[np.int64]

_FORMS = {"year": r"(\d{4})", "quarter": r"(\d{4})-Q([1-4])", "month": r"(\d{4})-(0[1-9]|1[0-2])"}
_PER_YEAR = {"year": 1, "quarter": 4, "month": 12}
_WRITTEN = {"year": "2028", "quarter": "2028-Q1", "month": "2028-01"}
_LEAST_FACTOR = 0.05


def period_ordinal(text: str, every: str, where: str) -> int:
    """The ordinal of a period: ``period_ordinal("2028-Q1", "quarter", "sales") == 8112``."""
    match = re.fullmatch(_FORMS[every], text)
    if match is None:
        raise SchemaError("schema.period", f"{where}: period", expected=_WRITTEN[every], got=text)
    year = int(match[1])
    return year if every == "year" else _PER_YEAR[every] * year + int(match[2]) - 1


def draw_series(draft: Draft, plan: Plan, name: str, series: Series) -> Table:
    """The table of a series, entity by entity, periods in order."""
    table = f"{series.of}_{name}"
    first, last = (period_ordinal(end, series.every, table) for end in (series.start, series.end))
    if last < first:
        raise SchemaError("schema.period", f"{table}: to", expected=f"not before {series.start}", got=series.end)
    size, periods = draft.size(series.of), last - first + 1
    values = _values(draft, plan, table, series, first, periods)
    rows = size * periods
    everywhere = np.ones(rows, dtype=np.bool_)
    of = Column(
        name=series.of, type="ref", values=np.repeat(np.arange(size, dtype=np.int64), periods), given=everywhere,
        target=series.of,
    )  # fmt: skip
    period = Column(
        name="period", type="period", values=np.tile(np.arange(first, last + 1, dtype=np.int64), size),
        given=everywhere.copy(), every=series.every,
    )  # fmt: skip
    made = Table(
        name=table, kind="series", size=rows, columns={series.of: of, "period": period}, names=[], named=False,
        key=(series.of, "period"),
    )  # fmt: skip
    draft.tables[table] = made
    made.columns[name] = Column(
        name=name, type=series.type, values=values, given=_disclosed(draft, table, name, series, first, periods),
        decimals=series.decimals, unit=series.unit, currency=series.currency,
    )  # fmt: skip
    return made


def _disclosed(draft: Draft, table: str, name: str, series: Series, first: int, periods: int) -> NDArray[np.bool_]:
    given = disclosed(draft, table, name, series.undisclosed)
    given[[row * periods + period - first for row, period in draft.given.series.get((series.of, name), {})]] = True
    return given


def _values(draft: Draft, plan: Plan, table: str, series: Series, first: int, periods: int) -> Ints:
    size = draft.size(series.of)
    level = draft.evaluate(series.of, plan.expressions[series.of, series.initial]).astype(np.float64)
    broken = np.flatnonzero(~np.isfinite(level))
    if len(broken):
        raise GenerationError(
            "facts.not-a-number", f"{table}: `{series.initial}` has no value for {ids(series.of, broken)}",
            expected="a finite number", got=str(level[broken[:3]].tolist()),
        )  # fmt: skip
    if series.noise:
        level = level * noise_factor(size, series.noise, stream(draft.seed, "facts", table, "initial"))
    z = standard_normal(size * periods, stream(draft.seed, "facts", table, "growth")).reshape(size, periods)
    change = series.growth.mean + series.growth.sd * z
    if series.monotone is not None:
        change = np.abs(change) if series.monotone == "increasing" else -np.abs(change)
    factors = np.maximum(1.0 + change, _LEAST_FACTOR)
    factors[:, 0] = level
    # accumulate multiplies one by one in order, so the bits do not depend on the processor.
    levels = np.multiply.accumulate(factors, axis=1)
    if series.season:
        season = np.array(series.season)
        levels = levels * season[(first % _PER_YEAR[series.every] + np.arange(periods)) % len(season)]
    return _given(draft, series, table, first, _stored(levels, series, table).reshape(size, periods)).ravel()


def _given(draft: Draft, series: Series, table: str, first: int, values: Ints) -> Ints:
    """Drawn values with the given ones in their places; a monotone series is drawn between them.

    Raises:
        GenerationError: A given value lies outside of the series' bounds, or turns a monotone one.
    """
    name = table.removeprefix(f"{series.of}_")
    told = draft.given.series.get((series.of, name), {})
    step = step_of(series.round, series.decimals, table)
    low, high = limits(values.size, [series.min], [series.max], series.decimals)
    low, high = low.reshape(values.shape), high.reshape(values.shape)
    for (row, period), said in sorted(told.items()):
        value = int(Decimal(said.value).scaleb(series.decimals))
        at = period - first
        if not low[row, at] <= value <= high[row, at] or value % step:
            rule = f"a multiple of {step} from {low[row, at]} to {high[row, at]}, at {series.decimals} decimals"
            raise broken(f"{series.of}/{row}/{name}@{period_text(period, series.every)}", said, rule)
        values[row, at] = low[row, at] = high[row, at] = value
        if series.monotone is not None:
            rising = series.monotone == "increasing"
            before, after = (slice(None, at), slice(at + 1, None)) if rising else (slice(at + 1, None), slice(None, at))
            high[row, before] = np.minimum(high[row, before], value)
            low[row, after] = np.maximum(low[row, after], value)
    return np.minimum(np.maximum(values, low), high)


def _stored(levels: NDArray[np.float64], series: Series, table: str) -> Ints:
    step = step_of(series.round, series.decimals, table)
    values = to_grid(levels.ravel(), series.decimals, step, table).reshape(levels.shape)
    low, high = limits(1, [series.min], [series.max], series.decimals)
    values = np.minimum(np.maximum(values, -(-low // step) * step), high // step * step)
    if series.monotone == "increasing":
        values = np.maximum.accumulate(values, axis=1)
    elif series.monotone == "decreasing":
        values = np.minimum.accumulate(values, axis=1)
    return np.ascontiguousarray(values).ravel()
