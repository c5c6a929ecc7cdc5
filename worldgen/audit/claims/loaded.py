"""Plain words that claim something together or in their place: `be down`, `go under`, `on loan`; 出事, 受欢迎.

The lists are `data/loaded-en.txt` and `data/loaded-zh.txt`; a claim that the material makes itself is no finding. A
Chinese line is a regular expression. An English line is words, each in its base form or just as it is forbidden, with

    a|b   either word
    be    any form of be, and verbs that link as it does: seem, become, remain
    @     a name, or a noun for a kind of thing
    ^ $   where a sentence or a clause begins or ends

Articles do not count, and adverbs between the words neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from worldgen.audit.claims.words import bases
from worldgen.records import Language

_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d[\d.,]*|[.,;:!?()–—|\"]")
_ARTICLES = frozenset(["a", "an", "the"])
_CLAUSE = frozenset(["and", "but", "or", "while", "though", "although", "when", "since", "because"])
_ADVERBS = frozenset(
    ["very", "so", "quite", "now", "just", "still", "also", "already", "all", "too", "rather", "pretty", "not", "again"]
)
_LINKING = {
    **dict.fromkeys(["am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"], "be"),
    **dict.fromkeys(["has", "had", "having"], "have"),
    **dict.fromkeys(["does", "did", "done", "doing"], "do"),
    **dict.fromkeys(["went", "gone", "goes"], "go"),
    **dict.fromkeys(["fell", "fallen"], "fall"),
    **dict.fromkeys(["rose", "risen"], "rise"),
    **dict.fromkeys(["came"], "come"),
    **dict.fromkeys(["took", "taken"], "take"),
    **dict.fromkeys(["made"], "make"),
    **dict.fromkeys(["got", "gotten"], "get"),
    **dict.fromkeys(["lost"], "lose"),
    **dict.fromkeys(["ran"], "run"),
    **dict.fromkeys(["grew", "grown"], "grow"),
    **dict.fromkeys(["stood"], "stand"),
    **dict.fromkeys(["sold"], "sell"),
}
_LIKE_BE = frozenset(["become", "became", "seem", "look", "feel", "felt", "sound", "remain", "stay", "get", "turn"])


class _Token(NamedTuple):
    start: int
    end: int
    forms: frozenset[str]


def find_en(sentence: str, named: Iterable[tuple[int, int]], nouns: Iterable[str], material: str) -> Iterator[str]:
    """What an English sentence claims in plain words, in its own words.

    Args:
        sentence: A cleaned sentence, with straight apostrophes.
        named: Where names stand in it.
        nouns: Nouns for kinds of things, in lower case.
        material: What the material and the schema say, in lower case.
    """
    tokens = _tokens(sentence, list(named), nouns)
    for at, token in enumerate(tokens):
        for line in (line for form in token.forms for line in _lines().get(form, ())):
            last = _matched(line, tokens, at)
            if last is not None:
                said = sentence[token.start : tokens[last].end]
                if said.lower() not in material:
                    yield said


def find_zh(sentence: str, edges: frozenset[int], material: str) -> Iterator[str]:
    """What a Chinese sentence claims in plain signs.

    Args:
        sentence: A cleaned sentence, names blanked out.
        edges: Where its words begin and end, so that nothing is found across them.
        material: What the material and the schema say, in lower case.
    """
    for pattern in _patterns():
        for match in pattern.finditer(sentence):
            ends = match.end() in edges or sentence[match.end() : match.end() + 1] in ("的", "了")
            if match[0] not in material and match.start() in edges and ends:
                yield match[0]


def _matched(line: tuple[frozenset[str], ...], tokens: list[_Token], at: int) -> int | None:
    """The index of the last token of a line that begins with a token; None where the tokens do not go on like it."""
    for wanted in line:
        while at < len(tokens) and not wanted & tokens[at].forms and "+" in tokens[at].forms:
            at += 1
        if at == len(tokens) or not wanted & tokens[at].forms:
            return None
        at += 1
    return at - 1


def _tokens(sentence: str, named: list[tuple[int, int]], nouns: Iterable[str]) -> list[_Token]:
    """The words of a sentence, clauses marked, articles left out, each name one token."""
    kinds, found = frozenset(nouns), [_Token(0, 0, frozenset("^"))]
    for match in _TOKEN.finditer(sentence):
        word, start = match[0].lower(), match.start()
        span = next((span for span in named if span[0] <= start < span[1]), None)
        if span is not None or word in kinds:
            if found[-1].forms != frozenset("@"):
                found.append(_Token(start, match.end(), frozenset("@")))
            rest = word[-2:] if span is not None and word.endswith("'s") and match.end() > span[1] else ""
            if rest:
                found.append(_Token(match.end() - 2, match.end(), frozenset(["'s"])))
        elif not word[0].isalpha():
            found.append(_Token(start, match.end(), frozenset("#" if word[0].isdigit() else "^$")))
        elif word not in _ARTICLES:
            found += _split(word, start)
    return [*found, _Token(len(sentence), len(sentence), frozenset("$"))]


def _split(word: str, start: int) -> Iterator[_Token]:
    """A word, its contracted verb apart."""
    head, mark, tail = word.partition("'")
    parts = [head.removesuffix("n") if tail == "t" and head != "can" else head, f"{mark}{tail}" if mark else ""]
    at = start
    for part in filter(None, parts):
        forms = {*bases(part)} if part[0].isalpha() else {part}
        forms |= {_LINKING[form] for form in forms if form in _LINKING}
        if forms & _LIKE_BE:
            forms.add("be")
        if part in _ADVERBS or part == "'t" or (part.endswith("ly") and len(part) > 4):
            forms.add("+")
        if part in _CLAUSE:
            forms |= {"^", "$"}
        yield _Token(at, at + len(part), frozenset(forms))
        at += len(part)


@cache
def _lines() -> dict[str, tuple[tuple[frozenset[str], ...], ...]]:
    """The lines of the English list by each word that they may begin with."""
    found: dict[str, list[tuple[frozenset[str], ...]]] = {}
    for line in _read("en"):
        wanted = tuple(frozenset(part.split("|")) for part in line.replace("-", " ").split() if part not in _ARTICLES)
        for first in wanted[0]:
            found.setdefault(first, []).append(wanted)
    return {first: tuple(lines) for first, lines in found.items()}


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line) for line in _read("zh"))


def _read(language: Language) -> list[str]:
    lines = (Path(__file__).parent / "data" / f"loaded-{language}.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
