"""The guard's words of one language, compiled once: phrases by kind, stems, numbers in letters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

WORD = re.compile(r"[a-z0-9]+(?:[&'][a-z]+)*|\x01|[\u3400-\u9fff]")
_SUFFIXES = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "edly",
    "ees",
    "ed",
    "ers",
    "er",
    "ors",
    "or",
    "ies",
    "ions",
    "ion",
    "es",
    "s",
    "ly",
    "al",
    "y",
    "e",
)
_LEAST_STEM = 3
# Where an order may begin: at the head of a sentence or clause, or behind a word that asks for something.
_OPENING = (
    r"(?:(?:^|[.!?:;,–—(>\]\"'|*-])[\s\"'(*_>#-]*"
    r"(?:(?:please|just|now|then|and|kindly|simply|instead|always|first|also|so|ok|okay|hey|pls|next)[ ,]+){0,3})"
)
_OPENING_ZH = (
    r"(?:^|[,，。；;：:！!？?、（(“\"「—>\]*|])[\s\"“「(（*>#-]*"
    r"(?:请|快|先|再|然后|并|务必|马上|立即|赶紧|现在|大家|你|您|各位){0,3}"
)


@cache
def table(language: str) -> dict[str, Any]:
    """The word table as written; every scalar is text."""
    path = Path(__file__).parent / "data" / f"{language}.yaml"
    found: dict[str, Any] = yaml.load(path.read_text("utf-8"), yaml.BaseLoader)
    return found


def any_of(words: Iterable[str]) -> str:
    """A pattern of any of some words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


@cache
def phrases(kind: str, language: str) -> re.Pattern[str]:
    """A pattern for all phrases of a kind, the longest first."""
    inner = any_of(table(language)[kind])
    return re.compile(inner if language == "zh" else rf"(?<![\w'-])(?:{inner})(?![\w'])")


@cache
def talk(language: str) -> re.Pattern[str]:
    """Finds what people say to one another around a fact, which denies or doubts nothing of the page's matter."""
    path = Path(__file__).parent / "data" / f"talk-{language}.txt"
    inner = "|".join(path.read_text("utf-8").split("\n")[:-1])
    return re.compile(inner if language == "zh" else rf"(?<![\w'-])(?:{inner})(?![\w'])")


@cache
def orders(language: str) -> re.Pattern[str]:
    """Finds orders to whoever reads; a line of `data/orders-*.txt` that begins with ^ opens a sentence or a clause."""
    path = Path(__file__).parent / "data" / f"orders-{language}.txt"
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    clauses = "|".join(line.removeprefix("^") for line in lines if line.startswith("^"))
    inside = [line for line in lines if not line.startswith("^")]
    if language == "zh":
        first = f"{_OPENING_ZH}(?:{clauses})"
    else:
        first, inside = _OPENING + _whole(clauses, behind=False), [_whole(line) for line in inside]
    return re.compile("|".join([first, *inside]), re.IGNORECASE)


def _whole(line: str, *, behind: bool = True) -> str:
    """The pattern of a line that begins and ends no word in its middle."""
    before = r"(?<![\w'-])" if behind else ""
    return rf"{before}(?:{line})(?:(?![\w'])|(?<!\w))"


@cache
def vocabulary(kind: str, language: str) -> frozenset[str]:
    """All phrases of a kind."""
    return frozenset(table(language)[kind])


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A crude stem: the same for the forms of one English word.

    >>> stem("founded"), stem("foundation"), stem("employees")
    ('found', 'found', 'emplo')
    """
    for _ in range(2):
        for suffix in _SUFFIXES:
            if word.endswith(suffix) and len(word) - len(suffix) >= _LEAST_STEM and not word.endswith("ss"):
                word = word[: -len(suffix)]
                break
    return word


_SPELLINGS = (("ise", "ize"), ("yse", "yze"), ("our", "or"), ("re", "er"), ("logue", "log"), ("ogramme", "ogram"))


@lru_cache(maxsize=50_000)
def bases(word: str) -> frozenset[str]:
    """What an English word in lower case may be a regular form of, itself among them, in either spelling.

    Unlike `stem` it undoes inflection alone, so that no word passes for another that is derived from it.

    >>> sorted(bases("tallied") & {"tally", "tall"}), "shade" in bases("shady"), "organise" in bases("organizing")
    (['tally'], False, True)
    """
    found = {word}
    for ending, instead in (("s", ""), ("es", ""), ("ies", "y"), ("ves", "f"), ("ly", ""), ("ily", "y"), ("bly", "ble"),
                            ("ally", ""), ("ied", "y"), ("ying", "ie")):  # fmt: skip
        if word.endswith(ending) and not word.endswith("ss"):
            found.add(word.removesuffix(ending) + instead)
    for ending in ("ed", "ing"):
        root = word.removesuffix(ending)
        if root != word:
            found |= {root, root + "e"}
            if root[-1:] == root[-2:-1]:
                found.add(root[:-1])
    found = {base for base in found if len(base) > 1 or base == word}
    for base in tuple(found):
        for british, american in _SPELLINGS:
            if base.endswith(american):
                found.add(base.removesuffix(american) + british)
            elif base.endswith(british):
                found.add(base.removesuffix(british) + american)
    return frozenset(found)


def stems(text: str, language: str) -> list[str]:
    """The stems of the words of a text, small words left out; in Chinese pairs of characters."""
    if language == "zh":
        runs = re.findall(r"[\u3400-\u9fff]+|[A-Za-z]+", text)
        return [run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))]
    small = small_stems(language)
    out = []
    for word in WORD.findall(text.lower().replace("-", " ").replace("'s ", " ")):
        word = word.removesuffix("'s")
        if word != "\x01" and stem(word) not in small:
            out.append(stem(word))
    return out


@cache
def small_stems(language: str) -> frozenset[str]:
    """The stems of words that tell nothing."""
    return frozenset(stem(word) for word in vocabulary("stop", language))


@cache
def concepts(language: str) -> dict[str, frozenset[str]]:
    """Stem → the stems of words that may say the same."""
    found: dict[str, set[str]] = {}
    for group in table(language)["concepts"]:
        members = {stem(word) if language != "zh" else word for word in group}
        for member in members:
            found.setdefault(member, set()).update(members)
    return {member: frozenset(others) for member, others in found.items()}
