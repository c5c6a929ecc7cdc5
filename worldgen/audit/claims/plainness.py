"""Words that nobody can have an objection to: what a strict guard lets a sentence be made of.

A claim in words that the guard does not know, without any name, number, date or category, could be anything. So a
strict guard refuses each word that neither the material, nor the world's pages and schema, nor a list of plain words
has. A word is plain where it claims nothing beside a name; plain words that claim something together are listed in
`loaded`. The guard thereby refuses some honest paraphrases in unusual words; the benchmark of the guards tells how many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

from worldgen.audit.claims import loaded
from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.words import bases, stem
from worldgen.language.units import currencies, units
from worldgen.records import Language

_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+(?:'[^\W\d_\u3400-\u9fff]+)*")
_EMOTICON = re.compile(r"(?<!\w)[:;=]['-]?[()DPpOo/|]+(?!\w)|\bx[Dd]\b|<3|\^\^")
_CONTRACTED = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m|t))$|'$")
_RUN = re.compile("[\u3400-\u9fff]+")
_LONGEST = 6
_KNOWN: WeakKeyDictionary[Lexicon, _Known] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class _Known:
    """What a world's pages and schema have.

    Attributes:
        bases: Base forms of the words of its pages, with those of the plain ones.
        stems: Stems of the words of its schema.
        pairs: In Chinese, pairs of characters of its pages and schema.
    """

    bases: frozenset[str]
    stems: frozenset[str]
    pairs: frozenset[str]


def unplain(sentence: str, lexicon: Lexicon, material: str, cues: Set[str] = frozenset()) -> Iterator[str]:
    """The words of a sentence that are not plain, names aside, and its plain ones that claim something together.

    Args:
        sentence: A cleaned sentence.
        lexicon: The world's words.
        material: The licence's own text.
        cues: Stems that hint at what the sentence says with leave; in Chinese words.
    """
    known, text = _known(lexicon), sentence.replace("’", "'")
    named = [(mention.start, mention.end) for mention in lexicon.names.find(text)]
    blanked = list(text)
    for start, end in [*named, *(match.span() for match in _EMOTICON.finditer(text))]:
        blanked[start:end] = " " * (end - start)
    rest = "".join(blanked)
    if lexicon.language == "zh":
        yield from _strange_signs(rest, known, material, cues)
    own = {stem(word.lower()) for word in _WORD.findall(material.replace("’", "'"))} | cues
    for match in _WORD.finditer(rest):
        word = match[0].lower()
        root = _CONTRACTED.sub("", word)
        if not (known.bases & (bases(word) | bases(root)) or stem(root) in own or stem(root) in known.stems):
            yield match[0]
    nouns = [noun for found in lexicon.nouns.values() for noun in found]
    yield from loaded.find(text, lexicon.language, named, nouns, material)


def plain(language: Language) -> frozenset[str]:
    """The plain words of a language, in English in base form."""
    return _plain(language)


@cache
def _plain(language: Language) -> frozenset[str]:
    lines = (Path(__file__).parent / "data" / f"plain-{language}.txt").read_text("utf-8").splitlines()
    words = " ".join(line for line in lines if not line.startswith("#"))
    return frozenset(words.split() if language == "zh" else words.replace("-", " ").split())


@cache
def _measures() -> frozenset[str]:
    """The words and symbols of all units and currencies."""
    said = [text for unit in units().values() for text in (unit.one, unit.many, unit.symbol)]
    said += [text for code, money in currencies().items() for text in (code, money.many, money.symbol)]
    return frozenset(word.lower() for text in said for word in _WORD.findall(text))


def _known(lexicon: Lexicon) -> _Known:
    """The words of the world's pages and schema; kept for as long as the lexicon."""
    found = _KNOWN.get(lexicon)
    if found is None:
        common = {base for word in lexicon.common for base in bases(word)}
        found = _Known(
            frozenset(common) | _plain("en") | _measures(),
            frozenset(stem(word) for word in lexicon.spoken),
            lexicon.pairs | _pairs(lexicon),
        )
        _KNOWN[lexicon] = found
    return found


def _pairs(lexicon: Lexicon) -> frozenset[str]:
    """Pairs of Chinese characters of the schema."""
    traits = [trait for found in lexicon.traits.values() for trait in found]
    said = [text for trait in traits for text in (*trait.phrases, *trait.says, *trait.units)]
    said += [word for trait in traits for words in trait.categories.values() for word in words]
    said += [*lexicon.places, *(noun for found in lexicon.nouns.values() for noun in found)]
    said += [unit.zh for unit in units().values()] + [money.zh for money in currencies().values()]
    return frozenset(run[i : i + 2] for text in said for run in _RUN.findall(text) for i in range(len(run) - 1))


def _strange_signs(text: str, known: _Known, material: str, cues: Set[str]) -> Iterator[str]:
    """The parts of a Chinese text that no known words make up."""
    words = _plain("zh") | cues
    pairs = known.pairs | {run[i : i + 2] for run in _RUN.findall(material) for i in range(len(run) - 1)}
    for match in _RUN.finditer(text):
        run = match[0]
        told = [run[max(0, i - 1) : i + 1] in pairs or run[i : i + 2] in pairs for i in range(len(run))]
        for start, end in _gaps(run, words, told):
            yield run[start:end]


def _gaps(run: str, words: Set[str], told: list[bool]) -> Iterator[tuple[int, int]]:
    """Where words leave a run of signs uncovered, cut so that they cover the most; ``told`` signs need none."""
    size = len(run)
    best: list[tuple[int, int]] = [(0, 0)] * (size + 1)
    for at in range(size - 1, -1, -1):
        steps = [(best[at + 1][0] + (not told[at] and run[at] not in words), 1)]
        steps += [
            (best[at + long][0], long) for long in range(2, min(_LONGEST, size - at) + 1) if run[at : at + long] in words
        ]
        best[at] = min(steps, key=lambda step: (step[0], -step[1]))
    at, start = 0, None
    while at < size:
        strange = best[at][1] == 1 and best[at][0] > best[at + 1][0]
        if strange and start is None:
            start = at
        if not strange and start is not None:
            yield start, at
            start = None
        at += best[at][1]
    if start is not None:
        yield start, size
