"""Grammars: sentence patterns kept as YAML, compiled once into tuples, rendered by integer draws.

A language has a folder ``grammars/<language>/`` with ``_shared.yaml`` and one file a genre. Rules of the genre's file
replace shared rules of the same name; under ``add:`` they extend them. A rule is a list of alternatives, each a
pattern; an alternative that is nothing but ``<rule>`` stands for all alternatives of that rule:

    ``[a|b [c|d]|]``   one of the alternatives, nested as deep as wanted; an empty one is allowed
    ``<rule>``         an alternative of another rule
    ``{slot}``         a text that the writer fills in: ``{s}``, ``{label}``, ``{value}``, …
    ``{#is|are}``      agreement with the label: the first for one, the second for many
    ``{=yes|no}``      words of the grammar that themselves give the value

What stands in ``{value}``, ``{=…}`` and the other `MARKED` slots is the value; where it lies in the rendered text is
told to the caller, who turns it into a statement's span.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from worldgen.errors import CallerError, InternalError

FOLDER = Path(__file__).parent / "grammars"
MARK = "\x00"
MARKED = frozenset({"value", "base", "delta"})
FLATTEN = 400
"""Choices without slots are expanded into a flat list up to this many texts."""

MULTIPLIED = 100
"""Neighbouring choices are multiplied out into one up to this many texts."""
ONE_DRAW = 2**36
"""More combinations than this take a second draw, so that the last choice of a pattern stays even."""

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


class Nest(NamedTuple):
    """A choice whose alternatives hold slots."""

    alternatives: tuple[tuple[Any, ...], ...]


Parts = tuple[Any, ...]
"""A sequence of ``str``, ``tuple[str, ...]`` (a choice of texts), `Slot`, `Agree` and `Nest`."""


class Rendered(NamedTuple):
    """A text with the place of the words that give its value (``-1`` where it states none)."""

    text: str
    start: int
    end: int


@dataclass(slots=True)
class Grammar:
    """One genre of one language, ready to render.

    Attributes:
        rules: Rule → its alternatives, compiled.
        settings: What ``_shared.yaml`` says about the language: gaps, tidying, number of labels.
        tidy: Pairs of texts, the first replaced by the second in all that is rendered.
        wide: Identities of the alternatives whose choices need more than one draw.
    """

    language: str
    genre: str
    rules: dict[str, tuple[Parts, ...]]
    settings: Mapping[str, Any]
    tidy: tuple[tuple[str, str], ...] = ()
    wide: frozenset[int] = frozenset()

    def has(self, rule: str) -> bool:
        """Whether the rule exists."""
        return rule in self.rules

    def render(
        self, rule: str, slots: Mapping[str, str], draw: Callable[[], int], used: set[int], *, many: bool = False
    ) -> Rendered:
        """Render an alternative of a rule.

        Args:
            rule: Its name.
            slots: Texts by slot.
            draw: Gives the next 64-bit draw.
            used: Alternatives used on this page, by identity; unused ones are preferred, and the choice is added.
            many: Whether ``{#…}`` takes the second form.
        """
        alternatives = self.rules[rule]
        raw, pick = divmod(draw(), len(alternatives))
        parts = alternatives[pick]
        tries = 3
        while id(parts) in used and tries:
            raw, step = divmod(raw, 7)
            pick = (pick + 1 + step) % len(alternatives)
            parts = alternatives[pick]
            tries -= 1
        used.add(id(parts))
        if id(parts) in self.wide:
            raw = raw << 64 | draw()
        out: list[str] = []
        _run(parts, raw, slots, many, out)
        text = "".join(out)
        for old, new in self.tidy:
            while old in text:
                text = text.replace(old, new)
        return _located(text.strip())

    def text(self, rule: str, slots: Mapping[str, str], draw: Callable[[], int], used: set[int]) -> str:
        """Render a rule that states nothing."""
        return self.render(rule, slots, draw, used).text


def _located(raw: str) -> Rendered:
    """A rendered text without its marks, its first letter a capital, and where the marks stood."""
    first = raw.find(MARK)
    if first < 0:
        return Rendered(raw[:1].upper() + raw[1:], -1, -1)
    last = raw.rfind(MARK)
    value = raw[first + 1 : last].replace(MARK, "")
    text = raw[:first] + value + raw[last + 1 :]
    return Rendered(text[:1].upper() + text[1:], first, first + len(value))


def _run(parts: Parts, draw: int, slots: Mapping[str, str], many: bool, out: list[str]) -> int:  # noqa: FBT001
    for part in parts:
        kind = type(part)
        if kind is str:
            out.append(part)
        elif kind is tuple:
            draw, pick = divmod(draw, len(part))
            out.append(part[pick])
        elif kind is Slot:
            if part.marked:
                out.append(MARK + slots[part.name] + MARK)
            else:
                out.append(slots[part.name])
        elif kind is Agree:
            out.append(part.many if many else part.one)
        else:
            draw, pick = divmod(draw, len(part.alternatives))
            draw = _run(part.alternatives[pick], draw, slots, many, out)
    return draw


@cache
def load_grammar(language: str, genre: str) -> Grammar:
    """The grammar of a genre in a language.

    Raises:
        CallerError: There is no grammar for the language or the genre.
    """
    shared = _document(language, "_shared")
    own = _document(language, genre)
    texts: dict[str, list[str]] = {**shared.get("rules", {}), **own.get("rules", {})}
    for name, extra in own.get("add", {}).items():
        texts[name] = [*texts.get(name, []), *extra]
    compiler = _Compiler(texts, f"{language}/{genre}")
    rules = {name: tuple(compiler.alternatives(name)) for name in texts}
    settings = {**shared.get("settings", {}), **own.get("settings", {})}
    quotes = tuple(settings.get("quotes", []))
    for name in settings.get("stating", []):
        rules.update(_variants(name, rules[name], quotes))
    tidy = tuple((old, new) for old, new in settings.get("tidy", []))
    wide = frozenset(id(parts) for fit in rules.values() for parts in fit if _combinations(parts) > ONE_DRAW)
    return Grammar(language, genre, rules, settings, tidy, wide)


def _variants(name: str, alternatives: tuple[Parts, ...], quotes: tuple[str, ...]) -> dict[str, tuple[Parts, ...]]:
    """A rule's alternatives by what they suit: a label in the plural, a loose one, a subject that is a phrase."""
    plural = tuple(parts for parts in alternatives if not _uses(parts, "a_label"))
    loose = tuple(parts for parts in plural if not _bare_label(parts, quotes))
    out: dict[str, tuple[Parts, ...]] = {}
    for suffix, fit in (("", alternatives), ("/many", plural), ("/loose", loose or plural)):
        phrased = tuple(parts for parts in fit if not _uses(parts, "ss"))
        out[name + suffix] = fit
        out[name + suffix + "/phrase"] = phrased or fit
    return out


@cache
def settings_of(language: str) -> Mapping[str, Any]:
    """What ``_shared.yaml`` of a language says about the language itself."""
    found: Mapping[str, Any] = _document(language, "_shared").get("settings", {})
    return found


def languages() -> list[str]:
    """The languages that have grammars, sorted."""
    return sorted(path.name for path in FOLDER.iterdir() if (path / "_shared.yaml").is_file())


def genres(language: str) -> list[str]:
    """The genres that a language has a grammar for, sorted."""
    return sorted(path.stem for path in (FOLDER / language).glob("[a-z]*.yaml"))


@cache
def _document(language: str, name: str) -> dict[str, Any]:
    path = FOLDER / language / f"{name}.yaml"
    if not path.is_file():
        raise CallerError(
            "corpus.no-grammar",
            f"there is no grammar for genre {name!r} in language {language!r}",
            expected=" or ".join(languages() if not path.parent.is_dir() else genres(language)),
        )
    text = unicodedata.normalize("NFC", path.read_text(encoding="utf-8"))
    document: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return document


class _Compiler:
    """Compiles the rules of one grammar; references are inlined."""

    def __init__(self, texts: Mapping[str, Sequence[str]], where: str) -> None:
        self.texts = texts
        self.where = where
        self._done: dict[str, list[Parts]] = {}
        self._open: list[str] = []

    def alternatives(self, rule: str) -> list[Parts]:
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

    def _pattern(self, text: str) -> Parts:
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
                parts.append(_flattened(self.alternatives(token[1:-1])))
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


def _combinations(parts: Parts) -> int:
    """How many texts the choices of a pattern make, an upper bound."""
    size = 1
    for part in parts:
        if type(part) is tuple:
            size *= len(part)
        elif type(part) is Nest:
            size *= len(part.alternatives) * max(_combinations(inner) for inner in part.alternatives)
    return size


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
        return [tuple(MARK + word + MARK for word in inner[1:].split("|"))]
    return [Slot(inner, inner in MARKED)]


def _merged(parts: Sequence[Any]) -> Parts:
    """Nested sequences spliced in, neighbouring texts and small choices of texts multiplied out: fewer steps to run."""
    flat: list[Any] = []
    for part in parts:
        flat.extend(part.alternatives[0] if type(part) is Nest and len(part.alternatives) == 1 else [part])
    out: list[Any] = []
    for part in flat:
        last = out[-1] if out else None
        if type(part) in _TEXTS and type(last) in _TEXTS:
            before = (last,) if type(last) is str else last
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
