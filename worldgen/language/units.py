"""Units and currencies: exact factors, names in two languages, and the units a value may also be told in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from worldgen.errors import CallerError, did_you_mean
from worldgen.language.data import read_yaml


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit. ``factor`` times a value is the value in the base of ``dimension``."""

    id: str
    dimension: str
    factor: Fraction
    one: str
    many: str
    zh: str
    symbol: str
    prefer_symbol: bool
    others: tuple[tuple[str, int], ...]
    compound: str


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency, real or invented; an empty symbol means that prose uses the name.

    >>> Currency("KRN", "", "crown", "crowns", "克朗").many
    'crowns'
    """

    code: str
    symbol: str
    one: str
    many: str
    zh: str


@dataclass(frozen=True, slots=True)
class Scale:
    """A word for a large number: how large, the most decimals before it, and what its whole part stays below."""

    name: str
    size: int
    decimals: int
    below: int
    least: int = 1


@cache
def units() -> dict[str, Unit]:
    """All units by id."""
    return {name: _unit(name, fields) for name, fields in read_yaml("units")["units"].items()}


def _unit(name: str, fields: dict[str, Any]) -> Unit:
    one, many = fields["en"]
    return Unit(
        id=name,
        dimension=fields["dimension"],
        factor=Fraction(fields["factor"]),
        one=one,
        many=many,
        zh=fields["zh"],
        symbol=fields.get("symbol", ""),
        prefer_symbol=fields.get("prefer", "word") == "symbol",
        others=tuple(fields.get("others", {}).items()),
        compound=fields.get("compound", ""),
    )


def unit(name: str) -> Unit:
    """The unit of that id; `CallerError` lists the valid ones."""
    found = units().get(name)
    if found is None:
        raise CallerError(
            "language.unknown-unit",
            f"unknown unit {name!r}",
            expected=" or ".join(units()),
            fix=did_you_mean(name, units()),
        )
    return found


@cache
def currencies() -> dict[str, Currency]:
    """The real currencies known here, by code; a schema may bring its own."""
    return {
        code: Currency(code, fields["symbol"], fields["en"][0], fields["en"][1], fields["zh"])
        for code, fields in read_yaml("units")["currencies"].items()
    }


def currency(code: str) -> Currency:
    """The currency of that code; `CallerError` lists the valid ones."""
    found = currencies().get(code)
    if found is None:
        raise CallerError(
            "language.unknown-currency",
            f"unknown currency {code!r}",
            expected=" or ".join(currencies()),
            fix="name it in the schema with its symbol and its names, if it is an invented one",
        )
    return found


@cache
def scales(language: str) -> tuple[Scale, ...]:
    """Words for large numbers, largest first."""
    return tuple(Scale(*row) for row in read_yaml("units")["scales"][language])


def convert(value: Fraction, source: str, target: str) -> Fraction:
    """The same quantity in another unit, exactly.

    >>> convert(Fraction(67, 10), "in", "cm")
    Fraction(8509, 500)
    """
    a, b = unit(source), unit(target)
    if a.dimension != b.dimension:
        raise CallerError(
            "language.dimension", f"{source} does not convert to {target}", expected=a.dimension, got=b.dimension
        )
    return value * a.factor / b.factor
