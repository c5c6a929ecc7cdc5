"""Coins names: unique, distinct, in English and Chinese, in the sound of a culture, for thousands of things at once."""

from __future__ import annotations

from itertools import compress, islice
from typing import NamedTuple

from worldgen.errors import CallerError, GenerationError
from worldgen.language.distinct import Distinct
from worldgen.language.hanzi import transliterate
from worldgen.language.kinds import Kind, kind_of
from worldgen.language.known import known
from worldgen.language.sounds import Culture, acceptable_ones, culture, draw_roots
from worldgen.seeds import Stream

_IGNORED = str.maketrans("", "", " -·&'’.\u3000")
_LONGEST_ROOT = 11
_MOST_SYLLABLES = 6
_DRY_ROUNDS = 8


class Name(NamedTuple):
    """A name in both languages."""

    en: str
    zh: str


def name_key(text: str) -> str:
    """What two spellings of one name share: no case, no spaces, no punctuation.

    >>> name_key("Dorvik & Sahl") == name_key("dorvik-sahl")
    True
    """
    joined = text.replace(" ", "")
    return joined.casefold() if joined.isalnum() else joined.translate(_IGNORED).casefold()


def coin(kind: str, culture_name: str, rng: Stream, n: int, *, taken: set[str] | None = None) -> list[Name]:
    """Coin ``n`` names of a kind.

    No two have the same key (see `name_key`) in either language, and no two roots are within one edit of each other;
    no root is `known` in the real world, in either script. Where short roots run out, longer ones are made.

    Args:
        kind: One of `kinds`.
        culture_name: One of `cultures`.
        rng: Where the draws come from.
        n: How many.
        taken: Names and roots of other calls to stay clear of, in either language; the new ones are added to it.

    Raises:
        GenerationError: The culture's sounds do not yield that many.

    >>> from worldgen.seeds import stream
    >>> len({name.zh for name in coin("company", "veltic", stream(7, "demo"), 50)})
    50
    """
    if n < 0:
        raise CallerError("language.count", "cannot coin a negative number of names", expected="0 or more", got=str(n))
    mint = _Mint(kind_of(kind), culture(culture_name), rng, n, {name_key(text) for text in taken or ()})
    dry = 0
    while len(mint.names) < n:
        before = len(mint.names)
        tried = mint.round()
        gained = len(mint.names) - before
        dry = dry + 1 if gained == 0 else 0
        if gained * 2 < tried:
            mint.longer += 1
        if dry == _DRY_ROUNDS:
            raise GenerationError(
                "language.names-exhausted",
                f"no more names of kind {kind!r} in culture {culture_name!r}",
                expected=f"{n} names",
                got=str(len(mint.names)),
                fix="ask for fewer, spread them over more cultures, or widen the culture's tables",
            )
    if taken is not None:
        taken.update(text for name in mint.names for text in name)
        taken.update(mint.roots)
    return mint.names


class _Mint:
    """The state of one call of `coin`."""

    def __init__(self, kind: Kind, sound: Culture, rng: Stream, n: int, taken: set[str]) -> None:
        self.kind = kind
        self.sound = sound
        self.rng = rng
        self.n = n
        self.taken = taken
        self.names: list[Name] = []
        self.roots: list[str] = []
        self.longer = 0
        self._distinct = Distinct()
        self._fields = kind.fields
        self._endings = kind.endings_in(sound)
        sizes = {"given": 60 + n // 12, "family": 120 + n // 5}
        self._stocks = {field: self._stock(size) for field, size in sizes.items() if field in self._fields}

    def round(self) -> int:
        """Try about as many candidates as names are missing; returns how many."""
        missing = self.n - len(self.names)
        tried = missing + missing // 3 + 8
        patterns = self.rng.weighted(tried, self.kind.weights).tolist()
        roots = draw_roots(self.sound, self.rng, tried, syllables=self._syllables(), endings=self._endings)
        columns = {field: self._column(field, tried) for field in sorted(self._fields - {"a"})}
        fresh = self._fresh(patterns, roots)
        for i, (p, root) in enumerate(zip(patterns, roots, strict=True)):
            pattern = self.kind.patterns[p]
            own = None
            if "a" in pattern.fields:
                if root not in fresh:
                    continue
                own = Name(root.capitalize(), fresh.pop(root))
            if own and pattern.alone:
                self._take(own, own)
            else:
                words = [own if own and field == "a" else columns[field][i] for field in pattern.fields]
                self._take(Name(*pattern.filled(words)), own)
            if len(self.names) == self.n:
                break
        return tried

    def _take(self, name: Name, root: Name | None) -> None:
        en, zh = name_key(name.en), name_key(name.zh)
        taken = self.taken
        if en in taken or zh in taken or (root is not None and root.zh in taken):
            return
        taken.add(en)
        taken.add(zh)
        if root is not None:
            if root is not name:
                taken.add(root.en.lower())
                taken.add(root.zh)
            self.roots.extend(root)
        self.names.append(name)

    def _fresh(self, patterns: list[int], roots: list[str]) -> dict[str, str]:
        """The roots that a name may be made of, each once, with their spelling in Chinese characters."""
        coining = ["a" in pattern.fields for pattern in self.kind.patterns]
        wanted = dict.fromkeys(root for p, root in zip(patterns, roots, strict=True) if coining[p])
        return self._kept([root for root in wanted if root not in self.taken], self._distinct)

    def _kept(self, roots: list[str], distinct: Distinct) -> dict[str, str]:
        good = list(compress(roots, acceptable_ones(roots, longest=_LONGEST_ROOT + self.longer)))
        spelled = {root: transliterate(root) for root in good}
        free = [root for root, real in zip(spelled, known(list(spelled.values())), strict=True) if not real]
        return {root: spelled[root] for root in compress(free, distinct.add(free))}

    def _column(self, field: str, n: int) -> list[Name]:
        if field in self.kind.parts:
            part = self.kind.parts[field]
            words = [Name(*word) for word in part.words]
            return [words[i] for i in self.rng.weighted(n, part.weights).tolist()]
        stock = self._stocks.get(field) or self._stock(40 + n // 10)
        return [stock[i] for i in self.rng.below(n, len(stock)).tolist()]

    def _syllables(self) -> list[float]:
        shifted = [0.0] * self.longer + list(self.kind.syllables)
        return [*shifted[: _MOST_SYLLABLES - 1], sum(shifted[_MOST_SYLLABLES - 1 :])]

    def _stock(self, size: int) -> list[Name]:
        """A stock of distinct roots of about that size, to be used over and over."""
        roots = draw_roots(self.sound, self.rng, size + size // 2, syllables=[0.05, 0.75, 0.2])
        kept = self._kept(roots, Distinct())
        return [Name(root.capitalize(), spelled) for root, spelled in islice(kept.items(), size)]
