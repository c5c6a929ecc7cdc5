"""How long people live, and how old they are: a life table, days of death drawn from it, ages by the calendar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from worldgen.schema import elementary
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_OLDEST = 111
_YEAR = 365
_AGEING = 0.1
"""The force of mortality of adults grows by a tenth a year of age."""


def life_table(lifespan: float, infant_deaths: float) -> Floats:
    """The chance of dying before each age, 0 … 111.

    References:
        B. Gompertz, "On the nature of the function expressive of the law of human mortality", *Philosophical
        Transactions* 115, 1825.

    >>> table = life_table(78, 0.05)
    >>> bool(table[0] == 0 and 0.05 < table[5] < 0.06 and table[111] == 1)
    True
    """
    ages = np.arange(_OLDEST + 1, dtype=np.float64)
    grown = elementary.exp(_AGEING * (ages - lifespan))
    alive = elementary.exp(grown[0] - grown)
    young = 1 - infant_deaths * np.minimum(np.where(ages > 0, 0.5 + 0.1 * ages, 0.0), 1.0)
    died = 1 - alive * young
    died[-1] = 1.0
    return np.asarray(died, dtype=np.float64)


def days_of_death(table: Floats, born: Ints, least: Ints, rng: Stream) -> Ints:
    """Days of death of people who reach at least an age.

    Args:
        table: From `life_table`.
        born: Days of birth, shape (people,).
        least: Ages that they reach, in years of 365 days, shape (people,).
        rng: What draws.
    """
    before = table[least]
    drawn = before + (1 - before) * rng.unit(len(born))
    years = np.minimum(np.searchsorted(table, drawn, side="right") - 1, _OLDEST - 1)
    return np.asarray(born + np.maximum(years, least) * _YEAR + rng.below(len(born), _YEAR), dtype=np.int64)


def years_between(start: Ints, end: Ints) -> Ints:
    """Whole years from day to day, by the calendar: an age.

    >>> day = lambda text: np.array([np.datetime64(text, "D").astype(np.int64)])
    >>> years_between(day("1980-03-02"), day("2000-03-01")).tolist()
    [19]
    """
    one, two = start.astype("datetime64[D]"), end.astype("datetime64[D]")
    months = two.astype("datetime64[M]").astype(np.int64) - one.astype("datetime64[M]").astype(np.int64)
    days = [(each - each.astype("datetime64[M]")).astype(np.int64) for each in (one, two)]
    return np.asarray((months - (days[1] < days[0])) // 12, dtype=np.int64)
