"""Shapes: what a pattern comes to when its choices of structure are made; a row of texts, choices of texts and slots.

All that can be settled before a slot is filled is settled here, once and only for patterns that are used: texts are
tidied and joined, the first letter made a capital, and it is found out which tidying a filled slot could still call
for. What is left to do for a sentence is one pass over the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import lcm
from typing import Any, NamedTuple

from worldgen.corpus.patterns import MULTIPLIED, Agree, Nest, Parts, Slot, Words

Tidy = tuple[tuple[str, str], ...]
_EDGE = " ,.;:，。：；、"
"""A slot's text neither begins nor ends with one of these."""


class Rendered(NamedTuple):
    """A text with the place of the words that give its value (``-1`` where it states none)."""

    text: str
    start: int
    end: int


class Shape:
    """A row of pieces, each with the number of texts to choose from: 1 for a text, 0 for the name of a slot.

    Args:
        row: ``str``, ``tuple[str, ...]``, `Slot` and `Words`.
        tidy: Pairs of texts, the first to be replaced by the second.
    """

    __slots__ = ("_capital", "_first", "_last", "_pieces", "_strip", "_tidy")

    def __init__(self, row: Sequence[Any], tidy: Tidy) -> None:
        joined = [_tidied_piece(piece, tidy) for piece in _joined(row)] or [""]
        self._strip = _trimmed(joined)
        marked = [i for i, piece in enumerate(joined) if type(piece) is Words or (type(piece) is Slot and piece.marked)]
        self._first, self._last = (marked[0], marked[-1] + 1) if marked else (-1, -1)
        outer = (joined[: self._first], joined[self._last :]) if marked else (joined,)
        self._tidy = tuple(pair for pair in tidy if any(_may_arise(pair[0], pieces) for pieces in outer))
        # What is still to be tidied must not begin with a capital before it is.
        self._capital = bool(self._tidy) or not _all_texts(joined[0])
        if not self._capital:
            joined[0] = _each(joined[0], _capitalised)
        self._pieces = [_counted(piece) for piece in joined]

    def render(self, slots: Mapping[str, str], draw: Callable[[], int]) -> tuple[str, int, int]:
        """Fill the slots and make the choices; what comes back is the content of a `Rendered`."""
        texts = [piece if n == 1 else piece[draw() % n] if n else slots[piece] for piece, n in self._pieces]
        text = "".join(texts)
        for old, _ in self._tidy:
            if old in text:
                return self._mended(texts)
        if self._strip:
            return self._mended(texts)
        if self._capital:
            text = text[:1].upper() + text[1:]
        first = self._first
        if first < 0:
            return text, -1, -1
        start = len("".join(texts[:first]))
        return text, start, start + len("".join(texts[first : self._last]))

    def _mended(self, texts: list[str]) -> tuple[str, int, int]:
        """The same where something remains to be tidied; the value is left as it is."""
        first, last = self._first, self._last
        if first < 0:
            return _capitalised(tidied("".join(texts), self._tidy).strip()), -1, -1
        head = tidied("".join(texts[:first]), self._tidy).lstrip()
        tail = tidied("".join(texts[last:]), self._tidy).rstrip()
        value = "".join(texts[first:last])
        return _capitalised(head + value + tail), len(head), len(head) + len(value)


class Pattern:
    """An alternative of a rule, compiled to shapes when it is first used.

    Attributes:
        parts: What it was compiled from.
    """

    __slots__ = ("_many", "_one", "_tidy", "parts")

    def __init__(self, parts: Parts, tidy: Tidy) -> None:
        self.parts = parts
        self._tidy = tidy
        self._one: list[Shape] | None = None
        self._many: list[Shape] | None = None

    def shape(self, draw: Callable[[], int], many: bool) -> Shape:  # noqa: FBT001
        """One of its shapes; ``many`` tells which form of `Agree` they have."""
        shapes = (self._many if many else self._one) or self._compiled(many=many)
        return shapes[0] if len(shapes) == 1 else shapes[draw() % len(shapes)]

    def _compiled(self, *, many: bool) -> list[Shape]:
        shapes = [Shape(row, self._tidy) for row in _rows(self.parts, many=many)]
        if many:
            self._many = shapes
        else:
            self._one = shapes
        return shapes


