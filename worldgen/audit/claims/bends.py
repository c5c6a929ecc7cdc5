"""True values that words beside them make false: `made for N`, `before 8 April`, `USD 150 less`, `the box of N`.

The guard knows many frames of a true sentence and cannot know all, so it takes a name, a number or a date beside the
right thing for the right fact. What turns such a sentence most often is a small set of words in a few places. They are
in `data/bends.yaml`; a word that the attribute's own labels, sentences or material have bends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.audit.claims.categories import wordings
from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.matching import covers, fits
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.relations import labelled
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.twists import own_words
from worldgen.audit.claims.unheard import clause
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import any_of, stem

_KINDS = {
    "ref": "relation",
    "name": "relation",
    "date": "moment",
    "year": "moment",
    "category": "category",
    "boolean": "answer",
}
_LEAST_SAID = {True: 4, False: 1}
"""So many characters of a sentence of the schema name no attribute; whether they are Latin."""
_APPOSED = re.compile(
    r", (?:its|his|her|their|the) [a-z]+(?: [a-z]+)?, "
    r"(?:is|was|has|had|went|came|goes|comes|costs?|sold|sells|weighs|scores?)\b"
)
"""A name that a word after it says whose it is, and of which the sentence goes on to tell."""
_IDLE_RELATIVE = re.compile(r", (?:who|which|whose) [^\x01-\x09\d,;:]*[.!]?\s*")
"""A relative clause about a value that tells no other value: `made by N, who left the market`."""
_AUXILIARY = re.compile(r"^(?:(?:is|was|are|were|has|have|had|its?|the|been|being) ?)+")
_ARTICLE = r"(?: (?:the|a|an|one|some|this|that))?\W*$"


def judge(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The words of a sentence that make another fact of one that it states, each as a problem.

    Args:
        reading: The sentence, in which no other wrong claim was found.
        scope: Of whom it speaks, with the claims that it states.
    """
    claims = list({claim.fact: claim for claim in scope.used}.values())
    own = _own(claims, reading, scope)
    for word in _found("anywhere", "", reading.language, reading.lower, own):
        yield problem("wrong-subject", word)
    for claim in claims:
        group = _KINDS.get(claim.trait.kind, "amount")
        for start, end in _places(claim, reading):
            for word in _beside(group, start, end, claim, reading, own):
                yield problem("wrong-value", word)
        if group == "answer":
            for word in _found(group, "near", reading.language, reading.lower, own):
                yield problem("wrong-value", word)
        for word in _instead(claim, reading, own):
            yield problem("wrong-subject", word)
        if group == "relation" and not labelled(claim, reading):
            for word in (*_another(claim, reading, scope, own), *_equated(claim, reading, scope)):
                yield problem("wrong-value", word)


def of_another(claims: Sequence[Claim], reading: Reading, scope: Scope) -> bool:
    """Whether a line tells claims of something else than the thing that it names: `the box of N: 5 g`."""
    own = _own(claims, reading, scope)
    return any(word for claim in claims for word in _instead(claim, reading, own))


def _beside(group: str, start: int, end: int, claim: Claim, reading: Reading, own: str) -> Iterator[str]:
    language, lower = reading.language, reading.lower
    ahead = lower[:start]
    if language == "en":
        ahead = re.sub(_ARTICLE, "", ahead)
    if not lower.startswith(("'s", "的"), end):
        yield from _found(group, "before", language, ahead.rstrip(" (\"'"), own, at="end")
    yield from _found(group, "after", language, lower[end:].lstrip(" )\"'"), own, at="start")
    first, last = clause(start, reading)
    near = lower[first : max(last, end)]
    yield from _found(group, "near", language, near, own)
    yield from _found(group, "behind", language, lower[end : max(last, end)], own)
    if group == "relation" and language == "en" and _IDLE_RELATIVE.fullmatch(reading.masked, end):
        yield reading.text[end:].strip(" ,.")
    if group == "relation" and not labelled(claim, reading):
        yield from _found(group, "unlabelled_before", language, ahead.rstrip(), own, at="end")
        yield from _found(group, "unlabelled", language, near, own)


def _instead(claim: Claim, reading: Reading, own: str) -> Iterator[str]:
    """What a claim is told of in its subject's place: `the box of N`, `the other N`, `A, its chip, was released`."""
    nouns = _either("of", reading.language)
    for named in reading.names:
        ahead, behind = reading.lower[: named.start], reading.lower[named.end :]
        if claim.subject not in named.ids:
            if reading.language == "en" and claim.value not in named.ids and _APPOSED.match(reading.lower, named.end):
                yield reading.text[named.start : named.end]
            continue
        if reading.language == "zh":
            match = re.match(rf" ?的?(?P<word>{nouns})", behind)
        else:
            match = re.search(
                rf"(?<!in the )(?<![\w'-])(?:an? (?P<made>{nouns}) for|(?P<word>{nouns})s? (?:of|to)) (?:the |this )?$",
                ahead,
            ) or re.search(rf"(?<![\w'-])(?P<word>{_either('another', 'en')}) $", ahead)
        word = next(filter(None, match.groups()), "") if match else ""
        if word and not _known(word, own, reading.language):
            yield word


