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


_OWNED = re.compile(
    r"(?:\W*\w+){0,2}?\W*(?:of|for|at|on|in|to|behind|with|from|inside|within|under|about|held by|belonging to|"
    r"pertaining to|in the case of|when it comes to)\s+(?:the |our |this |that )?$"
)
_OWNS = re.compile(
    r"(?:'s?|,? whose|,? with its|,? and its|,? its)\s+(?:\w+ ){0,2}$|"
    r"\s*(?:[:(/|–—»>·•]+|->|→)\s*(?:the |its )?$|"
    r"(?:,? which| that)?\s+(?:also |simply |here )?(?:has|have|had|possesses|owns|carries|bears|shows|lists|"
    r"gives|gets|names|takes|"
    r"uses|features|displays|reports|records|cites|holds|comes with|goes with|"
    r"is (?:listed|filed|down|noted|documented|recorded|entered|shown|given) with)\b[^,;:\x01]{0,30} $"
)
_BESIDE = re.compile(
    r"(?:\bfor|\bof|\babout|\bbeside|\bbesides|\bnext to|\balongside|\bregarding|\bconcerning|\bre|\bas for|\bagainst|"
    r"\bas to|\bin the case of|\bas regards|\bwith respect to|\bwith regard to|\bin respect of|\bwhen it comes to|"
    r"\bopposite|\bon behalf of|\bturning to|\bwith an eye to|^\W*with|^\W*at|^\W*on|^\W*under|^\W*take|^\W*meet|"
    r"^\W*see|^\W*consider|\b(?:what|which|that|where)) (?:the |our )?$"
)
_VALUED = re.compile(
    r"\W*(?:[:=→»—–…]|\.{2,}|(?:is|was|are|were|reads?|says?|being|equals|makes)\b)\W*(?:the |a |an |our )?"
)
_LAST = re.compile(
    r"\b(?:as|for|under|in|by way of|in matter of|in terms of|by|with respect to|in the way of|where|on) "
    r"(?:(?:its|the|his|her|their|a|an) )?(?:\w+ )?$"
)
_ACTS = re.compile(r"\b(?:serv|act|work|stand|stood|appear|figur|function|count|fill|play|pass|go|went|by)\w*\b")
_OWNED_ZH = re.compile(r"\W*(?:属于|归于|归|属)\s*$")
_OWNS_ZH = re.compile(
    r"\W*(?:的|之|那边的|这边的|其|这个|那个|该项|名下的?|所[有属具填记]的?|有(?:着|一个|这样一个)?|[(\[【:|/·])?\W*$"
)
_BESIDE_ZH = re.compile(
    r"(?:对于|对|关于|至于|就|有关|针对|说到|谈到|谈及|提到|提及|论及|论到|轮到|翻到|查到|属于)\W*$"
)
_AFTER_ZH = re.compile(
    r"\W*(?:的?(?:名下|这边|那边|这里|那里|一方|方面|一栏|一行|一项|词条|条目|档案|旁边|后面|身上)|来说|来讲|而言|"
    r"对应|填|写|记|"
    r"登|列|报|显示|用的|选的)"
)
_VALUED_ZH = re.compile(
    r"\W*(?:[:=→»—|/]|[一此该]?[栏项格]?(?:便是|就是|乃是|即是|即|是|为|系|乃|填|写|记|登记|列|作)[的着作为有]?)\W*"
)


_IS_ZH = re.compile(r"(?:是|为|乃|即|系|用|叫|靠|装|搭载|来自|采用|名为|名叫)\W*$")


def whose(start: int, end: int, first: Named, second: Named, reading: Reading) -> Named | None:
    """Whose of two names the noun at a place is, by the words around it; None where they leave it open.

    Args:
        start: Where the noun, a label, begins.
        end: Where it ends.
        first: A name of the sentence.
        second: A later one.
        reading: The sentence.
    """
    pair = (first, second)
    zh = reading.language == "zh"
    lower = reading.lower
    before = next((n for n in reversed(pair) if n.end <= start), None)
    after = next((n for n in pair if n.start >= end), None)
    owns, owned = (_OWNS_ZH, _OWNED_ZH) if zh else (_OWNS, _OWNED)
    if before is not None and lower.startswith("'", before.end) and owns.fullmatch(lower, before.end, start):
        return before
    if after is not None and owned.fullmatch(lower, end, after.start):
        return after
    if zh and before is second and before.end == start and _IS_ZH.search(lower[first.end : second.start]):
        return first  # B的大脑是A芯片
    if before is not None and owns.fullmatch(lower, before.end, start):
        return before
    valued = _VALUED_ZH if zh else _VALUED
    if before is not None and after is not None and valued.fullmatch(lower, end, after.start):
        return before
    marked = [n for n in pair if _marked(n, reading)]
    if len(marked) == 1:
        return marked[0]
    if before is None and after is not None:
        led = valued.fullmatch(lower, end, after.start)
        return (second if after is first else first) if led else first
    if after is None and not zh and _LAST.search(lower[:start]) and not _ACTS.search(lower[first.end : second.start]):
        return first
    return None


def _marked(named: Named, reading: Reading) -> bool:
    """Whether the words beside a name say that it is what a sentence tells something of."""
    lower = reading.lower
    if reading.language == "zh":
        return _BESIDE_ZH.search(lower[: named.start]) is not None or _AFTER_ZH.match(lower, named.end) is not None
    return _BESIDE.search(lower[: named.start]) is not None
