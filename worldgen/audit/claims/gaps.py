"""Distances in time (`two years later`) and words that mean a time only beside another (`last year`)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass

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
class Gap:
    """A distance in time: so many steps, negative for earlier."""

    start: int
    end: int
    size: int
    step: str


def relative_words(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Words that mean a time only beside another: yesterday, last year, in the spring of 2029."""
    for match in (_RELATIVE_ZH if language == "zh" else _RELATIVE_EN).finditer(text):
        yield match.start(), match.end(), match[0].lower()


def gaps(text: str, language: str) -> list[Gap]:
    """Distances in time with their direction."""
    return list(_gaps_zh(text) if language == "zh" else _gaps_en(text))


# Behind an amount, `a year before` says how often and no distance: `63,000 euros a year before tax`.
_RATE = re.compile(r"\d(?: ?(?:[a-z%]|[$€£¥])+){0,2} $", re.IGNORECASE)


def _gaps_en(text: str) -> Iterator[Gap]:
    for match in _GAP_EN.finditer(text):
        if _RATE.search(text[max(0, match.start() - 24) : match.start()]) and (match["n"] or "").lower() in ("a", "an"):
            continue
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
