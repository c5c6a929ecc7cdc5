"""Where do the words of a snippet come from? Found again from its text alone, by letters and digits.

Only letters and digits are compared, so that neither side's way with Markdown, spaces or dots matters, and nothing is
shared with the code that cut the snippet.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from worldgen.proofs.files import Leaf, Said

_TARGET = re.compile(r"\]\([^)\s]*(?:\s\"[^\"\n]*\")?\)")
_HEADING = re.compile(r"^#{1,6}[ \t].*$", re.MULTILINE)
_LETTERS = re.compile(r"[^\W_]+")
_JOINT = re.compile(r"\s*\.\.\.\s*")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Source:
    """A page's body as its letters and digits.

    Attributes:
        letters: All of them in a row.
        before: For each run of letters in the body, how many letters stand before it.
        starts: Where in the body each run starts.
    """

    letters: str
    before: list[int]
    starts: list[int]

    @classmethod
    def of(cls, body: str) -> Source:
        """The letters of a body; those of link targets and headings are never shown."""
        hidden = [match.span() for pattern in (_TARGET, _HEADING) for match in pattern.finditer(body)]
        shown = body
        for start, end in hidden:
            shown = f"{shown[:start]}{' ' * (end - start)}{shown[end:]}"
        runs = _LETTERS.findall(shown)
        before = list(accumulate(map(len, runs), initial=0))
        return cls("".join(runs), before, [match.start() for match in _LETTERS.finditer(shown)])

    def spans(self, piece: str) -> Iterator[Span]:
        """Each stretch of the body, from its first letter to its last, that reads like the piece."""
        wanted = letters(piece)
        at = self.letters.find(wanted) if wanted else -1
        while at >= 0:
            yield self._place(at), self._place(at + len(wanted) - 1) + 1
            at = self.letters.find(wanted, at + 1)

    def _place(self, letter: int) -> int:
        """Where in the body a letter stands."""
        run = bisect_right(self.before, letter, hi=len(self.starts)) - 1
        return self.starts[run] + letter - self.before[run]


def letters(text: str) -> str:
    """What is compared: letters and digits, in order."""
    return "".join(_LETTERS.findall(text))


def pieces(snippet: str) -> list[str]:
    """The parts of a snippet, which dots join and end."""
    return [piece for piece in _JOINT.split(snippet) if _LETTERS.search(piece)]


def stated_in(span: Span, said: Sequence[Said], body: str) -> set[str]:
    """Facts whose value stands in a stretch of the body whole, with more of its sentence beside it."""
    start, end = span
    found = set()
    for s in said:
        if s.value_end <= start or s.value_start >= end:
            continue
        first, last = _trimmed(body, s.value_start, s.value_end)
        if first < start or last > end or first >= last:
            continue
        around = body[max(start, s.start) : s.value_start] + body[s.value_end : min(end, s.end)]
        if _LETTERS.search(around) or not _LETTERS.search(body[s.start : s.value_start] + body[s.value_end : s.end]):
            found.add(s.fact)
    return found


def _trimmed(body: str, start: int, end: int) -> Span:
    """A span without what is not a letter or a digit at its ends."""
    while start < end and not body[start].isalnum():
        start += 1
    while end > start and not body[end - 1].isalnum():
        end -= 1
    return start, end


def unlabelled(span: Span, said: Sequence[Said], page: Leaf) -> str:
    """The words of a stretch that lie in no statement."""
    start, end = span
    parts = []
    for s in sorted(said, key=lambda s: s.start):
        if s.end <= start:
            continue
        if s.start >= end:
            break
        parts.append(page.body[start : max(start, s.start)])
        start = max(start, s.end)
    parts.append(page.body[start:end])
    return " / ".join(part for part in parts if part.strip())
