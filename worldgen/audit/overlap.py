"""How much of what one world's pages say, names and values taken out, another world's pages say too.

An agent is trained in many worlds. What recurs from world to world in the same words is a template that it can learn
instead of reading. The measure takes all that belongs to one world out of its pages, cuts what is left into runs of
words, and asks which of them occur in the other world.

What is taken out, in this order, each replaced by a mark of its kind:

1. the words that give a value, wherever a page states a fact (the value's span in its statement);
2. the world's names: entities, their other names, coined values, sites, the setting, and who signs pages; a name
   inside a longer Latin word is none;
3. numbers in digits, with their ordinal endings, and dates: a month beside a number, and 年, 月, 日 after one.

Targets of links, punctuation and capitals go as well. Marks of one kind that follow one another count once. Titles and
everything in a body count, so menus, notices and captions do; a run never goes from one page, or from its title, into
another. A run is 8 words, in Chinese 12 characters, which is about 8 words there; a run of marks alone is none. Numbers
in words, units outside a value, and nicknames of thread writers are words like others.

Two shares are told: of all runs of the one world, each counted as often as it occurs, and of its different runs.
Boilerplate recurs, so the first is nearly always the greater; it also says how much of what is read is not new. It is
the one that is judged, in the direction in which it is greater. For the measure within one world see
`worldgen.audit.variety`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from worldgen.audit.variety import RUN, runs_of, tokens
from worldgen.records import Page

Runs = Counter[tuple[str, ...]]
_NUMBER = "\x01D"
_BOUND = r"(?:(?<![A-Za-z0-9])|(?![A-Za-z0-9]))"
_MONTH = re.compile(
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)
_ENDINGS = frozenset(("st", "nd", "rd", "th", "年", "月", "日"))


@dataclass(frozen=True, slots=True)
class Share:
    """What share of a world's runs occurs in another world, each from 0 to 1.

    Attributes:
        occurrences: Of all its runs, each as often as it occurs.
        distinct: Of its different runs.
    """

    occurrences: float
    distinct: float


@dataclass(frozen=True, slots=True)
class Overlap:
    """What two worlds share in one language.

    Attributes:
        language: ``en`` or ``zh``.
        there: What of the first occurs in the second.
        back: What of the second occurs in the first.
    """

    language: str
    there: Share
    back: Share

    @property
    def judged(self) -> float:
        """The greater share by occurrence."""
        return max(self.there.occurrences, self.back.occurrences)


def runs(pages: Iterable[Page], names: Iterable[str]) -> dict[str, Runs]:
    """The runs of a world by language, each with how often it occurs.

    Args:
        pages: Its pages, none of the haystack, which other worlds wrote.
        names: All its names: entities, aliases, coined values, sites, the setting. Authors are read off the pages.
    """
    pages = list(pages)
    pattern = _whole_names({*names, *(page.author for page in pages)})
    found: dict[str, Runs] = {}
    for page in pages:
        counted = found.setdefault(page.language, Counter())
        for text in (replace(page, body=page.title, statements=()), page):
            counted.update(runs_of(_undated(tokens(text, pattern)), RUN.get(page.language, RUN["en"])))
    return {language: found[language] for language in sorted(found)}


def between(first: Mapping[str, Runs], second: Mapping[str, Runs]) -> list[Overlap]:
    """What two worlds share, in each language that both are written in."""
    return [
        Overlap(language, _share(first[language], second[language]), _share(second[language], first[language]))
        for language in first
        if language in second
    ]


def _share(mine: Runs, theirs: Runs) -> Share:
    if not mine:
        return Share(0.0, 0.0)
    common = [run for run in mine if run in theirs]
    return Share(sum(mine[run] for run in common) / mine.total(), len(common) / len(mine))


def _whole_names(names: Iterable[str]) -> re.Pattern[str]:
    ordered = sorted({name for name in names if name}, key=lambda name: (-len(name), name))
    return re.compile(f"{_BOUND}(?:{'|'.join(map(re.escape, ordered))}){_BOUND}" if ordered else r"(?!)")


def _undated(words: Sequence[str]) -> list[str]:
    """The words with what belongs to a number drawn into its mark: ordinal endings, months, parts of dates."""
    out: list[str] = []
    for at, word in enumerate(words):
        after = bool(out) and out[-1] == _NUMBER
        before = words[at + 1 : at + 2] == [_NUMBER]
        drawn = (after and word in _ENDINGS) or ((after or before) and _MONTH.fullmatch(word) is not None)
        mark = _NUMBER if drawn else word
        if mark != _NUMBER or not after:
            out.append(mark)
    return out
