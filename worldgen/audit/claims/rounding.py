"""How the words beside a number round it: `just over 200`, `a shade under €2m`, `960 or so`, `180多厘米`.

A word of rounding says which way, or that the number is about right; a hedge before it says how far. What is judged
is the direction alone, so any hedge may stand before any word.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from worldgen.audit.claims.measures import Amount
from worldgen.audit.claims.words import table

_NEAR = {"about": "about", "over": "over", "under": "under", "least": "over=", "most": "under="}
_MOST_BEFORE = 64
_MOST_BEHIND = 40
_OTHERWISE = re.compile(
    r"\b(?:turn|hand|carr|tak|roll)\w* over$|\b(?:its|his|her|their|the) \w+ (?:over|under|above|below|past|near)$"
)
# Over 24 months may mean for 24 months.
_TIMES = frozenset(["time", "months"])
# Compared with nothing but the number itself: 比250多一点, 较250略少.
_THAN_ZH = re.compile(r"(?:比|较|比起)(?:起)?\s?$")
_BEYOND_ZH = re.compile(
    r"\s?(?:[\u3400-\u9fff]{1,3}?)??(?:还|要|再|又|略|稍|稍稍|稍微|略微|微微|只|仅|也|都){0,3}"
    r"(?:(?P<over>[多高大重长贵久])|(?P<under>[少低小轻短矮便]宜?))(?:出|上|了|过)?"
    r"(?:那么|这么)?(?:一点点|一点儿|一丁点|一丢丢|一点|一些|一截|一丝|点儿|点|些|几分|少许|有限)?"
    r"(?![\u3400-\u9fff]?\d)(?=$|[^\w]|[的吧呢啊哦啦])"
)
_BY_EN = re.compile(r"(?:~|≈|±)\s*$")
_AND_THEN = re.compile(r"\s*,?\s*\(?plus [a-z\x01]", re.IGNORECASE)
"""`Plus` that joins another statement: `28 m, plus B has a crew of five`."""
_MORE_OR = re.compile(r" (?:more|less|fewer|higher|lower|over|above|under|below)(?: than\b| \w+ than\b)", re.IGNORECASE)


@cache
def _words(language: str) -> tuple[dict[str, str], dict[str, str]]:
    """Words before a number and words behind it, with what they make of it."""
    told: dict[str, list[str]] = table(language)["rounding"]
    before = {word: near for kind, near in _NEAR.items() for word in told[kind]}
    behind = {word: near for kind, near in _NEAR.items() for word in told[f"behind_{kind}"]}
    return before, behind


@cache
def hedging(language: str) -> frozenset[str]:
    """Each word of the phrases that stand before a number and round it to about so much."""
    return frozenset(word for phrase in table(language)["rounding"]["about"] for word in phrase.split())


def _longer(words: dict[str, str]) -> dict[str, str]:
    """Those of several characters, which round a number across the noun that it counts."""
    return {word: near for word, near in words.items() if len(word) > 1}


def _any(words: dict[str, str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    before, behind = _words(language)
    if language == "zh":
        # What is counted may stand between: 86,000台上下.
        counted = rf"(?:[\u3400-\u9fff]{{1,4}}?(?=[(]?(?:{_any(_longer(behind))})))?"
        return (
            re.compile(rf"(?P<w>{_any(before)})(?:[了有为达到是]{{0,2}})\s?$"),
            re.compile(rf"\s?{counted}[(]?(?P<w>{_any(behind)})"),
        )
    hedges = "|".join(sorted(table(language)["rounding"]["hedges"], key=lambda word: (-len(word), word)))
    return (
        re.compile(rf"(?<![\w'-])(?:(?:{hedges}) )*(?P<w>{_any(before)})(?: (?:a|an|the|of))?\s*$"),
        re.compile(rf"(?: [a-z]+){{0,2}}?(?:,? ?\(?|(?=[+-]))(?P<w>{_any(behind)})(?![\w'])\)?"),
    )


def adrift(text: str, language: str) -> bool:
    """Whether a phrase anywhere in a text says that its number is rounded: `in rough terms`, `rounded off, …`."""
    inner = _any(dict.fromkeys(table(language)["rounding"]["adrift"], ""))
    return re.search(inner if language == "zh" else rf"(?<![\w'-])(?:{inner})(?![\w'])", text.lower()) is not None


def rounded(amount: Amount, text: str, language: str) -> Amount:
    """The amount with how its words round it, and where those words begin and end."""
    if amount.near:
        than = _THAN_ZH.search(text[: amount.start]) if language == "zh" and amount.near == "over" else None
        return replace(amount, lead=than.start()) if than else amount
    if amount.ordinal:
        return amount
    before, behind = _words(language)
    ahead, after = _patterns(language)
    lead = text[max(0, amount.start - _MOST_BEFORE) : amount.start].lower()
    match = ahead.search(lead)
    if match and not _OTHERWISE.search(lead[: match.end("w")]):
        near = before[match["w"]]
        if near == "over" and match["w"] == "over" and amount.dimension in _TIMES:
            near = "over="
        return replace(amount, near=near, lead=amount.start - (len(lead) - match.start()))
    than = _THAN_ZH.search(lead) if language == "zh" else None
    beyond = _BEYOND_ZH.match(text, amount.end) if than else None
    if than and beyond:
        near = "over" if beyond["over"] else "under"
        return replace(amount, near=near, lead=amount.start - (len(lead) - than.start()), tail=beyond.end())
    sign = _BY_EN.search(lead)
    if sign:
        return replace(amount, near="about", lead=amount.start - (len(lead) - sign.start()))
    rest = text[amount.end : amount.end + _MOST_BEHIND].lower()
    match = after.match(rest)
    if match and not (language == "en" and (_MORE_OR.match(rest) or _AND_THEN.match(rest))):
        return replace(amount, near=behind[match["w"]], tail=amount.end + match.end())
    return amount
