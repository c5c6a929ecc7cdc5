"""When does a cell of an answer say what the gold says? The strict rules behind `worldgen_f1`.

By the kind that a column's rule implies: numbers within the criterion, dates within the benchmark's tolerance, equal
hosts, equal sets for lists, else equal after folding. An empty cell never agrees; a gold that is no value of its kind
(as "Not disclosed") agrees only with its own words or a declared synonym.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from worldgen.scoring.column import missing_words
from worldgen.scoring.dates import DateError, read_date
from worldgen.scoring.evalspec import ColumnSpec
from worldgen.scoring.fold import fold, plain
from worldgen.scoring.metric import DATE_TOLERANCE_DAYS, METRICS, numeric
from worldgen.scoring.preprocess import NO_NUMBER, PREPROCESS, extract_number

_OURS = frozenset(
    {"exact_match", "number_near", "date_near", "url_match", "in_match", "llm_judge"}
    | {"norm_str", "extract_number", "norm_date"}
)
_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?\Z")
_ADDRESS = re.compile(r"(?=https?://)")
_HOST = re.compile(r"https?://([^/?#<>()\[\]\"'|,;*`]+)")
_LIST_MARK = re.compile(r"[,;/、，；]")


@lru_cache(maxsize=65536)
def is_empty(cell: str) -> bool:
    """Whether a cell says nothing: blank, a dash, ``N/A``, ``None`` and their like."""
    return fold(cell) in missing_words()["reward"]


class Agreement:
    """Compares cells.

    Args:
        undisclosed: Words that mean "not disclosed"; where the gold says one of them, any of them agrees.
    """

    def __init__(self, undisclosed: Iterable[str] = ()) -> None:
        self._undisclosed = frozenset(fold(word) for word in undisclosed)

    def canonical(self, cell: str, rule: ColumnSpec | None) -> str:
        """The form in which a key cell is looked up: the number, the date or the folded text that it is."""
        steps = () if rule is None else (*rule.preprocess, *rule.metric)
        if "norm_date" in steps or "date_near" in steps:
            found = _date(cell)
            if found is not None:
                return found.strftime("%Y-%m-%d")
        folded = fold(cell)
        if "extract_number" in steps or "number_near" in steps:
            number = extract_number(folded)
            folded = folded if number == NO_NUMBER else number.rstrip(".")
        return _number_text(folded)

    def agrees(self, mine: str, gold: str, rule: ColumnSpec | None) -> float:
        """1.0 where the answer's cell says what the gold's says, else 0.0."""
        if is_empty(mine) or is_empty(gold):
            return 0.0
        if mine == gold:
            return 1.0
        a, g = fold(mine), fold(gold)
        if a == g:
            return 1.0
        if g in self._undisclosed or a in self._undisclosed:
            return float(g in self._undisclosed and a in self._undisclosed)
        if rule is None or not rule.metric:
            return 0.0
        return float(all(self._by_metric(metric, mine, gold, rule) for metric in rule.metric))

    def settled(self, mine: str, gold: str) -> bool:
        """Whether a disagreement needs no judge: a side is empty or says "not disclosed"."""
        return any(is_empty(cell) or fold(cell) in self._undisclosed for cell in (mine, gold))

    def _by_metric(self, metric: str, mine: str, gold: str, rule: ColumnSpec) -> bool:
        if metric == "number_near":
            return _numbers_near(fold(mine), fold(gold), rule)
        if metric == "date_near":
            return _dates_near(mine, gold)
        if metric == "url_match":
            return _same_hosts(mine, gold)
        if metric == "in_match":
            return _parts(mine) == _parts(gold)
        if metric not in _OURS:
            return _plugged_in(metric, mine, gold, rule)
        return self.canonical(mine, rule) == self.canonical(gold, rule)


@lru_cache(maxsize=65536)
def _number_text(folded: str) -> str:
    """A plain number without sign of plus, commas, leading and trailing zeros; any other text as it is."""
    if not _PLAIN_NUMBER.match(folded):
        return folded
    whole, _, fraction = folded.lstrip("+-").replace(",", "").partition(".")
    fraction = fraction.rstrip("0")
    digits = (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
    return f"-{digits}" if folded.startswith("-") and digits != "0" else digits


def _numbers_near(mine: str, gold: str, rule: ColumnSpec) -> bool:
    got, wanted = numeric(extract_number(mine)), numeric(extract_number(gold))
    if got is None or wanted is None:
        return False
    criterion = rule.criterion if isinstance(rule.criterion, int | float) else 0.0
    return abs(got - wanted) <= abs(wanted) * criterion


def _dates_near(mine: str, gold: str) -> bool:
    got, wanted = _date(mine), _date(gold)
    return got is not None and wanted is not None and abs((got - wanted).days) <= DATE_TOLERANCE_DAYS


def _date(cell: str) -> datetime | None:
    try:
        return read_date(plain(cell))
    except DateError:
        return None


def _same_hosts(mine: str, gold: str) -> bool:
    wanted = _hosts(gold)
    return bool(wanted) and _hosts(mine) == wanted


def _hosts(cell: str) -> frozenset[str]:
    text = "".join(unicodedata.normalize("NFKC", cell).split()).replace("\\", "").casefold()
    return frozenset(match[1] for match in map(_HOST.match, _ADDRESS.split(text)) if match)


def _parts(cell: str) -> list[str]:
    return sorted({fold(part) for part in _LIST_MARK.split(plain(cell))} - {""})


def _plugged_in(metric: str, mine: str, gold: str, rule: ColumnSpec) -> bool:
    mine, gold = plain(mine), plain(gold)
    for step in rule.preprocess:
        mine, gold = PREPROCESS.get(step)(mine), PREPROCESS.get(step)(gold)
    return METRICS.get(metric)(mine, gold, rule.criterion) >= 1.0
