"""Differences between two claimed values: `3 grams more than B`, `four days before B`, checked by arithmetic."""

from __future__ import annotations

import re
from fractions import Fraction

from worldgen.audit.claims.amounts import Amount, amounts
from worldgen.audit.claims.dates import days
from worldgen.audit.claims.gaps import Gap, gaps, shifted
from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import covers, fits
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.words import phrases

_BEHIND = re.compile(
    r"(?:\b(?:than|above|below|before|after|over|under|against|with|to|behind|from|beside|"
    r"exceeds|beats|trails|of|undercuts)(?: (?:that|those))?(?: of)?(?: the)?|比|用|拿|在|与|和)\s*$"
)
MISTAKE = re.compile(r"wrong|mistake|mistaken|error|correct|misprint|should be|instead|误|更正|有误|错")


def amount(said: Amount, reading: Reading, scope: Scope) -> bool:
    """Whether an amount is the difference of two claims of whoever the sentence speaks of, in the right direction."""
    if said.ordinal or said.near or said.value <= 0:
        return False
    sign = direction(reading, said.start, said.end)
    if sign and not scope.derived and _between(said, sign, reading, scope):
        return True
    return _as_source(said, reading, scope)


def direction(reading: Reading, start: int, end: int) -> int:
    """1 for words of more or later beside a place, -1 for less or earlier, 0 for neither."""
    after = reading.lower[end : end + 40]
    before = reading.lower[max(0, start - 40) : start]
    best: tuple[int, int] | None = None
    for kind, sign in (("up", 1), ("down", -1)):
        match = phrases(kind, reading.language).search(after)
        if match and (best is None or match.start() < best[0]):
            best = (match.start(), sign)
    if best is not None and best[0] <= 24:
        return best[1]
    last: tuple[int, int] | None = None
    for kind, sign in (("up", 1), ("down", -1)):
        for match in phrases(kind, reading.language).finditer(before):
            if last is None or match.end() > last[0]:
                last = (match.end(), sign)
    if last is not None:
        return last[1]
    return best[1] if best is not None else 0


def _between(said: Amount, sign: int, reading: Reading, scope: Scope) -> bool:
    involved = _involved(reading, scope)
    claims = [c for c in scope.licence.claims if c.number is not None and not c.trait.rank and c.subject in involved]
    words = reading.stems((0, len(reading.text)))
    for head in claims:
        for base in claims:
            if (
                base is head
                or base.trait is not head.trait
                or (base.subject == head.subject) == (base.time == head.time)
            ):
                continue
            assert head.number is not None
            assert base.number is not None
            if head.number - base.number != sign * _plain(said, head):
                continue
            if is_base(base, head, said, reading, scope) and _cued(head, said, words, scope):
                scope.use(head)
                scope.use(base)
                return True
    return False


def _plain(said: Amount, claim: Claim) -> Fraction:
    if said.dimension == claim.trait.dimension:
        return said.value
    return said.value * claim.trait.factor if said.dimension == "" else said.value * 10**40


def _cued(claim: Claim, said: Amount, words: list[str], scope: Scope) -> bool:
    own = scope.cue(claim.trait, words)
    rivals = [
        t
        for t in scope.lexicon.traits.get(claim.trait.table, ())
        if t is not claim.trait
        and t.dimension in (said.dimension, claim.trait.dimension)
        and t.kind == claim.trait.kind
    ]
    if not rivals:
        return True
    return own > 0 and own >= max(scope.cue(t, words) for t in rivals)


def _involved(reading: Reading, scope: Scope) -> set[str]:
    found = {i for named in reading.names for i in named.ids}
    for table in {scope.table(c.subject) for c in scope.licence.claims}:
        if sum(len(group) for group in scope.groups(table)) < 2:
            found |= scope.spoken(table) or frozenset()
    return found | {c.subject for c in scope.licence.claims if scope.phrase(c.subject)}


