"""The columns of a world as numbers with a label and a unit, and the statistics by which plots are chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from worldgen.facts.tables import Column, Facts, Table
from worldgen.language import unit
from worldgen.tasks.wording.nouns import labels, nouns

Numbers = NDArray[np.float64]
_NUMBERS = ("integer", "decimal", "money", "percent")


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """One numeric column.

    Attributes:
        table: Its table.
        name: The attribute.
        label: What it is called, without its table.
        unit: Sign or noun behind the numbers, a currency's code or %; empty where the label says what is counted.
        rows: What the rows are called, in the plural.
        values: One number per row, NaN where it is not disclosed.
        is_year: Whether the numbers are years.
    """

    table: str
    name: str
    label: str
    unit: str
    rows: str
    values: Numbers
    is_year: bool = False

    @property
    def known(self) -> Numbers:
        """The numbers that are disclosed."""
        return self.values[~np.isnan(self.values)]

    @property
    def axis(self) -> str:
        """The label with the unit in brackets."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


def unit_of(column: Column) -> str:
    """What stands behind the numbers of a column."""
    if column.unit is not None:
        found = unit(column.unit)
        return found.symbol or found.many
    return "%" if column.type == "percent" else column.currency or ""


def rows_called(facts: Facts, table: Table) -> str:
    """The plural of a table's noun; of a series that of the entity observed."""
    observed = table.columns[table.key[0]].target if table.kind == "series" else None
    return nouns(facts, observed or table.name, "en")[0][1]


def quantity(facts: Facts, table: Table, name: str) -> Quantity:
    """A numeric column in words and numbers."""
    column = table.columns[name]
    values = np.where(column.given, column.values / 10.0**column.decimals, np.nan)
    label, sign, rows = labels(facts, table, name, "en")[0], unit_of(column), rows_called(facts, table)
    told = "" if sign in label.split() or label.startswith("number of ") else sign
    return Quantity(table.name, name, label, told, rows, values, column.type == "year")


def quantities(facts: Facts, table: Table) -> list[Quantity]:
    """The numbers and years of a table that pages state, ranks left out, in the order of the schema."""
    columns = ((name, table.columns[name]) for name in table.stated())
    return [
        quantity(facts, table, name)
        for name, column in columns
        if column.type in (*_NUMBERS, "year") and (column.spec is None or column.spec.rank is None)
    ]


def skewed(values: Numbers) -> bool:
    """Whether a logarithmic axis shows the values better: all above zero, far apart, and less lopsided as logarithms.

    >>> skewed(np.array([1.0, 2, 3, 4, 5, 6, 500])), skewed(np.arange(1.0, 100.0))
    (True, False)
    """
    if values.size < 3 or values.min() <= 0 or values.max() / values.min() < 6:
        return False
    if values.max() <= 30 and np.all(values == np.round(values)):
        return False  # few whole numbers leave gaps between them
    return _skewness(values) > 0.8 and abs(_skewness(np.log(values))) < _skewness(values)


def _skewness(values: Numbers) -> float:
    spread = values.std()
    return 0.0 if spread == 0 else float((((values - values.mean()) / spread) ** 3).mean())


def rank_correlation(a: Numbers, b: Numbers) -> float:
    """Spearman's rank correlation over the rows where both are disclosed; 0 where one of them does not vary.

    >>> rank_correlation(np.array([1.0, 2, 3, np.nan]), np.array([10.0, 30, 900, 1]))
    1.0
    """
    both = ~(np.isnan(a) | np.isnan(b))
    x, y = _ranks(a[both]), _ranks(b[both])
    if x.size < 2 or x.std() == 0 or y.std() == 0:
        return 0.0
    return round(float(np.corrcoef(x, y)[0, 1]), 6)


def _ranks(values: Numbers) -> Numbers:
    """Ranks, those of equal values averaged."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse], dtype=np.float64)
