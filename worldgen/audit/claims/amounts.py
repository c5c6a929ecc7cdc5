"""Reads amounts in a sentence: numbers in digits or letters with their unit, currency, percent or scale, and fractions.

Numbers mean something only beside a claim, so what is read keeps every way in which it may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from worldgen.audit.claims.words import phrases, vocabulary
from worldgen.language import currencies, units
from worldgen.language.words import words_of

_MOST_DIGITS = 30
_EN_SCALES = {
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "bn": 1_000_000_000,
    "trillion": 10**12,
    "k": 1_000,
    "mn": 1_000_000,
}
_ZH_SCALES = {"千": 1_000, "万": 10_000, "亿": 100_000_000, "百万": 1_000_000, "千万": 10_000_000}
_ZH_DIGITS = {**{c: i for i, c in enumerate("零一二三四五六七八九")}, "两": 2, "〇": 0}
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fifth": 5,
    "fifths": 5,
    "sixth": 6,
    "sixths": 6,
    "seventh": 7,
    "sevenths": 7,
    "eighth": 8,
    "eighths": 8,
    "ninth": 9,
    "ninths": 9,
    "tenth": 10,
    "tenths": 10,
    "twentieth": 20,
    "twentieths": 20,
}
_INCLUSIVE = frozenset(
    ["up to", "at least", "at most", "no fewer than", "no less than", "no more than", "至少", "最多"]
)
_NUMBER = r"\d[\d,]{0,30}(?:\.\d{1,12})?"


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a text.

    Attributes:
        start: Where it begins, its unit included.
        end: Where it ends.
        value: The number in the base of its dimension.
        dimension: Of its unit; ``money:CODE``, ``percent``, or "" for a bare number.
        near: ``about``, ``under`` or ``over`` where the words round, else "".
        ordinal: Whether it is a rank.
        part: Whether it is a fraction in words, which may stand for a percentage.
        points: Whether it is a number of points, which is a distance between percentages and never one itself.
    """

    start: int
    end: int
    value: Fraction
    dimension: str = ""
    near: str = ""
    ordinal: bool = False
    part: bool = False
    points: bool = False


def number(text: str) -> Fraction | None:
    """A number in digits with separators, or None where the separators are out of place."""
    bare = text.replace(",", "")
    if not bare or len(bare) > _MOST_DIGITS:
        return None
    if "," in text and not re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        return None
    return Fraction(bare)


@cache
def _spellings(language: str) -> dict[str, tuple[str, Fraction]]:
    found: dict[str, tuple[str, Fraction]] = {}
    for unit in units().values():
        if unit.dimension == "count":
            continue
        names = (unit.one, unit.many, unit.symbol, unit.zh)
        for name in names:
            if name:
                found.setdefault(name.replace("µ", "μ"), (unit.dimension, unit.factor))
        for name in (unit.one, unit.many):
            american = name.replace("metre", "meter").replace("litre", "liter")
            found.setdefault(american, (unit.dimension, unit.factor))
    extra = {
        "lb": ("mass", "45359237/100000"),
        "lbs": ("mass", "45359237/100000"),
        "oz": ("mass", "45359237/1600000"),
        "ounces": ("mass", "45359237/1600000"),
        "kmh": ("speed", "5/18"),
        "km/h": ("speed", "5/18"),
        "gigs": ("memory", "1"),
        "gig": ("memory", "1"),
        "gb": ("memory", "1"),
        "tb": ("memory", "1000"),
        "hrs": ("time", "3600"),
        "hr": ("time", "3600"),
        "mins": ("time", "60"),
        "secs": ("time", "1"),
        "feet": ("length", "381/1250"),
        "yards": ("length", "1143/1250"),
        "kilometers": ("length", "1000"),
        '"': ("length", "127/5000"),
        "kilos": ("mass", "1000"),
        "kgs": ("mass", "1000"),
        "tons": ("mass", "1000000"),
        "tonnes": ("mass", "1000000"),
        "sq m": ("area", "1"),
        "sq km": ("area", "1000000"),
        "sqm": ("area", "1"),
        "m2": ("area", "1"),
        "km2": ("area", "1000000"),
        "acres": ("area", "40468564224/10000000"),
        "decades": ("months", "120"),
        "decade": ("months", "120"),
        "dozen": ("dozen", "12"),
    }
    if language == "zh":
        extra = {
            **extra,
            "千克": ("mass", "1000"),
            "斤": ("mass", "500"),
            "公斤": ("mass", "1000"),
            "千米": ("length", "1000"),
            "吋": ("length", "127/5000"),
            "月": ("months", "1"),
            "岁": ("months", "12"),
        }
    for name, (dimension, factor) in extra.items():
        found.setdefault(name, (dimension, Fraction(factor)))
    return found


