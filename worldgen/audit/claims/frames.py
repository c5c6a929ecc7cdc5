"""Whose attribute a noun names in a sentence: `B's maker`, `the maker of B`, `B (maker: A)`, `as to maker, B has A`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from worldgen.audit.claims.names import Named
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.traits import Trait

_BEHIND = re.compile(r"\s*(?:of|for|on|at|in|to|behind|in the case of|held by|belonging to)\s+(?:the )?$")
_BEFORE = re.compile(
    r"(?:'s?|,? whose|,? with its|,? and its|,? its|\s*[(:/|–—]| -)\s*(?:the |its |a |an )?(?:\w+ ){0,1}$"
)
_BEFORE_ZH = re.compile(r"\s*(?:的|之|[(:/|、,—-]|——)?\s*(?:现任|其|它的)?$")
_APPOSED = re.compile(r"(?:\bis|\bwas|\bas|[:–—-]) (?:the )?$")
_AS = re.compile(r"\bas (?:(?:its|their|his|her|the|a|an) )?(?:\w+ )?$")
_TOPIC = re.compile(r"\W*(?:for|with|as for|regarding|concerning|in the case of|as regards) (?:the )?")


class Held(NamedTuple):
    """A noun of the sentence and the name whose attribute it is."""

    start: int
    end: int
    holder: Named
    attached: bool


def holders(trait: Trait, reading: Reading, *, heads: bool = False) -> Iterator[Held]:
    """Each place where the sentence names an attribute, with whose it is where its frame tells.

    Args:
        trait: The attribute.
        reading: The sentence.
        heads: Whether the last word of a label does: `salary` for `gross salary`.
    """
    taken: list[tuple[int, int]] = []
    nouns = {*trait.phrases, *(phrase.split()[-1] for phrase in trait.phrases if heads)}
    for phrase in sorted(nouns, key=lambda noun: (-len(noun), noun)):
        whole = re.escape(phrase) if reading.language == "zh" else rf"(?<![\w'-]){re.escape(phrase)}(?![\w'-])"
        for match in re.finditer(whole, reading.lower):
            if any(match.start() < b and a < match.end() for a, b in taken):
                continue
            taken.append(match.span())
            found = _holder(match.start(), match.end(), reading)
            if found is not None:
                yield Held(match.start(), match.end(), *found)


def _holder(start: int, end: int, reading: Reading) -> tuple[Named, bool] | None:
    lower = reading.lower
    last = next((n for n in reversed(reading.names) if n.end <= start), None)
    following = [n for n in reading.names if n.start >= end]
    if reading.language == "zh":
        if last is not None and _BEFORE_ZH.fullmatch(lower, last.end, start):
            return last, True
    else:
        if following and _BEHIND.fullmatch(lower, end, following[0].start):
            return following[0], True
        if last is not None and _BEFORE.fullmatch(lower, last.end, start):
            return last, True
        behind = lower[last.end : start] if last is not None else ""
        if last is not None and _TOPIC.fullmatch(lower[: last.start]) and re.fullmatch(r", (?:the )?", behind):
            return last, True
        if last is not None and lower[last.end : start].strip() == "," and re.match(r"\s*[:=]", lower[end:]):
            return last, True
        if _AS.search(lower[:start]):
            return None
    lead = lower[end : following[0].start].strip() if following else ""
    if last is None and len(following) > 1 and not lead.startswith(("是", "为", "is")):
        return following[0], False
    return None


def turned(trait: Trait, held: Held, nouns: tuple[str, ...], reading: Reading) -> bool:
    """Whether a noun is no mere apposition to a name of its own kind: `the city of B` says nothing of B's city."""
    noun = reading.lower[held.start : held.end]
    if reading.language == "zh" and held.holder.end == held.start:
        return False
    if noun not in nouns:
        return True
    if held.holder.end <= held.start:
        return held.holder.end < held.start
    return _APPOSED.search(reading.lower[: held.start]) is not None
