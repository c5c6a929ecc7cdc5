"""Words that nobody can have an objection to: what a strict guard lets a sentence be made of.

A claim in words that the guard does not know, without any name, number, date or category, could be anything. So a
strict guard refuses each word that neither the material, nor the world's pages and schema, nor a list of plain words
has. It thereby refuses some honest paraphrases in unusual words; the benchmark of the guards tells how many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.words import stem

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_KNOWN: WeakKeyDictionary[Lexicon, frozenset[str]] = WeakKeyDictionary()
_HAN = re.compile("[\u3400-\u9fff]")


def unplain(sentence: str, lexicon: Lexicon, material: str) -> Iterator[str]:
    """The words of a sentence that are not plain, names aside; in Chinese its characters.

    Args:
        sentence: A cleaned sentence.
        lexicon: The world's words.
        material: The licence's own text.
    """
    known = _known(lexicon)
    named = [(mention.start, mention.end) for mention in lexicon.names.find(sentence)]
    if lexicon.language == "zh":
        for match in _HAN.finditer(sentence):
            if not _within(match.start(), named) and match[0] not in known and match[0] not in material:
                yield match[0]
    own = {stem(word.lower()) for word in _WORD.findall(material)}
    for match in _WORD.finditer(sentence):
        word = match[0]
        if _HAN.match(word) or _within(match.start(), named) or (word[0].isupper() and match.start() > 0):
            continue  # capitalised words are judged as names
        root = stem(word.lower().removesuffix("'s").removesuffix("’s"))
        if root not in own and root not in known:
            yield word


def is_plain(word: str) -> bool:
    """Whether a word of lower case is on the list of plain ones."""
    return stem(word) in _plain()


def _within(at: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


@cache
def _plain() -> frozenset[str]:
    text = (Path(__file__).parent / "data" / "plain-en.txt").read_text("utf-8")
    return frozenset(stem(word) for word in text.split())


def _known(lexicon: Lexicon) -> frozenset[str]:
    """The stems, or in Chinese the characters, of the world's pages and schema; kept for as long as the lexicon."""
    found = _KNOWN.get(lexicon)
    if found is None:
        said = (*lexicon.common, *lexicon.spoken)
        found = _plain() | {stem(word) for word in said} | frozenset("".join((*lexicon.pairs, *said)))
        _KNOWN[lexicon] = found
    return found
