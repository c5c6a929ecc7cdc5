"""Reads amounts in a sentence: numbers in digits or letters with their unit, currency, percent or scale, and fractions.

Numbers mean something only beside a claim, so what is read keeps every way in which it may be meant.
"""

from __future__ import annotations

import re
from dataclasses import replace

from worldgen.audit.claims.measures import Amount
from worldgen.audit.claims.numerals_en import english
from worldgen.audit.claims.numerals_zh import chinese
from worldgen.audit.claims.rounding import adrift, rounded

__all__ = ["Amount", "amounts"]


def amounts(text: str, language: str) -> list[Amount]:
    """The numbers of a text whose names and dates are blanked out, in order."""
    found = list(chinese(text) if language == "zh" else english(text))
    found.sort(key=lambda a: (a.start, -a.end))
    kept: list[Amount] = []
    for amount in found:
        if not kept or amount.start >= kept[-1].end:
            kept.append(amount)
    told = [rounded(amount, text, language) for amount in _joined(kept, text)]
    if len(told) == 1 and not told[0].near and not told[0].ordinal and adrift(text, language):
        return [replace(told[0], near="about")]
    return told


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
            if (
                between in ("", " ", " and ", ", ", "零", "又")
                and amount.value < last.value
                and _larger(last, amount, text)
            ):
                kept[-1] = replace(last, end=amount.end, value=last.value + amount.value, factor=amount.factor)
                continue
        kept.append(amount)
    return kept


def _larger(first: Amount, second: Amount, text: str) -> bool:
    return re.sub(r"[\d.,\s]", "", text[first.start : first.end]) != re.sub(
        r"[\d.,\s]", "", text[second.start : second.end]
    )
