"""What leads a statement in and says nothing itself: `point two:`, `and since you ask,`, `再说一条，`."""

from __future__ import annotations

import re

from worldgen.audit.claims.plainness import unplain
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.unheard import charged
from worldgen.audit.claims.words import phrases

_LOADED = ("negation", "modal", "comparison", "causal", "alien", "undisclosed")
_NUMBERED = re.compile(r"\b(?:one|two|three|four|five|first|second|third|fourth|fifth|more)\b|[第一二三四五更]")
_DIGITS = re.compile(r"\d{2}|[零六七八九十百千万亿]")


def leads(text: str, scope: Scope) -> bool:
    """Whether a text without names may stand before a statement: plain words that deny, compare and explain nothing."""
    if not text:
        return True
    language = scope.lexicon.language
    lower = text.lower()
    if _DIGITS.search(lower) or scope.lexicon.names.find(text) or scope.labels(lower.replace("-", " ")):
        return False
    bare = _NUMBERED.sub(" ", lower)
    if any(phrases(kind, language).search(bare) for kind in _LOADED):
        return False
    nouns = {noun for found in scope.lexicon.nouns.values() for noun in found if noun}
    if any(re.search(rf"\b{re.escape(noun)}\b" if noun.isascii() else re.escape(noun), lower) for noun in nouns):
        return False
    if re.search(r"[A-Z]", text[1:]):
        return False
    found = unplain(text, scope.lexicon, scope.licence)
    few = sum(map(len, found.strange)) <= _MOST_SIGNS if language == "zh" else len(found.strange) <= 1
    return few and not found.loaded and not any(charged(word, language) for word in found.strange)


_MOST_SIGNS = 3
