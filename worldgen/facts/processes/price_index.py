"""Consumer price indices: a basket with weights, a price of each item in each period, and the index they give.

The index is Laspeyres' in its form of weighted price relatives, computed as statistical offices do from what they
publish: relatives are rounded, weights add up to 100 exactly, the index is their weighted mean rounded, and changes are
those of the rounded index. All of it is division of whole numbers, halves to even, so that anybody who recomputes it in
decimal arithmetic finds the same digits.

References:
    E. Laspeyres, "Die Berechnung einer mittleren Waarenpreissteigerung", *Jahrbücher für Nationalökonomie und
    Statistik* 16, 1871.
    ILO, IMF, OECD, UNECE, Eurostat and World Bank, *Consumer Price Index Manual: Theory and Practice*, 2004, chapter 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from worldgen.errors import GenerationError
from worldgen.facts.derived import divided, largest_remainder
from worldgen.facts.distributions import noise_factor, standard_normal
from worldgen.facts.processes.process import (
    Given,
    Process,
    Produced,
    View,
    from_schema,
    processes,
    require_rows,
)
from worldgen.schema import elementary
from worldgen.schema.periods import ordinal
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_WEIGHT_DECIMALS = 2
_WEIGHT_SPREAD = 0.8
_PRICE_MEDIAN, _PRICE_SPREAD = 6.0, 1.1
_TREND_SPREAD = 0.025
_CLIMATE_PERSISTENCE = 0.9
_CLIMATE_SPREAD = 0.008
_SHOCK_SPREAD = 0.05
_SEASONAL_SHARE = 0.25
_SEASONAL_SIZE = 0.12
_LEAST_PRICE = 1e-2
_GREATEST_PRICE = 1e7


class IndexGiven(Given):
    """Parameters of a price index."""

    items: str = Field(description="The entity that is priced: the basket.")
    every: Literal["month", "quarter"] = Field(default="month", description="Length of a period.")
    periods: tuple[str, str] = Field(
        description="First and last period, e.g. [2024-01, 2029-12] or [2024-Q1, 2029-Q4]."
    )
    base: str | None = Field(default=None, description="Period in which the index is 100; none: the first.")
    weight: str | None = Field(default=None, description="An item's expenditure, above 0; else drawn.")
    price: str | None = Field(default=None, description="An item's usual price, above 0; else drawn.")
    inflation: float = Field(default=0.025, ge=-0.2, le=1, description="Mean rise of prices in a year.")
    change: float = Field(default=0.35, gt=0, le=1, description="Share of prices that change from period to period.")
    decimals: int = Field(default=1, ge=0, le=3, description="Decimals of relatives, of the index and of its changes.")

    @model_validator(mode="after")
    def _possible(self) -> IndexGiven:
        first, last = (ordinal(each, self.every) for each in self.periods)
        if last <= first:
            raise ValueError(f"periods: [first, last], two or more expected; got {list(self.periods)}")
        if self.base is not None and not first <= ordinal(self.base, self.every) <= last:
            raise ValueError(f"base: a period from {self.periods[0]} to {self.periods[1]} expected; got {self.base}")
        return self

    @property
    def a_year(self) -> int:
        """Periods in a year."""
        return 12 if self.every == "month" else 4


@processes.register("price_index")
class PriceIndex(Process):
    """Prices, relatives and a Laspeyres index, surveyed each month or quarter; part is its number in the year."""

    name: ClassVar[str] = "price_index"
    parameters: ClassVar[type[Given]] = IndexGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "item": {"weight": "percent", "base_price": "money"},
        "price": {
            "item": "ref:items", "survey": "ref:survey", "year": "year", "part": "integer", "price": "money",
            "relative": "decimal",
        },
        "survey": {"year": "year", "part": "integer", "first_day": "date", "level": "decimal"},
        "change": {
            "survey": "ref:survey", "earlier": "ref:survey", "year": "year", "part": "integer", "rate": "percent",
        },
        "inflation": {
            "survey": "ref:survey", "earlier": "ref:survey", "year": "year", "part": "integer", "rate": "percent",
        },
    }  # fmt: skip

    def needs(self, given: IndexGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """The items, with the attributes that parameters name."""
        return {given.items: [path for path in (given.weight, given.price) if path is not None]}

    def run(self, given: IndexGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Price the basket and compute the index."""
        items = require_rows(self.name, view, given.items, 1)
        first, last = (ordinal(each, given.every) for each in given.periods)
        periods, base = last - first + 1, ordinal(given.base or given.periods[0], given.every) - first
        weights = _weights(given, view, items, rng)
        cents = _prices(given, view, items, first, periods, rng)
        relatives = relatives_of(cents, base, given.decimals)
        levels = laspeyres(weights, relatives)
        number = np.arange(first, last + 1, dtype=np.int64)
        year, part = number // given.a_year, number % given.a_year + 1
        months = (year - 1970) * 12 + (part - 1) * (12 // given.a_year)
        scale = float(10**given.decimals)
        item, period = np.repeat(np.arange(items), periods), np.tile(np.arange(periods), items)
        made: Produced = {
            "item": {"weight": weights / 10.0**_WEIGHT_DECIMALS, "base_price": cents[:, base] / 100.0},
            "price": {
                "item": item, "survey": period, "year": year[period], "part": part[period],
                "price": cents.ravel() / 100.0, "relative": relatives.ravel() / scale,
            },
            "survey": {
                "year": year, "part": part, "level": levels / scale,
                "first_day": months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64),
            },
        }  # fmt: skip
        for table, lag in (("change", 1), ("inflation", given.a_year)):
            now = np.arange(min(lag, periods), periods, dtype=np.int64)
            made[table] = {
                "survey": now, "earlier": now - lag, "year": year[now], "part": part[now],
                "rate": rates(levels, lag, given.decimals) / scale,
            }  # fmt: skip
        return made


