"""The web that the inventing player has in mind: things with their values, made from the description in a prompt.

A description (`worldgen.search.world_model.inventions`) is read back here as a model would read it: what is computed,
unbounded or depends on something else is left uninvented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import get_args

from worldgen.language import ValueSpec, coin, cultures, currency, plain
from worldgen.language.values import ValueType
from worldgen.records import Language
from worldgen.seeds import Stream, stream

THINGS = 3
"""How many things of a kind are imagined at most."""
_KIND = re.compile(r"(?m)^- (?P<kind>\w+): at most (?P<most>\d+)(?:; named like an? (?P<like>\w+))?$")
_PROPERTY = re.compile(r"(?m)^  - (?P<name>\w+): (?P<told>.+)$")
_RANGE = re.compile(r"(?P<low>-?[\d.]+(?:-\d\d-\d\d)?) to (?P<high>-?[\d.]+(?:-\d\d-\d\d)?)")
_LANGUAGES = re.compile(r"Pages are written in: ([a-z, ]+)\.")
_TODAY = re.compile(r"Today is (\d{4}-\d\d-\d\d)\.")
_MEASURED = ("integer", "decimal", "money", "percent", "year", "date")


@dataclass(frozen=True, slots=True)
class Property:
    """A property as the prompt describes it.

    Attributes:
        name: Its name.
        type: A type of values, or ``name``, ``choice``, ``ref``; empty where nothing is to be invented.
        target: The kind of thing that it refers to.
        choices: The values that it may have.
        low: The least value, scaled; of a date its ordinal.
        high: The greatest.
        step: Values are multiples of this, scaled.
        decimals: Of a number.
        unit: A unit, or a currency.
        once: Whether no two things share a value.
    """

    name: str
    type: str = ""
    target: str = ""
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = -1
    step: int = 1
    decimals: int = 0
    unit: str = ""
    once: bool = False

    def said(self, value: str, language: Language) -> str:
        """A canonical value in words."""
        kind = next((each for each in get_args(ValueType) if each == self.type and each in _MEASURED), None)
        if kind is None:
            return value.replace("_", " ")
        money = currency(self.unit) if kind == "money" else None
        spec = ValueSpec(kind, self.decimals, None if money or not self.unit else self.unit, money)
        return plain(spec, _scaled(value, self.decimals), 0, language)


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing: its kind, its name in the language of the pages, its place among those of its kind, and its slug."""

    kind: str
    name: str
    place: int
    slug: str


@dataclass(frozen=True, slots=True)
class Imagined:
    """A web that is imagined.

    Attributes:
        language: Of its pages.
        today: Nothing is later.
        seed: Of what is drawn.
        kinds: Kind → its properties, by name.
        things: All of them.
    """

    language: Language
    today: date
    seed: int
    kinds: Mapping[str, Mapping[str, Property]]
    things: tuple[Thing, ...] = field(repr=False)

    def value(self, thing: Thing, name: str, draw: int = 0) -> str | None:
        """A value of a thing in its canonical form; None where there is nothing to invent.

        Args:
            thing: Of what.
            name: The property.
            draw: Another one gives other values.
        """
        found = self.kinds[thing.kind].get(name)
        drawn = stream(self.seed, "imagined", thing.kind, thing.name, name, draw)
        if found is None or not found.type or (found.once and thing.place >= THINGS):
            return None
        if found.type == "name":
            return _coined("person", self.language, drawn)
        if found.type == "choice":
            return drawn.choice(found.choices)
        if found.type == "ref":
            others = [each.name for each in self.things if each.kind == found.target]
            if len(others) <= (thing.place if found.once else 0):
                return None
            return others[thing.place] if found.once and not draw else drawn.choice(others)
        return _number(found, thing.place, drawn)


