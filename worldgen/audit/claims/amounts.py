"""Reads amounts in a sentence: numbers in digits or letters with their unit, currency, percent or scale, and fractions.

Numbers mean something only beside a claim, so what is read keeps every way in which it may be meant.
"""

import re
from dataclasses import replace

from worldgen.audit.claims.measures import Amount
from worldgen.audit.claims.numerals_en import english
from worldgen.audit.claims.numerals_zh import chinese
from worldgen.audit.claims.words import phrases, vocabulary

__all__ = ["Amount", "amounts"]

_INCLUSIVE = frozenset(
    ["up to", "at least", "at most", "no fewer than", "no less than", "no more than", "至少", "最多"]
)


def amounts(text: str, language: str) -> list[Amount]:
    """The numbers of a text whose names and dates are blanked out, in order."""
    found = list(chinese(text) if language == "zh" else english(text))
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
