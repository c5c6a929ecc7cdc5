"""The small words around values: numbers in letters, ordinals, plurals, articles, lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from worldgen.errors import CallerError
from worldgen.language.data import read_yaml

LARGEST_WORD = 9999
_AN_NUMBER = re.compile(r"(8|1[18](?!\d))")
_LETTERS_SAID_WITH_AN = frozenset("AEFHILMNORSX")


def words_of(language: str) -> dict[str, Any]:
    """The word table of a language; `CallerError` for one there is none for."""
    tables: dict[str, dict[str, Any]] = read_yaml("words")
    if language not in tables:
        raise CallerError(
            "language.unknown-language", f"unknown language {language!r}", expected=" or ".join(sorted(tables))
        )
    return tables[language]


def number_words(n: int, language: str, *, counting: bool = False) -> str:
    """A whole number from 0 to 9999 in words.

    Args:
        n: The number.
        language: ``en`` or ``zh``.
        counting: Whether a measure word or unit follows, where Chinese says 两 for two.

    >>> number_words(742, "en"), number_words(2, "zh", counting=True), number_words(1010, "zh")
    ('seven hundred and forty-two', '两', '一千零一十')
    """
    if not 0 <= n <= LARGEST_WORD:
        raise CallerError("language.number", "number too large to be spelled", expected="0 to 9999", got=str(n))
    table = words_of(language)
    if language == "zh":
        return "两" if counting and n == 2 else _chinese(n, table)
    return _english(n, table)


def _english(n: int, table: dict[str, Any]) -> str:
    if n < 20:
        return str(table["small"][n])
    if n < 100:
        tens = str(table["tens"][n // 10])
        return tens if n % 10 == 0 else f"{tens}-{table['small'][n % 10]}"
    size, name = (1000, "thousand") if n >= 1000 else (100, "hundred")
    head = f"{_english(n // size, table)} {name}"
    rest = n % size
    if rest == 0:
        return head
    return f"{head} and {_english(rest, table)}" if rest < 100 else f"{head} {_english(rest, table)}"


def _chinese(n: int, table: dict[str, Any]) -> str:
    digits: str = table["digits"]
    if n < 10:
        return digits[n]
    text = ""
    gap = False
    for place in range(3, -1, -1):
        digit = n // 10**place % 10
        if digit == 0:
            gap = gap or text != ""
            continue
        text += ("零" if gap else "") + digits[digit] + table["places"][place]
        gap = False
    return text[1:] if 10 <= n < 20 else text


def ordinal(n: int, language: str) -> str:
    """A rank in words: letters up to the twelfth in English, digits with their ending above.

    >>> ordinal(3, "en"), ordinal(22, "en"), ordinal(3, "zh")
    ('third', '22nd', '第三')
    """
    if n < 1:
        raise CallerError("language.ordinal", "ranks start at one", got=str(n))
    if language == "zh":
        return "第" + (number_words(n, "zh") if n <= LARGEST_WORD else str(n))
    names: list[str] = words_of(language)["ordinals"]
    if n < len(names):
        return names[n]
    ending = "th" if 11 <= n % 100 <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"


@cache
def plural(noun: str) -> str:
    """The English plural of a noun; of several words the last is put in the plural.

    >>> plural("city"), plural("branch"), plural("release date"), plural("person")
    ('cities', 'branches', 'release dates', 'people')
    """
    head, _, last = noun.rpartition(" ")
    irregular: dict[str, str] = words_of("en")["plurals"]
    lower = last.lower()
    if lower in irregular:
        made = irregular[lower] if last == lower else irregular[lower].capitalize()
    elif re.search(r"(s|x|z|ch|sh)$", lower):
        made = last + "es"
    elif re.search(r"[^aeiou]y$", lower):
        made = last[:-1] + "ies"
    else:
        made = last + "s"
    return f"{head} {made}" if head else made


@cache
def article(phrase: str) -> str:
    """The indefinite article that goes before an English phrase.

    >>> [article(p) for p in ("hour", "university", "8-inch screen", "MP", "18,000-seat hall", "bridge")]
    ['an', 'a', 'an', 'an', 'an', 'a']
    """
    word = phrase.split(" ", 1)[0].split("-", 1)[0]
    if word[:1].isdigit():
        return "an" if _AN_NUMBER.match(word) else "a"
    letters = re.match(r"[A-Za-z]+", word)
    if letters and len(letters[0]) > 1 and letters[0].isupper():
        return "an" if word[0] in _LETTERS_SAID_WITH_AN else "a"
    lower = word.lower()
    table = words_of("en")
    if any(lower.startswith(start) for start in table["an_before"]):
        return "an"
    if any(lower.startswith(start) for start in table["a_before"]):
        return "a"
    return "an" if lower[:1] in tuple("aeiou") else "a"


def with_article(phrase: str) -> str:
    """The phrase with its indefinite article before it."""
    return f"{article(phrase)} {phrase}"


def join_list(items: Sequence[str], language: str, *, last: str = "") -> str:
    """Join items as prose lists them.

    Args:
        items: What to list; none gives "".
        language: ``en`` or ``zh``.
        last: The word before the last item; "and" and 和 where none is given.

    >>> join_list(["A", "B", "C"], "en"), join_list(["A", "B", "C"], "zh"), join_list(["A", "B"], "en", last="or")
    ('A, B and C', 'A、B和C', 'A or B')
    """
    words_of(language)
    if len(items) < 2:
        return "".join(items)
    if language == "zh":
        return "、".join(items[:-1]) + (last or "和") + items[-1]
    return f"{', '.join(items[:-1])} {last or 'and'} {items[-1]}"
