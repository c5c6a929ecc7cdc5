"""Roots: coined words in the sound of a culture, drawn in bulk from its tables and cleared of real words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from worldgen.errors import CallerError, did_you_mean
from worldgen.language.data import FOLDER, read_lines, read_yaml
from worldgen.seeds import Stream

SHORTEST_ROOT = 5
_VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class Table:
    """Clusters of letters for one place in a word, with their weights."""

    clusters: tuple[str, ...]
    weights: tuple[int, ...]

    def draw(self, rng: Stream, n: int) -> list[str]:
        """Draw ``n`` clusters."""
        return [self.clusters[i] for i in rng.weighted(n, self.weights).tolist()]


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
    return Table(tuple(weights), tuple(weights.values()))


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
def real_words() -> frozenset[str]:
    """Lower-case words that no root may be: names Faker knows, brands, countries, plain words."""
    words = {word for line in read_lines("unwanted") if not line.startswith("*") for word in line.split()}
    for line in read_lines("real_names"):
        head, *tails = line.split(" ")
        words.update(head + tail for tail in tails)
    return frozenset(words)


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
        rng: Where the draws come from; how many are made depends on ``n`` and the length of ``syllables`` only.
        n: How many.
        syllables: Weights of one, two, … syllables.
        endings: What replaces the tail of a root; the ending "" leaves it.
    """
    most = len(syllables)
    sizes = rng.weighted(n, syllables).tolist()
    onsets = sound.onset.draw(rng, n)
    nuclei = [sound.nucleus.draw(rng, n) for _ in range(most)]
    medials = [sound.medial.draw(rng, n) for _ in range(most)]
    codas = sound.coda.draw(rng, n)
    tails = endings.draw(rng, n) if endings else [""] * n
    roots = []
    for i, (size, root, tail) in enumerate(zip(sizes, onsets, tails, strict=True)):
        root += nuclei[0][i]
        linked = tail != "" and tail[0] in _VOWELS
        full = max(size - 1, 1) if linked and size else size
        for k in range(full):
            root += medials[k][i] + (nuclei[k + 1][i] if not linked or k + 1 < full else "")
        if linked and not full:
            root += medials[0][i]
        roots.append(root + (tail or codas[i]))
    return roots


def acceptable(root: str) -> bool:
    """Whether a root is long enough, speakable, and neither a real nor an unwanted word.

    >>> acceptable("kesmar"), acceptable("paris"), acceptable("ban")
    (True, False, False)
    """
    return len(root) >= SHORTEST_ROOT and root not in real_words() and not _unspeakable().search(root)


class Distinct:
    """Remembers roots and turns away any that is within one edit of a remembered one.

    Two words within one insertion, deletion or substitution share a word that is made by leaving out at most one
    letter; words that merely swap neighbours do too, and are turned away as well.
    """

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def add(self, root: str) -> bool:
        """Remember a root; False, and nothing remembered, where it is too near to an earlier one."""
        near = [root, *(root[:i] + root[i + 1 :] for i in range(len(root)))]
        if not self._seen.isdisjoint(near):
            return False
        self._seen.update(near)
        return True
