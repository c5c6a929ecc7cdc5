"""Numbers in a Chinese text: digits, characters, parts and ranks, each with whatever stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from worldgen.audit.claims.measures import NUMBER, Amount, measured, number

_ZH_SCALES = {"千": 1_000, "万": 10_000, "亿": 100_000_000, "百万": 1_000_000, "千万": 10_000_000}
_ZH_DIGITS = {**{c: i for i, c in enumerate("零一二三四五六七八九")}, "两": 2, "〇": 0}
_ZH_DIGITS_RUN = re.compile(
    rf"(?<![\d.A-Za-z])(?<!\d,)(?P<minus>负|-)?(?P<n>{NUMBER})"
    r"(?:\s?(?P<more>[多余])?(?P<scale>千万|百万|万|亿|千(?![克米瓦赫伏帕])))?(?![\d])"
)
_ZH_PART = re.compile(
    r"百分之(\d+(?:\.\d+)?|[零一二三四五六七八九十百点]+)|千分之(\d+(?:\.\d+)?)|(\d+|[一二三四五六七八九十百]+)分之(\d+|"
    r"[一二三四五六七八九十]+)|([一二三四五六七八九])成(半)?"
)
_ZH_COUNTED = re.compile(r"第?[零〇一二两三四五六七八九十百千万亿]+(?:点[零一二三四五六七八九]+)?")
_ZH_IDIOM = re.compile(
    r"[这那哪某每任同上下前后此另单统第]一(?=[\u3400-\u9fff])(?!季|年|月|届)|一[^\W\d_](?=\d)|一共|"
    r"一[台款部个名位家](?=[\x01\u3400-\u9fff]{0,2}\x01)|"
    r"一小[段节则篇]|一[笔事句口段番起桩宗套些下旦般定样直起同致切方面并共再次番时旁边侧份则位名家款部座篇项]|唯一|万一|一一|统一|"
    r"同一|十分(?![钟之米])|之一|另一|某一|进一步|一览|单一|一[点种个]|每一|第一[时手线]|单位|千万别|逐一|百科|百姓|"
    r"周[一二三四五六]|星期[一二三四五六]|三方|双方|四处|五金|一[条句段页张批组栏格列行类处节档问答览]|"
    r"零[售件工食碎散部星]|百[货科姓般]|万[能事象般]|千[方言秋]|两[者方端]|"
    r"(?:一|每一?)(?:年|个月|周|天|季度?)(?=的?[挣赚拿卖收花付缴交要领可能薪工营产销开支租费预])|"
    # So much in a year: one such time before another number is how often, and not how much.
    r"一(?:年|个?月|周|天|季度?)(?![前后内多半以之期制的左上起有])(?=[^\W\d_]{1,8}?[\d零一二两三四五六七八九十百千万亿])|"
    r"头一[天日年月周回次批个家项条位季]|[这那哪]一[天年日刻]|一[搁称量看算查数问翻掂过放比搜听想说](?![\d点千百万十])|"
    r"挂零|有零|零头|不三不四|七上八下|三三两两|一五一十|十全十美|九牛一毛|百里挑一|千真万确|一清二楚|一干二净|"
    r"一分一毫|丁一卯二|一丝一毫|一字一句|三言两语|一目了然|万分|千万要|五花八门|四平八稳|三番五次|一来二去|"
    r"四舍五入|二话不?|一句话|两句话|两眼|一眼|三思|四面|八方|五湖|一板一眼|说一不二|一码归一码|有一说一|一是一|二是二"
)


def chinese(text: str) -> Iterator[Amount]:
    """Every reading of a number, in no order; one that begins in another is dropped by `amounts`."""
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
        near = ""
        if match["scale"]:
            value, end = value * _ZH_SCALES[match["scale"]], match.end()
            near = "over" if match["more"] else ""
        if match["minus"]:
            value = -value
        rank = text[max(0, match.start() - 1) : match.start()] == "第"
        found = replace(_told(text, match.start(), end, value), ordinal=rank, told=number_text)
        yield replace(found, near=near or found.near)
    for match in _ZH_COUNTED.finditer(text):
        run = match[0].lstrip("第")
        value = _han(run)
        if value is None:
            continue
        if match[0].startswith("第"):
            yield Amount(match.start(), match.end(), value, ordinal=True)
        elif run not in ("一", "两") or _counted(text, match.end()):
            yield _told(text, match.start(), match.end(), value)


def _told(text: str, start: int, end: int, value: Fraction) -> Amount:
    """The amount, where a word between number and unit may say that it is more: 180多厘米, 十余年."""
    if text[end : end + 1] in ("多", "余") and text[end : end + 2] not in _MORE_WORDS:
        return replace(measured(text, start, end + 1, value, "zh"), near="over", told=text[start:end])
    return measured(text, start, end, value, "zh")


_MORE_WORDS = frozenset(["多于", "多少", "多数", "多半", "多么", "多次", "余下", "余额", "余地"])
_COUNTED = re.compile(
    r"$|[^\w]|\s|个?(?:年|月|天|周|岁|人|名|位|户|台|辆|册|页|期|席|票|球|分|场|张|间|层|条|跨|核|次|届|家|款|座|处|"
    r"小时|分钟|秒|钟头|星期|礼拜|季度|米|克|公斤|千克|升|瓦|元|美元|欧元|英镑|日元|成|倍|人次|席位|名额|议席|员工|成员|"
    r"[纳微毫厘分千]米|公[里顷斤分]|英[寸尺里]|平方|立方|吨|毫[安克升]|千[瓦克]|兆)"
)


def _counted(text: str, at: int) -> bool:
    """Whether a single `one` or `two` counts: before a unit, a counted thing or the end of what is said."""
    return _COUNTED.match(text, at) is not None


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
