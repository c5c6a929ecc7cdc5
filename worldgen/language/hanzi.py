"""Writes coined roots in Chinese characters, sound by sound, as news agencies do with foreign names.

Every sound has at least two characters where usage allows; which one is taken depends on the root alone, so that a
root reads the same wherever it turns up, and two roots that sound alike seldom share a spelling.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from zlib import crc32

from worldgen.language.data import read_yaml


class _Sounds(dict[str, str]):
    """Sound → two characters to choose from, the same twice where usage has one; looked up once per sound."""

    def __init__(self, sound: re.Pattern[str], document: dict[str, Any]) -> None:
        super().__init__()
        self._sound = sound
        self._table: dict[str, dict[str, str]] = document["table"]
        self._consonants = {name: name for name in self._table} | document["spellings"]["consonants"]
        self._vowels: dict[str, str] = document["spellings"]["vowels"]

    def __missing__(self, sound: str) -> str:
        consonant, vowel, nasal = self._sound.findall(sound)[0]
        choices = ""
        if consonant or vowel:
            rhyme = self._vowels[vowel] if vowel else ""
            choices = self._table[self._consonants[consonant]][_NASAL[rhyme] if nasal else rhyme]
        self[sound] = pair = (choices * 2)[:2]
        return pair


@cache
def _sounds() -> tuple[re.Pattern[str], _Sounds]:
    document = read_yaml("hanzi")
    vowel = _longest_first(document["spellings"]["vowels"])
    consonant = _longest_first({**document["table"], **document["spellings"]["consonants"]})
    parts = f"({consonant})?(?:({vowel})(ng?(?![aeiouy]))?)?"
    whole = f"(?:{consonant})?(?:(?:{vowel})(?:ng?(?![aeiouy]))?)?"
    return re.compile(whole), _Sounds(re.compile(parts), document)


def _longest_first(names: dict[str, Any]) -> str:
    return "|".join(sorted((name for name in names if name), key=lambda name: (-len(name), name)))


def transliterate(root: str) -> str:
    """Spell a root of Latin letters in Chinese characters.

    >>> transliterate("Kesmar") == transliterate("kesmar"), len(transliterate("Kesmar"))
    (True, 4)
    """
    pattern, sounds = _sounds()
    word = root.lower()
    if _DOUBLED.search(word):
        word = _DOUBLED.sub(r"\1", word)
    if "c" in word:
        word = _SOFT_C.sub("s", word)
    seed = crc32(word.encode("ascii"))
    return "".join([sounds[sound][seed >> place & 1] for place, sound in enumerate(pattern.findall(word)) if sound])


_DOUBLED = re.compile(r"([a-mo-z])\1")
_SOFT_C = re.compile(r"c(?=[eiy])")
_NASAL = {"a": "an", "e": "en", "i": "in", "o": "on", "u": "un", "ai": "an", "ao": "on"}
