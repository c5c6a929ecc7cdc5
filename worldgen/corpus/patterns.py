"""Patterns: the compiled form of a grammar's alternatives, and what a pattern is good for.

`worldgen.corpus.grammar` describes the notation. Compiling inlines references and multiplies small choices out, so
that rendering takes few steps; `worldgen.corpus.shapes` renders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from worldgen.errors import InternalError

MARKED = frozenset({"value", "base", "delta"})
FLATTEN = 400
"""Choices without slots are expanded into a flat list up to this many texts."""
MULTIPLIED = 40
"""Neighbouring choices are multiplied out into one up to this many texts."""
_TOKEN = re.compile(r"\[|\]|\||<[a-z_0-9]+>|\{#[^{}]*\}|\{=[^{}]*\}|\{[a-z_0-9]+\}|[^\[\]|<>{}]+|>")
_TEXTS = (str, tuple)
_WHOLE = re.compile(r"<([a-z_0-9]+)>")


class Slot(NamedTuple):
    """A place for a text of the writer's."""

    name: str
    marked: bool


class Agree(NamedTuple):
    """Two forms of a word, for one and for many."""

    one: str
    many: str


class Words(NamedTuple):
    """A choice of words that themselves give the value."""

    texts: tuple[str, ...]


class Nest(NamedTuple):
    """A choice whose alternatives hold slots."""

    alternatives: tuple[tuple[Any, ...], ...]


Parts = tuple[Any, ...]
"""A sequence of ``str``, ``tuple[str, ...]`` (a choice of texts), `Slot`, `Agree`, `Words` and `Nest`."""


class Compiler:
    """Compiles the rules of one grammar; references are inlined."""

    def __init__(self, texts: Mapping[str, Sequence[str]], where: str) -> None:
        self.texts = texts
        self.where = where
        self._done: dict[str, list[Parts]] = {}
        self._flat: dict[str, Any] = {}
        self._read: dict[str, Parts] = {}
        self._open: list[str] = []

    def alternatives(self, rule: str) -> list[Parts]:
        """The alternatives of a rule, compiled; `InternalError` where a pattern is broken or rules go in a circle."""
        if rule not in self._done:
            if rule in self._open or rule not in self.texts:
                problem = "refers to itself" if rule in self._open else "does not exist"
                raise InternalError("corpus.grammar", f"rule <{rule}> of grammar {self.where} {problem}")
            self._open.append(rule)
            found: list[Parts] = []
            for text in self.texts[rule]:
                whole = _WHOLE.fullmatch(str(text))
                found.extend(self.alternatives(whole[1]) if whole else [self._pattern(str(text))])
            self._done[rule] = found
            self._open.pop()
        return self._done[rule]

    def _inlined(self, rule: str) -> Any:
        if rule not in self._flat:
            self._flat[rule] = _flattened(self.alternatives(rule))
        return self._flat[rule]

    def _pattern(self, text: str) -> Parts:
        """What a line says; the same line in two rules is one alternative."""
        if text not in self._read:
            self._read[text] = self._compiled(text)
        return self._read[text]

    def _compiled(self, text: str) -> Parts:
        tokens = _TOKEN.findall(text)
        if "".join(tokens) != text:
            raise InternalError("corpus.grammar", f"unreadable pattern in grammar {self.where}", got=text)
        parts, rest = self._sequence(tokens, 0, top=True)
        if rest != len(tokens):
            raise InternalError("corpus.grammar", f"unbalanced brackets in grammar {self.where}", got=text)
        return parts

    def _sequence(self, tokens: list[str], at: int, *, top: bool) -> tuple[Parts, int]:
        parts: list[Any] = []
        while at < len(tokens):
            token = tokens[at]
            if token == "[":
                choice, at = self._choice(tokens, at + 1)
                parts.append(choice)
                continue
            if token in "]|":
                if not top:
                    return _merged(parts), at
                if token == "]":
                    return _merged(parts), at
                parts.append(token)
            elif token.startswith("<"):
                parts.append(self._inlined(token[1:-1]))
            elif token.startswith("{"):
                parts.extend(_slot(token))
            else:
                parts.append(token)
            at += 1
        return _merged(parts), at

    def _choice(self, tokens: list[str], at: int) -> tuple[Any, int]:
        alternatives: list[Parts] = []
        while True:
            parts, at = self._sequence(tokens, at, top=False)
            alternatives.append(parts)
            if at >= len(tokens):
                raise InternalError("corpus.grammar", f"unclosed bracket in grammar {self.where}", got="".join(tokens))
            at += 1
            if tokens[at - 1] == "]":
                return _flattened(alternatives), at


