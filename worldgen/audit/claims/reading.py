"""Reads one sentence: its names, dates, amounts, and the parts in which a value belongs to a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from worldgen.audit.claims.amounts import Amount, amounts
from worldgen.audit.claims.dates import Day, days
from worldgen.audit.claims.gaps import Gap, gaps
from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.names import Named
from worldgen.audit.claims.traits import Trait
from worldgen.audit.claims.words import WORD, phrases, small_stems, stem, talk, vocabulary

_SPLIT_EN = re.compile(
    r"[,;()\[\]\x03]|—|–| - |(?<![\w'])(?:and|while|whereas|but|plus|as well as|along with|"
    r"alongside|with|together with|yet|although|though|whose|which|or)(?![\w'])"
)
_SPLIT_ZH = re.compile(r"[,，;；、()（）。]|而|同时|并且|以及|但")
_GROUP = re.compile(r"\s*(?:,|and|or|&|, and|、|和|与|及|以及)\s*")
_OBLIQUE = re.compile(
    r"(?:\b(?:than|against|with|to|before|after|below|above|from|beside|over|under|behind|by|"
    r"like|versus|vs\.?)(?: (?:that|those) of)?(?: the)?|比|与|和|对比|拿|用|以)\s*$",
    re.IGNORECASE,
)


_AGREED = re.compile(r"^\W*\+1(?=[^\w.]|\.\s)")
"""`+1, …` with which a reply begins, which is no number."""
_LEADER = re.compile(r"\.{2,}")
"""Dots that lead to a value, which are no part of a number behind them."""
_MEASURED = re.compile(
    r"(?:\b(?:than|against|compared (?:with|to)|relative to|next to|beside|before|after|below|"
    r"above|over|under|behind|unlike|versus)"
    r"(?: (?:that|those) of)?(?: the)?|比|对比|拿|用|以)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word that tells something: where it stands and its stem."""

    start: int
    stem: str


@dataclass(slots=True)
class Reading:
    """A sentence as the guard reads it.

    Attributes:
        text: The sentence, cleaned.
        lower: The sentence in lower case, names and talk to the reader blanked out.
        names: The names in it.
        days: The dates.
        gaps: Distances in time.
        amounts: Numbers that are none of these.
        segments: Where its parts begin and end.
        tokens: Its words outside names.
    """

    text: str
    language: str
    names: list[Named]
    lower: str = ""
    days: list[Day] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    amounts: list[Amount] = field(default_factory=list)
    segments: list[tuple[int, int]] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    masked: str = ""

    def segment(self, at: int) -> tuple[int, int]:
        """The part of the sentence around a place."""
        for first, last in self.segments:
            if first <= at < last:
                return first, last
        return 0, len(self.text)

    def stems(self, span: tuple[int, int]) -> list[str]:
        """The stems in a span."""
        return [token.stem for token in self.tokens if span[0] <= token.start < span[1]]

    def groups(self, is_one: Callable[[Named], bool]) -> list[list[Named]]:
        """The names that pass the test, those joined by commas and `and` together."""
        found: list[list[Named]] = []
        for named in self.names:
            if not is_one(named):
                continue
            if found and _GROUP.fullmatch(self.text, found[-1][-1].end, named.start):
                found[-1].append(named)
            else:
                found.append([named])
        return found

    def compared(self, named: Named) -> bool:
        """Whether a name is what the sentence measures from."""
        return _MEASURED.search(self.text[max(0, named.start - 28) : named.start]) is not None

    def opens(self, named: Named) -> bool:
        """Whether a name begins a part of the sentence."""
        return self.text[self.segment(named.start)[0] : named.start].lower().strip() in (
            "",
            "the",
            "and",
            "while",
            "but",
            "with",
            "for",
            "whereas",
        )

    def oblique(self, named: Named) -> bool:
        """Whether a name stands behind a preposition, so that the sentence is not about it."""
        return _OBLIQUE.search(self.text[max(0, named.start - 24) : named.start]) is not None


