"""Sentences that a page says to its reader about itself, as `Holler if our glossary trips you up` does.

No list has all the words of such small talk, and none of them can be wrong of a thing of which nothing is said. So a
sentence that names nothing, values nothing and speaks of nothing but pages and readers may have a few strange words,
unless one stands where something is said to be so.
"""

from __future__ import annotations

import re

from worldgen.audit.claims.reading import Reading, has
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.unheard import charged
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


def harmless(strange: list[str], reading: Reading, scope: Scope) -> bool:
    """Whether the strange words of a sentence stand in talk that claims nothing.

    Args:
        strange: The words, as the sentence has them.
        reading: The sentence.
        scope: Of whom the text speaks.
    """
    if _names_something(reading, scope):
        return False
    if reading.language == "zh":
        return _chat_zh(strange, reading)
    lower, words = reading.lower, len(re.findall(r"[a-z']+", reading.lower))
    if len(strange) * _SHARE > words:
        return False
    places = [lower.find(word.lower()) for word in strange]
    said = any(_SAID_TO_BE.search(lower[:at]) for at in places)
    to_reader = _READER.search(lower) is not None or has("about_pages", lower, "en") is not None
    if to_reader and all(at > 0 for at in places) and not said:
        return True
    curt = words <= _CURT and not _VERB.search(lower) and not any(charged(word, "en") for word in strange)
    return curt and _LEAD.match(lower) is not None and not said


_CURT = 8
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|be|been|being|has|have|had|does|do|did|will|would|can|could|may|might|must|shall|should|"
    r"all|every|everything|nothing|none|nobody|each|both|only|not|no|never)\b|n't\b|'s\b|'re\b|\w+ed\b"
)
_LEAD = re.compile(
    r"\W*(?:ok|okay|right|alright|well|so|now|then|and now|done|bye|goodbye|cheers|thanks|phew|welcome|hello|hi|hey|"
    r"anyway|anyhow|enough|back|off|time|on|over|up|down|that|there|here|grab|pour|sit|stay|take|make|put|get|go|come|"
    r"keep|let|have|mind|pass|hold|cue|enter|exit|curtain|lights|next|first|last|just|straight|deep|short|long|quick)\b"
)
_MOST_CHAT_ZH = 20
_MOST_SIGNS = 4
_CLAIMS_ZH = re.compile("[是为成全都皆均所有]|其实|实际|原来|已经|早已|据|听说|它|他|她|其|该")


def _chat_zh(strange: list[str], reading: Reading) -> bool:
    """Whether a Chinese sentence is short talk in which nothing is said to be so."""
    few = len(reading.text) <= _MOST_CHAT_ZH and sum(map(len, strange)) <= _MOST_SIGNS
    return few and not _CLAIMS_ZH.search(reading.text) and not any(charged(word, "zh") for word in strange)


def _names_something(reading: Reading, scope: Scope) -> bool:
    """Whether a sentence names, counts or dates something, or speaks of what the world has."""
    lower = reading.lower
    if reading.names or reading.amounts or reading.days or reading.gaps or scope.used or scope.derived:
        return True
    if scope.labels(lower.replace("-", " ")) or phrases("alien", reading.language).search(lower):
        return True
    kinds = {noun for found in scope.lexicon.nouns.values() for noun in found if noun}
    if reading.language == "zh":
        return any(noun in lower for noun in kinds)
    return _THIRD.search(lower) is not None or any(re.search(rf"\b{re.escape(noun)}s?\b", lower) for noun in kinds)
