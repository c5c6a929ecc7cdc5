"""Values told of a thing of another kind than has them: the price of a phone, said of the chip in it.

A page names things of several kinds, and whoever is spoken of goes on being spoken of where nothing of its kind is
named. So a sentence that names only a thing of another kind, and tells a value, may be about that thing. It is held to
be, unless the name is the value of another fact that the sentence tells, or a pronoun, a noun or a name says that the
bearer of the value is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import fits
from worldgen.audit.claims.names import Named
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.verdict import Problem, problem

_PRONOUN = {
    "en": re.compile(r"\b(?:it|its|it's|he|him|his|she|her|hers|they|them|their|theirs|this one)\b"),
    "zh": re.compile(r"[它他她其该此]|这[个款名位座家艘支]|那[个款名位座家艘支]|本[机品司校队届]"),
}
_OF = re.compile(r"\s*(?:of|belonging to|held by|pertaining to)\s+(?:the |this |our )?$")
_OWN = {"en": re.compile(r"'s? (?:\w+ ){0,2}$"), "zh": re.compile(r"[的之](?:[\u3400-\u9fff]{0,2})$")}
_BESIDE = {"en": re.compile(r"[^\w']+(?:(?:the|and) )*$"), "zh": re.compile(r"\W*$")}
_RELATIVE = re.compile(r", (?:which|who|whose)\b")
_IS_A = {
    "en": re.compile(r"(?:'s(?= an? )|,| is| was| being| serves as|:|\()? ?(?:a|an|the|one)? ?(?:[a-z-]+ ){0,2}$"),
    "zh": re.compile(r"[,，]?(?:是|为|系|这|即)?[一该这]?[个款名位座家艘支]?$"),
}
_MADE_A = {"en": re.compile(r"\b(?:is|was) an? (?:[a-z-]+ ){0,2}$"), "zh": re.compile(r"(?:是|为|系)[^,;，；]*$")}
_WITHIN = re.compile(r"\b(?:of|for|to|by|from|in|at|on) (?:the|this|that) $")
_NAMED = {
    "en": re.compile(r" ?(?:(?:named|called|known as|(?:in question |here )?(?:is|was))? ?(?:the )?|: )$"),
    "zh": re.compile(r"(?:名叫|名为|叫|是|为|即|：|:)?$"),
}


def judge(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The claims that a sentence has passed with, each as a problem where it is told of a thing of another kind."""
    for claim in {claim.fact: claim for claim in scope.used}.values():
        strangers = [named for named in reading.names if _stranger(named, claim, scope)]
        for named in strangers:
            if _told_of(named, claim, reading, scope):
                yield problem("wrong-subject", reading.text)
                return


def _stranger(named: Named, claim: Claim, scope: Scope) -> bool:
    """Whether a name is of another kind than the claim's subject, and is neither its value nor a part of its phrase."""
    own = {claim.subject, claim.value}
    if _phrased(claim, scope):
        own |= scope.lexicon.phrased[claim.subject][0]
    kinds = {scope.table(one) for one in named.ids} - {"", "="}
    return bool(kinds) and claim.trait.table not in kinds and not named.ids & own


def _phrased(claim: Claim, scope: Scope) -> bool:
    """Whether the sentence itself names all that makes up the phrase of a row without a name of its own."""
    assert scope.reading is not None
    parts = scope.lexicon.phrased.get(claim.subject, (frozenset[str](), ()))[0]
    named = {one for n in scope.reading.names for one in n.ids}
    return bool(parts) and parts <= named


def _told_of(named: Named, claim: Claim, reading: Reading, scope: Scope) -> bool:
    """Whether a claim is told of a name that is none of its subject's."""
    if _owned(named, claim, reading, scope) or _called(named, claim, reading, scope):
        return True
    places = sorted(_places(claim, reading))
    if any(_continued(named, at, reading) for at in places):
        return True
    if not _meant(claim, (0, len(reading.text)), reading, scope):
        return not _value_of_another(named, claim, reading, scope) or reading.opens(named)
    for at in places:
        part = reading.segment(at)
        inside = part[0] <= named.start < part[1] and named.start < at
        if inside and reading.opens(named) and not _meant(claim, part, reading, scope):
            return True
    return False


def _continued(named: Named, at: int, reading: Reading) -> bool:
    """Whether a value stands in a clause about the name: `N, whose price is 5`."""
    if at < named.end or not _RELATIVE.match(reading.lower, named.end):
        return False
    between = [n for n in reading.names if named.end <= n.start < at]
    return not between and not re.search(r"[,;] ", reading.lower[named.end + 2 : at])


def _meant(claim: Claim, part: tuple[int, int], reading: Reading, scope: Scope) -> bool:
    """Whether a part of a sentence speaks of the claim's subject by name, pronoun or noun."""
    first, last = part
    if any(claim.subject in n.ids and first <= n.start < last for n in reading.names) or _phrased(claim, scope):
        return True
    if _PRONOUN[reading.language].search(reading.lower, first, last):
        return True
    return any(first <= start < last for start, _ in _nouns(claim, reading, scope))


