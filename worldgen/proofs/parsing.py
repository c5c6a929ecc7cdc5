"""The proofs' own reader of values: what do these words mean, given the attribute, the sentence and the page's date?

It shares no table and no code with what wrote the words. A value may be readable in more than one way (a sum or a
difference of two numbers), so each function gives a set of exact meanings.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import yaml

# A sign may stand before the symbol of a currency: -€5.
_NUMBER = re.compile(r"(?<![\d.])(?:[-−][€$£¥₹]?)?\d[\d,]*(?:\.\d+)?")
_SYMBOL = re.compile(r"[€$£¥₹,]")
_DATES = (
    re.compile(r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})"),
    re.compile(r"(?P<y>\d{4})[年/](?P<m>\d{1,2})[月/](?P<d>\d{1,2})"),
    re.compile(r"(?P<d>\d{1,2}) (?P<n>[A-Z][a-z]{2,8}) (?P<y>\d{4})"),
    re.compile(r"(?P<n>[A-Z][a-z]{2,8}) (?P<d>\d{1,2}), (?P<y>\d{4})"),
)
_QUARTERS = (
    re.compile(r"Q(?P<q>[1-4]) (?P<y>\d{4})"),
    re.compile(r"(?P<y>\d{4})[ 年]?Q(?P<q>[1-4])"),
    re.compile(r"the (?P<o>first|second|third|fourth) quarter of (?P<y>\d{4})"),
    re.compile(r"(?P<y>\d{4})年第?(?P<c>[一二三四])季度"),
)


@cache
def words() -> dict[str, Any]:
    """The reader's own table of words."""
    table: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "wording.yaml").read_text("utf-8"))
    return table


@cache
def _unit_pattern() -> re.Pattern[str]:
    spellings = sorted(words()["units"], key=len, reverse=True)
    return re.compile(r"\s*(" + "|".join(re.escape(s) for s in spellings) + r")(?![a-z/²³])", re.IGNORECASE)


def unit_of(unit: str | None) -> tuple[str, Fraction] | None:
    """Dimension and factor of a schema's unit; None for a count."""
    if unit is None:
        return None
    table = words()
    spelling = str(table["ids"].get(unit, unit)).lower()
    if spelling not in table["units"]:
        return None
    return _spelled(spelling)


def _spelled(spelling: str) -> tuple[str, Fraction]:
    """Dimension and factor of a unit as it is spelt: ML is a megalitre, ml a millilitre, and GB may be gb."""
    units = words()["units"]
    dimension, factor = units.get(spelling) or units[spelling.lower()]
    return dimension, Fraction(factor)


def quantities(text: str, unit: str | None) -> list[Fraction]:
    """The numbers of a text in a unit of the attribute, each exact; neighbours of larger and smaller unit are added.

    >>> quantities("5 Ah", "mAh"), quantities("1.25 million people", "persons"), quantities("125万", None)
    ([Fraction(5000, 1)], [Fraction(1250000, 1)], [Fraction(1250000, 1)])
    """
    wanted = unit_of(unit)
    found: list[Fraction] = []
    last_end, last_factor = -9, Fraction(0)
    for match in _NUMBER.finditer(text):
        value = Fraction(_SYMBOL.sub("", match.group()).replace("−", "-"))
        rest = text[match.end() :]
        scale = re.match(r"\s*(thousand|million|billion|千(?![克米瓦赫伏帕])|万|亿)", rest)
        if scale is not None:
            value *= words()["scales"][scale.group(1)]
            rest = rest[scale.end() :]
        named = _unit_pattern().match(rest)
        if wanted is not None and named is not None:
            dimension, factor = _spelled(named.group(1))
            if dimension != wanted[0]:
                continue
            value *= factor / wanted[1]
            close = match.start() - last_end <= 2 and factor < last_factor
            last_end, last_factor = match.end() + named.end(), factor
            if close and found:
                found[-1] += value
                continue
        found.append(value)
    return found


def percentages(text: str) -> list[Fraction]:
    """Shares told as a percentage, `1 in 8`, per thousand, or the Chinese forms of these, in percent."""
    out = [Fraction(int(a), int(b)) * 100 for a, b in re.findall(r"(\d+) in (\d+)", text)]
    out += [Fraction(int(a), int(b)) * 100 for b, a in re.findall(r"(\d+)分之(\d+)", text)]
    out += [Fraction(n.replace(",", "")) / 10 for n in re.findall(r"(\d[\d,.]*) per thousand", text)]
    out += [Fraction(n) / 10 for n in re.findall(r"千分之(\d+(?:\.\d+)?)", text)]
    if out:
        return out
    for match in _NUMBER.finditer(text):
        negative = text[max(0, match.start() - 4) : match.start()] == "负百分之"
        number = Fraction(_SYMBOL.sub("", match.group()).replace("−", "-"))
        out.append(-number if negative else number)
    return out