def read(text: str, lexicon: Lexicon, foreign: Iterable[str] = ()) -> Reading:
    """Read a cleaned sentence."""
    names = lexicon.names.find(text)
    names += [n for n in _foreign(text, foreign) if not any(n.start < m.end and m.start < n.end for m in names)]
    names.sort()
    blank = _mask(text, [(n.start, n.end) for n in names], "\x01")
    blank = _AGREED.sub(lambda m: " " * len(m[0]), blank)
    blank = _LEADER.sub(lambda m: "…" * len(m[0]), blank)
    reading = Reading(text, lexicon.language, names, lower=blank.lower())
    reading.days = days(blank, lexicon.language)
    dateless = _mask(blank, [(d.start, d.end) for d in reading.days], "\x02")
    reading.gaps = gaps(dateless, lexicon.language)
    rest = _mask(dateless, [(g.start, g.end) for g in reading.gaps], "\x02")
    worded = [m.span() for m in lexicon.numbered.finditer(rest.lower())] if lexicon.numbered else []
    reading.amounts = amounts(_mask(rest, worded, "\x04"), lexicon.language)
    reading.masked = _mask(rest, [a.span for a in reading.amounts if not a.ordinal], "\x02")
    aside = [match.span() for match in talk(lexicon.language).finditer(reading.lower)]
    reading.lower, reading.masked = _mask(reading.lower, aside, " "), _mask(reading.masked, aside, " ")
    reading.segments = _segments(reading.masked, lexicon.language)
    reading.tokens = _tokens(reading.masked.lower(), lexicon.language)
    return reading


def _foreign(text: str, foreign: Iterable[str]) -> list[Named]:
    lower = text.lower()
    found = []
    for name in foreign:
        at = lower.find(name) if len(name) > 2 else -1
        if at >= 0:
            found.append(Named(at, at + len(name), frozenset()))
    return found


def _mask(text: str, spans: list[tuple[int, int]], mark: str) -> str:
    if not spans:
        return text
    out: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start < at:
            continue
        out += [text[at:start], mark * (end - start)]
        at = end
    out.append(text[at:])
    return "".join(out)


def _segments(masked: str, language: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 0
    for match in (_SPLIT_ZH if language == "zh" else _SPLIT_EN).finditer(masked.lower()):
        if masked[at : match.start()].strip():
            found.append((at, match.end()))
            at = match.end()
    found.append((at, len(masked) + 1))
    return found


def _tokens(lower: str, language: str) -> list[Token]:
    if language == "zh":
        return [Token(i, lower[i : i + 2]) for i in range(len(lower)) if lower[i : i + 1] >= "\u3400"]
    small = small_stems(language)
    found = []
    for match in WORD.finditer(lower.replace("\x02", " ")):
        word = match[0].removesuffix("'s")
        if word != "\x01" and stem(word) not in small:
            found.append(Token(match.start(), stem(word)))
    return found


def score(trait: Trait, stems: list[str], language: str) -> float:
    """How much the words speak of an attribute: 3 for each word of a whole label, less for a hint."""
    best = 0.0
    for label in trait.labels:
        size = len(label)
        if size and any(tuple(stems[i : i + size]) == label for i in range(len(stems) - size + 1)):
            best = max(best, 3.0 * size)
    generic = vocabulary("generic", language)
    hints = {s for s in stems if s in trait.cues}
    return best + sum(0.3 if s in _generic_stems(generic) else 1.0 for s in hints)


_GENERIC: dict[frozenset[str], frozenset[str]] = {}


def _generic_stems(generic: frozenset[str]) -> frozenset[str]:
    found = _GENERIC.get(generic)
    if found is None:
        found = _GENERIC[generic] = frozenset(stem(word) for word in generic)
    return found


def has(kind: str, lower: str, language: str) -> re.Match[str] | None:
    """The first phrase of a kind in a text of lower case."""
    return phrases(kind, language).search(lower)
