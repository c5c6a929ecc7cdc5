"""Roots: coined words in the sound of a culture, drawn in bulk from its tables and cleared of real words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import add

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import CallerError, did_you_mean
from worldgen.language.data import FOLDER, read_lines, read_yaml
from worldgen.language.known import known
from worldgen.seeds import Stream

SHORTEST_ROOT = 5
_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Clusters of letters for one place in a word, with the running sums of their weights."""

    clusters: tuple[str, ...]
    steps: NDArray[np.int64]

    def draw(self, rng: Stream, n: int) -> list[str]:
        """Draw ``n`` clusters."""
        places = np.searchsorted(self.steps, rng.below(n, int(self.steps[-1])), side="right")
        return [self.clusters[place] for place in places.tolist()]


@dataclass(frozen=True, slots=True)
class Culture:
    """The sound of a culture: what its words start with, turn on and end in, and how its places like to end."""

    name: str
    onset: Table
    nucleus: Table
    medial: Table
    coda: Table
    endings: dict[str, tuple[str, ...]]


def table_of(weights: dict[str, int]) -> Table:
    """A table from a mapping of clusters to weights, in the mapping's order."""
    return Table(tuple(weights), np.cumsum(list(weights.values())))


def cultures() -> list[str]:
    """The names of all cultures, sorted."""
    return sorted(path.stem for path in (FOLDER / "cultures").glob("*.yaml"))


@cache
def culture(name: str) -> Culture:
    """The culture of that name; `CallerError` lists the valid ones."""
    if name not in cultures():
        raise CallerError(
            "language.unknown-culture",
            f"unknown culture {name!r}",
            expected=" or ".join(cultures()),
            fix=did_you_mean(name, cultures()),
        )
    document = read_yaml(f"cultures/{name}")
    tables = {place: table_of(document[place]) for place in ("onset", "nucleus", "medial", "coda")}
    return Culture(name=name, endings={k: tuple(v) for k, v in document["endings"].items()}, **tables)


@cache
def unwanted_words() -> frozenset[str]:
    """Lower-case words that no root may be, whatever `known` says: brands, countries, plain words, rude ones."""
    return frozenset(word for line in read_lines("unwanted") if not line.startswith("*") for word in line.split())


@cache
def _unspeakable() -> re.Pattern[str]:
    pieces = sorted({word.lstrip("*") for line in read_lines("unwanted") if line[0] == "*" for word in line.split()})
    return re.compile("|".join([r"(.)\1\1", *pieces]))


def draw_roots(
    sound: Culture, rng: Stream, n: int, *, syllables: Sequence[float], endings: Table | None = None
) -> list[str]:
    """Draw ``n`` lower-case candidates, real and repeated words among them.

    Args:
        sound: The culture.
        rng: Where the draws come from.
        n: How many.
        syllables: Weights of one, two, … syllables.
        endings: What replaces the tail of a root; the ending "" leaves it.
    """
    sizes = rng.weighted(n, syllables).tolist()
    tails = endings.draw(rng, n) if endings else [""] * n
    codas = sound.coda.draw(rng, n)
    # Before a tail that starts with a vowel, a medial stands alone in place of the last syllable.
    linked = [tail[:1] in _VOWELS for tail in tails]
    whole = [max(size - 2, 0) if join else size for size, join in zip(sizes, linked, strict=True)]
    onsets = list(map(add, sound.onset.draw(rng, n), sound.nucleus.draw(rng, n)))
    inner = list(map(add, sound.medial.draw(rng, sum(whole)), sound.nucleus.draw(rng, sum(whole))))
    links = iter(sound.medial.draw(rng, sum(linked)))
    roots, at = [], 0
    for root, count, join, tail, coda in zip(onsets, whole, linked, tails, codas, strict=True):
        root += "".join(inner[at : at + count])
        at += count
        roots.append(root + next(links) + tail if join else root + (tail or coda))
    return roots


def acceptable(root: str) -> bool:
    """Whether a root is long enough, speakable, and neither a real name nor an unwanted word.

    >>> acceptable("kesmar"), acceptable("paris"), acceptable("ban")
    (True, False, False)
    """
    return acceptable_ones([root], longest=len(root)) == [True]


def acceptable_ones(roots: Sequence[str], *, longest: int) -> list[bool]:
    """`acceptable` of many roots, none longer than that."""
    words, unspeakable = unwanted_words(), _unspeakable().search
    return [
        SHORTEST_ROOT <= len(root) <= longest and not real and root not in words and not unspeakable(root)
        for root, real in zip(roots, known(roots), strict=True)
    ]
