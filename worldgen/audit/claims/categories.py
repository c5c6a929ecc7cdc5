"""The kinds of things: a wording of a category must be the licensed one of whatever it is said of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import phrases, vocabulary


def judge(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The problems of a sentence's categories."""
    text = unnamed(reading)
    lower = text.lower()
    taken = scope.labels(lower)
    for table in scope.tables():
        for trait in scope.lexicon.traits.get(table, ()):
            if trait.kind != "category":
                continue
            for key, start, end in wordings(trait, text, lower):
                if any(start < b and a < end and (a < start or b > end or b - a == end - start) for a, b in taken):
                    continue
                if _aside(start, end, reading):
                    continue
                code = _category(trait, key, start, reading, scope)
                taken.append((start, end))
                if code:
                    yield problem(code, reading.text[start:end])


_DOING_ZH = re.compile(r"们?[查看拿翻找问听读见核采收整发提引手]")
_ARTICLE = r"\b(?:a|an|one|the|our|their|some|another|any) $"
_THERE = re.compile(r" (?:there |here |on duty |on site |in charge |at the desk |we asked |we spoke to )?")
_INTERJECTED = re.compile(r"(?:,| then| so| well| now|!| on)(?![\w'])")


def _aside(start: int, end: int, reading: Reading) -> bool:
    """Whether a word of a category is none here: who told it (`a clerk answered`), or an interjection (`right, …`)."""
    language, lower = reading.language, reading.lower.replace("-", " ")
    before, after = lower[:start], lower[end:]
    telling = phrases("telling", language)
    if language == "zh":
        if start == 0 and _DOING_ZH.match(after) and reading.names:
            return True  # 记者拿到的材料里，…
        return telling.match(after.removeprefix("们")) is not None
    article = re.search(_ARTICLE, before)
    there = _THERE.match(after)
    if article and there and telling.match(after, there.end()):
        return True
    by = article and any(before[: article.start()].endswith(f"{word} ") for word in vocabulary("told_by", language))
    if by and re.match(r"\W*[,.:]|\W*$", after):
        return True
    return start == 0 and _INTERJECTED.match(after) is not None


def unnamed(reading: Reading) -> str:
    """The sentence in its own case, names blanked out."""
    return "".join(c if m not in "\x01" else " " for c, m in zip(reading.text, reading.lower, strict=True)).replace(
        "-", " "
    )


def wordings(trait: Trait, text: str, lower: str) -> list[tuple[str, int, int]]:
    """The wordings of a category in a text: key, start and end, none overlapping."""
    found = []
    for key, words in trait.categories.items():
        for word in words:
            plain = word.replace("-", " ")
            at = lower.find(plain.lower())
            while at >= 0:
                end = at + len(plain)
                latin = plain.isascii()
                whole = not latin or not (_latin(lower[max(0, at - 1) : at]) or _latin(lower[end : end + 1]))
                if whole and (plain.islower() or not latin or text[at].isupper()):
                    found.append((key, at, end))
                at = lower.find(plain.lower(), at + 1)
    found.sort(key=lambda hit: (hit[1] - hit[2], hit[1]))
    kept: list[tuple[str, int, int]] = []
    for hit in found:
        if not any(hit[1] < b and a < hit[2] for _, a, b in kept):
            kept.append(hit)
    return kept


def _latin(character: str) -> bool:
    return character.isalnum() and character.isascii()


def _category(trait: Trait, key: str, at: int, reading: Reading, scope: Scope) -> str:
    subjects = scope.subjects(trait.table, at) or frozenset(
        c.subject for c in scope.licence.claims if c.trait is trait and scope.phrase(c.subject)
    )
    claims = [c for c in scope.licence.claims if c.trait is trait and (c.subject in subjects or not subjects)]
    for claim in claims:
        if claim.value == key and (claim.subject in subjects or not scope.groups(trait.table)):
            for other in scope.together(trait.table, at):
                if claim.subject not in other.ids and not any(
                    c.subject in other.ids and c.trait is trait and c.value == key for c in scope.licence.claims
                ):
                    return "wrong-subject"
            scope.use(claim)
            return ""
    words = reading.stems((0, len(reading.text)))
    if scope.cue(trait, words) and (claims or not (subjects or scope.groups(trait.table))):
        return "wrong-value"  # `the back of this phone is made of glass`: of whichever it speaks, none is
    if not scope.substance() or (len(scope.groups(trait.table)) == 0 and not subjects):
        return ""
    if claims:
        return "wrong-value"
    for subject in sorted(subjects):
        for known in scope.lexicon.known(subject, trait.name):
            if known.value == key:
                return "unlicensed-fact"
    if not scope.cue(trait, words) and not subjects:
        return ""
    return "wrong-value"