def _nouns(claim: Claim, reading: Reading, scope: Scope) -> Iterator[tuple[int, int]]:
    """Where nouns for things of the claim's kind stand, but for parts of labels and of longer nouns of another kind."""
    zh = reading.language == "zh"
    taken = list(_labels(claim, reading))
    every = {(noun, kind) for kind, nouns in scope.lexicon.nouns.items() for noun in nouns if noun}
    for noun, kind in sorted(every, key=lambda pair: (-len(pair[0]), pair[1] != claim.trait.table, pair)):
        pattern = re.escape(noun) if zh else rf"(?<![\w'-]){re.escape(noun)}(?![\w-])"
        for match in re.finditer(pattern, reading.lower):
            if not any(match.start() < b and a < match.end() for a, b in taken):
                taken.append(match.span())
                if kind == claim.trait.table:
                    yield match.span()


def _labels(claim: Claim, reading: Reading) -> Iterator[tuple[int, int]]:
    """Where labels of the claim's attribute stand."""
    lower = reading.lower.replace("-", " ")
    for phrase in claim.trait.phrases:
        words = re.escape(phrase.replace("-", " "))
        pattern = words if reading.language == "zh" else rf"(?<![\w']){words}(?![\w'])"
        yield from (match.span() for match in re.finditer(pattern, lower))


def _owned(named: Named, claim: Claim, reading: Reading, scope: Scope) -> bool:
    """Whether a label of the attribute is given to the name: `the price of N`, `N's price`, `N: price`, `N的售价`."""
    lower, language = reading.lower, reading.language
    for start, end in _labels(claim, reading):
        if named.end <= start:
            between = any(named.end <= at < start for at, _ in _nouns(claim, reading, scope))
            if not between and _OWN[language].fullmatch(lower, named.end, start):
                return True
            if _BESIDE[language].fullmatch(lower, named.end, start) and _begins(named, claim, reading):
                return True
        elif language == "en" and named.start >= end and _OF.fullmatch(lower, end, named.start):
            return not _leads_to(named, claim, reading, scope)
    return False


def _begins(named: Named, claim: Claim, reading: Reading) -> bool:
    """Whether a name begins a part of its own: the subject is not named before it, or a value stands between them."""
    before = [n.end for n in reading.names if n.end <= named.start and claim.subject in n.ids]
    if not reading.opens(named):
        return not before and not reading.lower[: named.start].strip(" \"'(<[*【「《")
    said = [*(amount.start for amount in reading.amounts), *(day.start for day in reading.days)]
    return not before or any(before[-1] <= at < named.start for at in said)


def _leads_to(named: Named, claim: Claim, reading: Reading, scope: Scope) -> bool:
    """Whether a name only says whose the subject is: `of N's phone`, `of N phone A`."""
    following = next((n for n in reading.names if n.start >= named.end), None)
    if following is not None and claim.subject in following.ids:
        between = reading.lower[named.end : following.start]
        return re.fullmatch(r"(?:'s?)?(?: [\w-]+){0,3} ", between) is not None
    noun = next((at for at, _ in sorted(_nouns(claim, reading, scope)) if at >= named.end), None)
    return noun is not None and re.fullmatch(r"(?:'s?)?(?: [\w-]+){0,2} ", reading.lower[named.end : noun]) is not None


def _called(named: Named, claim: Claim, reading: Reading, scope: Scope) -> bool:
    """Whether the name is called a thing of the subject's kind: `N is a phone`, `the phone N`."""
    parts = {part for one in named.ids for part in scope.lexicon.phrased.get(one, ((), ()))[0]}
    if any(scope.table(part) == claim.trait.table for part in parts):
        return False
    lower, language = reading.lower, reading.language
    meant = any(claim.subject in n.ids for n in reading.names)
    for start, end in _nouns(claim, reading, scope):
        if (
            start > named.end
            and lower[named.end : start].strip()
            and _IS_A[language].fullmatch(lower, named.end, start)
        ):
            return True
        if meant:
            continue
        if end <= named.start and _NAMED[language].fullmatch(lower, end, named.start):
            return _WITHIN.search(lower[:start]) is None
        if named.end <= start and reading.opens(named) and _MADE_A[language].search(lower[named.end : start]):
            return True
    return False


def _value_of_another(named: Named, claim: Claim, reading: Reading, scope: Scope) -> bool:
    """Whether a name is the value of another fact that the sentence tells, by a word of that fact's own."""
    labels = list(_labels(claim, reading))
    words = [t.stem for t in reading.tokens if not any(start <= t.start < end for start, end in labels)]
    return any(
        other is not claim and other.value in named.ids and scope.cue(other.trait, words) > 0 for other in scope.used
    )


def _places(claim: Claim, reading: Reading) -> Iterator[int]:
    """Where a claim's value may stand."""
    if claim.day is not None or claim.trait.kind == "year":
        yield from (day.start for day in reading.days)
    for amount in reading.amounts:
        if not amount.ordinal and claim.number is not None and fits(amount, claim.trait, claim.number):
            yield amount.start
    for named in reading.names:
        if claim.value and (claim.value in named.ids or f"={claim.value}" in named.ids):
            yield named.start
    lower = reading.lower
    for word in claim.trait.categories.get(claim.value or "", ()):
        at = lower.find(word.lower())
        if at >= 0:
            yield at
