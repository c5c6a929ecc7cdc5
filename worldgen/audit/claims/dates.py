"""Reads dates in a sentence: whole ones, parts of one, quarters, and distances from another date."""

from __future__ import annotations

import datetime as dt
import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Precision = Literal["day", "month", "quarter", "year", "any"]
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?P<n>Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?\.?|July?\.?|"
    r"Aug(?:ust|\.)?|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
)
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<y>[12]\d{3})"
_QUARTER_WORDS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "last": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
    "opening": 1,
    "final": 4,
}
_EN = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\d.,])(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?!\d)",
        r"(?<![\d.,])(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})(?!\d)",
        rf"(?<![\w.,]){_DAY}(?: of)? {_MONTH}(?:,| of)? {_YEAR}(?!\d)",
        rf"(?<!\w){_MONTH} (?:the )?{_DAY},? {_YEAR}(?!\d)",
        rf"(?<!\w){_MONTH} to (?:January|February|March|April|May|June|July|August|September|October|"
        rf"November|December) {_YEAR}(?!\d)",
        rf"(?<!\w)(?P<part>[Ee]arly|[Mm]id|[Ll]ate)?[ -]?{_MONTH}(?:,| of)? {_YEAR}(?!\d)",
        rf"(?<!\w)(?P<part>[Ee]arly|[Mm]id|[Ll]ate)(?: in)?[ -]{_YEAR}(?!\d)",
        rf"(?<!\w)Q(?P<q>[1-4])(?: of)?[ ,/]+{_YEAR}(?!\d)",
        rf"(?<!\d){_YEAR}[ -/]?Q(?P<q>[1-4])(?!\w)",
        rf"(?<!\w)(?:[Tt]he )?(?P<o>first|second|third|fourth|last|1st|2nd|3rd|4th|opening|"
        rf"final) quarter (?:of |in )?{_YEAR}(?!\d)",
        rf"(?<![\w.,]){_DAY}(?: of)? {_MONTH}(?!\w)",
        rf"(?<!\w){_MONTH} (?:the )?{_DAY}(?![\w])(?![.,]\d)",
        r"(?<![\d.,])(?P<y>\d{4})-(?P<m>\d{2})(?!-?\d)",
        rf"(?<![\d.,/])(?P<a>\d{{1,2}})[/.](?P<b>\d{{1,2}})[/.]{_YEAR}(?!\d)",
        rf"(?<=\b(?:in|of|by|on) )(?:early |mid-?|late )?{_MONTH}(?!\w)",
        rf"(?<=\bsince )(?:early |mid-?|late )?{_MONTH}(?!\w)",
        r"(?<!\w)(?:January|February|April|June|July|August|September|October|November|December)(?!\w)",
    )
)
_ZH = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\d)(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]?",
        r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<y>\d{4})年(?P<m>\d{1,2})月至\d{1,2}月",
        r"(?<!\d)(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<part>[上中下]旬|初|底|末)?",
        r"(?<!\d)(?P<y>\d{4})年第?(?P<c>[一二三四])季度",
        r"(?<!\d)(?P<y>\d{4})年?Q(?P<q>[1-4])",
        r"(?<!\d)(?P<y>\d{4})-(?P<m>\d{2})(?!-?\d)",
        r"(?<!\d)(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]",
        r"(?<!\d)(?P<m>\d{1,2})月(?:份)?",
        r"(?<!\d)(?P<y>[12]\d{3})年",
    )
)
_RELATIVE_EN = re.compile(
    r"(?<!\w)(?:yesterday|today|tomorrow|tonight|(?:last|this|next|the past|the previous|"
    r"the coming) (?:week|month|year|quarter|spring|summer|autumn|fall|winter|january|february|"
    r"march|april|may|june|july|august|september|october|november|december|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday)|recently|lately|just now|a while ago|(?:in |"
    r"during |over )?the (?:spring|summer|autumn|winter) of [12]\d{3}|(?:in )?(?:spring|summer|"
    r"autumn|fall|winter) [12]\d{3}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?!\w)",
    re.IGNORECASE,
)
_RELATIVE_ZH = re.compile(
    r"昨天|昨日|今天|今日|明天|去年|今年|明年|前年|上个?月|本月|下个?月|上周|本周|下周|近日|最近刚|春季|夏季|秋季|冬季"
)
_STEPS = {
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "year",
    "天": "day",
    "日": "day",
    "周": "week",
    "个星期": "week",
    "星期": "week",
    "个月": "month",
    "年": "year",
}
_COUNT = (
    r"(?P<n>\d{1,4}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|"
    r"fifty|sixty|seventy|eighty|ninety)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_GAP_EN = re.compile(
    rf"(?<![\w.,$€£]){_COUNT}(?: (?:full|whole))? (?P<s>day|week|month|year)s? (?P<w>before|"
    rf"after|earlier|later|ago|prior|previously|ahead|behind|younger|older|from then|on from|"
    rf"following|past)(?!\w)|(?<!\w)[Tt]he (?P<s2>day|week|month|year) (?P<w2>before|"
    rf"after)(?!\w)|(?<!\w)(?:[Oo]n|[Ii]n) the (?:very )?same (?P<s3>day|month|year)(?!\w)",
    re.IGNORECASE,
)
_GAP_ZH = re.compile(
    r"(?P<n>\d{1,4}|[零一二两三四五六七八九十]{1,4})(?P<s>天|日|周|个星期|星期|个月|年)(?:之)?(?P<w>前|后|早|晚)|(?P<w2>前一天|"
    r"次日|前一年|次年)|(?P<w3>同一天|同年)|(?P<w4>早|晚)(?:了)?(?P<n4>\d{1,4}|[零一二两三四五六七八九十]{1,4})(?P<s4>天|日|"
    r"周|个星期|星期|个月|年)"
)
_EARLIER = frozenset(
    ["before", "earlier", "ago", "prior", "previously", "ahead", "older", "past", "前", "早", "前一天", "前一年"]
)
_SMALL = {
    w: i
    for i, w in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
_TENS = {
    w: 10 * i
    for i, w in enumerate(["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
    if w
}


@dataclass(frozen=True, slots=True)
class Day:
    """A date or part of one: any of the spans of days that it may mean, as first and last day."""

    start: int
    end: int
    spans: tuple[tuple[dt.date, dt.date], ...]
    precision: Precision
    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """A distance in time: so many steps, negative for earlier."""

    start: int
    end: int
    size: int
    step: str


def days(text: str, language: str) -> list[Day]:
    """The dates of a text whose names are blanked out, none overlapping; a year alone in English is left to numbers."""
    found: list[Day] = []
    taken: list[tuple[int, int]] = []
    for pattern in _ZH if language == "zh" else _EN:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            day = _day(match)
            taken.append(match.span())
            found.append(day)
    return sorted(found, key=lambda day: day.start)


def _day(match: re.Match[str]) -> Day:
    part = match.groupdict()
    start, end = match.span()
    try:
        if part.get("a"):
            return _either(match)
        month = int(part["m"]) if part.get("m") else _MONTHS.index(part["n"][:3].lower()) + 1 if part.get("n") else 0
        quarter = _quarter(part)
        if not month and not quarter and not part.get("y"):
            month = _MONTHS.index(match[0][:3].lower()) + 1
        day = int(part["d"]) if part.get("d") else 0
        if not part.get("y"):
            return Day(start, end, (), "any", month, day)
        year = int(part["y"])
        if day:
            one = dt.date(year, month, day)
            return Day(start, end, ((one, one),), "day")
        if quarter or re.search(r" to |至", match[0]):
            first = quarter * 3 - 2 if quarter else month
            if not quarter and first not in (1, 4, 7, 10):
                return Day(start, end, (), "quarter")
            return Day(start, end, (_months(year, first, first + 2),), "quarter")
        if month:
            return Day(start, end, (_within(_months(year, month, month), part.get("part") or ""),), "month")
        first = {"early": 1, "mid": 5, "late": 9}.get((part.get("part") or "").lower(), 0)
        return Day(start, end, (_months(year, first or 1, first + 3 if first else 12),), "quarter" if first else "year")
    except ValueError:
        return Day(start, end, (), "day")


def _quarter(part: dict[str, str | None]) -> int:
    if part.get("q"):
        return int(part["q"] or 0)
    if part.get("o"):
        return _QUARTER_WORDS[(part["o"] or "").lower()]
    return "一二三四".index(part["c"] or "") + 1 if part.get("c") else 0


def _either(match: re.Match[str]) -> Day:
    spans = []
    year = int(match["y"])
    for month, day in ((int(match["b"]), int(match["a"])), (int(match["a"]), int(match["b"]))):
        try:
            spans.append((dt.date(year, month, day), dt.date(year, month, day)))
        except ValueError:
            continue
    return Day(match.start(), match.end(), tuple(spans), "day")


def _months(year: int, first: int, last: int) -> tuple[dt.date, dt.date]:
    return dt.date(year, first, 1), dt.date(year, last, monthrange(year, last)[1])


def _within(span: tuple[dt.date, dt.date], part: str) -> tuple[dt.date, dt.date]:
    first, last = span
    match part.lower():
        case "early" | "上旬" | "初":
            return first, first.replace(day=10)
        case "mid" | "中旬":
            return first.replace(day=8), first.replace(day=22)
        case "late" | "下旬" | "底" | "末":
            return first.replace(day=19), last
        case _:
            return span


def relative_words(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Words that mean a time only beside another: yesterday, last year, in the spring of 2029."""
    for match in (_RELATIVE_ZH if language == "zh" else _RELATIVE_EN).finditer(text):
        yield match.start(), match.end(), match[0].lower()


def gaps(text: str, language: str) -> list[Gap]:
    """Distances in time with their direction."""
    return list(_gaps_zh(text) if language == "zh" else _gaps_en(text))


def _gaps_en(text: str) -> Iterator[Gap]:
    for match in _GAP_EN.finditer(text):
        if match["s3"]:
            yield Gap(match.start(), match.end(), 0, match["s3"].lower())
        elif match["s2"]:
            yield Gap(match.start(), match.end(), -1 if match["w2"].lower() == "before" else 1, match["s2"].lower())
        else:
            sign = -1 if match["w"].lower() in _EARLIER else 1
            yield Gap(match.start(), match.end(), sign * _count(match["n"].lower()), match["s"].lower())


def _gaps_zh(text: str) -> Iterator[Gap]:
    for match in _GAP_ZH.finditer(text):
        if match["w3"]:
            yield Gap(match.start(), match.end(), 0, "day" if match["w3"] == "同一天" else "year")
        elif match["w2"]:
            yield Gap(
                match.start(),
                match.end(),
                -1 if match["w2"].startswith("前") else 1,
                "day" if match["w2"] in ("前一天", "次日") else "year",
            )
        else:
            word, count, step = match["w"] or match["w4"], match["n"] or match["n4"], match["s"] or match["s4"]
            yield Gap(match.start(), match.end(), (-1 if word in _EARLIER else 1) * _count(count), _STEPS[step])


def _count(word: str) -> int:
    if word.isdigit():
        return int(word)
    if word in ("a", "an"):
        return 1
    if word[:1].isascii():
        tens, _, ones = word.partition("-")
        return _SMALL[word] if word in _SMALL else _TENS[tens] + _SMALL.get(ones, 0)
    total, current = 0, 0
    for character in word:
        if character == "十":
            total, current = total + (current or 1) * 10, 0
        else:
            current = "零一二三四五六七八九".find(character) if character != "两" else 2
    return total + current


def shifted(day: dt.date, size: int, step: str) -> dt.date | None:
    """A date some steps away; None where there is none."""
    try:
        if step in ("day", "week"):
            return day + dt.timedelta(days=size * (7 if step == "week" else 1))
        months = day.year * 12 + day.month - 1 + size * (12 if step == "year" else 1)
        return dt.date(months // 12, months % 12 + 1, day.day)
    except (ValueError, OverflowError):
        return None