@cache
def _money(language: str) -> tuple[dict[str, str], re.Pattern[str], re.Pattern[str]]:
    """Words of currencies → code; patterns of what stands before a number and after it."""
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for code, kind in currencies().items():
        before[code.lower()] = code
        after[code.lower()] = code
        if kind.symbol:
            before[kind.symbol] = code
            after[kind.symbol] = code
        for name in (kind.one, kind.many, kind.zh) if language == "zh" else (kind.one, kind.many):
            after[name.lower()] = code
    for name, code in (
        ("us$", "USD"),
        ("us dollars", "USD"),
        ("dollars", "USD"),
        ("dollar", "USD"),
        ("bucks", "USD"),
        ("pounds sterling", "GBP"),
        ("pence", "?"),
        ("cents", "?"),
        ("francs", "?"),
        ("kroner", "?"),
        ("pesos", "?"),
        ("roubles", "?"),
        ("rubles", "?"),
        ("won", "?"),
        ("人民币", "CNY"),
        ("港元", "?"),
        ("卢布", "?"),
        ("法郎", "?"),
    ):
        after.setdefault(name, code)
    before.setdefault("us$", "USD")
    before.setdefault("a$", "?")
    before.setdefault("c$", "?")
    both = {**after, **before}
    return both, _any(before), _any(after)


def _any(names: dict[str, str]) -> re.Pattern[str]:
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return re.compile("|".join(re.escape(name) for name in ordered), re.IGNORECASE)


@cache
def _unit_pattern(language: str) -> re.Pattern[str]:
    ordered = sorted(_spellings(language), key=lambda name: (-len(name), name))
    inner = "|".join(re.escape(name) for name in ordered)
    tail = r"(?![A-Za-zμ²³/])" if language != "zh" else r"(?![A-Za-zμ²³])"
    return re.compile(rf"[ \-]?(?:{inner}){tail}")


