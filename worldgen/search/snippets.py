"""Snippets that tease without answering: they are cut so that a result page states no more facts than it may.

A page says which of its characters state facts (its statements). A snippet is made of whole pieces of the body, and
under withholding a piece may only be taken from between the statements, or around one statement that stands alone; so
the number of facts is bounded by where the pieces lie, whatever was asked.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from worldgen.records import Page, Statement
from worldgen.search.wording import holds, is_cjk

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
_MARKS = (("\n- ", "\n· "), ("\n> ", "\n  "), ("|", " "), ("*", " "), ("`", _FILL), ("\x00", " "))
_SENTENCE_END = ".!?。！？…"
# UTF-8 begins letters that are not ASCII with one of these bytes, dashes and quotation marks with none of them.
_LETTERS = bytes([*range(0xC3, 0xE2), *range(0xE3, 0x100)])
_WORD_START = re.compile(r"(?<!\S)\S")
# No text below it holds characters that may be parted anywhere.
_WIDE = re.compile("[\u3000-\U0010ffff]")

Span = tuple[int, int]
Place = tuple[int, int, int]
Piece = tuple[int, int, str]


class Term(NamedTuple):
    """A word of the query as it is looked for in a page (lower case, without accents), and what finding it is worth.

    Weights are whole numbers, so that sums of them are the same in any order.
    """

    text: str
    weight: int


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
    regions: Sequence[Span] = ((0, len(prepared.plain)),) if facts is None else prepared.gaps
    inside = _inside(found, regions)
    room = _best_room(prepared, found, inside) if facts else None
    if room is not None:
        regions = sorted([room, *(gap for gap in regions if gap[1] <= room[0] or gap[0] >= room[1])])
        inside = _inside(found, regions)
    pieces = _pieces(prepared, inside, regions, room)
    if not pieces:
        return Excerpt(neutral(prepared.page), (), 0)
    text = _joined([piece for _, _, piece in pieces])
    spans = tuple([(start, end) for start, end, _ in pieces])
    # Pieces from between the statements touch none, so only the others are counted.
    touched = 0 if facts is not None and room is None else _touched(prepared.page.statements, spans)
    return Excerpt(text, spans, touched)


def shown(page: Page, spans: Sequence[Span]) -> str:
    """The snippet of a page that is made of those spans of its body."""
    plain = _plain(page.body)
    return _joined([_shown(plain, start, end) for start, end in spans]) if spans else neutral(page)


def _shown(plain: str, start: int, end: int) -> str:
    return " ".join(plain[start:end].replace(_FILL, "").split())


def _joined(pieces: Sequence[str]) -> str:
    text = JOIN.join(pieces)
    return text if text[-1] in _SENTENCE_END else text + JOIN.rstrip()


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
    for mark, shown in _MARKS:
        if mark in text:
            text = text.replace(mark, shown)
    return text


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
    if lower.isascii():
        return lower
    if holds(lower, _LETTERS):
        lower = lower.translate(_accents())
        if holds(lower, _LETTERS):
            return lower
    # What is no letter is of no use here, and a text of single bytes is searched in two thirds of the time.
    return lower.encode("latin-1", "replace").decode("latin-1")


def _layout(statements: Iterable[Statement], length: int) -> tuple[tuple[Span, ...], tuple[_Lone, ...]]:
    spans = sorted([statement[1:3] for statement in statements])
    spans.append((length, length))
    gaps: list[Span] = []
    lone: list[_Lone] = []
    start = end = before = 0
    alone = False
    for begin, until in spans:
        if begin < end:
            end = max(end, until)
            alone = False
            continue
        if alone:
            lone.append(_Lone(start, end, (before, begin)))
        if begin > end:
            gaps.append((end, begin))
        start, end, before, alone = begin, until, end, True
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
    starts = [span[0] for span in spans] if found else []
    for place in found:
        i = bisect_right(starts, place[0]) - 1
        if i >= 0 and place[0] < spans[i][1]:
            inside.setdefault(i, []).append(place)
    return inside


def _worth(places: Sequence[Place]) -> int:
    if len(places) == 1:
        return places[0][2]
    return sum({which: weight for _, which, weight in places}.values())


def _best_room(prepared: PreparedPage, found: list[Place], free: dict[int, list[Place]]) -> Span | None:
    """The room around the lone statement that answers the query better than any free text; None where none does."""
    if not found or not prepared.lone:
        return None
    best = max([_worth(places) for places in free.values()], default=0)
    stating = _inside(found, [(lone.start, lone.end) for lone in prepared.lone])
    room = None
    for i, places in sorted(stating.items()):
        worth = _worth(places)
        if worth > best:
            best = worth
            room = prepared.lone[i].room
    return room


def _pieces(
    prepared: PreparedPage, inside: dict[int, list[Place]], regions: Sequence[Span], first: Span | None
) -> list[Piece]:
    """Up to `_MAX_PIECES` pieces, each within one region, the one that best answers the query first of all."""
    chosen: list[Piece] = []
    left = prepared.width
    for i in _by_worth(inside, regions, first):
        start, end = _window(prepared.plain, inside.get(i, ()), regions[i], left)
        piece = _shown(prepared.plain, start, end)
        if len(piece) < _MIN_PIECE:
            continue
        chosen.append((start, end, piece))
        left -= len(piece) + len(JOIN)
        if left < prepared.width // 4 or len(chosen) == _MAX_PIECES:
            break
    return sorted(chosen)


def _by_worth(inside: dict[int, list[Place]], regions: Sequence[Span], first: Span | None) -> Iterator[int]:
    """The regions that answer the query, the best first, then the others, the longest first."""
    for _, _, i in sorted([(regions[i] != first, -_worth(places), i) for i, places in inside.items()]):
        yield i
    for _, i in sorted([(start - end, i) for i, (start, end) in enumerate(regions) if i not in inside]):
        yield i


def _window(plain: str, places: Sequence[Place], region: Span, width: int) -> Span:
    """The part of a region, of at most about ``width`` characters, that holds most of what is asked."""
    start, end = region
    if end - start > width:
        if places:
            start = _lead(plain, _densest(places, width * 3 // 4), start)
        end = min(end, start + width)
    start, end = max(start, 0), min(end, len(plain))
    if plain.isascii() or not _WIDE.search(plain, start, end + 1):
        return _words(plain, start, end)
    return _whole(plain, start, end)


def _words(plain: str, start: int, end: int) -> Span:
    """A stretch of a text in words, without spaces at its ends and without words that it cuts."""
    begin = _WORD_START.search(plain, start, end)
    if begin is None:
        return end, end
    start = begin.start()
    piece = plain[start:end]
    if end < len(plain) and not plain[end].isspace() and not plain[end - 1].isspace():
        parts = piece.rsplit(None, 1)
        piece = parts[0] if len(parts) > 1 else ""
    return start, start + len(piece.rstrip())


def _whole(plain: str, start: int, end: int) -> Span:
    """The same for a text in which words may follow each other without a space."""
    while start < end and (plain[start].isspace() or _cuts(plain, start)):
        start += 1
    while end > start and (plain[end - 1].isspace() or _cuts(plain, end)):
        end -= 1
    return start, end


def _densest(places: Sequence[Place], reach: int) -> int:
    """Where the stretch of so many characters begins that holds most of what is asked; the places are in order."""
    where = places[0][0]
    if places[-1][0] < where + reach:
        return where
    best = worth = 0
    within: Counter[int] = Counter()
    until = 0
    for at, which, weight in places:
        while until < len(places) and places[until][0] < at + reach:
            _, entering, gained = places[until]
            worth += 0 if within[entering] else gained
            within[entering] += 1
            until += 1
        if worth > best:
            best, where = worth, at
        within[which] -= 1
        worth -= 0 if within[which] else weight
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