def is_base(base: Claim, head: Claim, said: Amount | Gap, reading: Reading, scope: Scope) -> bool:
    """Whether the sentence measures `head` from `base`."""
    if base.subject == head.subject:
        return True
    names = [n for n in reading.names if base.subject in n.ids or head.subject in n.ids]
    for named in names:
        behind = _BEHIND.search(reading.lower[max(0, named.start - 20) : named.start])
        if behind and named.start >= said.end:
            return base.subject in named.ids
    stated = {c.subject for c in (base, head) if _stated(c, said, reading, scope)}
    if len(stated) == 1:
        return base.subject in stated
    for named in names:
        if reading.oblique(named):
            return base.subject in named.ids
    return False


def _stated(claim: Claim, said: Amount | Gap, reading: Reading, scope: Scope) -> bool:
    if claim.day is not None:
        return any(covers(day, claim.day) for day in reading.days)
    return any(other is not said and fits(other, claim.trait, claim.number) for other in reading.amounts)


def _as_source(said: Amount, reading: Reading, scope: Scope) -> bool:
    """Whether the sentence gives all numbers of a derived sentence of the material, in its order and sense."""
    for claim in scope.licence.claims:
        if not claim.derived or not scope.of(claim, said.start):
            continue
        told = [(a.value, a.dimension) for a in amounts(claim.words, reading.language)]
        mine = [(a.value, a.dimension) for a in reading.amounts]
        if len(told) < 2 or told != mine or (said.value, said.dimension) not in told:
            continue
        source = claim.source.lower()
        tail = source[source.find(claim.words.lower()) + len(claim.words) :]
        mine_tail = reading.lower[reading.amounts[-1].end :]
        same = all(
            bool(phrases(kind, reading.language).search(tail))
            == bool(phrases(kind, reading.language).search(mine_tail))
            for kind in ("up", "down")
        )
        if same and bool(MISTAKE.search(source)) == bool(MISTAKE.search(reading.lower)):
            scope.use(claim)
            return True
    return False


def gap(said: Gap, reading: Reading, scope: Scope) -> bool:
    """Whether a distance in time leads from the page's date, or from another claimed date, to the subject's."""
    page = scope.licence.date
    dated = [c for c in scope.licence.claims if c.day is not None or c.trait.kind == "year"]
    involved = _involved(reading, scope)
    alone = not _other_base(said, reading, scope)
    for claim in dated:
        if alone and page is not None and scope.of(claim, said.start):
            if claim.day is not None and shifted(page, said.size, said.step) == claim.day:
                scope.use(claim)
                return True
            if claim.day is None and said.step == "year" and claim.number == page.year + said.size:
                scope.use(claim)
                return True
    for head in dated:
        for base in dated:
            if (
                head is base
                or head.subject not in involved
                or base.subject not in involved
                or head.trait is not base.trait
            ):
                continue
            if head.subject != base.subject and _apart(head, base, said) and is_base(base, head, said, reading, scope):
                scope.use(head)
                scope.use(base)
                return True
    return _gap_as_source(said, reading, scope)


def _other_base(said: Gap, reading: Reading, scope: Scope) -> bool:
    after = reading.text[said.end : said.end + 24].lower()
    if re.match(
        r"\s*(?:this|the|that|our) (?:page|report|update|article|text|note|date|entry|edition|post|notice)", after
    ):
        return False
    return any(n.start >= said.end and n.start - said.end < 12 for n in reading.names)


def _apart(head: Claim, base: Claim, said: Gap) -> bool:
    if head.day is not None and base.day is not None:
        return shifted(base.day, said.size, said.step) == head.day
    if head.number is not None and base.number is not None and said.step == "year":
        return head.number - base.number == said.size
    return False


def _gap_as_source(said: Gap, reading: Reading, scope: Scope) -> bool:

    for claim in scope.licence.claims:
        if claim.day is None and claim.trait.kind != "year":
            continue
        if not scope.of(claim, said.start):
            continue
        told = [(g.size, g.step) for g in gaps(claim.words, reading.language)]
        given = [d.spans for d in days(claim.words, reading.language)]
        if (
            (said.size, said.step) in told
            and all(any(spans == d.spans for d in reading.days) for spans in given)
            and not given
        ):
            scope.use(claim)
            return True
    return False
