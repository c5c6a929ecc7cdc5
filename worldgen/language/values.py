"""What a value is, and the one canonical way to write it: the cell of a gold table.

A value is an integer. What it means is its `ValueSpec`: a decimal is scaled by a power of ten, a date counts days,
so that nothing is ever rounded on the way from the facts to a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal, get_args

from worldgen.errors import CallerError
from worldgen.language.units import Currency, unit
from worldgen.language.words import words_of

ValueType = Literal[
    "integer", "decimal", "money", "percent", "year", "month", "quarter", "date", "time", "category", "boolean"
]
Render = Callable[[int], str]
_MOST_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class ValueSpec:
    """How to read the integer that stands for a value.

    ==================================  =========================================================
    type                                the integer
    ==================================  =========================================================
    integer, decimal, money, percent    value × 10**decimals (a percent of 12.5 with one decimal: 125)
    year                                the year
    month                               year × 12 + month - 1
    quarter                             year × 4 + quarter - 1
    date                                ``datetime.date.toordinal()``
    time                                minutes since midnight
    category                            index into ``labels``
    boolean                             0 or 1
    ==================================  =========================================================

    Attributes:
        type: One of `ValueType`.
        decimals: Decimal places, 0 to 9.
        unit: Id of a unit, for integer and decimal.
        currency: For money.
        labels: English and Chinese label of each category; for a boolean, of false and true.
    """

    type: ValueType
    decimals: int = 0
    unit: str | None = None
    currency: Currency | None = None
    labels: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if self.type not in get_args(ValueType):
            raise _wrong("unknown type of value", " or ".join(get_args(ValueType)), str(self.type))
        if not 0 <= self.decimals <= _MOST_DECIMALS:
            raise _wrong("decimals out of range", "0 to 9", str(self.decimals))
        if self.type == "money" and self.currency is None:
            raise _wrong("money without a currency", "a currency", "none")
        if self.type == "category" and not self.labels:
            raise _wrong("a category without labels", "labels", "none")
        if self.unit is not None:
            unit(self.unit)


def _wrong(message: str, expected: str, got: str) -> CallerError:
    return CallerError("language.value-spec", message, expected=expected, got=got)


def digits(decimals: int, *, grouped: bool) -> Render:
    """A function that writes scaled integers as fixed decimals.

    >>> digits(2, grouped=True)(-123456789)
    '-1,234,567.89'
    """
    comma = "," if grouped else ""
    if decimals == 0:
        return lambda scaled: format(scaled, comma)
    size = 10**decimals

    def write(scaled: int) -> str:
        whole, rest = divmod(abs(scaled), size)
        return f"{'-' if scaled < 0 else ''}{whole:{comma}}.{rest:0{decimals}}"

    return write


def label(spec: ValueSpec, language: str) -> Render:
    """A function that says a category or a boolean."""
    index = 1 if language == "zh" else 0
    names = [pair[index] for pair in spec.labels] or words_of(language)["boolean"]

    def write(scaled: int) -> str:
        if not 0 <= scaled < len(names):
            raise CallerError(
                "language.label", "no label for this value", expected=f"0 to {len(names) - 1}", got=str(scaled)
            )
        return str(names[scaled])

    return write


def clock(scaled: int) -> str:
    """Minutes since midnight as ``HH:MM``."""
    hours, minutes = divmod(scaled, 60)
    return f"{hours:02}:{minutes:02}"


@cache
def cell_renderer(spec: ValueSpec, language: str) -> Render:
    """The function behind `cell`, for whole columns."""
    words_of(language)
    match spec.type:
        case "integer" | "decimal" | "money" | "percent":
            return digits(spec.decimals, grouped=False)
        case "year":
            return str
        case "month":
            return lambda scaled: f"{scaled // 12}-{scaled % 12 + 1:02}"
        case "quarter":
            return lambda scaled: f"{scaled // 4}-Q{scaled % 4 + 1}"
        case "date":
            return lambda scaled: date.fromordinal(scaled).isoformat()
        case "time":
            return clock
        case "category" | "boolean":
            return label(spec, language)


def cell(spec: ValueSpec, scaled: int, language: str = "en") -> str:
    """The gold cell: a number without unit and separators, an ISO date, a label of the language.

    >>> cell(ValueSpec("decimal", decimals=2, unit="kg"), 670), cell(ValueSpec("quarter"), 8118)
    ('6.70', '2029-Q3')
    """
    return cell_renderer(spec, language)(scaled)


def cell_column(spec: ValueSpec, values: Sequence[int], language: str = "en") -> list[str]:
    """`cell` for a column."""
    return list(map(cell_renderer(spec, language), values))


def canonical(spec: ValueSpec, scaled: int) -> str:
    """The value as statements claim it: the English gold cell, whatever the language of the page."""
    return cell_renderer(spec, "en")(scaled)
