"""How an answer's cell is compared with the gold's: the benchmark's own metrics, by name.

A metric takes the answer's cell, the gold's cell and the criterion, and returns 0.0 or 1.0. Where the official scorer
would break off (and so give the whole answer zeros), it raises `MetricError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from urllib.parse import urlparse

from worldgen.errors import CallerError
from worldgen.registry import Registry
from worldgen.scoring.dates import DateError, parse_date

Metric = Callable[[str, str, object], float]

METRICS: Registry[Metric] = Registry("metric")

LLM_JUDGE = "llm_judge"
DATE_TOLERANCE_DAYS = 31
_URL = re.compile(r"https?://[!$-_a-z]+")


class MetricError(CallerError):
    """A comparison that the official scorer does not survive."""


@METRICS.register("exact_match")
def exact_match(answer: str, gold: str, criterion: object = None) -> float:
    """Equal but for case."""
    return 1.0 if answer == gold or answer.lower() == gold.lower() else 0.0


@METRICS.register("in_match")
def in_match(answer: str, gold: str, criterion: object = None) -> float:
    """The answer occurs in the gold."""
    return float(answer in gold)


@METRICS.register("number_near")
def number_near(answer: str, gold: str, criterion: object = None) -> float:
    """Within ``criterion`` times the gold; a percent sign divides by 100; equal texts that are no numbers match."""
    got, wanted = numeric(answer), numeric(gold)
    if got is None or wanted is None:
        return float(got is None and wanted is None and answer == gold)
    if not isinstance(criterion, int | float):
        raise MetricError(
            "scoring.criterion",
            "number_near needs a number as its criterion",
            expected="e.g. 0.05",
            got=repr(criterion),
        )
    return float(abs(got - wanted) <= abs(wanted) * criterion)


@METRICS.register("date_near")
def date_near(answer: str, gold: str, criterion: object = None) -> float:
    """Within 31 days; two texts that are no dates match."""
    got, wanted = _date(answer), _date(gold)
    if got is None or wanted is None:
        return float(got is wanted)
    if (got.tzinfo is None) != (wanted.tzinfo is None):
        raise MetricError(
            "scoring.time-zone", "a date with a time zone cannot be compared with one without", got=answer
        )
    return float(abs((got - wanted).days) <= DATE_TOLERANCE_DAYS)


@METRICS.register("url_match")
def url_match(answer: str, gold: str, criterion: object = None) -> float:
    """The same set of hosts, also where both are empty."""
    return float(hosts(answer) == hosts(gold))


@METRICS.register(LLM_JUDGE)
def llm_judge(answer: str, gold: str, criterion: object = None) -> float:
    """Stands for the judge, which is asked a column at a time and never by this name."""
    raise MetricError("scoring.judge-by-cell", "llm_judge is asked of a judge, a column at a time")


def numeric(text: str) -> float | None:
    """The number a text is, a percentage as a fraction; None where it is none.

    >>> numeric("12.5%")
    0.125
    """
    try:
        return float(text.replace("%", "")) / 100.0 if "%" in text else float(text)
    except ValueError:
        return None


def hosts(text: str) -> frozenset[str]:
    """The hosts of the web addresses in a text."""
    try:
        return frozenset(urlparse(url).netloc for url in _URL.findall(text))
    except ValueError as error:
        raise MetricError("scoring.url", f"not a web address: {error}", got=text) from error


def _date(text: str) -> datetime | None:
    try:
        return parse_date(text)
    except DateError:
        return None
