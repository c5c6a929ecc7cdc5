"""How alike pages read once names and values are taken out.

The measure: the share of a page's n-word sequences that also occur in another page of its genre and language, after
the words that give a value, names and numbers are each replaced by a mark of their kind. Boilerplate counts as well.
Marks of one kind that follow one another count once, and a sequence made of marks alone has no words to compare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from worldgen.records import Page

_LINK = re.compile(r"\]\([^)]*\)")
_TOKEN = re.compile(r"\x01[A-Z]|[A-Za-z]+(?:['’-][A-Za-z]+)*|\d[\d.,:/%]*|[\u3400-\u9fff]")
_NAME, _VALUE, _NUMBER = "\x01N", "\x01V", "\x01D"
# Words in a run, characters in Chinese.
RUN = {"en": 8, "zh": 12}


def name_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds any of the names, the longest first."""
    ordered = sorted({name for name in names if name}, key=lambda name: (-len(name), name))
    return re.compile("|".join(re.escape(name) for name in ordered) or r"(?!)")


def tokens(page: Page, names: re.Pattern[str]) -> list[str]:
    """The page's words in lower case (characters in Chinese), values, names and numbers marked."""
    pieces: list[str] = []
    at = 0
    for statement in sorted(page.statements, key=lambda s: s.value_start):
        if statement.value_start < at:
            continue
        pieces += [page.body[at : statement.value_start], f" {_VALUE} "]
        at = statement.value_end
    pieces.append(page.body[at:])
    text = names.sub(f" {_NAME} ", _LINK.sub("]", "".join(pieces)))
    out: list[str] = []
    for token in _TOKEN.findall(text):
        mark = _NUMBER if token[0].isdigit() else token
        if mark[0] == "\x01":
            if not out or out[-1] != mark:
                out.append(mark)
        else:
            out.append(mark.lower())
    return out


def sequences(words: Sequence[str], n: int) -> set[tuple[str, ...]]:
    """The different runs of n words, save those of marks alone."""
    return set(runs_of(words, n))


def runs_of(words: Sequence[str], n: int) -> Iterator[tuple[str, ...]]:
    """The runs of n words in their order, save those of marks alone."""
    for start in range(len(words) - n + 1):
        run = tuple(words[start : start + n])
        if any(word[0] != "\x01" for word in run):
            yield run


def overlap(pages: Sequence[Page], names: Iterable[str] = (), n: int | None = None) -> dict[tuple[str, str], float]:
    """The mean share of a page's sequences that occur in another page of its genre and language.

    Args:
        pages: The corpus; copies out of date are left aside.
        names: All names of the world: entities, aliases, sites, the setting.
        n: Length of the sequences; by default 8 words, 12 characters in Chinese.

    Returns:
        (genre, language) → a share in [0, 1].
    """
    pattern = name_pattern(names)
    groups: dict[tuple[str, str], list[set[tuple[str, ...]]]] = {}
    for page in pages:
        if page.kind in ("stale", "haystack"):
            continue
        size = n or RUN.get(page.language, 8)
        groups.setdefault((page.genre, page.language), []).append(sequences(tokens(page, pattern), size))
    return {key: _shared(found) for key, found in sorted(groups.items())}


def _shared(found: Sequence[set[tuple[str, ...]]]) -> float:
    counts: dict[tuple[str, ...], int] = {}
    for runs in found:
        for run in runs:
            counts[run] = counts.get(run, 0) + 1
    shares = [sum(counts[run] > 1 for run in runs) / len(runs) for runs in found if runs]
    return sum(shares) / len(shares) if shares else 0.0


def type_token_ratio(pages: Sequence[Page], names: Iterable[str] = ()) -> dict[tuple[str, str], float]:
    """Different words per word, over each (genre, language); names and values marked."""
    pattern = name_pattern(names)
    seen: dict[tuple[str, str], set[str]] = {}
    total: dict[tuple[str, str], int] = {}
    for page in pages:
        key = (page.genre, page.language)
        words = tokens(page, pattern)
        seen.setdefault(key, set()).update(words)
        total[key] = total.get(key, 0) + len(words)
    return {key: len(seen[key]) / total[key] for key in sorted(seen) if total[key]}