@cache
def _either(group: str, language: str) -> str:
    """A pattern of any word of a list, the longest first."""
    return any_of(_data()[group][language])


def _another(claim: Claim, reading: Reading, scope: Scope, own: str) -> Iterator[str]:
    """What names another relation of the subject, or a kind of thing that the value is not: `made by`, `the town`."""
    lower, language = reading.lower, reading.language
    named = {scope.table(one) for n in reading.names for one in n.ids}
    for trait in scope.lexicon.traits.get(claim.trait.table, ()):
        if trait.kind == "ref" and trait.target not in named:
            yield from (
                word for word in _said(trait) if _stands(word, lower, language) and not _known(word, own, language)
            )
    for table, nouns in scope.lexicon.nouns.items():
        if table not in named and table != claim.trait.table:
            yield from (
                noun for noun in nouns if _stands(f"{noun} of", lower, language) and not _known(noun, own, language)
            )


def _said(trait: Trait) -> Iterator[str]:
    """The labels of an attribute and the words of its own sentences."""
    yield from trait.phrases
    for text in trait.says:
        for part in re.split(r"\s{2,}|[.,。，]", text):
            words = _AUXILIARY.sub("", part.strip())
            if len(words) > _LEAST_SAID[words.isascii()]:
                yield words


def _stands(word: str, text: str, language: str) -> bool:
    whole = re.escape(word) if language == "zh" else rf"(?<![\w'-]){re.escape(word)}(?![\w'-])"
    return re.search(whole, text) is not None


def _equated(claim: Claim, reading: Reading, scope: Scope) -> Iterator[str]:
    """A value that is said to be the thing itself: `the chip is the phone`."""
    nouns = "|".join(re.escape(noun) for noun in scope.lexicon.nouns.get(claim.trait.table, ()) if noun)
    for start, end in _places(claim, reading):
        last = reading.segment(start)[1]
        pattern = (
            r"(?:的)?(?:是|为|就是)(?:这|该|那)?[款个名位座家]?"
            if reading.language == "zh"
            else r" (?:is|was) (?:the |this |an? )"
        )
        if nouns and re.fullmatch(rf"{pattern}(?:{nouns})\W*", reading.lower[end : max(last, end)]):
            yield reading.text[start:last]


def _places(claim: Claim, reading: Reading) -> Iterator[tuple[int, int]]:
    """Where the value of a claim stands."""
    kind = claim.trait.kind
    if kind in ("ref", "name"):
        wanted = claim.value if kind == "ref" else f"={claim.value}"
        yield from ((n.start, n.end) for n in reading.names if wanted in n.ids)
    elif kind == "category":
        yield from ((a, b) for key, a, b in wordings(claim.trait, reading.text, reading.lower) if key == claim.value)
    elif claim.day is not None:
        yield from ((d.start, d.end) for d in reading.days if covers(d, claim.day))
    elif kind != "boolean":
        yield from ((a.start, a.end) for a in reading.amounts if fits(a, claim.trait, claim.number))


def _own(claims: Sequence[Claim], reading: Reading, scope: Scope) -> str:
    """All that the schema and the material say of the attributes of claims."""
    found = [own_words(claim) for claim in claims]
    found += [word for claim in claims for words in claim.trait.categories.values() for word in words]
    text = " \n ".join(found)
    if reading.language == "en":
        text += " \n " + " ".join(sorted(cue for claim in claims for cue in scope.lexicon.bearing[claim.trait.key]))
    return text


def _known(word: str, own: str, language: str) -> bool:
    if language == "zh":
        return word in own
    if " " in word:
        return re.search(rf"(?<![\w']){re.escape(word)}(?![\w'])", own) is not None
    return stem(word) in {stem(other) for other in re.findall(r"[a-z']+", own)}


def _found(group: str, place: str, language: str, text: str, own: str, *, at: str = "") -> Iterator[str]:
    """The words of a list in a text, at its start or end where that is asked, that are none of the attribute's own."""
    pattern = _pattern(group, place, language, at)
    if pattern is not None:
        yield from (m[0] for m in pattern.finditer(text) if not _known(m[0], own, language))


@cache
def _pattern(group: str, place: str, language: str, at: str) -> re.Pattern[str] | None:
    words = _data()[group].get(place) if place else _data()[group]
    if words is None:
        return None
    inner = any_of(words[language])
    if language == "en":
        inner = rf"(?<![\w'-])(?:{inner})(?![\w'-])"
    return re.compile({"": inner, "start": rf"^\W*(?:{inner})", "end": rf"(?:{inner})\s*$"}[at])


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(
        (Path(__file__).parent / "data" / "bends.yaml").read_text("utf-8"), yaml.BaseLoader
    )
    return found