def tidied(text: str, tidy: Tidy) -> str:
    """The text with each pair's first replaced by its second until none is left."""
    for old, new in tidy:
        while old in text:
            text = text.replace(old, new)
    return text


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _rows(parts: Parts, *, many: bool) -> list[list[Any]]:
    """The pattern without `Agree` and `Nest`: a row for each choice of structure, all equally likely."""
    rows: list[list[Any]] = [[]]
    for part in parts:
        if type(part) is Nest:
            inner = [_rows(alternative, many=many) for alternative in part.alternatives]
            size = lcm(*(len(found) for found in inner))
            ends = [row for found in inner for row in found * (size // len(found))]
        else:
            ends = [[(part.many if many else part.one) if type(part) is Agree else part]]
        rows = [row + end for row in rows for end in ends]
    return rows


def _joined(row: Sequence[Any]) -> list[Any]:
    """Neighbouring texts and choices of texts made one, save where that makes too many."""
    out: list[Any] = []
    for piece in row:
        if out and type(piece) in (str, tuple) and type(out[-1]) in (str, tuple):
            before, after = _texts(out[-1]), _texts(piece)
            if len(before) == 1 or len(after) == 1 or len(before) * len(after) <= MULTIPLIED:
                out[-1] = tuple(a + b for a, b in product(before, after))
                continue
        out.append(piece)
    return out


def _texts(piece: Any) -> tuple[str, ...]:
    """The texts to choose from; of a slot none."""
    if type(piece) is Slot:
        return ()
    return (piece,) if type(piece) is str else piece.texts if type(piece) is Words else piece


def _each(piece: Any, change: Callable[[str], str]) -> Any:
    """A piece with its texts changed; slots stay."""
    if type(piece) is Words:
        return Words(tuple(map(change, piece.texts)))
    return piece if type(piece) is Slot else tuple(map(change, _texts(piece)))


def _tidied_piece(piece: Any, tidy: Tidy) -> Any:
    return piece if type(piece) in (Slot, Words) else _each(piece, lambda text: tidied(text, tidy))


def _trimmed(pieces: list[Any]) -> bool:
    """Take the space from both ends; returns whether more may show where a piece at an end comes out empty."""
    pieces[0], pieces[-1] = _each(pieces[0], str.lstrip), _each(pieces[-1], str.rstrip)
    if len(pieces) == 1:
        return False
    start = "" in _texts(pieces[0]) and _begins(pieces[1], " ")
    return start or ("" in _texts(pieces[-1]) and _ends(pieces[-2], " ", ""))


def _all_texts(piece: Any) -> bool:
    return type(piece) is not Slot and all(_texts(piece))


def _counted(piece: Any) -> tuple[Any, int]:
    if type(piece) is Slot:
        return piece.name, 0
    texts = _texts(piece)
    return (texts[0], 1) if len(texts) == 1 else (texts, len(texts))


def _may_arise(old: str, pieces: Sequence[Any]) -> bool:
    """Whether a text to be replaced may come about where two pieces meet."""
    splits = [(old[:k], old[k:]) for k in range(1, len(old))]
    for i, left in enumerate(pieces):
        for right in pieces[i + 1 :]:
            if any(_ends(left, a, b) and _begins(right, b) for a, b in splits):
                return True
            if type(right) is not tuple or "" not in right:
                break
    return False


def _ends(piece: Any, end: str, rest: str) -> bool:
    if type(piece) is Slot:
        return end[-1] not in _EDGE and rest != " "
    return any(text.endswith(end) for text in _texts(piece))


def _begins(piece: Any, start: str) -> bool:
    return start[0] not in _EDGE if type(piece) is Slot else any(text.startswith(start) for text in _texts(piece))
