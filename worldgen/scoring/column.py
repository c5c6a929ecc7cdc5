"""Type inference for a column of text, as the official scorer's table reader does it.

It matters to scores: a column of whole numbers with a gap turns into decimals (``1990`` becomes ``1990.0``), ``007``
into ``7``, an empty cell or ``None`` into ``nan``, and a column that is whole on one side and decimal on the other is
brought to decimals on both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml

Kind = Literal["int", "uint", "float", "bool", "text"]

_SPACES = " \t\n\v\f\r"
_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)[ \t\n\v\f\r]*(.?)", re.DOTALL)
_NUMBER = re.compile(r"[ \t\n\v\f\r]*([+-]?)(?:([0-9]+)\.?([0-9]*)|\.([0-9]+))(?:[eE]([+-]?[0-9]*))?[ \t\n\v\f\r]*\Z")
_INFINITE = {"inf": "inf", "+inf": "inf", "-inf": "-inf", "infinity": "inf", "+infinity": "inf", "-infinity": "-inf"}
_TRUTH = {"True": "True", "TRUE": "True", "true": "True", "False": "False", "FALSE": "False", "false": "False"}
_DIGITS_KEPT = 17
_LARGEST_POWER = 308


@dataclass(frozen=True, slots=True)
class Column:
    """The inferred kind of a column and its cells as that kind prints them."""

    kind: Kind
    cells: tuple[str, ...]


@lru_cache(maxsize=1)
def missing_words() -> dict[str, frozenset[str]]:
    """The word lists of ``missing_words.yaml``: ``csv`` for the official reader, ``reward`` for `worldgen_f1`."""
    lists = yaml.safe_load((Path(__file__).parent / "missing_words.yaml").read_text("utf-8"))
    return {name: frozenset(words) for name, words in lists.items()}


def infer_column(cells: Sequence[str]) -> Column:
    """Infer a column's kind and print its cells accordingly.

    >>> infer_column(["1990", ""])
    Column(kind='float', cells=('1990.0', 'nan'))
    """
    if not cells:
        return Column("text", ())
    missing = missing_words()["csv"]
    gaps = not missing.isdisjoint(cells)
    present = [cell for cell in cells if cell not in missing] if gaps else cells
    if not present:
        return Column("float", ("nan",) * len(cells))
    found = _inferred(present, gaps=gaps)
    if found is None:
        return Column("text", tuple(cells))
    kind, shown = found
    if not gaps:
        return Column(kind, tuple(shown))
    following = iter(shown)
    return Column(kind, tuple("nan" if cell in missing else next(following) for cell in cells))


def _inferred(cells: Sequence[str], *, gaps: bool) -> tuple[Kind, Sequence[str]] | None:
    """Kind and printed cells; None where the reader gives up on a number too large and keeps even gaps as written."""
    if _could_be_number(cells[0]):
        wholes = _wholes(cells)
        if isinstance(wholes, list):
            return ("float", [str(float(n)) for n in wholes]) if gaps else ("int", [str(n) for n in wholes])
        if wholes == "overflow":
            verdict = _unsigned(cells, gaps=gaps)
            if verdict == "as written":
                return None
            if verdict == "text":
                return "text", cells
            if verdict == "uint":
                return "uint", [str(int(cell)) for cell in cells]
        shown = _decimals(cells)
        if shown is not None:
            return "float", shown
    if all(cell in _TRUTH for cell in cells):
        return ("text" if gaps else "bool"), [_TRUTH[cell] for cell in cells]
    return "text", cells


def _could_be_number(cell: str) -> bool:
    return _NUMBER.match(cell) is not None or cell.lower() in _INFINITE


def _wholes(cells: Sequence[str]) -> list[int] | Literal["overflow", "mixed"]:
    """The cells as 64-bit integers, or what stopped the reader first."""
    found = []
    for cell in cells:
        match = _INTEGER.match(cell)
        if match is None:
            return "mixed"
        number = int(match[1])
        if not -(2**63) <= number < 2**63:
            return "overflow"
        if match[2]:
            return "mixed"
        found.append(number)
    return found


def _unsigned(cells: Sequence[str], *, gaps: bool) -> Literal["uint", "text", "as written", "mixed"]:
    """The reader's second attempt, with unsigned integers, after a number did not fit 64 signed bits."""
    negative = large = False
    for cell in cells:
        if cell.lstrip(_SPACES).startswith("-"):
            negative = True
            continue
        match = _INTEGER.match(cell)
        if match is None:
            return "mixed"
        number = int(match[1])
        if number >= 2**64:
            return "text"
        if match[2]:
            return "mixed"
        large = large or number >= 2**63
    if large and (negative or gaps):
        return "as written"
    return "text" if negative else "uint"


def _decimals(cells: Sequence[str]) -> list[str] | None:
    shown = []
    for cell in cells:
        value = _decimal(cell)
        if value is None:
            return None
        shown.append(value)
    return shown


def _decimal(cell: str) -> str | None:
    match = _NUMBER.match(cell)
    if match is None:
        return _INFINITE.get(cell.lower())
    sign, whole, fraction, bare, exponent = match.groups()
    if exponent in ("", "+", "-"):
        return None
    value = _read_decimal(whole or "", bare or fraction or "", int(exponent or 0))
    return None if value is None else str(-value if sign == "-" else value)


def _read_decimal(whole: str, fraction: str, exponent: int) -> float | None:
    """The value as the official reader computes it: 17 digits at most, then one step by a power of ten.

    The result can differ from the nearest float in its last bit, and so in how it prints.
    """
    kept = whole[:_DIGITS_KEPT]
    exponent += len(whole) - len(kept)
    decimals = fraction[: _DIGITS_KEPT - len(kept)]
    exponent -= len(decimals)
    value = 0.0
    for digit in kept + decimals:
        value = value * 10.0 + float(digit)
    if exponent > _LARGEST_POWER:
        return None
    if exponent >= 0:
        value *= float(f"1e{exponent}")
    elif exponent >= -_LARGEST_POWER:
        value /= float(f"1e{-exponent}")
    else:
        value = value / float(f"1e{min(-exponent - _LARGEST_POWER, _LARGEST_POWER)}") / 1e308
    return None if value == float("inf") else value
