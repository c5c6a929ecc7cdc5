"""Snippets that tease without answering: they are cut so that a result page states no more facts than it may.

A page says which of its characters state facts (its statements). A snippet is made of whole pieces of the body, and
under withholding a piece may only be taken from between the statements, or around one statement that stands alone; so
the number of facts is bounded by where the pieces lie, whatever was asked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from worldgen.records import Page, Statement
from worldgen.search.wording import is_cjk

JOIN = " ... "
_WIDTH = 200
_WIDTH_CJK = 110
_MAX_PIECES = 3
_MIN_PIECE = 12
_MAX_PLACES = 6

# Markdown is blanked out to the same length, so that offsets into the plain text are offsets into the body; the filler
# is dropped when a piece is shown, and counts as part of the word it touches.
_FILL = "\x01"
_LINK = re.compile(r'!?\[([^\]\n]*)\]\([^)\s]*(?:[ \t]"[^"\n]*")?\)')
_HEADING = re.compile(r"^#{1,6}[ \t].*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t|:\-]*-{3,}[ \t|:\-]*$", re.MULTILINE)
_MARKS = str.maketrans({"|": " ", "*": " ", "`": _FILL, "\x00": " "})
_SENTENCE_END = ".!?。！？…"

Span = tuple[int, int]
Place = tuple[int, int, float]


class Term(NamedTuple):
    """A word of the query as it is looked for in a page (lower case, without accents), and what finding it is worth."""

    text: str
    weight: float


class Excerpt(NamedTuple):
    """A snippet, the spans of the body that it was made of, and how many statements those touch."""

    text: str
    spans: tuple[Span, ...]
    facts: int


class _Lone(NamedTuple):
    """A statement that touches no other, and the room around it up to its neighbours."""

    start: int
    end: int
    room: Span


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """A page made ready to be cut: plain text as long as the body, and where it states nothing."""

    page: Page
    plain: str
    folded: str
    gaps: tuple[Span, ...]
    lone: tuple[_Lone, ...]
    width: int


def neutral(page: Page) -> str:
    """What is shown of a page that has no text free of facts.

    >>> from worldgen.records import Page
    >>> neutral(Page("https://a.example/", "a.example", "ranking_list", "en", "Top 5", "", "", "", "low", "sound"))
    'a.example · ranking list · Top 5'
    """
    return " · ".join(part for part in (page.site, page.genre.replace("_", " "), page.title) if part)


def prepare(page: Page) -> PreparedPage:
    """Strip the Markdown of a page, fold its case and accents, and find the text between its statements."""
    plain = _plain(page.body)
    gaps, lone = _layout(page.statements, len(plain))
    width = _WIDTH_CJK if page.language == "zh" else _WIDTH
    return PreparedPage(page, plain, _folded(plain), gaps, lone, width)


def excerpt(prepared: PreparedPage, terms: Sequence[Term], *, facts: int | None) -> Excerpt:
    """The snippet of a page for a query.

    Args:
        prepared: The page.
        terms: What the query asks for.
        facts: Facts the snippet may state (one is used at most); None leaves it free.
    """
    found = _places(prepared.folded, terms)
    regions = [(0, len(prepared.plain))] if facts is None else list(prepared.gaps)
    pieces = _pieces(prepared, found, regions)
    if facts:
        room = _best_room(prepared, found, pieces)
        if room is not None:
            outside = [gap for gap in regions if gap[1] <= room[0] or gap[0] >= room[1]]
            pieces = _pieces(prepared, found, sorted([*outside, room]), first=room)
    if not pieces:
        return Excerpt(neutral(prepared.page), (), 0)
    return Excerpt(_shown(prepared.plain, pieces), tuple(pieces), _touched(prepared.page.statements, pieces))


def stated(snippet: str, page: Page) -> int:
    """How many statements of a page a snippet of it touches, found again from the snippet's text alone.

    Text that occurs more than once is taken to be from where it touches the fewest; text that does not occur, such
    as site and title, states nothing.
    """
    if snippet == neutral(page):
        return 0
    clean, offsets = _cleaned(_plain(page.body))
    touched: set[int] = set()
    for part in snippet.removesuffix(JOIN.rstrip()).split(JOIN):
        spans = [(offsets[at], offsets[at + len(part) - 1] + 1) for at in _occurrences(clean, part.strip())]
        sets = [{i for i, s in enumerate(page.statements) if s.start < end and s.end > start} for start, end in spans]
        touched |= min(sets, key=len, default=set())
    return len(touched)


def _plain(body: str) -> str:
    text = body.replace(_FILL, " ")
    if "](" in text:
        text = _LINK.sub(_link_text, text)
    if "#" in text:
        text = _HEADING.sub(_blank, text)
    if "---" in text:
        text = _RULE.sub(_blank, text)
    if "**" in text:
        text = text.replace("**", _FILL * 2)
    return text.replace("\n- ", "\n· ").replace("\n> ", "\n  ").translate(_MARKS)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _link_text(match: re.Match[str]) -> str:
    before = match.start(1) - match.start()
    return _FILL * before + match.group(1) + _FILL * (match.end() - match.end(1))


@lru_cache(maxsize=1)
def _accents() -> dict[int, str]:
    table = {}
    for code in range(0xC0, 0x250):
        base = normalize("NFKD", chr(code))[0]
        if base.isascii():
            table[code] = base
    return table


def _folded(plain: str) -> str:
    lower = plain.lower()
    if len(lower) != len(plain):
        lower = "".join([low if len(low := char.lower()) == 1 else char for char in plain])
    return lower if lower.isascii() else lower.translate(_accents())


def _layout(statements: Iterable[Statement], length: int) -> tuple[tuple[Span, ...], tuple[_Lone, ...]]:
    spans = sorted([(s.start, s.end) for s in statements])
    blocks: list[list[int]] = []
    for start, end in spans:
        if blocks and start < blocks[-1][1]:
            blocks[-1][1] = max(blocks[-1][1], end)
            blocks[-1][2] += 1
        else:
            blocks.append([start, end, 1])
    gaps = []
    lone = []
    at = 0
    for i, (start, end, count) in enumerate(blocks):
        following = blocks[i + 1][0] if i + 1 < len(blocks) else length
        if start > at:
            gaps.append((at, start))
        if count == 1:
            lone.append(_Lone(start, end, (at, following)))
        at = end
    if length > at:
        gaps.append((at, length))
    return tuple(gaps), tuple(lone)


def _places(folded: str, terms: Sequence[Term]) -> list[Place]:
    """Where the terms begin words of the page, in order: position, which term, its weight."""
    found = []
    for which, (text, weight) in enumerate(terms):
        count = 0
        at = folded.find(text)
        while at >= 0 and count < _MAX_PLACES:
            if at == 0 or not folded[at - 1].isalnum() or is_cjk(text[0]):
                found.append((at, which, weight))
                count += 1
            at = folded.find(text, at + len(text))
    found.sort()
    return found


def _inside(found: list[Place], spans: Sequence[Span]) -> dict[int, list[Place]]:
    """The places that lie in each of some disjoint spans, which are in order."""
    inside: dict[int, list[Place]] = {}
    if found:
        starts = [span[0] for span in spans]
        for place in found:
            i = bisect_right(starts, place[0]) - 1
            if i >= 0 and place[0] < spans[i][1]:
                inside.setdefault(i, []).append(place)
    return inside


def _worth(places: Iterable[Place]) -> float:
    return sum({which: weight for _, which, weight in places}.values())


def _best_room(prepared: PreparedPage, found: list[Place], pieces: list[Span]) -> Span | None:
    """The room around the lone statement that answers the query better than any free text; None where none does."""
    if not found or not prepared.lone:
        return None
    best = max((_worth([p for p in found if start <= p[0] < end]) for start, end in pieces), default=0.0)
    inside = _inside(found, [(lone.start, lone.end) for lone in prepared.lone])
    room = None
    for i, places in sorted(inside.items()):
        worth = _worth(places)
        if worth > best:
            best = worth
            room = prepared.lone[i].room
    return room


def _pieces(prepared: PreparedPage, found: list[Place], regions: list[Span], first: Span | None = None) -> list[Span]:
    """Up to `_MAX_PIECES` pieces, each within one region, the one that best answers the query first of all."""
    inside = _inside(found, regions)
    order = sorted(inside, key=lambda i: (regions[i] != first, -_worth(inside[i]), i))
    rest = [i for i in range(len(regions)) if i not in inside]
    rest.sort(key=lambda i: (regions[i][0] - regions[i][1], i))
    chosen: list[Span] = []
    left = prepared.width
    for i in [*order, *rest]:
        piece = _window(prepared.plain, inside.get(i, []), regions[i], left)
        shown = len(_show(prepared.plain, piece))
        if shown < _MIN_PIECE:
            continue
        chosen.append(piece)
        left -= shown + len(JOIN)
        if left < prepared.width // 4 or len(chosen) == _MAX_PIECES:
            break
    return sorted(chosen)


def _window(plain: str, places: list[Place], region: Span, width: int) -> Span:
    """The part of a region, of at most about ``width`` characters, that holds most of what is asked."""
    start, end = region
    if end - start > width:
        if places:
            start = _lead(plain, _densest(places, width * 3 // 4), start)
        end = min(end, start + width)
    start, end = max(start, 0), min(end, len(plain))
    while start < end and (plain[start].isspace() or _cuts(plain, start)):
        start += 1
    while end > start and (plain[end - 1].isspace() or _cuts(plain, end)):
        end -= 1
    return start, end


def _densest(places: list[Place], reach: int) -> int:
    best, where = -1.0, places[0][0]
    for i, (at, _, _) in enumerate(places):
        worth = _worth([place for place in places[i:] if place[0] < at + reach])
        if worth > best:
            best, where = worth, at
    return where


def _lead(plain: str, at: int, floor: int) -> int:
    """Where to begin so that the word at ``at`` comes early: at its sentence if near, else some words before."""
    back = max(floor, at - 80)
    for i in range(at - 1, back, -1):
        if plain[i] in "\n。！？" or (plain[i] == " " and plain[i - 1] in ".!?"):
            return i + 1
    if back == floor:
        return floor
    space = plain.find(" ", back, at)
    return space + 1 if space >= 0 else back


def _cuts(plain: str, at: int) -> bool:
    """Whether a cut before ``at`` would go through a word or a number."""
    if at <= 0 or at >= len(plain):
        return False
    left, right = plain[at - 1], plain[at]
    if left.isspace() or right.isspace():
        return False
    if left.isdigit() or right.isdigit() or _FILL in (left, right):
        return True
    return not (is_cjk(left) or is_cjk(right) or left in "。！？，；：" or right in "。！？，；：")


def _show(plain: str, piece: Span) -> str:
    return " ".join(plain[piece[0] : piece[1]].replace(_FILL, "").split())


def _shown(plain: str, pieces: list[Span]) -> str:
    text = JOIN.join([_show(plain, piece) for piece in pieces])
    return text if text[-1] in _SENTENCE_END else text + JOIN.rstrip()


def _touched(statements: Sequence[Statement], pieces: Sequence[Span]) -> int:
    return sum(any(s.start < end and s.end > start for start, end in pieces) for s in statements)


def _cleaned(plain: str) -> tuple[str, list[int]]:
    """The whole page as pieces are shown, and for each character where it stands in the body."""
    kept = [(char, i) for i, char in enumerate(plain) if char != _FILL]
    chars: list[str] = []
    offsets: list[int] = []
    for char, i in kept:
        shown = " " if char.isspace() else char
        if shown != " " or (chars and chars[-1] != " "):
            chars.append(shown)
            offsets.append(i)
    return "".join(chars), offsets


def _occurrences(text: str, part: str) -> list[int]:
    found = []
    at = text.find(part) if part else -1
    while at >= 0:
        found.append(at)
        at = text.find(part, at + 1)
    return found
