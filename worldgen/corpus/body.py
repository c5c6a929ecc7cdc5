"""A page's text as it grows: pieces of Markdown, the statements in them at their places, the links."""

from __future__ import annotations

from collections.abc import Sequence

from worldgen.corpus.plan import Setting
from worldgen.corpus.sentences import Sentence
from worldgen.records import Link, Statement


class Body:
    """Collects pieces of text and keeps count of the code points."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
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
        for part in parts:
            if isinstance(part, str):
                text = part
            else:
                text = part.text
                self.statements.append(part.at(self.setting, at, at, at + len(text)))
            texts.append(text)
            at += len(text) + len(gap)
        self.add(gap.join(texts) + "\n\n")

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
        for sentence, offset in marked:
            self.statements.append(sentence.at(self.setting, offset, start, at))
        self.add("".join(texts) + after)

    def link(self, url: str, text: str) -> str:
        """The Markdown of a link, which is also kept in the page's record."""
        self.links.append(Link(url, text))
        return f"[{text}]({url})"

    def text(self) -> str:
        """The whole body, ending in one line end."""
        return "".join(self.pieces).rstrip("\n") + "\n"