def dates(text: str) -> list[dt.date]:
    """All whole dates in a text."""
    found = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            part = match.groupdict()
            month = int(part["m"]) if part.get("m") else _month(part["n"])
            if month:
                found.append(dt.date(int(part["y"]), month, int(part["d"])))
    return found


def _month(name: str) -> int:
    short = [m for m in words()["months"] if name.lower().startswith(m)]
    return words()["months"].index(short[0]) + 1 if short else 0


def years(text: str) -> list[int]:
    """All years in a text, of three or four digits."""
    return [int(y) for y in re.findall(r"(?<![\d,.])(\d{3,4})(?![\d,.]\d|\d)", text)]


def periods(text: str, every: str) -> set[str]:
    """Periods named in a text, in canonical form."""
    if every == "year":
        return {str(y) for y in years(text)}
    if every == "quarter":
        found = set()
        for pattern in _QUARTERS:
            for match in pattern.finditer(text):
                part = match.groupdict()
                number = part.get("q") or (
                    words()["ordinals"].index(part["o"]) + 1 if part.get("o") else "一二三四".index(part["c"]) + 1
                )
                found.add(f"{part['y']}-Q{number}")
        return found
    iso = {f"{y}-{m}" for y, m in re.findall(r"(\d{4})-(\d{2})(?!-?\d)", text)}
    zh = {f"{y}-{int(m):02d}" for y, m in re.findall(r"(\d{4})年(\d{1,2})月", text)}
    en = {f"{y}-{_month(n):02d}" for n, y in re.findall(r"([A-Z][a-z]{2,8}) (\d{4})", text) if _month(n)}
    return iso | zh | en


def gaps(text: str) -> list[tuple[int, str]]:
    """Distances in time: ``three days earlier`` is ``(-3, "day")``."""
    table = words()
    lower = text.lower()
    found = []
    for phrase, (n, step) in table["gaps"].items():
        if phrase in lower:
            found.append((int(n), step))
            # The phrase is said and done: `同一天` holds no `一天`.
            lower, text = lower.replace(phrase, "·"), text.replace(phrase, "·")
    steps = "|".join(sorted(table["steps"], key=len, reverse=True))
    count = r"(\d+|[a-z]+(?:-[a-z]+)?|[零一二两三四五六七八九十百]+)"
    for match in re.finditer(rf"{count}\s*({steps})\b", lower) if "a" <= lower[:1] <= "z" or lower.isascii() else ():
        found += _signed(match, lower)
    for match in re.finditer(r"(\d+|[零一二两三四五六七八九十百]+)(天|日|周|个月|年)", text):
        found += _signed(match, text)
    for match in re.finditer(rf"{count}\s+(days?|weeks?|months?|years?)\b", lower):
        found += _signed(match, lower)
    return list(dict.fromkeys(found))


def _signed(match: re.Match[str], text: str) -> Iterator[tuple[int, str]]:
    size = _count(match.group(1))
    step = words()["steps"].get(match.group(2))
    if size is None or step is None:
        return
    after = text[match.end() : match.end() + 60]
    earlier = any(word in after for word in words()["earlier"])
    later = any(word in after for word in words()["later"])
    if earlier or not later:
        yield -size, step
    if later or not earlier:
        yield size, step


def _count(word: str) -> int | None:
    table = words()
    if word.isdigit():
        return int(word)
    if word in table["counts"]:
        return int(table["counts"].index(word))
    if word in ("a", "an"):
        return 1
    tens, _, ones = word.partition("-")
    if tens in table["tens"]:
        return int(table["tens"][tens]) + (table["counts"].index(ones) if ones in table["counts"] else 0)
    return _chinese(word)


def _chinese(word: str) -> int | None:
    digits = words()["chinese_digits"]
    if not word or any(c not in digits and c not in "十百" for c in word):
        return None
    total, current = 0, 0
    for character in word:
        if character in "十百":
            total += (current or 1) * (10 if character == "十" else 100)
            current = 0
        else:
            current = digits[character]
    return total + current


def shift(day: dt.date, size: int, step: str) -> dt.date | None:
    """A date some steps away; None where the month is too short."""
    if step in ("day", "week"):
        return day + dt.timedelta(days=size * (7 if step == "week" else 1))
    months = day.year * 12 + day.month - 1 + size * (12 if step == "year" else 1)
    try:
        return dt.date(months // 12, months % 12 + 1, day.day)
    except ValueError:
        return None


def combined(numbers: list[Fraction]) -> set[Fraction]:
    """What two numbers may amount to: each sum, difference and product of two, and each alone."""
    found = set(numbers)
    for a, b in permutations(numbers, 2):
        found |= {a + b, a - b, a * b, a * (1 + b / 100), a * (1 - b / 100)}
        if b:
            found.add(a / b)
    return found
