"""Derives the table of real names that nothing coined may hit upon; run by hand, its output is kept.

    pip install 'worldgen[gazetteers]'
    python -m worldgen.disjoint.derive

Lists change from release to release of their packages, and a world must not: so nothing here runs when a world is
built. `worldgen.language.known` reads what is written here, ``known.bin`` and ``known.yaml``. A new table changes the
names of most worlds.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from worldgen.disjoint.gazetteer import EXTRA, all_gazetteers
from worldgen.disjoint.normal import legal_endings, spelled
from worldgen.errors import CallerError
from worldgen.language.data import FOLDER, read_yaml
from worldgen.language.kinds import affixes, kinds
from worldgen.language.known import LONGEST, Source, bit_places, folded
from worldgen.language.sounds import SHORTEST_ROOT

BYTES = 3 << 19
HASHES = 10
_WORD = re.compile("[a-z]+")
_HAN = re.compile("[\u4e00-\u9fff·]+")
_LONGEST_HAN = 8
# Letters that are also written in another way than without their marks.
_OTHERWISE = str.maketrans({"æ": "e", "œ": "e", "ä": "ae", "ö": "oe", "ø": "oe", "ü": "ue", "å": "aa"})
_CHUNK = 1 << 16

log = logging.getLogger(__name__)


def words_of(name: str) -> Iterator[str]:
    """What the table keeps of a name: its Latin words, or its forms in Chinese characters.

    >>> list(words_of("Bad Tölz")), sorted(words_of("多瑙河"))
    (['toelz'], ['多瑙', '多瑙河'])
    """
    if _HAN.fullmatch(name):
        yield from _han_words(name)
    else:
        lower = name.lower()
        found = {folded(lower), spelled(lower), spelled(lower.translate(_OTHERWISE))}
        yield from (word for text in found for word in _WORD.findall(text) if SHORTEST_ROOT <= len(word) <= LONGEST)


def _han_words(name: str) -> Iterator[str]:
    """The name and its parts, with and without the words that coined names carry, where coined names begin so."""
    sounds, around = _sounds(), _around()
    for part in {name, *name.split("·")}:
        for before, after in around:
            stem = part[len(before) : len(part) - len(after)]
            if 2 <= len(stem) <= _LONGEST_HAN and part == before + stem + after and sounds.issuperset(stem[:2]):
                yield stem


@cache
def _sounds() -> frozenset[str]:
    """The characters that coined roots are written in."""
    table: dict[str, dict[str, str]] = read_yaml("hanzi")["table"]
    return frozenset(c for row in table.values() for choices in row.values() for c in choices)


@cache
def _around() -> tuple[tuple[str, str], ...]:
    """What may stand before and after the root of a name; nothing at all comes first."""
    found = {(affix.zh_before, affix.zh_after) for kind in kinds() for affix in affixes(kind)}
    found |= {("", ending) for ending in legal_endings()}
    return (("", ""), *sorted(found - {("", "")}))


def written(words: Iterable[str]) -> bytes:
    """The Bloom filter of some words."""
    bits = np.zeros(BYTES * 8, dtype=np.bool_)
    listed = sorted(words)
    for start in range(0, len(listed), _CHUNK):
        for places in bit_places(listed[start : start + _CHUNK], bits=BYTES * 8, count=HASHES):
            bits[places] = True
    return np.packbits(bits, bitorder="little").tobytes()


def main(folder: Path = FOLDER) -> None:
    """Write the table and what it was made from.

    Raises:
        CallerError: A package is not installed.
    """
    words: set[str] = set()
    made_from: list[Source] = []
    for gazetteer in all_gazetteers():
        version = gazetteer.version()
        if version is None:
            raise CallerError(
                "gazetteer.not-installed", f"the package {gazetteer.package!r} is not installed",
                fix=f"pip install '{EXTRA}'",
            )  # fmt: skip
        names = {name for _, name in gazetteer.names()}
        words.update(word for name in names for word in words_of(name))
        made_from.append(Source(gazetteer.name, gazetteer.package, version, len(names)))
        log.info("%s %s: %d names, %d words so far", gazetteer.name, version, len(names), len(words))
    (folder / "known.bin").write_bytes(written(words))
    about = {"hashes": HASHES, "words": len(words), "sources": [source._asdict() for source in made_from]}
    text = "# Written by worldgen/disjoint/derive.py: what known.bin was made from.\n"
    (folder / "known.yaml").write_text(text + yaml.safe_dump(about, sort_keys=False), "utf-8", newline="\n")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    main()
