"""Writes coined roots in Chinese characters, sound by sound, as news agencies do with foreign names.

Every sound has at least two characters where usage allows; which one is taken depends on the root alone, so that a
root reads the same wherever it turns up, and two roots that sound alike seldom share a spelling.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple
from zlib import crc32

from worldgen.language.data import read_yaml


class _Tables(NamedTuple):
    syllable: re.Pattern[str]
    consonants: dict[str, str]
    vowels: dict[str, str]
    table: dict[str, dict[str, str]]
    known: dict[tuple[str, str, str], str]


@cache
def _tables() -> _Tables:
    document = read_yaml("hanzi")
    table: dict[str, dict[str, str]] = document["table"]
    consonants = {name: name for name in table} | document["spellings"]["consonants"]
    vowels: dict[str, str] = document["spellings"]["vowels"]

    def longest_first(names: dict[str, str]) -> str:
        return "|".join(sorted((name for name in names if name), key=lambda name: (-len(name), name)))

    vowel = longest_first(vowels)
    pattern = f"({longest_first(consonants)})?(?:({vowel})(ng?(?![aeiouy]))?)?"
    return _Tables(re.compile(pattern), consonants, vowels, table, {})


def transliterate(root: str) -> str:
    """Spell a root of Latin letters in Chinese characters.

    >>> transliterate("Kesmar") == transliterate("kesmar"), len(transliterate("Kesmar"))
    (True, 4)
    """
    tables = _tables()
    word = _DOUBLED.sub(r"\1", root.lower())
    if "c" in word:
        word = _SOFT_C.sub("s", word)
    seed = crc32(word.encode("ascii"))
    written = ""
    for sound in tables.syllable.findall(word):
        choices = tables.known.get(sound)
        if choices is None:
            choices = tables.known[sound] = _choices(tables, *sound)
        if choices:
            written += choices[seed % len(choices)]
            seed >>= 1
    return written


def _choices(tables: _Tables, consonant: str, vowel: str, nasal: str) -> str:
    if not consonant and not vowel:
        return ""
    rhyme = tables.vowels[vowel] if vowel else ""
    return tables.table[tables.consonants[consonant]][_NASAL[rhyme] if nasal else rhyme]


_DOUBLED = re.compile(r"([a-mo-z])\1")
_SOFT_C = re.compile(r"c(?=[eiy])")
_NASAL = {"a": "an", "e": "en", "i": "in", "o": "on", "u": "un", "ai": "an", "ao": "on"}
