"""Grammars: sentence patterns kept as YAML, compiled once into tuples, rendered by integer draws.

A language has a folder ``grammars/<language>/`` with ``_shared.yaml`` and one file a genre. Rules of the genre's file
replace shared rules of the same name; under ``add:`` they extend them. A rule is a list of alternatives, each a
pattern; an alternative that is nothing but ``<rule>`` stands for all alternatives of that rule:

    ``[a|b [c|d]|]``   one of the alternatives, nested as deep as wanted; an empty one is allowed
    ``<rule>``         an alternative of another rule
    ``{slot}``         a text that the writer fills in: ``{s}``, ``{label}``, ``{value}``, …
    ``{#is|are}``      agreement with the label: the first for one, the second for many
    ``{=yes|no}``      words of the grammar that themselves give the value

What stands in ``{value}``, ``{=…}`` and the other marked slots is the value; where it lies in the rendered text is
told to the caller, who turns it into a statement's span.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.corpus.patterns import (
    MARK,
    Agree,
    Compiler,
    Parts,
    Rendered,
    Slot,
    combinations,
    expanded,
    located,
    tidied,
    variants,
)
from worldgen.errors import CallerError

FOLDER = Path(__file__).parent / "grammars"
ONE_DRAW = 2**36
"""More combinations than this take a second draw, so that the last choice of a pattern stays even."""

@dataclass(slots=True)
class Grammar:
    """One genre of one language, ready to render.

    Attributes:
        rules: Rule → its alternatives, compiled.
        settings: What ``_shared.yaml`` says about the language: gaps, tidying, number of labels.
        tidy: Pairs of texts, the first replaced by the second in all that is rendered.
        wide: Identities of the alternatives whose choices need more than one draw.
        ready: Alternatives without slots, by identity: all their texts, finished.
    """

    language: str
    genre: str
    rules: dict[str, tuple[Parts, ...]]
    settings: Mapping[str, Any]
    tidy: tuple[tuple[str, str], ...] = ()
    wide: frozenset[int] = frozenset()
    ready: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

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
        ready = self.ready.get(id(parts))
        if ready is not None:
            return Rendered(ready[raw % len(ready)], -1, -1)
        if id(parts) in self.wide:
            raw = raw << 64 | draw()
        out: list[str] = []
        _run(parts, raw, slots, many, out)
        return located(tidied("".join(out), self.tidy))

    def text(self, rule: str, slots: Mapping[str, str], draw: Callable[[], int], used: set[int]) -> str:
        """Render a rule that states nothing."""
        return self.render(rule, slots, draw, used).text


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
    compiler = Compiler(texts, f"{language}/{genre}")
    rules = {name: tuple(compiler.alternatives(name)) for name in texts}
    settings = {**shared.get("settings", {}), **own.get("settings", {})}
    quotes = tuple(settings.get("quotes", []))
    for name in settings.get("stating", []):
        rules.update(variants(name, rules[name], quotes))
    tidy = tuple((old, new) for old, new in settings.get("tidy", []))
    wide = frozenset(id(parts) for fit in rules.values() for parts in fit if combinations(parts) > ONE_DRAW)
    ready = {id(parts): expanded(parts, tidy) for fit in rules.values() for parts in fit}
    return Grammar(language, genre, rules, settings, tidy, wide, {key: texts for key, texts in ready.items() if texts})


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
