"""Reads dates in a sentence: whole ones and parts of one, in whatever order and with whatever marks."""

from __future__ import annotations

import datetime as dt
import re
from calendar import monthrange
from dataclasses import dataclass, replace
from typing import Literal

Precision = Literal["day", "month", "quarter", "year", "any"]
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH_WORD = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)(?![A-Za-z])\.?"
)
_MONTH = rf"(?P<n>{_MONTH_WORD})"
_TEN_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_TEEN_ORDINALS = tuple(f"{stem}th" for stem in ("eleven", "twelf", "thirteen", "fourteen", "fifteen", "sixteen"))
_ORDINALS = (
    *_TEN_ORDINALS,
    *_TEEN_ORDINALS,
    *("seventeenth", "eighteenth", "nineteenth", "twentieth"),
    *(f"twenty-{word}" for word in _TEN_ORDINALS[:9]),
    *("thirtieth", "thirty-first"),
)
_DAY = rf"(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th)?|(?P<dw>{'|'.join(reversed(_ORDINALS))}))"
_YEAR = r"(?:(?P<y>[12]\d{3})(?!\d)|'(?P<y2>\d{2})(?!\d))"
_FULL_YEAR = r"(?P<y>[12]\d{3})"
_GAP = r"[\s,./-]{0,3}"
_OF_YEAR = r"(?:,? (?:of|in|for) |[\s,/.-]{1,2})(?:the (?:year|calendar year) |calendar |FY ?|the )?"
_PART = (
    r"(?:(?P<part>early|mid|late|(?:the )?(?:start|beginning|opening|middle|end|close|latter part|early part|"
    r"first days|last days) of)[ -](?:in )?)?"
)
_NTH = (
    r"(?P<o>first|second|third|fourth|last|1st|2nd|3rd|4th|opening|initial|closing|final)"
    r"(?:[ -](?:calendar|fiscal|financial))?"
)
_QUARTER = rf"(?:the )?(?:{_NTH} quarter|(?P<three>first|opening|last|final|closing) three months)"
_CODE = r"(?:Q[ -]?(?P<q>[1-4])|(?P<q1>[1-4])[ -]?Q|quarter (?P<qw>one|two|three|four|[1-4]))"
_HALF = r"(?:(?:the )?(?P<h>first|second|1st|2nd|opening|latter|last|closing) half|H(?P<h1>[12]))"
_EN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\d.,/-])(?P<y>[12]\d{3})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?!\d)",
        rf"(?<!\w)(?:the )?(?P<ended>quarter|three months) (?:that )?(?:ended|ending|to|through|until)(?: (?:in|on))?"
        rf"(?: the)?(?: end of)?(?: \d{{1,2}}(?:st|th)?)? {_MONTH}(?: \d{{1,2}},)?(?: of)? {_YEAR}",
        rf"(?<![\d.,]){_FULL_YEAR}{_GAP}{_MONTH}{_GAP}{_DAY}(?!\w)",
        rf"(?<![\w.,]){_DAY}(?: day)?(?: of)?{_GAP}{_MONTH}{_GAP}(?:(?:of|in) )?(?:the year )?{_YEAR}",
        rf"(?<!\w){_MONTH} ?(?:the )?{_DAY}(?:,? (?:of|in) (?:the year )?|{_GAP}){_YEAR}",
        rf"(?<!\w){_MONTH}(?: (?:to|through|until|till) | ?[-–—] ?)(?P<last>{_MONTH_WORD})(?:,? of|,)? {_YEAR}",
        rf"(?<!\w){_PART}{_MONTH}(?:{_OF_YEAR})?{_YEAR}",
        rf"(?<![\d.,]){_FULL_YEAR}[ ,/-]{{1,2}}{_MONTH}(?!{_GAP}\d)(?!\w)",
        rf"(?<!\w){_CODE}(?:{_OF_YEAR}|[ ,/(-]{{0,2}}){_YEAR}",
        r"(?<!\w)(?:Q(?P<q>[1-4])|(?P<q1>[1-4])Q)[ /-]?(?P<y2>\d{2})(?!\d)",
        rf"(?<!\d){_FULL_YEAR}(?:'s)?[ ,:/-]{{0,2}}(?:the )?{_CODE}(?!\w)",
        rf"(?<!\w){_QUARTER}(?:{_OF_YEAR}){_YEAR}",
        rf"(?<!\d){_FULL_YEAR}(?:'s)?[ ,:-]{{1,2}}{_QUARTER}(?!\w)",
        rf"(?<!\w){_HALF}(?:{_OF_YEAR}){_YEAR}",
        rf"(?<!\d){_FULL_YEAR}(?:'s)?[ ,:-]{{1,2}}{_HALF}(?!\w)",
        rf"(?<!\w){_PART.removesuffix('?')}(?:the year )?{_FULL_YEAR}(?!\d)",
        rf"(?<![\w.,]){_DAY}(?: day)?(?: of)?[ -]{_MONTH}(?!\w)",
        rf"(?<!\w){_MONTH} (?:the )?{_DAY}(?![\w])(?![.,]\d)",
        r"(?<![\d.,])(?P<y>[12]\d{3})-(?P<m>\d{2})(?!-?\d)",
        r"(?<![\d./])(?P<m>0?[1-9]|1[0-2])/(?P<y>[12]\d{3})(?!\d)",
        r"(?<![\d.,/])(?P<a>\d{1,2})(?P<s>[/.-])(?P<b>\d{1,2})(?P=s)(?P<y>[12]\d{3})(?!\d)",
        r"(?<![\d.,/])(?P<a>\d{1,2})(?P<s>[/.])(?P<b>\d{1,2})(?P=s)(?P<y2>\d{2})(?![\d./])",
    )
) + tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<=\b(?:in|of|by|on) )(?:early |mid-?|late )?{_MONTH}(?!\w)",
        rf"(?<=\b(?:since|until) )(?:early |mid-?|late )?{_MONTH}(?!\w)",
        rf"(?<=\b(?:from) )(?:early |mid-?|late )?{_MONTH}(?!\w)",
        r"(?<!\w)(?P<n>January|February|April|June|July|August|September|October|November|December)(?!\w)",
    )
)
_HAN_DIGITS = "零一二三四五六七八九"
_ZH_YEAR = (
    r"(?:(?:公历|西历|公元|阳历)\s?)?(?<![\d.])"
    r"(?:(?P<y>[12]\d{3}|[一二][〇零○一二三四五六七八九]{3})|(?P<y2>\d{2}))\s?年度?\s?"
)
_ZH_FULL_YEAR = _ZH_YEAR.replace(r"|(?P<y2>\d{2})", "")
_ZH_MONTH = r"(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])\s?月"
_ZH_DAY = r"(?P<d>\d{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])\s?"
_ZH_NTH = r"(?:第\s?(?P<c>[一二三四1-4])\s?个?|(?P<c1>[一二三四1-4])\s?|(?P<c2>首|头一|头|末|最后一)个?)"
_ZH = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_ZH_YEAR}{_ZH_MONTH}\s?{_ZH_DAY}(?:[日号]|(?![\d个一二三四五六七八九十]))",
        r"(?<![\d.])(?P<y>[12]\d{3})\s?(?P<s>[-/.])\s?(?P<m>\d{1,2})\s?(?P=s)\s?(?P<d>\d{1,2})(?!\d)",
        rf"{_ZH_YEAR}(?P<m>\d{{1,2}}|十|[一四七])\s?月?份?\s?[至到~—–-]\s?(?P<lastm>\d{{1,2}}|十二|[三六九])\s?月份?",
        rf"{_ZH_YEAR}(?P<threem>前三个月|头三个月|首三个月|最后三个月|后三个月|末三个月)",
        rf"{_ZH_YEAR}(?:的)?{_ZH_NTH}季度?",
        rf"{_ZH_YEAR}Q(?P<q>[1-4])",
        r"(?<!\d)(?P<y>[12]\d{3})\s?[-/]?\s?Q(?P<q>[1-4])",
        r"(?<![A-Za-z])Q(?P<q>[1-4])\s?[-/]?\s?(?P<y>[12]\d{3})(?!\d)",
        rf"{_ZH_YEAR}(?P<hz>[上下])半年",
        rf"{_ZH_YEAR}{_ZH_MONTH}份?(?P<part>[上中下]旬|初|底|末)?",
        r"(?<![\d.])(?P<y>[12]\d{3})[-/](?P<m>0?[1-9]|1[0-2])(?![-/]?\d)",
        r"(?<![\d.,/])(?P<a>\d{1,2})(?P<s>[/.-])(?P<b>\d{1,2})(?P=s)(?P<y>[12]\d{3})(?!\d)",
        rf"(?<![\d十]){_ZH_MONTH}\s?{_ZH_DAY}[日号]",
        r"(?<![\d.个])(?P<m>\d{1,2})月(?:份)?",
        rf"{_ZH_FULL_YEAR}(?P<part>初|中|底|末|年初|年中|年底|年末)(?![中学级期])",
        rf"{_ZH_FULL_YEAR}",
    )
)
_WEEKDAY_EN = re.compile(
    r"(?<!\w)(?P<w>Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:day|sday|nesday|rsday|urday|s|rs|nes|r)?\.?,? (?:the )?$",
    re.IGNORECASE,
)
_WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_WEEKDAY_ZH = re.compile(r"\s?[(（,]?\s?(?:星期|周|礼拜)(?P<w>[一二三四五六日天])\s?[)）]?")
_WORDED = {
    "first": 1,
    "1st": 1,
    "opening": 1,
    "initial": 1,
    "one": 1,
    "second": 2,
    "2nd": 2,
    "two": 2,
    "latter": 2,
    "third": 3,
    "3rd": 3,
    "three": 3,
    "fourth": 4,
    "4th": 4,
    "four": 4,
    "last": 4,
    "closing": 4,
    "final": 4,
    "首": 1,
    "头": 1,
    "头一": 1,
    "末": 4,
    "最后一": 4,
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


def days(text: str, language: str) -> list[Day]:
    """The dates of a text whose names are blanked out, none overlapping; a year alone in English is left to numbers."""
    found: list[Day] = []
    for pattern in _ZH if language == "zh" else _EN:
        for match in pattern.finditer(text):
            if not any(match.start() < day.end and day.start < match.end() for day in found):
                found.append(_with_weekday(_day(match), text, language))
    return sorted(found, key=lambda day: day.start)


def _with_weekday(day: Day, text: str, language: str) -> Day:
    """The date with a day of the week beside it, where that is the right one; in Chinese no date where it is not."""
    if day.precision != "day" or not day.spans:
        return day
    if language == "zh":
        match = _WEEKDAY_ZH.match(text, day.end)
        if match is None:
            return day
        told = {"天": 6, "日": 6}.get(match["w"], _HAN_DIGITS.find(match["w"]) - 1)
        return replace(day, end=match.end(), spans=tuple(span for span in day.spans if span[0].weekday() == told))
    match = _WEEKDAY_EN.search(text[max(0, day.start - 16) : day.start])
    if match is None or all(span[0].weekday() != _WEEKDAYS.index(match["w"].lower()) for span in day.spans):
        return day
    return replace(day, start=day.start - len(match[0]))


def _day(match: re.Match[str]) -> Day:
    part = {name: text for name, text in match.groupdict().items() if text}
    start, end = match.span()
    try:
        spans = [_span(part, year) for year in _years(part)] if "a" not in part else _either(part)
    except ValueError:
        return Day(start, end, (), "day")
    if not spans:
        month = _number(part["m"]) if "m" in part else _month(part["n"])
        return Day(start, end, (), "any", month, _day_of_month(part))
    return Day(start, end, tuple(span for span, _ in spans), spans[0][1])


def _years(part: dict[str, str]) -> list[int]:
    """The years that may be meant: two digits are of this century or the last."""
    if "y2" in part:
        return [2000 + int(part["y2"]), 1900 + int(part["y2"])]
    return [_number(part["y"])] if "y" in part else []


def _span(part: dict[str, str], year: int) -> tuple[tuple[dt.date, dt.date], Precision]:
    part_of = part.get("part", "").lower().removesuffix(" of").split(" ")[-1]
    half = part.get("h") or part.get("h1") or part.get("hz")
    if half:
        first = 7 if half.lower() in ("second", "2nd", "latter", "last", "closing", "2", "下") else 1
        return _months(year, first, first + 5), "quarter"
    quarter = _quarter(part)
    if quarter:
        return _months(year, quarter * 3 - 2, quarter * 3), "quarter"
    month = _number(part["m"]) if "m" in part else _month(part["n"]) if "n" in part else 0
    if "last" in part or "lastm" in part:
        last = _month(part["last"]) if "last" in part else _number(part["lastm"])
        return _months(year, month, last), "quarter"
    if "ended" in part:
        return _months(year, month - 2, month), "quarter"
    day = _day_of_month(part)
    if day:
        one = dt.date(year, month, day)
        return (one, one), "day"
    if month:
        return _within(_months(year, month, month), part_of), "month"
    if part_of:
        first, last = _YEAR_PARTS.get(part_of, (1, 12))
        return _months(year, first, last), "quarter"
    return _months(year, 1, 12), "year"


_YEAR_PARTS = {
    **dict.fromkeys(("early", "start", "beginning", "opening", "初", "年初"), (1, 4)),
    **dict.fromkeys(("mid", "middle", "中", "年中"), (5, 8)),
    **dict.fromkeys(("late", "end", "close", "底", "末", "年底", "年末"), (9, 12)),
}


def _quarter(part: dict[str, str]) -> int:
    code = part.get("q") or part.get("q1") or part.get("c") or part.get("c1")
    if code:
        return _number(code)
    word = part.get("qw") or part.get("o") or part.get("three") or part.get("c2")
    if word:
        return _WORDED[word.lower()] if not word.isdigit() else int(word)
    if "threem" in part:
        return 1 if part["threem"][0] in "前头首" else 4
    return 0


def _day_of_month(part: dict[str, str]) -> int:
    if "dw" in part:
        return _ORDINALS.index(part["dw"].lower()) + 1
    return _number(part["d"]) if "d" in part else 0


def _month(word: str) -> int:
    return _MONTHS.index(word[:3].lower()) + 1


def _number(text: str) -> int:
    """A small number or a year, in digits or Chinese characters."""
    if text.isascii():
        return int(text)
    plain = text.replace("〇", "零").replace("○", "零")
    tens, ten, ones = plain.partition("十")
    if ten:
        return 10 * (_HAN_DIGITS.index(tens) if tens else 1) + (_HAN_DIGITS.index(ones) if ones else 0)
    return int("".join(str(_HAN_DIGITS.index(character)) for character in plain))


def _either(part: dict[str, str]) -> list[tuple[tuple[dt.date, dt.date], Precision]]:
    """A date in numbers, which may begin with its day or its month."""
    found: list[tuple[tuple[dt.date, dt.date], Precision]] = []
    for year in _years(part):
        for month, day in ((int(part["b"]), int(part["a"])), (int(part["a"]), int(part["b"]))):
            try:
                one = dt.date(year, month, day)
            except ValueError:
                continue
            found.append(((one, one), "day"))
    if not found:
        raise ValueError
    return found


def _months(year: int, first: int, last: int) -> tuple[dt.date, dt.date]:
    return dt.date(year, first, 1), dt.date(year, last, monthrange(year, last)[1])


def _within(span: tuple[dt.date, dt.date], part: str) -> tuple[dt.date, dt.date]:
    first, last = span
    match part:
        case "early" | "start" | "beginning" | "opening" | "上旬" | "初" | "part" | "days":
            return (first, first.replace(day=12)) if part != "part" else span
        case "mid" | "middle" | "中旬":
            return first.replace(day=8), first.replace(day=22)
        case "late" | "end" | "close" | "下旬" | "底" | "末":
            return first.replace(day=19), last
        case _:
            return span
