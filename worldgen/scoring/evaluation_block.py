"""Reads the verdict of a language model that judges a world model: the ``<final_evaluation>`` block of its reply.

A judge's reply is a text that somebody else wrote about a text that somebody else wrote. What cannot be read without
guessing is a failed judgement: a dimension that is missing, a score out of range, two verdicts that differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any

from worldgen.thinking import split_thinking

DIMENSIONS = ("format", "factuality", "consistency", "realism", "quality")
LOWEST, HIGHEST = 1, 5

_OPEN = re.compile(r"<final_evaluation\s*>", re.IGNORECASE)
_CLOSE = re.compile(r"</final_evaluation\s*>", re.IGNORECASE)
_FENCE = re.compile(r"\A```\w*\s*(.*?)\s*```\Z", re.DOTALL)
_LONGEST = 200_000
_ATTEMPTS = 500
_DEEPEST = 20
_MOST_BLOCKS = 20

_SPACE = re.compile(r"\s*")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL)
_BARE = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_FRACTION = re.compile(r"\d+(?:\.\d+)?\s*/\s*\d+")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_SCORE = re.compile(r"([-+]?\d+(?:\.\d+)?)(?:\s*/\s*5(?:\.0+)?)?")


class Unreadable(Exception):
    """The reply holds no verdict that can be read without guessing; the message says why."""


def read_block(reply: str) -> tuple[dict[str, int], dict[str, Any]]:
    """The scores by dimension, and the object that they stand in.

    Raises:
        Unreadable: There are none, or not all of them, or more than one verdict.
    """
    text = split_thinking(reply[-_LONGEST:])[1].strip()
    *before, last = _blocks(text)
    found = _read(last)
    if not found:
        raise Unreadable("no scores")
    for block in before:
        with suppress(Unreadable):  # what is no verdict is none that differs
            found = [*_read(block), *found]
    if any(scores != found[0][0] for scores, _ in found):
        raise Unreadable("two verdicts that differ")
    return found[-1]


def _read(block: str) -> list[tuple[dict[str, int], dict[str, Any]]]:
    return [(_scores(given), whole) for given, whole in _verdicts(block)]


def _blocks(text: str) -> list[str]:
    """All blocks; without any, the reply where it is an object and nothing else.

    An object amid a reply's words may be what the judge quotes of the text that it judges.
    """
    opened = list(_OPEN.finditer(text))
    if not opened:
        bare = _FENCE.sub(r"\1", text)
        return [bare if bare.startswith("{") and bare.endswith("}") else ""]
    latest = opened[-_MOST_BLOCKS:]
    ends = [*(found.start() for found in latest[1:]), len(text)]
    inner = [text[found.end() : end] for found, end in zip(latest, ends, strict=True)]
    return [_CLOSE.split(block, maxsplit=1)[0] for block in inner]


def _verdicts(text: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The objects of a text that hold scores, outermost first: the scores, and the object around them.

    Where an object cannot be read, for a quotation mark too many among its words, the objects within it are tried.
    """
    at = 0
    for _ in range(_ATTEMPTS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            value, end = _Lenient(text).read(at)
        except (ValueError, IndexError):
            at += 1
            continue
        at = end
        if not isinstance(value, dict):
            continue
        inner = value.get("scores", value)
        if inner is not value or any(name in value for name in DIMENSIONS):
            if not isinstance(inner, dict):
                raise Unreadable("'scores' is no object")
            yield inner, value
    raise Unreadable("too many braces")


def _scores(given: dict[str, Any]) -> dict[str, int]:
    missing = [name for name in DIMENSIONS if name not in given]
    if missing:
        raise Unreadable(f"no score for {', '.join(missing)}")
    return {name: _score(name, given[name]) for name in DIMENSIONS}


def _score(name: str, value: Any) -> int:
    """A whole score; what stands between two is rounded, half to even, as the published script does."""
    if isinstance(value, dict) and "score" in value:
        value = value["score"]
    read = _SCORE.fullmatch(str(value).strip()) if isinstance(value, (int, float, str, Decimal)) else None
    if read is None or isinstance(value, bool):
        raise Unreadable(f"the score for {name} is no number: {value!r:.40}")
    exact = Decimal(read.group(1))
    if not LOWEST <= exact <= HIGHEST:
        raise Unreadable(f"the score for {name} is not from {LOWEST} to {HIGHEST}: {exact}")
    return int(exact.to_integral_value())


class _Lenient:
    """Reads one JSON value as language models write it: single quotes, bare keys, commas too many, broken lines.

    Keys are folded to lower case; a key that comes twice with different values is refused.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0

    def read(self, at: int) -> tuple[Any, int]:
        """The value that begins there, and where it ends; `ValueError` or `IndexError` where none does."""
        at = self._skip(at)
        opener = self._text[at]
        if opener in "{[":
            self._depth += 1
            if self._depth > _DEEPEST:
                raise ValueError("nested too deep")
            value, end = self._object(at + 1) if opener == "{" else self._array(at + 1)
            self._depth -= 1
            return value, end
        if opener in "\"'":
            return self._string(at)
        fraction = _FRACTION.match(self._text, at)
        if fraction is not None:
            return fraction.group(), fraction.end()
        number = _NUMBER.match(self._text, at)
        if number is not None:
            return Decimal(number.group()), number.end()
        return self._word(at)

    def _word(self, at: int) -> tuple[Any, int]:
        word = _BARE.match(self._text, at)
        if word is None or word.group().lower() not in _WORDS:
            raise ValueError("no value")
        return _WORDS[word.group().lower()], word.end()

    def _string(self, at: int) -> tuple[str, int]:
        if self._text[at] == '"':
            found = _DOUBLE.match(self._text, at)
            if found is None:
                raise ValueError("a string without an end")
            return str(json.loads(found.group(), strict=False)), found.end()
        found = _SINGLE.match(self._text, at)
        if found is None:
            raise ValueError("a string without an end")
        return found.group(1).replace("\\'", "'"), found.end()

    def _array(self, at: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        while True:
            at = self._skip(at)
            if self._text[at] == "]":
                return items, at + 1
            value, at = self.read(at)
            items.append(value)
            at = self._after(at, "]")

    def _object(self, at: int) -> tuple[dict[str, Any], int]:
        items: dict[str, Any] = {}
        while True:
            at = self._skip(at)
            if self._text[at] == "}":
                return items, at + 1
            key, at = self._key(at)
            at = self._skip(at)
            if self._text[at] != ":":
                raise ValueError("no colon after a key")
            value, at = self.read(at + 1)
            if items.setdefault(key, value) != value:
                raise ValueError("a key twice")
            at = self._after(at, "}")

    def _key(self, at: int) -> tuple[str, int]:
        if self._text[at] in "\"'":
            key, at = self._string(at)
            return key.strip().lower(), at
        bare = _BARE.match(self._text, at)
        if bare is None:
            raise ValueError("no key")
        return bare.group().lower(), bare.end()

    def _after(self, at: int, closer: str) -> int:
        """The place after a comma, or of the closing bracket."""
        at = self._skip(at)
        if self._text[at] == ",":
            return at + 1
        if self._text[at] != closer:
            raise ValueError("no comma between two values")
        return at

    def _skip(self, at: int) -> int:
        space = _SPACE.match(self._text, at)
        return at if space is None else space.end()
