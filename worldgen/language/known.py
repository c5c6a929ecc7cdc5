"""Whether a word is a name or a word of the real world, asked of a table that is kept here.

The table is a Bloom filter, made once by ``python -m worldgen.disjoint.derive`` from the lists that `sources` names; so
what is coined does not depend on which packages are installed. It holds every word of five to `LONGEST` plain letters
of the lists' names, and names in Chinese characters that a coined name could be written in. What is in a list is
always told; about one word in a thousand that is in none is taken for one, which only has another coined in its place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from worldgen.language.data import FOLDER, read_yaml

LONGEST = 12
_BASE = np.uint64(0x9E3779B97F4A7C15)
_STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_LETTERS = {"ø": "o", "ł": "l", "ð": "d", "þ": "th", "æ": "ae", "ı": "i", "ə": "a", "œ": "oe", "đ": "d"}


class _Plain(dict[int, str | int | None]):
    """Code point → what is written for it, None for a diacritic; looked up once per code point."""

    def __missing__(self, code: int) -> str | int | None:
        plain = _LETTERS.get(chr(code), None if unicodedata.combining(chr(code)) else code)
        self[code] = plain
        return plain


_PLAIN = _Plain()


class Source(NamedTuple):
    """A list that the table was made from."""

    gazetteer: str
    package: str
    version: str
    names: int


def folded(text: str) -> str:
    """The text in lower case, without diacritics.

    >>> folded("Århus Łódź Straße")
    'arhus lodz strasse'
    """
    text = text.casefold()
    if text.isascii():
        return text
    return unicodedata.normalize("NFKD", text).translate(_PLAIN)


def known(words: Sequence[str]) -> list[bool]:
    """Whether each is in the table; words in lower case without diacritics, names in Chinese characters as they are.

    >>> known(["nairobi", "马德里", "vonskiruma"])
    [True, True, False]
    """
    if not words:
        return []
    table, count = _table()
    found = np.ones(len(words), dtype=np.bool_)
    for places in bit_places(words, bits=len(table) * 8, count=count):
        found &= (table[places >> np.uint64(3)] >> (places & np.uint64(7)).astype(np.uint8) & 1).astype(np.bool_)
    return [bool(flag) for flag in found]


def sources() -> list[Source]:
    """The lists that the table was made from, with what they held then."""
    return [Source(**each) for each in _about()["sources"]]


def bit_places(words: Sequence[str], *, bits: int, count: int) -> list[NDArray[np.uint64]]:
    """For each of ``count`` hash functions the bit of each word, below ``bits``; ``words`` is not empty."""
    first = _hashes(words)
    second = _mixed(first) | np.uint64(1)
    return [(first + np.uint64(turn) * second) % np.uint64(bits) for turn in range(count)]


def _hashes(words: Sequence[str]) -> NDArray[np.uint64]:
    letters = np.array(words, dtype=np.str_)
    width = letters.dtype.itemsize // 4
    codes = letters.view(np.uint32).reshape(len(words), width).astype(np.uint64)
    powers = np.cumprod(np.full(width, _BASE, dtype=np.uint64), dtype=np.uint64)
    return _mixed((codes * powers).sum(axis=1, dtype=np.uint64))


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for shift, factor in _STEPS:
        hashes = (hashes ^ (hashes >> np.uint64(shift))) * np.uint64(factor)
    return hashes ^ (hashes >> np.uint64(31))


def _about() -> Any:
    return read_yaml("known")


@cache
def _table() -> tuple[NDArray[np.uint8], int]:
    return np.fromfile(FOLDER / "known.bin", dtype=np.uint8), int(_about()["hashes"])
