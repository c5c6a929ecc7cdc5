"""Names of people, towns, streets and firms in some ninety locales, and the words of Faker's texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import ClassVar

from worldgen.disjoint.gazetteer import Gazetteer, NameKind, gazetteers
from worldgen.language.derive_cultures import strings

_PROVIDERS: dict[str, NameKind] = {
    "person": "person", "address": "place", "geo": "place", "company": "organisation", "automotive": "product",
    "color": "word", "currency": "word", "date_time": "word", "job": "word", "lorem": "word",
}  # fmt: skip
_FIELDS = re.compile(
    r"(first|last|name|cit(y|ies)|town|state|countr|province|region|street|compan|word|job|color|coords|currenc"
    r"|municipalit|department|village|district|suffix|catch|bs|make)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"(word|suffix|catch|bs)", re.IGNORECASE)


@gazetteers.register("faker")
class Faker(Gazetteer):
    """The lists of Faker's providers, which is always installed."""

    name = "faker"
    package = "Faker"
    holds: ClassVar[tuple[NameKind, ...]] = ("place", "person", "organisation", "product", "word")

    def names(self) -> Iterator[tuple[NameKind, str]]:
        """Provider by provider, locale by locale; patterns with fields to fill are left out."""
        for provider, kind in _PROVIDERS.items():
            package = import_module(f"faker.providers.{provider}")
            for locale in ["", *(f".{info.name}" for info in iter_modules(package.__path__) if info.ispkg)]:
                module = import_module(f"faker.providers.{provider}{locale}")
                for holder in (vars(module), vars(module.Provider)):
                    for field, value in holder.items():
                        if _FIELDS.search(field):
                            told: NameKind = "word" if _WORDS.search(field) else kind
                            yield from ((told, text) for text in strings(value) if "{" not in text)
