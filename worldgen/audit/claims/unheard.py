"""Words that no list has, in a sentence that tells a licensed fact: `you could crack B open: the cell says 5,500 mAh`.

A language has more words than a list. Where a sentence gives a licensed value of what it names, a word that is not
known can hardly be a lie about it, unless it denies, compares, judges or tells of an event, or stands where something
is said to be so, or in a part of the sentence that tells nothing else. `data/charged-en.txt` and `data/charged-zh.txt`
have what such words are made of. A sentence that does not name what it tells of has no such words in Chinese, where
they may be a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from worldgen.audit.claims.facts import labels
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.words import bases
from worldgen.records import Language

_MOST = {"en": 2, "zh": 3}
_MOST_SIGNS = 2
_SAID_TO_BE = re.compile(
    r"(?:\b(?:am|is|are|was|were|be|been|being|become|becomes|became|seem|seems|look|looks|feel|feels|as|so|very|too|"
    r"quite|rather|really|truly|all|more|most|less|no|not|never)|'s|'re)\s+(?:(?:a|an|the|such) )?$"
)
_OWNED = re.compile(r"(?:'s?|\b(?:its|his|her|their))\s+$")
_NEXT = re.compile(r"\s*[\x01]|-|\s+[a-z]")
_SMALL_NEXT = re.compile(
    r"\s+(?:of|at|in|on|for|to|from|by|with|as|is|was|are|were|has|had|and|or|that|which|says?|reads?|shows?|into|onto|over|up|down|out|"
    r"open|off|a|an|the|you|we)\b"
)
_CLAUSE = {
    "en": re.compile(
        r"[,;:()–—]|\b(?:and|but|while|whereas|which|who|that|because|although|though|when|where|after|before|since|until|once|if)\b"
    ),
    "zh": re.compile("[,;:()—，；：、（）。]"),
}
_YOU = re.compile(r"\b(?:you|we|i|one|you'd|you'll|you're|we'd|i'd|your|our|my)\b")


_HERE = re.compile(r"\b(?:this|these|our|your|my)\s+$")
_ADVERBIAL = re.compile(
    r"\W*(?:as|in|on|at|by|per|from|according|under|for|with|after|before|since|once|when|while|if|to|over|inside)\b"
)


class _Charged(NamedTuple):
    words: frozenset[str]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]


def harmless(strange: list[str], reading: Reading, scope: Scope) -> bool:
    """Whether the strange words of a sentence leave it telling what it tells.

    Args:
        strange: The words, as the sentence has them, in order.
        reading: The sentence, in which no wrong claim was found.
        scope: Of whom it speaks, with the claims that it states.
    """
    if not scope.used or (reading.language == "zh" and not _names_it(reading, scope)):
        return False
    if reading.language == "zh":
        few = sum(map(len, strange)) <= _MOST["zh"] and all(len(word) <= _MOST_SIGNS for word in strange)
    else:
        few = len(strange) <= _MOST["en"]
    told = list(_told(reading, scope))
    return few and bool(told) and all(_idle(word, told, reading, scope) for word in strange)


def charged(word: str, language: Language) -> bool:
    """Whether a word may deny, compare, judge or tell of an event.

    >>> charged("debunks", "en"), charged("mainboard", "en")
    (True, False)
    """
    found = _charged(language)
    if language == "zh":
        return any(sign in found.words for sign in word)
    forms = bases(word.lower())
    return (
        not found.words.isdisjoint(forms)
        or word.lower().startswith(found.beginnings)
        or any(form.endswith(found.endings) for form in forms)
    )


def _idle(word: str, told: list[tuple[int, int]], reading: Reading, scope: Scope) -> bool:
    lower = reading.lower
    at = lower.find(word.lower())
    if at < 0 or charged(word, "zh" if reading.language == "zh" else "en"):
        return False
    first, last = clause(at, reading)
    opens = not re.search(r"\w", reading.text[:at])
    if any(start <= at < end for start, end in scope.used_up):
        return True  # `a hair above 5`
    leading = last <= min(start for start, _ in told) and not any(first <= n.start < last for n in reading.names)
    stands = opens or any(first <= start < last for start, _ in told)
    stands = stands or (leading and (reading.language == "zh" or _ADVERBIAL.match(lower, first) is not None))
    if reading.language == "zh":
        return stands and _OF_A_NAME_ZH.match(lower, at + len(word)) is None
    if not word.isascii() or not word.isalpha() or not (word.islower() or (opens and word[1:].islower())):
        return False
    end = at + len(word)
    spoken = _YOU.search(lower[first:at]) is not None
    if opens and lower[end : end + 2].strip() == "\x01" and not _YOU.search(lower):
        return False
    if not opens and _NEXT.match(lower, end) and lower[end : end + 2].strip() == "\x01":
        return False
    if (_SAID_TO_BE.search(lower[:at]) and not _done_to(word, lower[end:])) or (
        _OWNED.search(lower[:at]) and re.match(r"\s+[a-z]", lower[end:]) and not _SMALL_NEXT.match(lower, end)
    ):
        return False
    if _HERE.search(lower[:at]):
        return True
    return (stands or spoken) and at < max([*(stop for _, stop in told), *(named.end for named in reading.names)])


def _names_it(reading: Reading, scope: Scope) -> bool:
    """Whether a Chinese sentence names something of which it tells, or has a pronoun for it."""
    named = {i for mention in reading.names for i in mention.ids}
    return (
        any(c.subject in named or scope.phrase(c.subject) for c in scope.used)
        or _IT_ZH.search(reading.lower) is not None
    )


_OF_A_NAME_ZH = re.compile("(?:[\u4e00-\u9fff]{0,3}[的之])?\\s*\x01")
_IT_ZH = re.compile("[它他她其该此本]|这[款个名位座家艘]")


def _done_to(word: str, rest: str) -> bool:
    """Whether a participle goes on to whom or what something is done: `updates are pledged to B for 4 years`."""
    return (
        word.endswith(("ed", "en"))
        and re.match(r"\s+(?:to|for|onto|into|at|under|with|as|in|on|against|beside)\b", rest) is not None
    )


def clause(at: int, reading: Reading) -> tuple[int, int]:
    """The part of a sentence, between marks and words that join, around a place."""
    first, last = 0, len(reading.lower)
    for match in _CLAUSE[reading.language].finditer(reading.masked.lower()):
        if match.end() <= at:
            first = match.end()
        elif match.start() >= at:
            last = match.start()
            break
    return first, last


def _told(reading: Reading, scope: Scope) -> Iterator[tuple[int, int]]:
    """Where values and labels of what the sentence states stand."""
    yield from ((amount.start, amount.end) for amount in reading.amounts if not amount.ordinal)
    yield from ((day.start, day.end) for day in reading.days)
    yield from ((label.start, label.end) for label in labels(reading, scope))
    lower = reading.lower.replace("-", " ")
    cues = {cue for claim in scope.used for cue in scope.lexicon.bearing[claim.trait.key]}
    yield from ((token.start, token.start + 2) for token in reading.tokens if token.stem in cues)
    for claim in scope.used:
        wanted = claim.value if claim.trait.kind == "ref" else f"={claim.value}"
        yield from ((named.start, named.end) for named in reading.names if wanted in named.ids)
        for wording in claim.trait.categories.get(claim.value, ()):
            at = lower.find(wording.lower().replace("-", " "))
            if at >= 0:
                yield at, at + len(wording)


@cache
def _charged(language: Language) -> _Charged:
    lines = (Path(__file__).parent / "data" / f"charged-{language}.txt").read_text("utf-8").splitlines()
    text = " ".join(line for line in lines if not line.startswith("#"))
    if language == "zh":
        return _Charged(frozenset(text.replace(" ", "")), (), ())
    words = text.split()
    return _Charged(
        frozenset(word for word in words if word.strip("-") == word),
        tuple(word[:-1] for word in words if word.endswith("-")),
        tuple(word[1:] for word in words if word.startswith("-")),
    )
