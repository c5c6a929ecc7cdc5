"""Yes and no, and what is not disclosed: what a sentence answers must be what the material does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.verdict import Problem, problem
from worldgen.audit.claims.words import phrases, table


def booleans(reading: Reading, scope: Scope) -> Iterator[Problem | str]:
    """The problems of yes-or-no matters; a text for each that was accounted for."""
    for kind in scope.tables():
        for trait in scope.lexicon.traits.get(kind, ()):
            if trait.kind != "boolean":
                continue
            span = next((s for s in reading.segments if _speaks(trait, reading.stems(s), scope)), None)
            if span is None and _speaks(trait, reading.stems((0, len(reading.text))), scope):
                span = (0, len(reading.text))
            at = _touches(trait, reading, scope) if span is None else -1
            if at >= 0:
                span = reading.segment(at)
            if span is None:
                continue
            yield from _boolean(trait, span, reading, scope)


def _speaks(trait: Trait, words: list[str], scope: Scope) -> bool:
    """Whether words speak of a yes-or-no matter by its label."""
    if scope.lexicon.language == "zh":
        return any(all(pair in words for pair in label) for label in trait.labels)
    if scope.cue(trait, words) >= 3:
        return True
    own = scope.lexicon.bearing[trait.key]
    rivals = max((scope.cue(t, words) for t in scope.lexicon.traits[trait.table] if t is not trait), default=0.0)
    if scope.cue(trait, words) >= 2 and rivals == 0:
        return True
    return len({w for w in words if w in own}) >= min(2, len(own) or 2)


def _touches(trait: Trait, reading: Reading, scope: Scope) -> int:
    """Where a sentence speaks of a yes-or-no matter in other words than its label's; -1 where it does not."""
    pattern = _matter(trait.phrases, reading.language)
    if pattern is None:
        return -1
    text = reading.lower.replace("-", " ")
    for other in scope.lexicon.traits[trait.table]:
        for phrase in other.phrases if other is not trait else ():
            text = text.replace(phrase.replace("-", " "), " " * len(phrase))
    match = pattern.search(text)
    return match.start() if match else -1


@cache
def _matter(labels: tuple[str, ...], language: str) -> re.Pattern[str] | None:
    """Finds all words for the matter of which labels speak."""
    said = [label.replace("-", " ") for label in labels]
    words: set[str] = set()
    for row in table(language)["matters"]:
        row = [word.replace("-", " ") for word in row]
        if any(_holds(label, word, language) for label in said for word in row):
            words.update(row)
    inner = "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
    edge = "" if language == "zh" else r"(?![\w'])"
    return re.compile((inner if language == "zh" else rf"(?<![\w'])(?:{inner})") + edge) if inner else None


def _holds(label: str, word: str, language: str) -> bool:
    return word in label if language == "zh" else re.search(rf"\b{re.escape(word)}\b", label) is not None


_ANSWER = re.compile(
    r"^\W*(no|nope|yes|yep|否|不是|不|没有|是的|是|有|对)\s*[,.;:!–—]|[:：?？]\s*[\"'“‘]?(no|nope|yes|yep|否|是|"
    r"有|没有)\b"
)
_CIRCUMSTANCE = re.compile(
    r"\b(?:without|with no|where there is no|when there is no|there is no|even with no|if there is no|"
    r"having no)(?: [\w-]+){1,4}|"
    r"(?:没有?|无|不)[^\W\d_]{1,6}?(?:时候?|的时候|的地方|之处|的情况下|情况下|的话)"
)
"""Under what something holds, which is no denial of it."""
_NAYS = frozenset(["no", "nope", "否", "不是", "不", "没有"])
_FREE = re.compile(r"[ -]free\b|\bwithout\b|无|免")


def answer(labels: tuple[str, ...], part: str, language: str) -> str:
    """What a part of a sentence answers to a matter: that steps are there is a no to `step-free access`.

    >>> answer(("step-free access",), "you get in without steps", "en")
    'yes'
    """
    given = _ANSWER.search(part)
    if given:
        return "no" if (given[1] or given[2]) in _NAYS else "yes"
    text = phrases("question", language).sub(lambda m: " " * len(m[0]), part)
    matter = _matter(labels, language)
    text = _CIRCUMSTANCE.sub(lambda m: m[0] if matter and matter.search(m[0]) else " " * len(m[0]), text)
    denied = phrases("boolean_no", language).findall(text)
    if any(_FREE.search(phrase) for phrase in labels):
        bare = re.sub(r"\w+[ -]free\b|无(?:障碍|台阶|门槛)|[\w-]*less\b", " ", text)
        if language == "zh":
            # What is said of steps is said where they are: 门口有台阶，轮椅上不去 denies none.
            bare = next((part for part in re.split("[,，;；。]", bare) if _obstacle(part, language)), bare)
        if _obstacle(bare, language):
            kept = phrases("boolean_no", language).findall(bare)
            return "yes" if len(kept) % 2 else "no"
    return "no" if denied else "yes"


def _obstacle(part: str, language: str) -> bool:
    return phrases("obstacles", language).search(part) is not None


def _boolean(trait: Trait, span: tuple[int, int], reading: Reading, scope: Scope) -> Iterator[Problem | str]:
    first, last = (
        _answered(trait, span, reading) if len(reading.segments) > 3 or scope.used else (0, len(reading.lower))
    )
    first = max(first, _circumstanced(trait, reading))
    part = reading.lower[first:last]
    for start, end in scope.labels(reading.lower.replace("-", " ")):
        if start >= first and end - first <= len(part):
            part = part[: start - first] + " " * (end - start) + part[end - first :]
    said = answer(trait.phrases, part, reading.language)
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


def _answered(trait: Trait, span: tuple[int, int], reading: Reading) -> tuple[int, int]:
    """The part of a sentence that speaks of a matter, with what follows up to the next name: `as to B's access, no`."""
    for first, last in reading.segments:
        if first >= span[1] and not any(first <= named.start < last for named in reading.names):
            span = span[0], last
        elif first >= span[1]:
            break
    return span[0], min(span[1], len(reading.lower))


def _circumstanced(trait: Trait, reading: Reading) -> int:
    """Where a sentence begins behind the circumstance that it opens with: `地面没信号，B可以往卫星传文字`."""
    if len(reading.segments) < 2 or not reading.names or _ANSWER.match(reading.lower):
        return 0
    first, last = reading.segments[0]
    matter = _matter(trait.phrases, reading.language)
    opening = reading.lower[first:last]
    named = any(first <= named.start < last for named in reading.names)
    return 0 if named or (matter and matter.search(opening)) or len(opening.strip(" ,，")) < _CLAUSE_LEAST else last


_CLAUSE_LEAST = 4


def undisclosed(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """The problem of a sentence that says that something is not disclosed."""
    words = reading.stems((0, len(reading.text)))
    for kind in scope.tables():
        traits = [t for t in scope.lexicon.traits.get(kind, ()) if scope.cue(t, words) > 0]
        if not traits:
            continue
        best = max(traits, key=lambda t: scope.cue(t, words))
        at = phrases("undisclosed", reading.language).search(reading.lower)
        subjects = scope.subjects(kind, at.start() if at else 0)
        licensed = [
            c
            for c in scope.licence.claims
            if c.value == ""
            and (c.subject in subjects or scope.phrase(c.subject) or not subjects)
            and c.trait.table == kind
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
