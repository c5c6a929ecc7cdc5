"""A page's text as it grows: pieces of Markdown, the statements in them at their places, the links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldgen.corpus.sentences import Beside, Sentence
from worldgen.records import Link, Statement

# A named tuple's own constructor is a Python function that costs more than all else about it.
_tuple: Any = tuple.__new__


class Body:
    """Collects pieces of text and keeps count of the code points."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.statements: list[Statement] = []
        self.links: list[Link] = []

    def add(self, text: str) -> None:
        """Append text as it is."""
        self.pieces.append(text)
        self.length += len(text)

    def paragraph(self, text: str) -> None:
        """Append a block of text and the empty line after it."""
        if text:
            self.add(text + "\n\n")

    def sentences(self, parts: Sequence[str | Sentence], gap: str) -> None:
        """Append a paragraph of sentences."""
        if not parts:
            return
        texts = []
        at = self.length
        step = len(gap)
        for part in parts:
            if isinstance(part, str):
                texts.append(part)
                at += len(part) + step
                continue
            text, fact, first, last, label, form, claimed, beside = part
            texts.append(text)
            end = at + len(text)
            self.statements.append(_tuple(Statement, (fact, at, end, at + first, at + last, label, form, claimed)))
            if beside is not None:
                self._beside(beside, at, end, at)
            at = end + step
        self.pieces.append(gap.join(texts) + "\n\n")
        self.length = at - step + 2

    def line(self, before: str, parts: Sequence[str | Sentence], after: str = "\n") -> None:
        """Append one line, a list item or a table row, whose statements all span the line without its end."""
        start = self.length
        texts = [before]
        at = start + len(before)
        marked: list[tuple[Sentence, int]] = []
        for part in parts:
            if isinstance(part, str):
                text = part
            else:
                text = part.text
                marked.append((part, at))
            texts.append(text)
            at += len(text)
        for (_, fact, first, last, label, form, claimed, beside), offset in marked:
            spans = (start, at, offset + first, offset + last)
            self.statements.append(_tuple(Statement, (fact, *spans, label, form, claimed)))
            if beside is not None:
                self._beside(beside, start, at, offset)
        texts.append(after)
        self.pieces.append("".join(texts))
        self.length = at + len(after)

    def _beside(self, beside: Beside, start: int, end: int, offset: int) -> None:
        fact, first, last, claimed = beside
        self.statements.append(Statement(fact, start, end, offset + first, offset + last, "sound", "plain", claimed))

    def link(self, url: str, text: str) -> str:
        """The Markdown of a link, which is also kept in the page's record."""
        self.links.append(_tuple(Link, (url, text)))
        return f"[{text}]({url})"

    def text(self) -> str:
        """The whole body, ending in one line end."""
        return "".join(self.pieces).rstrip("\n") + "\n"
