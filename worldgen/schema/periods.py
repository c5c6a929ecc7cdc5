"""Periods of a series as text and as ordinals: `2029`, `2029-Q1`, `2029-03`."""

from __future__ import annotations

import re
from typing import Literal

Every = Literal["month", "quarter", "year"]
_SHAPES = {
    "year": (re.compile(r"([0-9]{4})"), 1),
    "quarter": (re.compile(r"([0-9]{4})-Q([1-4])"), 4),
    "month": (re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])"), 12),
}
EXAMPLES = {"year": "2028", "quarter": "2028-Q1", "month": "2028-01"}


def ordinal(text: str, every: Every) -> int:
    """The period's number: the year, ``4*year + quarter - 1`` or ``12*year + month - 1``.

    Raises:
        ValueError: The text is no period of that kind.

    >>> ordinal("2028-Q1", "quarter")
    8112
    """
    shape, parts = _SHAPES[every]
    match = shape.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no {every}")
    return int(match[1]) * parts + (int(match[2]) - 1 if parts > 1 else 0)
