"""Exchanges words in text, queries and addresses; each exchange undoes itself, so one table serves both ways.

Old word and new word change places: a page's name becomes the epoch's, a query's name of the epoch becomes the page's,
and an old name in a query becomes one that no page has.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from worldgen.corpus.sites import TOKEN_LENGTH, TOKEN_LETTERS
from worldgen.reskin.coined import SHORTEST
from worldgen.seeds import key_of

_URL = r"https?://[A-Za-z0-9._~/%+=,;:@&-]*[A-Za-z0-9/]"
_CAPITALISED = r"(?<![A-Za-z])[A-Z][a-z]{4,}(?![A-Za-z])"
_ANY_CASE = rf"(?<![A-Za-z])[A-Za-z]{{{SHORTEST},}}(?![A-Za-z])"
_INITIALS = r"(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])"
_SLUG_WORD = re.compile(r"[a-z]+")
_TOKEN = re.compile(rf"(.*-)([{TOKEN_LETTERS}]{{{TOKEN_LENGTH}}})", re.DOTALL)
_BITS = 5
_KEPT = 20_000


class Moved(NamedTuple):
    """A text after its words have been exchanged, with where its places have gone."""

    text: str
    starts: list[int]
    shifts: list[int]

    def place(self, offset: int) -> int:
        """Where a place between words of the old text is in the new one."""
        at = bisect_right(self.starts, offset) - 1
        return offset + self.shifts[at] if at >= 0 else offset


class Swap:
    """The exchange of one epoch.

    Args:
        words: Word → other word, in lower case.
        initials: Word of capitals → other.
        spelled: Chinese spelling → other.
        seed: Of the world.
        epoch: Which; with the seed it decides the ends of addresses.
    """

    def __init__(
        self,
        words: Mapping[str, str],
        initials: Mapping[str, str],
        spelled: Mapping[str, str],
        *,
        seed: int,
        epoch: int,
    ) -> None:
        self._words = _both_ways(words)
        self._initials = _both_ways(initials)
        self._spelled = _both_ways(spelled)
        self._key = (seed, epoch)
        self._sizes = sorted({len(text) for text in self._spelled}, reverse=True)
        hanzi = _runs(self._spelled)
        self._latin = _pattern(_URL, _CAPITALISED, _INITIALS)
        self._text = _pattern(_URL, _CAPITALISED, _INITIALS, hanzi)
        self._asked = _pattern(_URL, _ANY_CASE, _INITIALS, hanzi)
        self._addresses = lru_cache(maxsize=_KEPT)(self._address)

    def text(self, text: str) -> str:
        """The text in the other words."""
        return self.moved(text).text

    def query(self, text: str) -> str:
        """A query in the other words, in whatever case they are written."""
        return exchange(text, self._exchanges(self._asked, text)).text

    def moved(self, text: str) -> Moved:
        """The text in the other words, with where its places have gone."""
        return exchange(text, self._exchanges(self._latin if text.isascii() else self._text, text))

    def _exchanges(self, pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, str]]:
        """Start and end of each piece that changes, and what takes its place."""
        for match in pattern.finditer(text):
            old = match.group()
            if not old.isascii():
                yield from self._in_run(old, match.start())
                continue
            new = self._other(old)
            if new != old:
                yield match.start(), match.end(), new

    def _in_run(self, run: str, start: int) -> Iterator[tuple[int, int, str]]:
        """The spellings in a run of characters that occur in any; the first and longest goes first."""
        at = 0
        while at < len(run):
            old = next((old for size in self._sizes if (old := run[at : at + size]) in self._spelled), "")
            if old:
                yield start + at, start + at + len(old), self._spelled[old]
            at += len(old) or 1

    def _other(self, old: str) -> str:
        if "/" in old:
            return self.url(old)
        if old.isupper() and old in self._initials:
            return self._initials[old]
        new = self._words.get(old.lower())
        if new is None or old.islower():
            return new or old
        return new.upper() if old.isupper() else new.capitalize()

    def url(self, url: str) -> str:
        """The other address: its words exchanged, its end that nobody can guess as well."""
        return self._addresses(url)

    def _address(self, url: str) -> str:
        found = _TOKEN.fullmatch(url)
        base, token = (found[1], found[2]) if found else (url, "")
        other = _SLUG_WORD.sub(self._in_slug, base)
        if not token:
            return other
        # Both addresses have the same mask, which exclusive or takes off again.
        mask = key_of(self._key[0], "reskin", self._key[1], "address", min(base, other))
        places = [TOKEN_LETTERS.index(letter) ^ (mask >> _BITS * at & 31) for at, letter in enumerate(token)]
        return other + "".join(TOKEN_LETTERS[place] for place in places)

    def _in_slug(self, match: re.Match[str]) -> str:
        word = match.group()
        return self._words.get(word) or self._initials.get(word.upper(), word).lower()


def _both_ways(table: Mapping[str, str]) -> dict[str, str]:
    return {**table, **{new: old for old, new in table.items()}}


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(part for part in parts if part))


def _runs(texts: Iterable[str]) -> str:
    """A pattern of the characters of the texts in a row."""
    characters = sorted({character for text in texts for character in text})
    return f"[{re.escape(''.join(characters))}]{{2,}}" if characters else ""


def exchange(text: str, exchanges: Iterable[tuple[int, int, str]]) -> Moved:
    """A text in which some pieces, each told by start, end and what takes its place, are exchanged."""
    pieces: list[str] = []
    starts: list[int] = []
    shifts: list[int] = []
    last = shift = 0
    for start, end, new in exchanges:
        pieces += (text[last:start], new)
        last = end
        shift += len(new) - (end - start)
        starts.append(end)
        shifts.append(shift)
    return Moved("".join([*pieces, text[last:]]) if pieces else text, starts, shifts)
