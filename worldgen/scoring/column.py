"""Type inference for a column of text, as the official scorer's table reader does it.

It matters to scores: a column of whole numbers with a gap turns into decimals (``1990`` becomes ``1990.0``), ``007``
into ``7``, an empty cell or ``None`` into ``nan``. Both sides are compared as these texts, so a gap on one side alone
makes the whole column differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import yaml

_SPACES = " \t\n\v\f\r"
_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)[ \t\n\v\f\r]*(.?)", re.DOTALL)
_NUMBER = re.compile(
    r"[ \t\n\v\f\r]*([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]*))?[ \t\n\v\f\r]*\Z"
)
_INFINITE = {"inf": "inf", "+inf": "inf", "-inf": "-inf", "infinity": "inf", "+infinity": "inf", "-infinity": "-inf"}
_TRUTH = {"True": "True", "TRUE": "True", "true": "True", "False": "False", "FALSE": "False", "false": "False"}
_LONGEST_WORD = 20
_SAFE_WORD = 19
_DIGITS_KEPT = 17
_LARGEST_POWER = 308


@lru_cache(maxsize=1)
def missing_words() -> dict[str, frozenset[str]]:
    """The word lists of ``missing_words.yaml``: ``csv`` for the official reader, ``reward`` for `worldgen_f1`."""
    lists = yaml.safe_load((Path(__file__).parent / "missing_words.yaml").read_text("utf-8"))
    return {name: frozenset(words) for name, words in lists.items()}


def infer_column(cells: Sequence[str]) -> tuple[str, ...]:
    """The cells of a column as the type inferred for it prints them.

    >>> infer_column(["1990", ""])
    ('1990.0', 'nan')
    """
    missing = missing_words()["csv"]
    gaps = not missing.isdisjoint(cells)
    present = [cell for cell in cells if cell not in missing] if gaps else cells
    if not present:
        return ("nan",) * len(cells)
    shown = _inferred(present, gaps=gaps)
    if shown is None:
        return tuple(cells)
    if not gaps:
        return tuple(shown)
    following = iter(shown)
    return tuple("nan" if cell in missing else next(following) for cell in cells)


def _inferred(cells: Sequence[str], *, gaps: bool) -> Sequence[str] | None:
    """The printed cells; None where the reader gives up on a number too large and keeps even gaps as written."""
    if _could_be_number(cells[0]):
        wholes = _wholes(cells)
        if isinstance(wholes, list):
            return [str(float(n)) for n in wholes] if gaps else [str(n) for n in wholes]
        if wholes == "overflow":
            verdict = _unsigned(cells, gaps=gaps)
            if verdict == "as written":
                return None
            if verdict == "text":
                return cells
            if verdict == "uint":
                return [str(_bounded(cell.strip(_SPACES))) for cell in cells]
        shown = _decimals(cells)
        if shown is not None:
            return shown
    if all(cell in _TRUTH for cell in cells):
        return [_TRUTH[cell] for cell in cells]
    return cells


def _could_be_number(cell: str) -> bool:
    return _NUMBER.match(cell) is not None or cell.lower() in _INFINITE


def _wholes(cells: Sequence[str]) -> list[int] | Literal["overflow", "mixed"]:
    """The cells as 64-bit integers, or what stopped the reader first."""
    joined = "".join(cells)
    if joined.isascii() and joined.isdigit() and max(map(len, cells)) < _SAFE_WORD:
        return list(map(int, cells))
    found = []
    for cell in cells:
        match = _INTEGER.match(cell)
        if match is None:
            return "mixed"
        number = _bounded(match[1])
        if not -(2**63) <= number < 2**63:
            return "overflow"
        if match[2]:
            return "mixed"
        found.append(number)
    return found


def _bounded(digits: str) -> int:
    """The integer, or one that fits no machine word where it would take long to compute."""
    if len(digits) > _LONGEST_WORD and len(digits.lstrip("+-0")) > _LONGEST_WORD:
        return -(2**70) if digits.startswith("-") else 2**70
    return int(
        digits if len(digits) <= _LONGEST_WORD else digits[0] * (digits[0] == "-") + (digits.lstrip("+-0") or "0")
    )


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
        number = _bounded(match[1])
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
    if exponent is not None and not 0 < len(exponent.lstrip("+-")) <= _DIGITS_KEPT:
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
