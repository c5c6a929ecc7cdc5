"""Cleans a text and cuts it into sentences and tables, so that what is judged is what a reader sees.

Licensed and written texts go through the same cuts; a sentence is compared by its `key`, which drops spacing and
Markdown emphasis.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

LINK = re.compile(r"!?\[([^\[\]\n]{0,400})\]\(([^()\[\]\s]{0,800})\)")
_URL = re.compile(
    r"(?i)\b(?:[a-z][a-z0-9+.-]{1,15}:/?/[^\s<>)\]]+|(?:javascript|data|mailto|file|vbscript):\S+|www\.[^\s)]+)"
)
_HOST = re.compile(
    r"(?i)(?<![\w.-])[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*\.(?:com|net|org|info|io|gov|edu|"
    r"example|test|invalid|localhost)\b[^\s)]*"
)
_TAG = re.compile(
    r"<!--|-->|<[/!?]?[A-Za-z][^\n]{0,200}?>|<[/!?]?(?:script|style|iframe|img|svg|object|"
    r"embed)\b|&(?:#\d+|#x[0-9a-f]+|[a-z]{2,8});",
    re.IGNORECASE,
)
# Addresses in any spelling, links that Markdown would make of it, and marks inside a figure.
_ADDRESS = re.compile(
    r"(?i)(?<![\w.-])[a-z][a-z0-9-]{0,62}\.[a-z]{2,24}(?![\w.])|\w@\w|//(?!\s)|(?<!\s)//|hxxp|\[\.\]|!\[|\]\(\s|"
    r"^[^\S\n]*\[[^\]\n]*\]:|(?<=\d)[*_]+(?=\d)",
    re.MULTILINE,
)
_ODD = frozenset("~^\\{}`")
# Signs that make no markup: `price = 5`, `~5`, `price ~ 5`, `{"price": 5}`.
_PLAIN_SIGN = re.compile(r"(?<!=)={1,2}(?!=)|(?<![~\w])~(?=\d)|(?<=\s)~(?=\s)|(?<![{$%\\])\{(?![{%])|(?<![}%])\}(?!\})")
# Squares and cubes of lengths, which a unit may be written with.
_POWER = re.compile(r"(?<=m)[²³](?![\w²³])")
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)", re.MULTILINE)
_EMPHASIS = re.compile(r"[*_`~]+|^\s*(?:#{1,6}|[-+·•]|>+|\d{1,3}[.)])\s+", re.MULTILINE)
_LEAD = re.compile(r"^\s*(?:(?:#{1,6}|[-+*·•]|>+)\s+)+|^\s*>+\s*")
_SPACE = re.compile(r"\s+")
# Ornaments: arrows, rules, shapes, stars, card suits, notes and flowers. They say nothing; a tick, a cross, a ring and
# a picture may, and are none.
_ORNAMENT = re.compile(
    "[\u2190-\u2199\u21d0-\u21d5\u2500-\u25ca\u25cc-\u25ee\u25f0-\u25ff\u2605\u2606\u261a-\u261f\u2660-\u2667\u2669-\u266c"
    "\u2726-\u2734\u273f-\u274b\u2756\u2761\u2765-\u2767\u2794\u2798-\u27af\u27b1-\u27be\u3013\u203b]"
)
_END = re.compile(r"(?:(?<!\.)(?!\.{4})[.!?…]+[\"'”’)\]*_]*(?=\s)|[。！？]+[”’」）]*|~+(?!\d)(?=\S)| \.\.\. )")
_INITIAL = re.compile(
    r"(?:^|[\s(.“\"'])(?:[A-Z]|No|Nos|Mr|Mrs|Ms|Dr|St|vs|approx|ca|c|e\.g|i\.e|a\.m|p\.m|Jan|"
    r"Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$"
)
# What begins a sentence and no name, so that a capital with a full stop before it ends one: `the Nitirg X. A figure`.
_BEGINS = re.compile(
    r"\s+(?:(?:A|An|The|It|Its|In|On|At|For|As|This|That|There|Here|With|By|Of|And|But|We|You|If|Also|Under|From|One)"
    r" |It's |That's |Here's |There's )"
)
_HIDDEN = frozenset(
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u061c\u180e\u2061\u2062\u2063\u2064\u115f\u1160\u3164\uffa0"
)
_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "−": "-", "‐": "-", "‑": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " "}
)


class Piece(NamedTuple):
    """A sentence, heading or list item (kind ``sentence``) or a whole table (``table``); ``line`` counts lines."""

    kind: str
    text: str
    line: int
    heading: bool = False


def clean(text: str) -> str:
    """The text in one spelling: NFKC, plain quotation marks and spaces, ASCII digits.

    >>> clean("４２ ‘a’")
    "42 'a'"
    """
    if text.isascii():
        return text.replace("\r\n", "\n").replace("\r", "\n")
    kept = unicodedata.normalize("NFKC", text.replace("²", "\x02").replace("³", "\x03"))
    kept = kept.replace("\x02", "²").replace("\x03", "³").replace("µ", "μ")
    kept = kept.translate(_QUOTES).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(_digit(c) if c > "\x7f" and unicodedata.category(c) == "Nd" else c for c in kept)


def _digit(character: str) -> str:
    return str(unicodedata.decimal(character))


def key(sentence: str) -> str:
    """A sentence without spacing, emphasis and list marks, for comparison."""
    return _SPACE.sub(" ", _EMPHASIS.sub("", sentence)).strip()


def table_key(table: str) -> str:
    """A table without the spaces around its cells."""
    return "\n".join(
        "|".join(cell.strip() for cell in line.strip().strip("|").split("|")) for line in table.split("\n")
    )


def hostile(text: str, allowed: str) -> Iterator[str]:
    """Markup, hidden characters and foreign scripts that the allowed text does not have."""
    wide = any(character >= "\u2e80" for character in allowed)
    text = _POWER.sub(" ", text)
    for character in dict.fromkeys(_ORNAMENT.sub(" ", _PLAIN_SIGN.sub(" ", text))):
        if character <= "\x7f":
            if (character < " " and character not in "\n\t\r") or (character in _ODD and character not in allowed):
                yield character if character > " " else f"U+{ord(character):04X}"
            continue
        category = unicodedata.category(character)
        hidden = character in _HIDDEN or category in ("Cf", "Cs", "Co", "Cn", "Cc") or category.startswith("M")
        odd = category in ("So", "Sk", "No") or (category == "Ll" and "\xff" < character < "\u2e80")
        if character == "〇" and wide:
            continue
        foreign = _foreign(character, category) or (not wide and category[0] in "LN" and _wide(character))
        if (hidden or odd or foreign) and character not in allowed:
            yield f"U+{ord(character):04X}"
    for pattern in (_TAG, _FENCE, _ADDRESS):
        for match in pattern.finditer(text):
            if match[0].strip() not in allowed:
                yield match[0][:60]


def _wide(character: str) -> bool:
    """Whether it is of a Chinese page, and not a full-width spelling of an ASCII one."""
    return character >= "\u2e80" and not unicodedata.normalize("NFKC", character).isascii()


def _foreign(character: str, category: str) -> bool:
    """Whether it is a letter of a script in which no page is written, or looks like one of those that are."""
    if not category.startswith(("L", "N")):
        return False
    folded = unicodedata.normalize("NFKC", character)
    if category in ("Nd", "Nl", "No") or not folded[:1].isalpha():
        return not (folded.isascii() or folded in ("²", "³", "〇"))
    name = unicodedata.name(folded[0], "")
    return not name.startswith(("LATIN", "CJK", "HIRAGANA", "KATAKANA", "MICRO", "GREEK SMALL LETTER MU"))


def links(text: str) -> set[tuple[str, str]]:
    """Text and URL of each Markdown link."""
    return {(_SPACE.sub(" ", m[1]).strip(), m[2]) for m in LINK.finditer(text)}


def urls(text: str) -> set[str]:
    """All addresses, in links or bare."""
    found = {m[2] for m in LINK.finditer(text)}
    rest = LINK.sub(lambda m: m[1], text)
    found |= {m[0].rstrip(".,;:!?\"'") for m in _URL.finditer(rest)}
    return found | {m[0].rstrip(".,;:!?\"'") for m in _HOST.finditer(_URL.sub(" ", rest))}


def pieces(text: str) -> list[Piece]:
    """Cut a cleaned text into sentences and tables, in order; links keep only their text."""
    found: list[Piece] = []
    table: list[str] = []
    for number, line in enumerate(text.split("\n")):
        bare = line.strip()
        if bare.startswith("|") or (table and "|" in bare):
            table.append(bare)
            continue
        if table:
            found.append(Piece("table", "\n".join(table), number - len(table)))
            table = []
        if bare:
            found += _sentences(bare, number)
    if table:
        found.append(Piece("table", "\n".join(table), text.count("\n") + 1 - len(table)))
    return found


def _sentences(line: str, number: int) -> Iterator[Piece]:
    heading = line.startswith("#")
    line = _LEAD.sub("", LINK.sub(lambda m: m[1], line))
    at = 0
    for match in _END.finditer(line):
        short = match[0][0] == "." and _INITIAL.search(line[max(0, match.start() - 12) : match.start() + 1])
        if short and not (len(short[0].strip()) == 2 and _BEGINS.match(line, match.end())):
            continue
        sentence = line[at : match.end()].strip().removesuffix("...").strip()
        if sentence.strip(".… "):
            yield Piece("sentence", sentence, number, heading)
        at = match.end()
    rest = line[at:].strip()
    if rest:
        yield Piece("sentence", rest, number, heading)
