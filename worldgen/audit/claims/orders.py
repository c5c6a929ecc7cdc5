"""Which of two events came first: `A was founded before B`, `first A, then B`, against the claimed dates of both."""

from __future__ import annotations

import re
from collections.abc import Iterator

from worldgen.audit.claims.licence import Claim
from worldgen.audit.claims.reading import Reading
from worldgen.audit.claims.scope import Scope
from worldgen.audit.claims.verdict import Problem, problem

_EN = (
    (
        re.compile(
            r"(?<![\w'])(?:earlier than|before|prior to|preced(?:ed|es|ing)|pre-?dat(?:ed|es|ing)|ante-?dat(?:ed|es)|"
            r"in advance of|sooner than|ahead of)(?![\w'])"
        ),
        -1,
    ),
    (
        re.compile(
            r"(?<![\w'])(?:later than|(?<!named )(?<!called )(?<!look )(?<!looks )after|subsequent to|"
            r"post-?dat(?:ed|es|ing)|followed(?! by)|follows|succeeded|only once)(?![\w'])"
        ),
        1,
    ),
    (re.compile(r"(?<![\w'])(?:was|is|were|are|being)? ?(?:followed|succeeded) by(?![\w'])"), -1),
    (re.compile(r"(?<![\w'])(?:was|is|were|are|being) preceded by(?![\w'])"), 1),
)
_EN_FIRST = re.compile(
    r"(?<![\w'])first(?![\w'])(?P<a>.+?)(?<![\w'])(?:then|afterwards?|followed by|after that|later|next|second(?:ly)?)"
    r"(?![\w'])(?P<b>.+)"
)
_ZH = (
    (re.compile(r"[早先前]于|(?:要|还|更)早"), -1),
    (re.compile(r"[晚后迟]于|(?:要|还|更)晚"), 1),
)
_ZH_BEFORE = re.compile(
    r"(?:在|于|到)(?P<b>[^,;，；。]*?)(?:之前|以前|前面|前头)|"
    r"比(?P<c>[^,;，；。]*?)(?:来得|还要|要|更)?早(?!餐)"
)
_ZH_AFTER = re.compile(
    r"(?:在|于|到)(?P<b>[^,;，；。]*?)(?:之后|以后|后面|后头)|"
    r"比(?P<c>[^,;，；。]*?)(?:来得|还要|要|更)?[晚迟]"
)
_ZH_FIRST = re.compile(
    r"先(?:是|有)?(?P<a>.+?)(?:然后|随后|接着|之后|而后|其后|后来|再|后|才)(?:才)?(?:是|有|轮到)?(?P<b>.+)"
)

Span = tuple[int, int]


def judge(reading: Reading, scope: Scope) -> Iterator[Problem]:
    """Orders that the claimed dates do not bear out; one that they do accounts for its words."""
    if not reading.names:
        return
    text = _blanked(reading, scope)
    for first, second, sign, word in _pairs(text, reading, scope):
        early, late = _event(first, second, reading, scope), _event(second, first, reading, scope)
        if early and late and any(_sign(a, b) == sign for a in early for b in late):
            for claim in (early[0], late[0]):
                scope.use(claim)
            scope.derived = True
        elif _named(second, reading) or (early and late):
            yield problem("comparison", reading.text[word[0] : word[1]] or reading.text)
        return


def _blanked(reading: Reading, scope: Scope) -> str:
    text = reading.masked.lower()
    for start, end in scope.labels(text.replace("-", " ")):
        text = text[:start] + re.sub(r"[^\s\x01]", "\x03", text[start:end]) + text[end:]
    return text


def _pairs(text: str, reading: Reading, scope: Scope) -> Iterator[tuple[Span, Span, int, Span]]:
    """Two parts that a word puts in order, the sign of the first's date against the second's, and the word."""
    match = (_ZH_FIRST if reading.language == "zh" else _EN_FIRST).search(text)
    if match and (
        (_named(match.span("a"), reading) and _named(match.span("b"), reading))
        or (reading.language == "zh" and all(_dated(match.span(part), reading, scope) for part in "ab"))
    ):
        yield match.span("a"), match.span("b"), -1, match.span()
        return
    if reading.language == "zh":
        for pattern, sign in ((_ZH_BEFORE, -1), (_ZH_AFTER, 1)):
            for match in pattern.finditer(text):
                part = match.span("b") if match["b"] is not None else match.span("c")
                if _named(part, reading):
                    yield (0, match.start()), part, sign, match.span()
                    return
    for pattern, sign in _ZH if reading.language == "zh" else _EN:
        for match in pattern.finditer(text):
            behind = match.end(), _until(text, match.end())
            told = _named(behind, reading) or _dated(behind, reading, scope)
            if told and not re.match(r"\s*\x02", text[match.end() :]):
                yield (0, match.start()), behind, sign, match.span()
                return


def _dated(span: Span, reading: Reading, scope: Scope) -> bool:
    """Whether the words of a part speak of a claimed date."""
    words = reading.stems(span)
    return any(c.day is not None and scope.cue(c.trait, words) > 0 for c in scope.licence.claims)


def _until(text: str, at: int) -> int:
    end = re.compile(r"[,;，；。]|\b(?:and|while|but)\b").search(text, at)
    return end.start() if end else len(text)


def _named(span: Span, reading: Reading) -> bool:
    return any(span[0] <= n.start < span[1] for n in reading.names)


def _event(part: Span, other: Span, reading: Reading, scope: Scope) -> list[Claim]:
    """The dated claims that a part of the sentence speaks of, by its name and label."""
    inside = [n for n in reading.names if part[0] <= n.start < part[1]]
    named = inside[-1:] if part[0] < other[0] else inside[:1]
    dated = [c for c in scope.licence.claims if c.day is not None or (c.trait.kind == "year" and c.number is not None)]
    if named:
        dated = [c for c in dated if c.subject in named[0].ids]
    else:
        dated = [c for c in dated if c.subject in (scope.spoken(scope.table(c.subject)) or ())]
    for span in (part, (0, len(reading.text))):
        words = reading.stems(span)
        cues = [(scope.cue(claim.trait, words), claim) for claim in dated]
        most = max((cue for cue, _ in cues), default=0.0)
        if most > 0:
            return [claim for cue, claim in cues if cue == most]
    return dated if len({c.trait.key for c in dated}) == 1 else []


def _sign(first: Claim, second: Claim) -> int:
    if first.day is not None and second.day is not None:
        return (first.day > second.day) - (first.day < second.day)
    a = first.day.year if first.day is not None else first.number
    b = second.day.year if second.day is not None else second.number
    return 0 if a is None or b is None else (a > b) - (a < b)
