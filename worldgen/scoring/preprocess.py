"""What a cell goes through before its metric: the benchmark's own preprocess functions, by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from worldgen.registry import Registry
from worldgen.scoring.dates import parse_date

Preprocess = Callable[[str], str]

PREPROCESS: Registry[Preprocess] = Registry("preprocess")

_FIRST_NUMBER = re.compile(r"[-+]?(?:\d*\.\d+|\d+\.?\d*)%?")
NO_NUMBER = "NULL"


@PREPROCESS.register("norm_str")
@lru_cache(maxsize=65536)
def norm_str(text: str) -> str:
    """Lower case, without spaces and asterisks.

    >>> norm_str(" **New York**")
    'newyork'
    """
    return text.lower().strip().replace(" ", "").replace("*", "")


@PREPROCESS.register("extract_number")
def extract_number(text: str) -> str:
    """The first number, commas dropped, a percent sign kept; ``NULL`` where there is none.

    >>> extract_number("about 1,250.5 km")
    '1250.5'
    """
    found = _FIRST_NUMBER.search(text.replace(",", ""))
    return found[0] if found else NO_NUMBER


@PREPROCESS.register("norm_date")
def norm_date(text: str) -> str:
    """The date as ``YYYY-MM-DD``; the text itself where it is none.

    >>> norm_date("May 2016")
    '2016-05-01'
    """
    found = parse_date(text)
    return text if found is None else found.strftime("%Y-%m-%d")
