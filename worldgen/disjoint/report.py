"""Asks the gazetteers that are installed whether the names of a world are real, and tells what they answered.

Names are compared whole, in the form of `worldgen.disjoint.normal`. Where only a word of a name is real, and it is none
that the schema or the patterns of names say themselves, that is told apart and counts as no collision: a person with
a real family name is still nobody. So is an abbreviation, as any three letters stand for something somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import yaml

from worldgen.disjoint.gazetteer import EXTRA, Gazetteer, NameKind, all_gazetteers, gazetteer_of
from worldgen.disjoint.names import Called, dated_tables, names_in, open_addresses, own_words
from worldgen.disjoint.normal import DATA, normal, normals, parts
from worldgen.errors import CallerError
from worldgen.language.known import sources
from worldgen.world import World

_SHORTEST_PART = 4
_LONGEST_ABBREVIATION = 4


@dataclass(frozen=True, slots=True)
class Asked:
    """A gazetteer that was asked, and how many different names it holds."""

    gazetteer: str
    package: str
    version: str
    holds: tuple[NameKind, ...]
    names: int


@dataclass(frozen=True, slots=True)
class NotAsked:
    """A gazetteer that was not asked, as its package is not installed."""

    gazetteer: str
    package: str
    install: str


@dataclass(frozen=True, slots=True)
class Match:
    """A name of the world that a gazetteer has too: what it is called there, as what, and in which gazetteer."""

    name: Called
    gazetteer: str
    kind: NameKind
    real: str


@dataclass(frozen=True, slots=True)
class Answers:
    """What gazetteers answered about some names.

    Attributes:
        asked: The gazetteers.
        whole: Names that are real as they stand; one match a name and gazetteer.
        partial: Names of which a word is real.
    """

    asked: tuple[Asked, ...]
    whole: tuple[Match, ...]
    partial: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Disjointness:
    """Whether a world's names are absent from the gazetteers asked.

    Attributes:
        world: Its name and seed.
        strategy: Its strategy.
        asserts: What the strategy asserts, in words.
        roles: The names that must not be real.
        checked: How many different names were looked up, in both languages.
        asked: The gazetteers that were asked.
        not_asked: Those whose package is not installed.
        collisions: Names that must not be real and are.
        allowed: Names that are real and may be, by the strategy.
        partial: Names that are not real, but a word of them is.
        open_addresses: Hosts in the world's pages that somebody could register.
    """

    world: str
    strategy: str
    asserts: str
    roles: tuple[str, ...]
    checked: int
    asked: tuple[Asked, ...]
    not_asked: tuple[NotAsked, ...]
    collisions: tuple[Match, ...]
    allowed: tuple[Match, ...]
    partial: tuple[Match, ...]
    open_addresses: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """True where nothing collides."""
        return not self.collisions and not self.open_addresses


def disjointness(
    world: World, gazetteers: Sequence[str] | None = None, *, report: Callable[[str], None] | None = None
) -> Disjointness:
    """Ask gazetteers about the names of a world.

    Args:
        world: A built world.
        gazetteers: Names of those to ask; by default all that are installed.
        report: Called with the name of each before it is read, which takes up to some seconds.

    Raises:
        CallerError: A gazetteer is unknown, is asked for by name and not installed, or cannot be read.
    """
    wanted = all_gazetteers() if gazetteers is None else [gazetteer_of(name) for name in dict.fromkeys(gazetteers)]
    missing = [gazetteer for gazetteer in wanted if gazetteer.version() is None]
    if missing and gazetteers is not None:
        raise _not_installed(missing[0])
    called, schema = names_in(world), world.schema
    answers = ask(called, [each for each in wanted if each not in missing], own=own_words(schema), report=report)
    rule = _strategies()[schema.strategy]
    dated = dated_tables(schema) if rule.get("dated") else None
    must = [m.name.role in rule["roles"] and (dated is None or m.name.table in dated) for m in answers.whole]
    return Disjointness(
        world=f"{world.manifest.world}-{world.manifest.seed}",
        strategy=schema.strategy,
        asserts=rule["asserts"],
        roles=tuple(rule["roles"]),
        checked=len({name.text for name in called}),
        asked=answers.asked,
        not_asked=tuple(NotAsked(each.name, each.package, f"pip install '{EXTRA}'") for each in missing),
        collisions=tuple(match for match, bound in zip(answers.whole, must, strict=True) if bound),
        allowed=tuple(match for match, bound in zip(answers.whole, must, strict=True) if not bound),
        partial=answers.partial,
        open_addresses=tuple(open_addresses(world)),
    )


def ask(
    names: Iterable[Called],
    gazetteers: Iterable[Gazetteer],
    *,
    own: frozenset[str] = frozenset(),
    report: Callable[[str], None] | None = None,
) -> Answers:
    """Look names up in gazetteers, each of which is read once and kept nowhere.

    Args:
        names: The names.
        gazetteers: Installed ones.
        own: Words that are no sign of a real name where they are a part of one, in the form of `normal`.
        report: Called with the name of each gazetteer before it is read.
    """
    index = _Index(names, own)
    asked = []
    for gazetteer in gazetteers:
        if report is not None:
            report(gazetteer.name)
        asked.append(_asked(gazetteer, index))
    return Answers(tuple(asked), tuple(index.matches(index.whole)), tuple(index.matches(index.partial)))


Found = dict[tuple[str, str], tuple[NameKind, str]]
"""Form and gazetteer → what the gazetteer has."""


@dataclass(slots=True)
class _Index:
    """The names by the forms in which they are compared, and what was found of them."""

    names: Iterable[Called]
    own: frozenset[str]
    forms: dict[str, list[Called]] = field(default_factory=dict)
    words: dict[str, list[Called]] = field(default_factory=dict)
    whole: Found = field(default_factory=dict)
    partial: Found = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in dict.fromkeys(self.names):
            form = normal(name.text)
            short = name.role == "alias" and name.text.isupper() and len(form) <= _LONGEST_ABBREVIATION
            if form and not short:
                self.forms.setdefault(form, []).append(name)
            for word in dict.fromkeys([form] if short else parts(name.text)):
                if word not in self.own and (short or (word != form and self._tells(word))):
                    self.words.setdefault(word, []).append(name)

    @staticmethod
    def _tells(word: str) -> bool:
        return not word.isdigit() and (len(word) >= _SHORTEST_PART or (len(word) > 1 and not word.isascii()))

    def matches(self, found: Found) -> list[Match]:
        held = self.whole is found
        return [
            Match(name, gazetteer, kind, real)
            for (form, gazetteer), (kind, real) in found.items()
            for name in (self.forms if held else self.words)[form]
        ]


def _asked(gazetteer: Gazetteer, index: _Index) -> Asked:
    version = gazetteer.version()
    if version is None:
        raise _not_installed(gazetteer)
    kinds: dict[str, NameKind] = {}
    try:
        for kind, real in gazetteer.names():
            kinds.setdefault(real, kind)
    except (OSError, ImportError, LookupError, AttributeError, ValueError) as error:
        read = {source.package: source.version for source in sources()}.get(gazetteer.package)
        raise CallerError(
            "gazetteer.unreadable",
            f"gazetteer {gazetteer.name}: {gazetteer.package} {version} cannot be read: {error}",
            fix=f"pip install '{gazetteer.package}=={read}'" if read else None,
        ) from error
    for real, form in zip(kinds, normals(list(kinds)), strict=True):
        if form in index.forms:
            index.whole.setdefault((form, gazetteer.name), (kinds[real], real))
        if form in index.words:
            index.partial.setdefault((form, gazetteer.name), (kinds[real], real))
    return Asked(gazetteer.name, gazetteer.package, version, gazetteer.holds, len(kinds))


def _not_installed(gazetteer: Gazetteer) -> CallerError:
    return CallerError(
        "gazetteer.not-installed",
        f"gazetteer {gazetteer.name}: the package {gazetteer.package!r} is not installed",
        fix=f"pip install '{EXTRA}'",
    )


@cache
def _strategies() -> Any:
    return yaml.safe_load((DATA / "strategies.yaml").read_text("utf-8"))
