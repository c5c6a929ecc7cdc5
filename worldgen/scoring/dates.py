"""Dates in cells, read by dateparser, the library that the official scorer uses.

dateparser takes milliseconds a string, seconds for the first word of an unknown language, so results are kept and the
two plain forms whose reading is certain (a test compares them) never reach it. `parse_date` is the official reading:
it guesses a language and fills what is missing from today's date. `read_date` is ours, for rewards: English and
Chinese, absolute, at least a year and a month, the same on any day.
"""

from __future__ import annotations

import re
import warnings
from datetime import datetime
from functools import lru_cache
from typing import Any

from worldgen.errors import CallerError

_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z", re.ASCII)
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_ENGLISH = re.compile(
    r"(?:(?P<d1>[0-9]{1,2}) )?(?P<month>[A-Za-z]{3,9})(?: (?P<d2>[0-9]{1,2}),)? (?P<year>[12][0-9]{3})\Z", re.ASCII
)
_OFFICIAL: dict[str, Any] = {"PREFER_DAY_OF_MONTH": "first"}
_OWN: dict[str, Any] = {
    "PREFER_DAY_OF_MONTH": "first",
    "PARSERS": ["absolute-time"],
    "REQUIRE_PARTS": ["year", "month"],
    "RELATIVE_BASE": datetime(2000, 1, 1),
    "RETURN_AS_TIMEZONE_AWARE": False,
}


# dateparser takes seconds over a text of some hundred thousand characters, and finds no date in it.
_LONGEST = 1_000


class DateError(CallerError):
    """dateparser failed on a string, which is not the same as finding no date in it."""


@lru_cache(maxsize=65536)
def parse_date(text: str) -> datetime | None:
    """The official reading of a date; None where there is none.

    Raises:
        DateError: dateparser itself failed.
    """
    return _plain(text) or _ask(text, official=True)


@lru_cache(maxsize=65536)
def read_date(text: str) -> datetime | None:
    """The reading for rewards: absolute, with year and month, independent of today."""
    found = _plain(text) or _ask(text, official=False)
    return None if found is None else found.replace(tzinfo=None)


def _plain(text: str) -> datetime | None:
    iso = _ISO.match(text)
    if iso:
        return _valid(int(iso[1]), int(iso[2]), int(iso[3]))
    english = _ENGLISH.match(text)
    if not english or (english["d1"] and english["d2"]):
        return None
    month = _MONTHS.get(english["month"].lower())
    if month is None:
        return None
    return _valid(int(english["year"]), month, int(english["d1"] or english["d2"] or 1))


def _valid(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day) if year >= 1000 else None
    except ValueError:
        return None


@lru_cache(maxsize=2)
def _parser(*, official: bool) -> Any:
    from dateparser.date import DateDataParser

    return DateDataParser(settings=_OFFICIAL) if official else DateDataParser(languages=["en", "zh"], settings=_OWN)


def _ask(text: str, *, official: bool) -> datetime | None:
    """The one boundary to dateparser: whatever it raises is named as its failure."""
    if len(text) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            found = _parser(official=official).get_date_data(text).date_obj
    except Exception as failure:
        raise DateError("scoring.date-parser", f"dateparser failed on {text!r}: {failure}") from failure
    return found if isinstance(found, datetime) else None
