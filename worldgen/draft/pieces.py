"""What a model is asked for, a piece at a time: a world's frame, the details of each kind of thing, its rules.

A piece is far smaller than the schema that is made of it: sites, noise and tasks come from a file of defaults, and an
attribute is one of eight kinds with the few things that each needs. A reply is read by these models, and their JSON
Schema, made plain by `shape`, is what it is held to as it is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from worldgen.llm.model import Shape
from worldgen.schema.model import Strategy

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Said = Annotated[str, Field(min_length=1, max_length=80)]
Date = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]


def _one_of(what: str) -> Any:
    """A text of a list that is known only when a model is asked: units, kinds of names, the world's own entities."""
    return Field(json_schema_extra={"one_of": what})


class Piece(BaseModel):
    """The base of all of them: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(Piece):
    """A text in each language."""

    en: Said = ""
    zh: Said = ""


class Words(Piece):
    """Three or four wordings in each language."""

    en: list[Said] = Field(default_factory=list, min_length=3, max_length=4)
    zh: list[Said] = Field(default_factory=list, min_length=3, max_length=4)


class Noun(Piece):
    """An English noun."""

    one: Said
    many: Said


class Nouns(Piece):
    """What things of a kind are called in each language."""

    en: list[Noun] = Field(default_factory=list, min_length=2, max_length=3)
    zh: list[Said] = Field(default_factory=list, min_length=2, max_length=3)


class Place(Piece):
    """The coined setting: the kind of its name, and a phrase with {name}."""

    kind: str = _one_of("kinds")
    phrase: Text


class Thing(Piece):
    """A kind of thing, in outline."""

    name: Name
    about: str = Field(min_length=1, max_length=200)
    nouns: Nouns
    count: int = Field(ge=3, le=600)
    names: str = _one_of("kinds")


class Frame(Piece):
    """The first piece: what the world is, and which kinds of things there are."""

    world: str = Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", min_length=3, max_length=40)
    title: Text
    strategy: Strategy
    as_of: Date
    premise: str = Field(min_length=40, max_length=900)
    place: Place
    entities: list[Thing] = Field(min_length=2, max_length=6)


class _Attribute(Piece):
    name: Name
    label: Words


class _Measured(_Attribute):
    type: Literal["integer", "decimal", "money", "percent"]
    unit: str = _one_of("units")
    currency: str = _one_of("currencies")
    decimals: int = Field(ge=0, le=4)


class Number(_Measured):
    """A drawn number."""

    kind: Literal["number"]
    low: float
    high: float
    typical: float
    shape: Literal["even", "bell", "skewed"]


class Formula(_Measured):
    """A number computed from others."""

    kind: Literal["formula"]
    expression: str = Field(min_length=1, max_length=200)
    noise: float = Field(ge=0, le=0.5)


class Year(_Attribute):
    """A year."""

    kind: Literal["year"]
    first: int = Field(ge=1000, le=8999)
    last: int = Field(ge=1000, le=8999)


class Day(_Attribute):
    """A date."""

    kind: Literal["date"]
    first: Date
    last: Date


class Choice(Piece):
    """One value of a category."""

    key: Name
    weight: float = Field(gt=0, le=1000)
    en: list[Said] = Field(default_factory=list, min_length=1, max_length=2)
    zh: list[Said] = Field(default_factory=list, min_length=1, max_length=2)


class Category(_Attribute):
    """One of a few values."""

    kind: Literal["category"]
    choices: list[Choice] = Field(min_length=2, max_length=8)


class YesNo(_Attribute):
    """A yes or a no."""

    kind: Literal["yes_no"]
    share: float = Field(ge=0.05, le=0.95)


class Reference(_Attribute):
    """Another thing that this one belongs to."""

    kind: Literal["reference"]
    to: str = _one_of("entities")
    spread: Literal["even", "uneven"]


class Count(_Attribute):
    """How many things of another kind refer to this one."""

    kind: Literal["count"]
    of: str = _one_of("entities")
    by: Name


Attribute = Annotated[Number | Formula | Year | Day | Category | YesNo | Reference | Count, Field(discriminator="kind")]


class Observed(Piece):
    """A value of the thing that is observed period by period."""

    name: Name
    label: Words
    every: Literal["month", "quarter", "year"]
    first: str = Field(min_length=4, max_length=7)
    last: str = Field(min_length=4, max_length=7)
    type: Literal["integer", "decimal", "money", "percent"]
    unit: str = _one_of("units")
    currency: str = _one_of("currencies")
    decimals: int = Field(ge=0, le=4)
    start: str = Field(min_length=1, max_length=200)
    growth: float = Field(ge=-0.5, le=0.5)
    spread: float = Field(ge=0.01, le=0.5)


class Details(Piece):
    """The second piece, one for each kind of thing: its attributes, and what is observed of it over time."""

    attributes: list[Attribute] = Field(min_length=2, max_length=12)
    series: list[Observed] = Field(max_length=1)


class Rule(Piece):
    """A rule as SQL, and damage that breaks it."""

    name: Name
    why: str = Field(min_length=1, max_length=200)
    sql: str = Field(min_length=1, max_length=600)
    breaks: str = Field(min_length=1, max_length=300)


class Rules(Piece):
    """The last piece."""

    rules: list[Rule] = Field(max_length=8)


_DROPPED = frozenset({"title", "default", "description", "discriminator", "one_of"})
_LENGTHS = frozenset({"minLength", "maxLength"})
_LANGUAGES = frozenset({"en", "zh"})


def shape(piece: type[Piece], languages: Sequence[str], lists: Mapping[str, Sequence[str]]) -> Shape:
    """What a reply must look like: the piece's JSON Schema without references, in the world's languages alone.

    Args:
        piece: One of `Frame`, `Details` and `Rules`.
        languages: Of the world; each is needed then, and no other may be written.
        lists: By what they list: the texts that a field may hold that is one of a list.

    >>> shape(Rules, ["en"], {}).value["required"]
    ['rules']
    """
    whole = piece.model_json_schema()
    return Shape("json_schema", _plain(whole, whole.get("$defs", {}), languages, lists), piece.__name__.lower())


def _plain(node: Any, known: Mapping[str, Any], languages: Sequence[str], lists: Mapping[str, Sequence[str]]) -> Any:
    if isinstance(node, list):
        return [_plain(each, known, languages, lists) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _plain(known[node["$ref"].rpartition("/")[2]], known, languages, lists)
    if "one_of" in node:
        return {"type": "string", "enum": list(lists[node["one_of"]])}
    plain: dict[str, Any] = {}
    # A server's grammars know either; how long such a text may be is seen when it is read.
    dropped = _DROPPED | _LENGTHS if "pattern" in node else _DROPPED
    for key, value in node.items():
        if key == "properties":
            kept = {name: each for name, each in value.items() if name not in _LANGUAGES or name in languages}
            plain[key] = {name: _plain(each, known, languages, lists) for name, each in kept.items()}
            plain["required"] = list(kept)
        elif key == "oneOf":
            plain["anyOf"] = _plain(value, known, languages, lists)
        elif key not in dropped and key not in ("$defs", "required"):
            plain[key] = _plain(value, known, languages, lists)
    return plain
