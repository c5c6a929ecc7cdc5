"""Which words of a world are coined: what stands on its pages with a capital and in no wording, schema or gazetteer.

Names of siblings, authors and background things are stored nowhere but in the text, so the text itself is asked. A
coined word has no spelling in lower case on a page, is in no grammar and no schema, and never a name of the real world.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import worldgen
from worldgen.language import known
from worldgen.store import read_only

SHORTEST = 5
"""Letters of the shortest coined word."""
_WORD = re.compile(r"[A-Za-z]+")
_CAPITALISED = re.compile(r"https?://\S+|(?<![A-Za-z])[A-Z][a-z]{4,}(?![A-Za-z])")
_INITIALS = re.compile(r"(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])")
_ABBREVIATED = re.compile(r"[A-Z]\. [A-Z]")
_WORDINGS = (
    "corpus/grammars/**/*.yaml",
    "language/data/kinds.yaml",
    "language/data/units.yaml",
    "language/data/words.yaml",
)
_HEADS = "SELECT title || ' ' || site || ' ' || author FROM wg_page"
_TEXTS = "SELECT title || ' ' || site || ' ' || author || ' ' || body FROM wg_page"


@dataclass(frozen=True, slots=True)
class Naming:
    """A name of the world's: of an entity or an attribute; ``own`` is the full name that an alias is short for."""

    text: str
    own: str


@dataclass(frozen=True, slots=True)
class Coined:
    """What of a world's words is coined.

    Attributes:
        words: Coined words in lower case, sorted.
        abbreviated: Those of them that stand somewhere as their first letter and a point.
        initials: Names that are initials, with the name that each stands for first.
        contracted: Chinese short forms, each with the English name that it is short for.
        ordinary: Words that no coined word may be, in lower case.
        capitals: Words of capitals that stand on some page.
        names: All names in both languages, sorted.
    """

    words: tuple[str, ...]
    abbreviated: frozenset[str]
    initials: dict[str, str]
    contracted: dict[str, str]
    ordinary: frozenset[str]
    capitals: frozenset[str]
    names: tuple[str, ...]


def read_coined(path: Path, *, bodies: bool = True) -> Coined:
    """Read a world's coined words: one pass over all its pages.

    Args:
        path: The world's folder.
        bodies: Whether the bodies of pages are of the grammars' words; in those that a model has rewritten any word may
            begin a sentence, so that names and heads alone are asked.
    """
    connection = read_only(path / "world.db", guarded=False)
    try:
        return _read(connection, (path / "schema.json").read_text("utf-8"), _TEXTS if bodies else _HEADS)
    finally:
        connection.close()


def _read(connection: sqlite3.Connection, schema: str, texts: str) -> Coined:
    ordinary = _wordings() | _words(schema)
    names = list(_names(connection))
    seen = {word for name in names for word in _CAPITALISED.findall(name.text)}
    capitals: set[str] = set()
    for (text,) in connection.execute(texts):
        seen.update(_CAPITALISED.findall(text))
        capitals.update(_INITIALS.findall(text))
    free = sorted({word.lower() for word in seen if ":" not in word} - ordinary)
    own = {word.lower() for name in names for word in _CAPITALISED.findall(name.text)}
    words = tuple(word for word, real in zip(free, known(free), strict=True) if not real or word in own)
    coined = frozenset(words)
    return Coined(
        words=words,
        abbreviated=_abbreviated(names, coined),
        initials={name.text: name.own for name in reversed(names) if _INITIALS.fullmatch(name.text)},
        contracted={name.text: name.own for name in reversed(names) if not name.text.isascii()},
        ordinary=frozenset(ordinary),
        capitals=frozenset(capitals),
        names=tuple(sorted({name.text for name in names})),
    )


def _names(connection: sqlite3.Connection) -> Iterator[Naming]:
    for en, zh in connection.execute("SELECT name, name_zh FROM wg_entity WHERE named = 1 ORDER BY rowid"):
        yield Naming(en, en)
        yield Naming(zh, en)
    aliases = "SELECT a.text, e.name FROM wg_alias a JOIN wg_entity e ON e.id = a.entity ORDER BY a.id"
    yield from (Naming(text, own) for text, own in connection.execute(aliases))
    values = "SELECT value FROM wg_fact WHERE type = 'name' AND value IS NOT NULL ORDER BY rowid"
    yield from (Naming(text, text) for (text,) in connection.execute(values))


def _abbreviated(names: list[Naming], coined: frozenset[str]) -> frozenset[str]:
    first = {name.own.split(" ", 1)[0].lower() for name in names if _ABBREVIATED.match(name.text)}
    return frozenset(first & coined)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


@cache
def _wordings() -> frozenset[str]:
    """The words of all grammars and of what names are made of beside their roots."""
    root = Path(worldgen.__file__).parent
    files = sorted(path for pattern in _WORDINGS for path in root.glob(pattern))
    return frozenset(word for path in files for word in _words(path.read_text("utf-8")))
