"""Where do the words of a snippet come from? Found again from its text alone, by letters and digits.

Only letters and digits are compared, so that neither side's way with Markdown, spaces or dots matters, and nothing is
shared with the code that cut the snippet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldgen.proofs.files import Leaf, Said

_TARGET = re.compile(r"\]\([^)\s]*(?:\s\"[^\"\n]*\")?\)")
_HEADING = re.compile(r"^#{1,6}[ \t].*$", re.MULTILINE)
_JOINT = re.compile(r"\s*\.\.\.\s*")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Source:
    """A page's body as its letters and digits, each with its place in the body."""

    letters: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, body: str) -> Source:
        """The letters of a body; those of link targets and headings are never shown."""
        hidden = bytearray(len(body))
        for pattern in (_TARGET, _HEADING):
            for match in pattern.finditer(body):
                hidden[match.start() : match.end()] = b"\1" * (match.end() - match.start())
        kept = [i for i, char in enumerate(body) if char.isalnum() and not hidden[i]]
        return cls("".join([body[i] for i in kept]), tuple(kept))

    def spans(self, piece: str) -> Iterator[Span]:
        """Each stretch of the body, from its first letter to its last, that reads like the piece."""
        wanted = letters(piece)
        at = self.letters.find(wanted) if wanted else -1
        while at >= 0:
            yield self.places[at], self.places[at + len(wanted) - 1] + 1
            at = self.letters.find(wanted, at + 1)


def letters(text: str) -> str:
    """What is compared: letters and digits, in order."""
    return "".join([char for char in text if char.isalnum()])


def pieces(snippet: str) -> list[str]:
    """The parts of a snippet, which dots join and end."""
    return [piece for piece in _JOINT.split(snippet) if letters(piece)]


def stated_in(span: Span, said: Sequence[Said], body: str) -> set[str]:
    """Facts whose value stands in a stretch of the body whole, with more of its sentence beside it."""
    start, end = span
    found = set()
    for s in said:
        first, last = _trimmed(body, s.value_start, s.value_end)
        if first < start or last > end or first >= last:
            continue
        around = body[max(start, s.start) : s.value_start] + body[s.value_end : min(end, s.end)]
        if letters(around) or not letters(body[s.start : s.value_start] + body[s.value_end : s.end]):
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
