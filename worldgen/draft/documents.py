"""Documents that a draft is made from: read as plain text, cut to size, and shown to a model as material alone.

They are anybody's text. What stands in them is quoted in a fence that they cannot close and never followed; nothing of
them is run, and no address in them is opened.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

from worldgen.errors import CallerError, expect_path

MOST_BYTES = 2_000_000
MOST_CHARACTERS = 40_000
"""Of all documents together; each gets an equal part, and what one leaves is the others'."""
_TEXT = (".md", ".markdown", ".txt", ".text")
_HTML = (".html", ".htm")
_SILENT = frozenset(["script", "style", "template", "noscript", "svg", "head"])
_BREAKING = re.compile("p|div|br|[uo]l|li|d[tdl]|table|tr|h[r1-6]|section|article|header|footer|blockquote|pre")


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    Attributes:
        name: The file's name.
        text: What is shown of it.
        characters: How many it has; more than the text has where it was cut.
        digest: The sha256 of the file's bytes.
    """

    name: str
    text: str
    characters: int
    digest: str

    @property
    def cut(self) -> bool:
        """Whether only the beginning is shown."""
        return len(self.text) < self.characters


def read_documents(paths: Iterable[str | os.PathLike[str]], *, most: int = MOST_CHARACTERS) -> list[Document]:
    """Read documents: plain text, Markdown, or HTML, of which the visible text is taken.

    Args:
        paths: Files.
        most: Characters of all together.

    Raises:
        CallerError: A file cannot be read, is too large, is not UTF-8, or of another kind.
    """
    read = [(Path(path), _bytes(path)) for path in paths]
    texts = [_plain(_decoded(path, data), html=path.suffix.lower() in _HTML) for path, data in read]
    shares = _shares([len(text) for text in texts], most)
    return [
        Document(path.name, text[:share], len(text), sha256(data).hexdigest())
        for (path, data), text, share in zip(read, texts, shares, strict=True)
    ]


def _shares(sizes: Sequence[int], most: int) -> list[int]:
    """How much is taken of each: all of the small ones, and as much of every other.

    >>> _shares([10, 90, 500], 200)
    [10, 90, 100]
    """
    shares, left = [0] * len(sizes), most
    for number, place in enumerate(sorted(range(len(sizes)), key=lambda place: sizes[place])):
        shares[place] = min(sizes[place], left // (len(sizes) - number))
        left -= shares[place]
    return shares


def _bytes(path: str | os.PathLike[str]) -> bytes:
    expect_path(path, "document")
    file = Path(path)
    known = (*_TEXT, *_HTML)
    if file.suffix.lower() not in known:
        raise CallerError("draft.document", "a document of this kind is not read", path=file, expected=" ".join(known))
    try:
        if not file.is_file():
            raise OSError(2, "there is no such file")
        if file.stat().st_size > MOST_BYTES:
            raise CallerError(
                "draft.document", "the document is too large", path=file, expected=f"{MOST_BYTES:,} bytes at most"
            )
        return file.read_bytes()
    except OSError as error:
        raise CallerError("draft.document", f"the document cannot be read: {error.strerror}", path=file) from error


def _decoded(path: Path, data: bytes) -> str:
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        raise CallerError(
            "draft.document", "the document is not UTF-8", path=path, got=f"byte 0x{data[error.start]:02x}",
            fix="save it as UTF-8",
        ) from error  # fmt: skip


def _plain(text: str, *, html: bool) -> str:
    """The visible text in NFC, without signs that cannot be seen and without runs of blank lines."""
    if html:
        reader = _Visible()
        reader.feed(text)
        reader.close()
        text = "".join(reader.parts)
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = "".join(sign for sign in text if sign in "\n\t" or unicodedata.category(sign)[0] != "C")
    lines = [" ".join(line.split()) if html else line.rstrip() for line in text.split("\n")]
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    return "\n".join(kept).strip()


class _Visible(HTMLParser):
    """Collects the text that a reader of a page would see."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what is not shown, and where a line ends."""
        self._silent += tag in _SILENT
        if _BREAKING.fullmatch(tag):
            self.parts.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag without content."""
        if _BREAKING.fullmatch(tag):
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Note the end of what is not shown."""
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif _BREAKING.fullmatch(tag):
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        """Take text."""
        if not self._silent:
            self.parts.append(data)
