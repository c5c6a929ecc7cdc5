"""Yes and no, and what is not disclosed: what a sentence answers must be what the material does."""

from __future__ import annotations

from collections.abc import Iterator

from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.values import negative
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import phrases


def booleans(reading: Reading, scope: Scope) -> Iterator[Problem | str]:
    """The problems of yes-or-no matters; a text for each that was accounted for."""
    for table in scope.tables():
        for trait in scope.lexicon.traits.get(table, ()):
            if trait.kind != "boolean":
                continue
            span = next((s for s in reading.segments if _speaks(trait, reading.stems(s), scope)), None)
            if span is None and _speaks(trait, reading.stems((0, len(reading.text))), scope):
                span = (0, len(reading.text))
            if span is None:
                continue
            yield from _boolean(trait, span, reading, scope)


def _speaks(trait: Trait, words: list[str], scope: Scope) -> bool:
    if scope.lexicon.language == "zh":
        return any(all(pair in words for pair in label) for label in trait.labels)
    if scope.cue(trait, words) >= 3:
        return True
    own = scope.lexicon.bearing[trait.key]
    rivals = max((scope.cue(t, words) for t in scope.lexicon.traits[trait.table] if t is not trait), default=0.0)
    if scope.cue(trait, words) >= 2 and rivals == 0:
        return True
    return len({w for w in words if w in own}) >= min(2, len(own) or 2)


def _boolean(trait: Trait, span: tuple[int, int], reading: Reading, scope: Scope) -> Iterator[Problem | str]:
    part = reading.lower if len(reading.segments) < 4 and not scope.used else reading.lower[span[0] : span[1]]
    first = 0 if part == reading.lower else span[0]
    for start, end in scope.labels(reading.lower.replace("-", " ")):
        if start >= first and end - first <= len(part):
            part = part[: start - first] + " " * (end - start) + part[end - first :]
    said = "no" if negative(part, reading.language) else "yes"
    subjects = scope.subjects(trait.table, span[0] + max(0, (span[1] - span[0]) // 2))
    groups = scope.groups(trait.table)
    inside = [n for g in groups for n in g if span[0] <= n.start < span[1]]
    if inside:
        subjects = inside[0].ids
    claims = [
        c for c in scope.licence.claims if c.trait is trait and (c.subject in subjects or scope.phrase(c.subject))
    ]
    if not claims and subjects:
        known = {k.value for s in subjects for k in scope.lexicon.known(s, trait.name)}
        yield problem("unlicensed-fact" if said in known else "wrong-value", reading.text[span[0] : span[1]])
        return
    for claim in claims:
        if claim.value == said:
            scope.use(claim)
            yield "accounted"
        else:
            yield problem("wrong-value", reading.text[span[0] : span[1]])


def undisclosed(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The problem of a sentence that says that something is not disclosed."""
    words = reading.stems((0, len(reading.text)))
    for table in scope.tables():
        traits = [t for t in scope.lexicon.traits.get(table, ()) if scope.cue(t, words) > 0]
        if not traits:
            continue
        best = max(traits, key=lambda t: scope.cue(t, words))
        at = phrases("undisclosed", reading.language).search(reading.lower)
        subjects = scope.subjects(table, at.start() if at else 0)
        licensed = [
            c
            for c in scope.licence.claims
            if c.value == ""
            and (c.subject in subjects or scope.phrase(c.subject) or not subjects)
            and c.trait.table == table
        ]
        hit = next((c for c in licensed if scope.cue(c.trait, words) >= scope.cue(best, words)), None)
        if hit is not None:
            scope.use(hit)
            return
        if any(c.trait is best and c.subject in subjects for c in scope.licence.claims) or licensed:
            yield problem("wrong-value", reading.text)
        else:
            hidden = any(k.value is None for s in subjects for k in scope.lexicon.known(s, best.name))
            yield problem("unlicensed-fact" if hidden else "wrong-value", reading.text)
        return
    claims = [c for c in scope.licence.claims if c.value == ""]
    if not claims and scope.substance() and reading.names:
        yield problem("negation", reading.text)
    elif len(claims) == 1:
        scope.use(claims[0])