@cache
def _en_words() -> tuple[dict[str, int], re.Pattern[str]]:
    words = words_of("en")
    values = {name: i for i, name in enumerate(words["small"])}
    values |= {name: 10 * i for i, name in enumerate(words["tens"]) if name}
    values |= {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
    inner = "|".join(sorted(values, key=len, reverse=True))
    one = rf"(?:{inner})"
    return values, re.compile(rf"(?<![\w'])(?:(?:a|an) )?{one}(?:(?:-| and | |, ){one})*(?![\w'])", re.IGNORECASE)


_EN_DIGITS = re.compile(
    rf"(?<![\w.,])(?:(?P<minus>-)(?=\d))?(?P<n>{_NUMBER})(?P<ord>st|nd|rd|th)?(?P<joined>k|bn|mn)?(?![\d])",
    re.IGNORECASE,
)
_EN_SCALE = re.compile(r"[ -]?(thousand|million|billion|trillion|bn|mn)(?![a-z])", re.IGNORECASE)
_POINTS = re.compile(
    r"[ -]?(?:(?:percentage|percent|per cent|pct|%)[ -]?)?(?:points?|pts|pps?)(?![a-z])|个?百分点", re.IGNORECASE
)
_EN_PERCENT = re.compile(r"[ -]?(?:%|percentage(?= point)|percent|per cent|pct|p\.c\.)(?![a-z])", re.IGNORECASE)
_EN_RATIO = re.compile(
    r"(?<![\w.,])(\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten)(?: in |"
    r" out of (?:every )?| in every |/)(\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|"
    r"twenty|hundred)(?![\w])",
    re.IGNORECASE,
)
_EN_THOUSANDTH = re.compile(r" (?:per thousand|per mille|in a thousand)|‰")
_EN_PART = re.compile(
    r"(?<![\w'])(?:(?P<n>a|an|one|two|three|four|five|six|seven|eight|nine)[ -])?(?P<p>"
    + "|".join(_PARTS)
    + r")(?![\w'])",
    re.IGNORECASE,
)
_EN_ORDINAL = re.compile(
    r"(?<![\w'])(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|"
    r"twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|"
    r"twentieth)(?![\w'])",
    re.IGNORECASE,
)
_ORDINALS = [
    "",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
_SKIPPED = re.compile(
    r"(?<![\w'])(?:one (?:finds?|sees?|reads?|gets?|has|had|must|should|would|could|will|might|notes?|learns?|"
    r"notices|comes|"
    r"arrives|lands|discovers|encounters|meets|spots|obtains|reckons|says|knows|needs|looks|line|word|look|glance|"
    r"click|tap|thing|more)|(?:quick|short|easy|another|last|this|that|good|nice|little|tough|big|small|fun|"
    r"simple|next|old|new|"
    r"hard|first|final|single|right|interesting) one(?=\W*[,:;.!?–—-])|no one|one of (?:the|its|these|those|"
    r"several|many)|one another|this one|"
    r"that one|the one|one can|each one|which one|any one|one by one|one may|one and all|"
    r"on the one hand|one must|at one with|one's|for one|second-hand|at first|first of all|"
    r"first glance|in the first place|half-)(?![\w'])",
    re.IGNORECASE,
)


def amounts(text: str, language: str) -> list[Amount]:
    """The numbers of a text whose names and dates are blanked out, in order."""
    found = list(_chinese(text) if language == "zh" else _english(text))
    found.sort(key=lambda a: (a.start, -a.end))
    kept: list[Amount] = []
    for amount in found:
        if not kept or amount.start >= kept[-1].end:
            kept.append(amount)
    return [_rounded(amount, text, language) for amount in _joined(kept, text)]


def _joined(found: list[Amount], text: str) -> list[Amount]:
    """Neighbours of a larger and a smaller unit of one dimension are one amount: 2 hours 15 minutes."""
    kept: list[Amount] = []
    for amount in found:
        last = kept[-1] if kept else None
        if (
            last
            and amount.dimension
            and amount.dimension == last.dimension
            and not amount.dimension.startswith(("money", "percent"))
        ):
            between = text[last.end : amount.start]
            if between in ("", " ", " and ") and amount.value < last.value and _larger(last, amount, text):
                kept[-1] = replace(last, end=amount.end, value=last.value + amount.value)
                continue
        kept.append(amount)
    return kept


def _larger(first: Amount, second: Amount, text: str) -> bool:
    return re.sub(r"[\d.,\s]", "", text[first.start : first.end]) != re.sub(
        r"[\d.,\s]", "", text[second.start : second.end]
    )


def _english(text: str) -> Iterator[Amount]:
    text = _SKIPPED.sub(lambda m: " " * len(m[0]), text)
    for match in _EN_RATIO.finditer(text):
        a, b = _small(match[1]), _small(match[2])
        if b and a is not None and 0 < a < b:
            yield Amount(match.start(), match.end(), Fraction(a, b) * 100, "percent", part=True)
    for match in _EN_DIGITS.finditer(text):
        value = number(match["n"].rstrip(","))
        end = match.start("n") + len(match["n"].rstrip(","))
        if value is None:
            yield Amount(match.start(), end, Fraction(-1), "?")
            continue
        if match["joined"]:
            value, end = value * _EN_SCALES[match["joined"].lower()], match.end()
        if match["minus"]:
            value = -value
        if match["ord"]:
            yield Amount(match.start(), match.end(), value, ordinal=True)
        else:
            yield _measured(text, match.start(), end, value, "en")
    values, pattern = _en_words()
    for match in pattern.finditer(text):
        spelled = _spelled(match[0].lower(), values)
        if spelled is not None:
            yield _measured(text, match.start(), match.end(), Fraction(spelled), "en")
    for match in _EN_PART.finditer(text):
        word = match["p"].lower()
        many = _small(match["n"]) if match["n"] else None
        if match["n"] is None and word != "half":
            continue
        yield Amount(match.start(), match.end(), Fraction(many or 1, _PARTS[word]) * 100, "percent", part=True)
    for match in _EN_ORDINAL.finditer(text):
        yield Amount(match.start(), match.end(), Fraction(_ORDINALS.index(match[0].lower())), ordinal=True)


def _small(word: str) -> int | None:
    if word.isdigit():
        return int(word)
    if word.lower() in ("a", "an"):
        return 1
    values, _ = _en_words()
    return values.get(word.lower())


def _spelled(text: str, values: dict[str, int]) -> int | None:
    total, current = 0, 0
    for word in re.findall(r"[a-z]+", text):
        if word in ("a", "an"):
            current = 1
        elif word == "and":
            continue
        elif values[word] == 100:
            current = (current or 1) * 100
        elif values[word] >= 1_000:
            total, current = total + (current or 1) * values[word], 0
        elif word == "dozen":
            current = (current or 1) * 12
        else:
            current += values[word]
    return total + current


def _measured(text: str, start: int, end: int, value: Fraction, language: str) -> Amount:
    """The amount with whatever scale, unit, currency or percent stands beside the number."""
    scale = _EN_SCALE.match(text, end) if language == "en" else None
    if scale:
        value, end = value * _EN_SCALES[scale[1].lower()], scale.end()
    points = _POINTS.match(text, end)
    if points:
        dimension = "percent" if _EN_PERCENT.match(points[0]) or "百分" in points[0] else ""
        return Amount(start, points.end(), value, dimension, points=True)
    percent = _EN_PERCENT.match(text, end)
    if percent:
        return Amount(start, percent.end(), value, "percent")
    thousandth = _EN_THOUSANDTH.match(text, end)
    if thousandth:
        return Amount(start, thousandth.end(), value / 10, "percent")
    codes, before, after = _money(language)
    lead = text[max(0, start - 5) : start]
    for match in before.finditer(lead):
        rest = lead[match.end() :]
        if rest.strip(" -") == "" and (
            match.start() == 0 or not lead[match.start() - 1].isalpha() or not match[0].isalpha()
        ):
            begin = start - (len(lead) - match.start())
            signed = -value if text[max(0, begin - 1) : begin] == "-" or rest.endswith("-") else value
            tail = after.match(text, end + 1 if text[end : end + 1] == " " else end)
            if tail and codes.get(tail[0].lower()) != codes[match[0].lower()]:
                return Amount(begin, tail.end(), value, "money:?")
            return Amount(begin, end, signed, f"money:{codes[match[0].lower()]}")
    at = end + 1 if text[end : end + 1] in (" ", "-") else end
    tail = after.match(text, at)
    if tail and not (
        tail[0][-1:].isascii()
        and tail[0].isalpha()
        and text[tail.end() : tail.end() + 1].isalpha()
        and text[tail.end() : tail.end() + 1].isascii()
    ):
        return Amount(start, tail.end(), value, f"money:{codes[tail[0].lower()]}")
    unit = _unit_pattern(language).match(text, end)
    if unit:
        name = unit[0].lstrip(" -")
        if name == "in" and not _INCHES.match(text, unit.end()):
            return Amount(start, end, value)
        dimension, factor = _spellings(language)[name]
        if dimension == "dozen":
            return Amount(start, unit.end(), value * factor)
        return Amount(start, unit.end(), value * factor, dimension)
    return Amount(start, end, value)


_INCHES = re.compile(
    r"\W*$|[^\w\s]| (?:more|less|larger|smaller|bigger|longer|shorter|wider|higher|lower|above|"
    r"below|screen|display|panel|diagonal"
    r"|across|wide|tall|high|long|thick|and|or|with|as|is|was|for|screens|corner|from|\x01)"
)


_NO_ROUNDING = re.compile(
    r"\b(?:turn|hand|carr|tak|roll)\w* over$|\b(?:its|his|her|their|the) \w+ (?:over|under|above|below)$"
)
_NEARLY = re.compile(r",? (?:or thereabouts|or so|give or take|more or less|in round numbers|approximately|roughly)\b")


def _rounded(amount: Amount, text: str, language: str) -> Amount:
    """The amount with how its words round it."""
    if language == "zh":
        before, after = text[max(0, amount.start - 7) : amount.start], text[amount.end : amount.end + 2]
        before = before.rstrip("为是有达到的")
        hits = [w for w in vocabulary("about", "zh") if before.endswith(w) or after.startswith(w)]
        word = max(hits, key=len) if hits else ""
    else:
        before = text[max(0, amount.start - 26) : amount.start].rstrip().removesuffix(" a").removesuffix(" the").lower()
        word = ""
        for match in phrases("about", "en").finditer(before):
            if match.end() == len(before):
                word = match[0]
        lead = re.search(r"(?:~|≈|\bc\.|\bca\.)\s*$", text[max(0, amount.start - 5) : amount.start])
        if not word and (lead or _NEARLY.match(text, amount.end)):
            word = "about"
        if not word and text[amount.end : amount.end + 9].lower().startswith(
            (" or so", " or more", " or less", "-odd", " plus")
        ):
            word = "about"
    if not word or _NO_ROUNDING.search(before):
        return amount
    near = (
        "under"
        if word in vocabulary("about_under", language)
        else "over"
        if word in vocabulary("about_over", language)
        else "about"
    )
    return replace(amount, near=near + "=" if word in _INCLUSIVE and near != "about" else near)


_ZH_DIGITS_RUN = re.compile(
    rf"(?<![\d.A-Za-z])(?<!\d,)(?P<minus>负|-)?(?P<n>{_NUMBER})(?P<scale>千万|百万|万|亿|千(?![克米瓦赫伏帕]))?(?![\d])"
)
_ZH_RUN = re.compile(r"[零〇一二两三四五六七八九十百千万亿]+(?:点[零一二三四五六七八九]+)?")
_ZH_PART = re.compile(
    r"百分之(\d+(?:\.\d+)?|[零一二三四五六七八九十百点]+)|千分之(\d+(?:\.\d+)?)|(\d+|"
    r"[一二三四五六七八九十百]+)分之(\d+|"
    r"[一二三四五六七八九十]+)|([一二三四五六七八九])成(半)?"
)
_ZH_COUNTED = re.compile(r"第?[零〇一二两三四五六七八九十百千万亿]+(?:点[零一二三四五六七八九]+)?")
_ZH_IDIOM = re.compile(
    r"一[^\W\d_](?=\d)|一共|一[台款部个名位家](?=[\x01\u3400-\u9fff]{0,2}\x01)|"
    r"一小[段节则篇]|一[笔事句口段番起桩宗套些下旦般定样直起同致切方面并共再次番时旁边侧份则位名家款部座篇项]|唯一|万一|一一|"
    r"统一|同一|十分(?![钟之米])|之一|另一|某一|进一步|一览|单一|一[点种个]|每一|"
    r"第一[时手线]|单位|千万别|逐一|百科|百姓|周[一二三四五六]|星期[一二三四五六]|三方|双方|四处|五金|"
    r"一[条句段页张批组栏格列行类处节档问答览]|零[售件工食碎散部星]|"
    r"百[货科姓般]|万[能事象般]|千[方言秋]|两[者方端]|(?:一|每一?)(?:年|个月|周|天|"
    r"季度?)(?=[挣赚拿卖收花付缴交要领可能])"
)


def _chinese(text: str) -> Iterator[Amount]:
    text = _ZH_IDIOM.sub(lambda m: "　" * len(m[0]), text)
    for match in _ZH_PART.finditer(text):
        hundredth, thousandth, whole, many, tenths, half = match.groups()
        value: Fraction | None
        if hundredth:
            value = _han_or_digits(hundredth)
        elif thousandth:
            value = Fraction(thousandth) / 10
        elif tenths:
            value = Fraction(_ZH_DIGITS[tenths] * 10 + (5 if half else 0))
        else:
            a, b = _han_or_digits(many), _han_or_digits(whole)
            value = a / b * 100 if a is not None and b else None
        sign = -1 if text[max(0, match.start() - 1) : match.start()] == "负" else 1
        if value is not None:
            yield Amount(match.start(), match.end(), sign * value, "percent", part=not hundredth)
    for match in _ZH_DIGITS_RUN.finditer(text):
        number_text = match["n"].rstrip(",")
        value = number(number_text)
        if value is None:
            yield Amount(match.start(), match.end(), Fraction(-1), "?")
            continue
        end = match.start("n") + len(number_text)
        if match["scale"]:
            value, end = value * _ZH_SCALES[match["scale"]], match.end()
        if match["minus"]:
            value = -value
        rank = text[max(0, match.start() - 1) : match.start()] == "第"
        yield (
            replace(_measured(text, match.start(), end, value, "zh"), ordinal=True)
            if rank
            else _measured(text, match.start(), end, value, "zh")
        )
    for match in _ZH_COUNTED.finditer(text):
        run = match[0].lstrip("第")
        value = _han(run)
        if value is None:
            continue
        if match[0].startswith("第"):
            yield Amount(match.start(), match.end(), value, ordinal=True)
        else:
            yield _measured(text, match.start(), match.end(), value, "zh")


def _han_or_digits(text: str) -> Fraction | None:
    return Fraction(text) if text[:1].isascii() else _han(text)


def _han(text: str) -> Fraction | None:
    """A number in Chinese characters."""
    whole, _, decimals = text.partition("点")
    total, section, current = 0, 0, 0
    for character in whole:
        if character in _ZH_DIGITS:
            current = _ZH_DIGITS[character]
        elif character in "十百千":
            section += (current or 1) * {"十": 10, "百": 100, "千": 1_000}[character]
            current = 0
        elif character in "万亿":
            total = (total + section + current) * (10_000 if character == "万" else 100_000_000)
            section = current = 0
        else:
            return None
    result = Fraction(total + section + current)
    for place, character in enumerate(decimals, 1):
        result += Fraction(_ZH_DIGITS[character], 10**place)
    return result
