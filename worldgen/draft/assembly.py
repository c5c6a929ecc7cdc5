"""From pieces to a schema file: what a model wrote, with the defaults that no model is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from worldgen.draft.pieces import (
    Attribute,
    Category,
    Choice,
    Count,
    Day,
    Details,
    Formula,
    Frame,
    Number,
    Observed,
    Reference,
    Rules,
    Text,
    Words,
    Year,
    YesNo,
)
from worldgen.language import cultures
from worldgen.records import Language
from worldgen.seeds import stream

_WIDTH = 120


def assemble(
    frame: Frame, details: Mapping[str, Details], rules: Rules | None, languages: Sequence[Language]
) -> dict[str, Any]:
    """The schema as plain values, in the order in which it is written.

    Args:
        frame: The first piece.
        details: By entity; those of entities that the frame no longer has are left out.
        rules: The last piece, or none yet.
        languages: Of the world.
    """
    given = _defaults()
    things, setting = _cultures(frame.world)
    found: dict[str, Any] = {
        "world": frame.world,
        "title": _text(frame.title, languages),
        "strategy": frame.strategy,
        "as_of": frame.as_of,
        "premise": " ".join(frame.premise.split()),
        "languages": list(languages),
        "cultures": things,
        "scope": {"kind": frame.place.kind, "culture": setting, "phrase": _text(frame.place.phrase, languages)},
        "entities": {},
    }
    series: dict[str, Any] = {}
    for thing in frame.entities:
        told = details[thing.name]
        nouns = {"en": [f"{noun.one}/{noun.many}" for noun in thing.nouns.en], "zh": list(thing.nouns.zh)}
        found["entities"][thing.name] = {
            "label": {language: nouns[language] for language in languages},
            "count": thing.count,
            "name": {"kind": thing.names},
            "aliases": given["aliases"],
            "attributes": {each.name: _attribute(each, languages) for each in told.attributes},
        }
        series |= {each.name: _series(each, thing.name, languages) for each in told.series}
    if series:
        found["series"] = series
    if rules is not None and rules.rules:
        found["checks"] = {rule.name: {"sql": rule.sql, "breaks": rule.breaks, "why": rule.why} for rule in rules.rules}
    found["sites"] = [
        {**site, "name": {language: site["name"][language] for language in languages}, "languages": list(languages)}
        for site in given["sites"]
    ]
    return {**found, "noise": dict(given["noise"]), "tasks": dict(given["tasks"])}


def doubled(frame: Frame, details: Mapping[str, Details], rules: Rules | None) -> Iterator[tuple[str, str]]:
    """Names that a piece gives twice, of which a mapping would keep one in silence: where, and the name."""
    yield from (("frame", name) for name in _twice([thing.name for thing in frame.entities]))
    series: list[str] = []
    for thing in frame.entities:
        told = details.get(thing.name)
        if told is not None:
            yield from ((thing.name, name) for name in _twice([each.name for each in told.attributes]))
            yield from ((thing.name, each.name) for each in told.series if each.name in series)
            series += [each.name for each in told.series]
    yield from (("rules", name) for name in _twice([rule.name for rule in rules.rules] if rules else []))


def dump(schema: Mapping[str, Any], head: Sequence[str]) -> str:
    """The text of a schema file, with lines of comment before it."""
    told = yaml.safe_dump(dict(schema), allow_unicode=True, sort_keys=False, width=_WIDTH, default_flow_style=None)
    return "".join(f"# {' '.join(line.split())}\n" for line in head) + str(told)


def _twice(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _cultures(world: str) -> tuple[list[str], list[str]]:
    """The cultures of the names of things and of the setting's, drawn by the world's name."""
    many = _defaults()["cultures"]
    drawn = stream(0, "draft", world).shuffled(sorted(cultures()))
    return drawn[: many["things"]], drawn[many["things"] : many["things"] + many["setting"]]


def _attribute(each: Attribute, languages: Sequence[Language]) -> dict[str, Any]:
    said = {"label": _words(each.label, languages)}
    match each:
        case Number():
            return {**_measured(each), **_drawn(each), **said}
        case Formula():
            return {**_measured(each), "expr": each.expression, "noise": each.noise, **said}
        case Year():
            return {"type": "year", "uniform": [each.first, each.last], **said}
        case Day():
            return {"type": "date", "uniform": [each.first, each.last], **said}
        case Category():
            return {"values": {choice.key: _choice(choice, languages) for choice in each.choices}, **said}
        case YesNo():
            share = round(100 * each.share)
            return {"type": "boolean", "empirical": {0: 100 - share, 1: share}, **said}
        case Reference():
            degree = {"even": True} if each.spread == "even" else {"zipf": _defaults()["uneven"]}
            return {"ref": each.to, "degree": degree, **said}
        case Count():
            return {"type": "integer", "aggregate": {"table": each.of, "by": each.by, "how": "count"}, **said}


def _choice(choice: Choice, languages: Sequence[Language]) -> dict[str, Any]:
    # Without English wordings the key stands for them, and a text holds no underscore.
    words = {"en": [choice.key.replace("_", " ")], **{language: getattr(choice, language) for language in languages}}
    return {"weight": _short(choice.weight), **{language: list(said) for language, said in words.items()}}


def _drawn(each: Number) -> dict[str, Any]:
    low, high, typical = (_short(value) for value in (each.low, each.high, each.typical))
    bounds = {"min": low, "max": high}
    if each.shape == "bell":
        return {"normal": {"mean": typical, "sd": _short(_defaults()["bell"] * (each.high - each.low))}, **bounds}
    if each.shape == "skewed":
        return {"lognormal": {"median": typical, "sigma": _defaults()["skewed"]}, **bounds}
    return {"uniform": [low, high]}


def _series(each: Observed, of: str, languages: Sequence[Language]) -> dict[str, Any]:
    return {
        "of": of,
        "every": each.every,
        "from": each.first,
        "to": each.last,
        **_measured(each),
        "label": _words(each.label, languages),
        "initial": each.start,
        "growth": {"mean": _short(each.growth), "sd": _short(each.spread)},
    }


def _measured(each: Number | Formula | Observed) -> dict[str, Any]:
    found: dict[str, Any] = {"type": each.type}
    if each.type == "money" and each.currency:
        found["currency"] = each.currency
    if each.type in ("integer", "decimal") and each.unit:
        found["unit"] = each.unit
    if each.type != "integer" and each.decimals:
        found["decimals"] = each.decimals
    return found


def _text(text: Text, languages: Sequence[Language]) -> dict[str, str]:
    return {language: getattr(text, language) for language in languages}


def _words(words: Words, languages: Sequence[Language]) -> dict[str, list[str]]:
    return {language: list(getattr(words, language)) for language in languages}


def _short(value: float) -> float | int:
    """A number as a person would write it.

    >>> _short(5.0), _short(0.1 + 0.2)
    (5, 0.3)
    """
    return int(value) if value == int(value) else round(value, 6)


@cache
def _defaults() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "data" / "defaults.yaml").read_text("utf-8"))
    return found