@lru_cache(maxsize=8)
def imagine(state: str, seed: int) -> Imagined:
    """The web of a description.

    Args:
        state: The description, or a prompt that has it.
        seed: Of what is drawn.
    """
    told = _LANGUAGES.search(state)
    language: Language = "zh" if told is not None and told[1] == "zh" else "en"
    today = _TODAY.search(state)
    kinds: dict[str, dict[str, Property]] = {}
    things: list[Thing] = []
    taken: set[str] = set()
    headings = list(_KIND.finditer(state))
    for number, heading in enumerate(headings):
        end = headings[number + 1].start() if number + 1 < len(headings) else len(state)
        kind = heading["kind"]
        told_of = _PROPERTY.finditer(state, heading.end(), end)
        kinds[kind] = {each["name"]: _property(each["name"], each["told"]) for each in told_of}
        many = min(THINGS, int(heading["most"]))
        drawn = stream(seed, "imagined", kind)
        names = coin(heading["like"] or "brand", drawn.choice(cultures()), drawn, many, taken=taken)
        for place, name in enumerate(names):
            slug = re.sub(r"[^a-z0-9]+", "-", name.en.casefold()).strip("-")
            things.append(Thing(kind, name.zh if language == "zh" else name.en, place, slug))
    day = date.fromisoformat(today[1]) if today is not None else date(2000, 1, 1)
    return Imagined(language, day, seed, kinds, tuple(things))


def _coined(like: str, language: Language, drawn: Stream) -> str:
    name = coin(like, drawn.choice(cultures()), drawn, 1)[0]
    return name.zh if language == "zh" else name.en


def _property(name: str, told: str) -> Property:
    """A property as it is told of; without a type where there is nothing to be invented."""
    parts = told.split("; ")
    first, once = parts[0], "no two alike" in parts
    if any(part.startswith(("after ", "before ", "by period")) for part in parts) or first.startswith("another "):
        return Property(name)
    if first.startswith("one of "):
        return Property(name, "choice", choices=tuple(first.removeprefix("one of ").split(" | ")))
    if first == "yes or no":
        return Property(name, "choice", choices=("yes", "no"))
    if first.startswith(("a ", "an ")):
        return Property(name, "ref", target=first.partition(" ")[2], once=once)
    if first == "name":
        return Property(name, "name", once=once)
    return _measured(name, first, parts[1:], once=once) if first in _MEASURED else Property(name)


def _measured(name: str, kind: str, parts: list[str], *, once: bool) -> Property:
    told = {part.partition(" ")[0]: part.partition(" ")[2] for part in parts}
    decimals = next((int(part.split(" ")[0]) for part in parts if part.endswith(" decimals")), 0)
    unit = told.get("in", "")
    if "one" in told:
        return Property(name, kind, choices=tuple(told["one"].removeprefix("of ").split(" | ")), decimals=decimals,
                        unit=unit)  # fmt: skip
    bounds = next((found for part in parts if (found := _RANGE.fullmatch(part))), None)
    low, high = (bounds["low"], bounds["high"]) if bounds else _near(told)
    if not low:
        return Property(name)
    step = int(Decimal(told["multiples"].removeprefix("of ")).scaleb(decimals)) if "multiples" in told else 1
    return Property(
        name, kind, low=_scaled(low, decimals), high=_scaled(high, decimals), step=max(step, 1), decimals=decimals,
        unit=unit, once=once,
    )  # fmt: skip


def _near(told: Mapping[str, str]) -> tuple[str, str]:
    """Bounds for what is told to lie around a value, with one bound at most; empty where there is no such value."""
    if "around" not in told:
        return "", ""
    middle = Decimal(told["around"])
    side, _, bound = told.get("at", "").partition(" ")
    low = max(middle * Decimal("0.8"), Decimal(bound)) if side == "least" else middle * Decimal("0.8")
    high = min(middle * Decimal("1.5"), Decimal(bound)) if side == "most" else middle * Decimal("1.5")
    return (f"{low:f}", f"{high:f}") if low < high else ("", "")


def _scaled(value: str, decimals: int) -> int:
    return date.fromisoformat(value).toordinal() if value.count("-") == 2 else int(Decimal(value).scaleb(decimals))


def _number(found: Property, place: int, drawn: Stream) -> str:
    """A number between the bounds; things in different places get it from different thirds, so that none share it."""
    if found.choices:
        return drawn.choice(found.choices)
    low, high = -(-found.low // found.step), found.high // found.step
    third = min(max((high - low + 1) // THINGS, 1), 2**31)
    chosen = (min(low + place % THINGS * third, high) + drawn.integer(third)) * found.step
    chosen = min(chosen, high * found.step)
    if found.type == "date":
        return date.fromordinal(chosen).isoformat()
    return f"{Decimal(chosen).scaleb(-found.decimals):f}"
