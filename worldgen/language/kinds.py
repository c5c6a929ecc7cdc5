"""Kinds of names: the patterns of ``data/kinds.yaml``, compiled once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from worldgen.errors import CallerError, did_you_mean
from worldgen.language.data import read_yaml
from worldgen.language.sounds import Culture, Table, table_of

_FIELD = re.compile(r"\{(\w+)\}")
_ROOT_FIELDS = frozenset({"a", "b", "given", "family"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to make a name of a kind: templates in both languages over the same fields."""

    en: str
    zh: str
    fields: tuple[str, ...]

    @property
    def alone(self) -> bool:
        """Whether the name is a coined root and nothing else."""
        return self.en == self.zh == "{a}"

    def filled(self, words: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """The name in both languages, from a word in both languages per field."""
        en, zh = self.en, self.zh
        for field, (latin, hanzi) in zip(self.fields, words, strict=True):
            slot = "{" + field + "}"
            en, zh = en.replace(slot, latin), zh.replace(slot, hanzi)
        return en, zh


@dataclass(frozen=True, slots=True)
class Part:
    """A list of words that a pattern may draw from, the same word in both languages."""

    words: tuple[tuple[str, str], ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """How names of one kind are made."""

    name: str
    patterns: tuple[Pattern, ...]
    weights: tuple[float, ...]
    parts: dict[str, Part]
    syllables: tuple[float, ...]
    endings: Table | None
    culture_endings: str

    @property
    def fields(self) -> frozenset[str]:
        """All fields any pattern uses."""
        return frozenset().union(*(pattern.fields for pattern in self.patterns))

    def endings_in(self, sound: Culture) -> Table | None:
        """The endings of roots of this kind in a culture."""
        if not self.culture_endings:
            return self.endings
        own = sound.endings[self.culture_endings]
        return table_of({"": len(own), **dict.fromkeys(own, 1)})


def kinds() -> list[str]:
    """The names of all kinds, sorted."""
    return sorted(name for name in read_yaml("kinds") if name != "zh_short")


@cache
def kind_of(name: str) -> Kind:
    """The kind of that name; `CallerError` lists the valid ones."""
    if name not in kinds():
        raise CallerError(
            "language.unknown-kind",
            f"unknown kind of name {name!r}",
            expected=" or ".join(kinds()),
            fix=did_you_mean(name, kinds()),
        )
    document: dict[str, Any] = read_yaml("kinds")[name]
    patterns = document["patterns"]
    return Kind(
        name=name,
        patterns=tuple(Pattern(en, zh, tuple(sorted(set(_FIELD.findall(en))))) for _, en, zh in patterns),
        weights=tuple(weight for weight, _, _ in patterns),
        parts={part: _part(words) for part, words in document.get("parts", {}).items()},
        syllables=tuple(document["syllables"]),
        endings=table_of(document["endings"]) if "endings" in document else None,
        culture_endings=document.get("culture_endings", ""),
    )


def _part(words: list[list[Any]]) -> Part:
    return Part(
        words=tuple((word[0], word[1]) for word in words),
        weights=tuple(word[2] if len(word) > 2 else 1 for word in words),
    )


@dataclass(frozen=True, slots=True)
class Affix:
    """The fixed words around the root in a name of some kind, in both languages."""

    en_before: str
    en_after: str
    zh_before: str
    zh_after: str


@cache
def affixes(kind: str) -> tuple[Affix, ...]:
    """What stands around the root ``{a}`` in names of a kind, longest first; names without a part are left out."""
    whole = kind_of(kind)
    found: set[Affix] = set()
    for pattern in whole.patterns:
        if _ROOT_FIELDS.intersection(pattern.fields) != {"a"}:
            continue
        for filled in _filled(pattern, whole.parts):
            en_before, en_after = filled[0].split("{a}")
            zh_before, zh_after = filled[1].split("{a}")
            if en_before or en_after:
                found.add(Affix(en_before, en_after, zh_before, zh_after))
    return tuple(sorted(found, key=lambda a: (-len(a.en_before + a.en_after), -len(a.zh_before + a.zh_after), str(a))))


def _filled(pattern: Pattern, parts: dict[str, Part]) -> list[tuple[str, str]]:
    texts = [(pattern.en, pattern.zh)]
    for field in sorted(set(pattern.fields) - _ROOT_FIELDS):
        slot = "{" + field + "}"
        texts = [
            (en.replace(slot, word), zh.replace(slot, hanzi)) for en, zh in texts for word, hanzi in parts[field].words
        ]
    return texts
