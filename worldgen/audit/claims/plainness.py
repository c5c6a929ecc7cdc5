"""Words that nobody can have an objection to: what a strict guard lets a sentence be made of.

A claim in words that the guard does not know, without any name, number, date or category, could be anything. So a
strict guard refuses each word that neither the material, nor the world's pages and schema, nor a list of plain words
has. A word is plain where it claims nothing beside a name; `loaded` has plain words that claim something together, and
`clauses` those that name a thing and tell nothing. The guard thereby refuses some honest paraphrases in unusual words;
the benchmark of the guards tells how many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from worldgen.audit.claims import loaded
from worldgen.audit.claims.lexicon import Lexicon
from worldgen.audit.claims.licence import Licence
from worldgen.audit.claims.words import bases, stem, table
from worldgen.language.units import currencies, units
from worldgen.records import Language

_WORD = re.compile(r"[^\W\d_\u3007\u3400-\u9fff]+(?:'[^\W\d_\u3007\u3400-\u9fff]+)*")
_EMOTICON = re.compile(r"(?<!\w)[:;=]['-]?[()DPpOo/|]+(?!\w)|\bx[Dd]\b|<3|\^\^")
_CONTRACTED = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m|t))$|'$")
_RUN = re.compile("[\u3400-\u9fff]+")
_LONGEST = 6
_KNOWN: WeakKeyDictionary[Lexicon, _Known] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class _Known:
    """What a world's pages and schema have.

    Attributes:
        bases: Base forms of the words of its pages, and of units.
        stems: Stems of the words of its schema.
        pairs: In Chinese, pairs of characters of its pages and schema.
        labels: Those of the schema's attributes, one a line.
    """

    bases: frozenset[str]
    stems: frozenset[str]
    pairs: frozenset[str]
    labels: str


class Unplain(NamedTuple):
    """What is not plain in a sentence, in its own words.

    Attributes:
        strange: Words that are not known, or in Chinese signs that no known words make up.
        loaded: Plain words that claim something together.
    """

    strange: list[str]
    loaded: list[str]


def unplain(sentence: str, lexicon: Lexicon, licence: Licence, cues: Set[str] = frozenset()) -> Unplain:
    """The words of a sentence that are not plain, names aside, and its plain ones that claim something together.

    Args:
        sentence: A cleaned sentence.
        lexicon: The world's words.
        licence: Of the text.
        cues: Stems that hint at what the sentence says with leave; in Chinese words.
    """
    known, text, edges = _known(lexicon), sentence.replace("’", "'"), frozenset[int]()
    named = [(mention.start, mention.end) for mention in lexicon.names.find(text)]
    blanked = list(text)
    for start, end in [*named, *(match.span() for match in _EMOTICON.finditer(text))]:
        blanked[start:end] = " " * (end - start)
    rest, strange = "".join(blanked), list[str]()
    if lexicon.language == "zh":
        pairs = known.pairs | {run[i : i + 2] for run in _RUN.findall(licence.plain) for i in range(len(run) - 1)}
        strange, edges = _strange_signs(rest, _plain("zh") | cues, pairs)
    own = {stem(word) for word in _WORD.findall(licence.plain)} | cues
    for match in _WORD.finditer(rest):
        root = _CONTRACTED.sub("", match[0].lower())
        if match[0][0].isupper() and root in licence.words:
            continue  # a part of a name, or a name of which the facts say nothing
        if not (is_plain(match[0]) or known.bases & bases(root) or stem(root) in own or stem(root) in known.stems):
            strange.append(match[0])
    nouns = [noun for found in lexicon.nouns.values() for noun in found]
    said = "\n".join([licence.plain, known.labels, *sorted(cues)])
    if lexicon.language == "zh":
        return Unplain(strange, list(loaded.find_zh(rest, edges, said)))
    return Unplain(strange, list(loaded.find_en(text, named, nouns, said)))


def is_plain(word: str) -> bool:
    """Whether an English word is one of the plain ones, or a form of one.

    >>> is_plain("Pencilled"), is_plain("haunted")
    (True, False)
    """
    lower = word.lower()
    return not _plain("en").isdisjoint(bases(lower) | bases(_CONTRACTED.sub("", lower)))


@cache
def _plain(language: Language) -> frozenset[str]:
    lines = (Path(__file__).parent / "data" / f"plain-{language}.txt").read_text("utf-8").splitlines()
    words = " ".join(line for line in lines if not line.startswith("#"))
    if language == "zh":
        return frozenset([*words.split(), *_judged_zh()])
    return frozenset(words.replace("-", " ").split())


def _judged_zh() -> Iterator[str]:
    """The Chinese words that other rules judge: of rounding, of telling nothing, of lines and of yes and no."""
    told = table("zh")
    for name in ("rounding", "silence"):
        for words in told[name].values():
            yield from (word for word in words if len(word) > 1)
    for name in ("undisclosed", "line_words", "columns", "telling", "connective", "pages", "publishing", "harmless",
                 "comparison_harmless"):  # fmt: skip
        yield from told[name]


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
            frozenset(common) | _measures(),
            frozenset(stem(word) for word in lexicon.spoken),
            lexicon.pairs | _pairs(lexicon),
            "\n".join(phrase for traits in lexicon.traits.values() for trait in traits for phrase in trait.phrases),
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


def _strange_signs(text: str, words: Set[str], pairs: Set[str]) -> tuple[list[str], frozenset[int]]:
    """The parts of a Chinese text that no known words make up, and where its words begin and end."""
    strange: list[str] = []
    edges: set[int] = set()
    for match in _RUN.finditer(text):
        last = -1
        for start, end, known in _cut(match[0], words, pairs):
            edges |= {match.start() + start, match.start() + end}
            if known:
                continue
            if strange and last == start:
                strange[-1] += match[0][start:end]
            else:
                strange.append(match[0][start:end])
            last = end
    return strange, frozenset(edges)


def _cut(run: str, words: Set[str], pairs: Set[str]) -> Iterator[tuple[int, int, bool]]:
    """A run of signs as words that leave the fewest signs over, then the fewest words; each with whether it is known.

    A sign may stand alone that is a word, or has a neighbour with which the world or the material has it.
    """
    size = len(run)
    best: list[tuple[int, int, int]] = [(0, 0, 0)] * (size + 1)
    for at in range(size - 1, -1, -1):
        told = run[at] in words or run[max(0, at - 1) : at + 1] in pairs or run[at : at + 2] in pairs
        steps = [(best[at + 1][0] + (not told), best[at + 1][1] + 1, 1)]
        for long in range(2, min(_LONGEST, size - at) + 1):
            part = run[at : at + long]
            if part in words or part in pairs:
                steps.append((best[at + long][0], best[at + long][1] + 1, long))
        best[at] = min(steps)
    at = 0
    while at < size:
        over, _, long = best[at]
        yield at, at + long, over == best[at + long][0]
        at += long
