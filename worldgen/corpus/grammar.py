"""Grammars: sentence patterns kept as YAML, compiled once into tuples, rendered by integer draws.

A language has a folder ``grammars/<language>/`` with ``_shared.yaml`` and one file a genre. Rules of the genre's file
replace shared rules of the same name; under ``add:`` they extend them. A rule is a list of alternatives, each a
pattern; an alternative that is nothing but ``<rule>`` stands for all alternatives of that rule:

    ``[a|b [c|d]|]``   one of the alternatives, nested as deep as wanted; an empty one is allowed
    ``<rule>``         an alternative of another rule
    ``{slot}``         a text that the writer fills in: ``{s}``, ``{label}``, ``{value}``, …
    ``{#is|are}``      agreement with the label: the first for one, the second for many
    ``{=yes|no}``      words of the grammar that themselves give the value
    ``(person) …``     only where that is spoken of: ``person``, ``body`` (people who act as one), ``thing``, or several

What stands in ``{value}``, ``{=…}`` and the other marked slots is the value; where it lies in the rendered text is
told to the caller, who turns it into a statement's span.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.corpus.patterns import Compiler, Parts, variants
from worldgen.corpus.shapes import Pattern, Rendered, Shape, Tidy
from worldgen.errors import CallerError, InternalError

FOLDER = Path(__file__).parent / "grammars"
SORTS = ("person", "body", "thing")
"""What may be spoken of; a line of a grammar that does not suit all of them begins with those that it suits."""
_TRIES = 3
_SUITED = re.compile(r"\((\w+(?:, \w+)*)\) ")


@dataclass(slots=True)
class Grammar:
    """One genre of one language, ready to render.

    Attributes:
        rules: Rule → its alternatives, compiled.
        settings: What ``_shared.yaml`` says about the language: gaps, tidying, number of labels.
        tidy: Pairs of texts, the first replaced by the second in all that is rendered.
    """

    language: str
    genre: str
    rules: Mapping[str, tuple[Parts, ...]]
    settings: Mapping[str, Any]
    tidy: Tidy = ()
    _patterns: dict[str, tuple[Pattern, ...]] = field(init=False)

    def __post_init__(self) -> None:
        # The variants of a rule share alternatives, which are compiled once and used up together.
        known = {id(parts): Pattern(parts, self.tidy) for fit in self.rules.values() for parts in fit}
        self._patterns = {rule: tuple(known[id(parts)] for parts in fit) for rule, fit in self.rules.items()}

    def has(self, rule: str) -> bool:
        """Whether the rule exists."""
        return rule in self.rules

    def fitting(self, rule: str, sort: str) -> str:
        """The rule with only those alternatives that suit a sort, where it has others; of ``SORTS`` or empty."""
        fitting = f"{rule}/{sort}"
        return fitting if fitting in self.rules else rule

    def pick(self, rule: str, draw: Callable[[], int], used: set[Pattern], many: bool = False) -> Shape:  # noqa: FBT001, FBT002
        """A shape of an alternative of a rule, rather of one that has not been used; it is added to those that have."""
        alternatives = self._patterns[rule]
        size = len(alternatives)
        at = draw() % size
        pattern = alternatives[at]
        tries = _TRIES
        while pattern in used and tries:
            at = (at + 1 + draw() % 7) % size
            pattern = alternatives[at]
            tries -= 1
        used.add(pattern)
        return pattern.shape(draw, many)

    def render(
        self, rule: str, slots: Mapping[str, str], draw: Callable[[], int], used: set[Pattern], *, many: bool = False
    ) -> Rendered:
        """Render an alternative of a rule.

        Args:
            rule: Its name.
            slots: Texts by slot.
            draw: Gives the next draw, an integer from 0; one is taken for every choice.
            used: Alternatives used on this page; unused ones are preferred, and the choice is added.
            many: Whether ``{#…}`` takes the second form.
        """
        return Rendered(*self.pick(rule, draw, used, many).render(slots, draw))

    def text(self, rule: str, slots: Mapping[str, str], draw: Callable[[], int], used: set[Pattern]) -> str:
        """Render a rule that states nothing."""
        return self.pick(rule, draw, used).render(slots, draw)[0]


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
    texts = {rule: lines for name, found in texts.items() for rule, lines in _by_sort(name, found).items()}
    compiler = Compiler(texts, f"{language}/{genre}")
    rules = {name: tuple(compiler.alternatives(name)) for name in texts}
    settings = {**shared.get("settings", {}), **own.get("settings", {})}
    quotes = tuple(settings.get("quotes", []))
    for name in settings.get("stating", []):
        rules.update(variants(name, rules[name], quotes, quoted_are_loose=bool(settings.get("loose"))))
    tidy = tuple((old, new) for old, new in settings.get("tidy", []))
    return Grammar(language, genre, rules, settings, tidy)


def _by_sort(name: str, lines: list[str]) -> dict[str, list[str]]:
    """A rule, and for each sort what of it suits that; the rule itself keeps the lines that suit every sort."""
    said: list[tuple[tuple[str, ...], str]] = []
    for line in lines:
        found = _SUITED.match(str(line))
        said.append((tuple(found[1].split(", ")) if found else SORTS, str(line)[found.end() if found else 0 :]))
    unknown = {sort for sorts, _ in said for sort in sorts} - set(SORTS)
    if unknown:
        raise InternalError("corpus.grammar", f"rule <{name}> is for {sorted(unknown)}", expected=", ".join(SORTS))
    everywhere = [text for sorts, text in said if sorts == SORTS]
    if len(everywhere) == len(said):
        return {name: everywhere}
    return {name: everywhere} | {f"{name}/{sort}": [text for sorts, text in said if sort in sorts] for sort in SORTS}


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