def relatives_of(prices: Ints, base: int, decimals: int) -> Ints:
    """Prices relative to those of the base period, which are 100, as whole numbers of the last decimal.

    Args:
        prices: Shape (items, periods), above 0.
        base: A period.
        decimals: Of the relatives.

    >>> relatives_of(np.array([[200, 210, 195]]), 0, 1).tolist()
    [[1000, 1050, 975]]
    """
    return divided(prices * 100, np.broadcast_to(prices[:, base, None], prices.shape), 0, decimals)


def laspeyres(weights: Ints, relatives: Ints) -> Ints:
    """The index of each period: the mean of the relatives, weighted by expenditure in the base period.

    Args:
        weights: Shape (items,).
        relatives: Shape (items, periods).

    >>> laspeyres(np.array([75, 25]), np.array([[1000, 1020], [1000, 1100]])).tolist()
    [1000, 1040]
    """
    return divided(weights @ relatives, np.broadcast_to(weights.sum(), relatives.shape[1:]), 0, 0)


def rates(levels: Ints, lag: int, decimals: int) -> Ints:
    """The change in percent over so many periods, as whole numbers of the last decimal.

    >>> rates(np.array([1000, 1004, 1023]), 1, 1).tolist()
    [4, 19]
    """
    before, now = levels[:-lag], levels[lag:]
    return divided((now - before) * 100, before, 0, decimals)


# Weights and prices


def _weights(given: IndexGiven, view: View, items: int, rng: Stream) -> Ints:
    """Hundredths of a percent, at least one each."""
    total = 100 * 10**_WEIGHT_DECIMALS
    if items > total:
        raise GenerationError(
            "facts.price-index", f"price_index: rows of {given.items}", expected=f"at most {total}", got=str(items),
            fix="price fewer items: no weight may be below a hundredth of a percent",
        )  # fmt: skip
    if given.weight is None:
        spent = noise_factor(items, _WEIGHT_SPREAD, rng)
    else:
        spent = from_schema(view, given.items, given.weight, "process price_index: weight", np.nextafter(0, 1))
    return 1 + largest_remainder(spent, total - items, np.zeros(items, dtype=np.int64))


def _prices(given: IndexGiven, view: View, items: int, first: int, periods: int, rng: Stream) -> Ints:
    """Cents, shape (items, periods): what a price should be drifts, what is asked for follows it now and then."""
    if given.price is None:
        usual = _PRICE_MEDIAN * elementary.exp(_PRICE_SPREAD * standard_normal(items, rng))
    else:
        usual = from_schema(view, given.items, given.price, "process price_index: price", _LEAST_PRICE)
    trend = given.inflation + _TREND_SPREAD * standard_normal(items, rng)
    seasonal = rng.unit(items) < _SEASONAL_SHARE
    high = rng.below(items, given.a_year)
    steps = _SHOCK_SPREAD / np.sqrt(given.a_year) * standard_normal(items * periods, rng).reshape(items, periods)
    climates = _CLIMATE_SPREAD * standard_normal(periods, rng)
    free = rng.unit(items * periods).reshape(items, periods) < given.change
    cents = np.empty((items, periods), dtype=np.int64)
    climate = 0.0
    for period in range(periods):
        climate = _CLIMATE_PERSISTENCE * climate + float(climates[period])
        if period:
            usual = usual * np.maximum(1 + (trend + climate) / given.a_year + steps[:, period], 0.5)
        usual = np.minimum(np.maximum(usual, _LEAST_PRICE), _GREATEST_PRICE)
        asked = np.where(seasonal, usual * _season(high, first + period, given.a_year), usual)
        now = np.maximum(np.rint(asked * 100).astype(np.int64), 1)
        cents[:, period] = now if period == 0 else np.where(free[:, period] | seasonal, now, cents[:, period - 1])
    return cents


def _season(high: Ints, period: int, a_year: int) -> Floats:
    """A factor that is greatest in an item's own part of the year and least half a year off, in straight lines."""
    away = np.abs((period - high) % a_year - a_year // 2)
    return np.asarray(1 + _SEASONAL_SIZE * (away * (4.0 / a_year) - 1), dtype=np.float64)
