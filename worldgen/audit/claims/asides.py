"""Sentences that a page says to its reader about itself, as `Holler if our glossary trips you up` does.

No list has all the words of such small talk, and none of them can be wrong of a thing of which nothing is said. So a
sentence that names nothing, values nothing and speaks of nothing but pages and readers may have a few strange words,
unless one stands where something is said to be so.
"""

from __future__ import annotations

import re

from worldgen.audit.claims.reading import Reading, has
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.words import phrases

_READER = re.compile(
    r"\b(?:you|your|yours|yourself|we|our|ours|us|i|i'm|i'll|i've|me|my|mine|you're|you'll|you've|we're|we'll|we've|"
    r"let's|readers?|visitors?|browsers?|bookmarks?|cookies?|newsletters?|comments?|feedback|typos?|corrections?|"
    r"contributors?|editors?|moderators?|mods|subscribers?|folks|friends?|thanks|cheers|welcome)\b"
)
_THIRD = re.compile(r"\b(?:it|its|he|she|him|her|his|they|their|them|itself|himself|herself|themselves)\b")
_SAID_TO_BE = re.compile(
    r"(?:\b(?:am|is|are|was|were|be|been|being|'s|'re|become|becomes|became|seems?|looks?|feels?|went|gone|goes|got|as|"
    r"so|very|too|says?|said|heard|call(?:ed|s)?|believe|think|know|that|about|of)|[:,–—-])\s*(?:(?:a|an|the) )?$"
)
_SHARE = 3


def strange_but_idle(word: str, reading: Reading, scope: Scope, strange: int) -> bool:
    """Whether a strange word stands in talk to the reader that claims nothing.

    Args:
        word: The word as the sentence has it.
        reading: The sentence.
        scope: Of whom the text speaks.
        strange: How many strange words the sentence has.
    """
    if reading.language != "en" or not _to_reader(reading, scope):
        return False
    at = reading.lower.find(word.lower())
    words = len(re.findall(r"[a-z']+", reading.lower))
    return at > 0 and strange * _SHARE <= words and _SAID_TO_BE.search(reading.lower[:at]) is None


def _to_reader(reading: Reading, scope: Scope) -> bool:
    lower = reading.lower
    if reading.names or reading.amounts or reading.days or reading.gaps or scope.used or scope.derived:
        return False
    if _THIRD.search(lower) or scope.labels(lower.replace("-", " ")) or phrases("alien", "en").search(lower):
        return False
    kinds = {noun for found in scope.lexicon.nouns.values() for noun in found}
    if any(re.search(rf"\b{re.escape(noun)}s?\b", lower) for noun in kinds):
        return False
    return _READER.search(lower) is not None or has("about_pages", lower, "en") is not None