def _uses(parts: Parts, slot: str) -> bool:
    return any(
        (type(part) is Slot and part.name == slot)
        or (type(part) is Nest and any(_uses(inner, slot) for inner in part.alternatives))
        for part in parts
    )


def _bare_label(parts: Parts, quotes: tuple[str, ...], before: tuple[str, ...] = ("",)) -> bool:
    """Whether the label stands in the sentence as a phrase of its own rather than quoted."""
    for part in parts:
        if type(part) is Slot and part.name == "label" and not all(text.endswith(quotes or ("",)) for text in before):
            return True
        if type(part) is Nest and any(_bare_label(inner, quotes, before) for inner in part.alternatives):
            return True
        before = (part,) if type(part) is str else part if type(part) is tuple else ("",)
    return False


def _slot(token: str) -> list[Any]:
    inner = token[1:-1]
    if inner.startswith("#"):
        one, _, many = inner[1:].partition("|")
        return [Agree(one, many)]
    if inner.startswith("="):
        return [Words(tuple(inner[1:].split("|")))]
    return [Slot(inner, inner in MARKED)]


def _merged(parts: Sequence[Any]) -> Parts:
    """Nested sequences spliced in, neighbouring texts and small choices of texts multiplied out: fewer steps to run."""
    flat: list[Any] = []
    for part in parts:
        flat.extend(part.alternatives[0] if type(part) is Nest and len(part.alternatives) == 1 else [part])
    out: list[Any] = []
    for part in flat:
        if out and type(part) in _TEXTS and type(out[-1]) in _TEXTS:
            before = (out[-1],) if type(out[-1]) is str else out[-1]
            after = (part,) if type(part) is str else part
            if len(before) * len(after) <= max(MULTIPLIED, len(before), len(after)):
                out[-1] = tuple(a + b for a in before for b in after)
                continue
        out.append(part)
    return tuple(part[0] if type(part) is tuple and len(part) == 1 else part for part in out)


def _flattened(alternatives: Sequence[Parts]) -> Any:
    """A choice as a flat tuple of texts if it holds no slot and stays small, else a `Nest`."""
    texts: list[str] = []
    for parts in alternatives:
        if any(type(part) not in (str, tuple) for part in parts):
            return Nest(tuple(alternatives))
        choices = [(part,) if type(part) is str else part for part in parts]
        size = 1
        for choice in choices:
            size *= len(choice)
        if len(texts) + size > FLATTEN:
            return Nest(tuple(alternatives))
        texts.extend("".join(pick) for pick in product(*choices))
    return tuple(texts)


def variants(
    name: str, alternatives: tuple[Parts, ...], quotes: tuple[str, ...], *, quoted_are_loose: bool = False
) -> dict[str, tuple[Parts, ...]]:
    """A rule's alternatives by what they suit: a label in the plural, a loose one, a subject that is a phrase.

    ``quoted_are_loose`` keeps those that quote the label for labels that cannot stand otherwise.
    """
    plural = tuple(parts for parts in alternatives if not _uses(parts, "a_label"))
    loose = tuple(parts for parts in plural if not _bare_label(parts, quotes))
    out: dict[str, tuple[Parts, ...]] = {}
    if quoted_are_loose:
        bare = tuple(parts for parts in alternatives if _uses(parts, "label") <= _bare_label(parts, quotes))
        alternatives = bare or alternatives
        plural = tuple(parts for parts in plural if parts in alternatives) or plural
    for suffix, fit in (("", alternatives), ("/many", plural), ("/loose", loose or plural)):
        phrased = tuple(parts for parts in fit if not _uses(parts, "ss"))
        out[name + suffix] = fit
        out[name + suffix + "/phrase"] = phrased or fit
    return out
