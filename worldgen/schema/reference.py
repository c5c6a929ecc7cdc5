"""The schema language's reference, made from its models so that it cannot drift.

python -m worldgen.schema.reference > docs/schema.json

`worldgen.reference` completes the page for readers by what stands above this package.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
import types
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from worldgen.schema.canonical import default_of
from worldgen.schema.expressions import FUNCTIONS
from worldgen.schema.model import AttributeType, Schema
from worldgen.schema.sources import IMPLYING, SOURCES, sources_of

_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false", dt.date: "date", Any: "anything"}
_HEAD = """# The schema language

A schema is one YAML file. This page is made from the models that read it (`python -m worldgen.reference`);
`docs/schema.json` is the same for editors.

Keys are text as written. Plain scalars are numbers, `true`, `false`, `null` or text; `yes`, `no`, `on`, `off` must be
quoted as values. Tags, anchors and aliases are refused, and so is a key given twice. Where several wordings may be
given, one text stands for a list of one.

An attribute has exactly one source of values: {sources}.

Each type can come from some of them only; `type` need not be written beside {implying}.

{made}

A boolean is drawn by `empirical: {{0: 7, 1: 3}}` (seven of ten are false), a category by `values`.
A category that a process fills has both `process: true` and `values`, which list what the process may pick.

Texts that pages show (labels, wordings, nouns, phrases, templates, titles, names of sites) have at most 80 characters,
sentences (`say`, `reasons`) at most 400, the premise at most 1,000. They are one line without control characters and
without the signs `| [ ] {{ }} < > * \\ # _ /` and the backquote, which pages and grammars read as their own; braces
hold placeholders where there are any, and `/` parts an English noun's `one/many`.

Expressions know numbers, `'text'`, paths (`price`, `maker.founded`), `+ - * / **`, comparisons, `in`, `and`, `or`,
`not`, and {functions}. A date is not a year: `year(released)` is one.

Checks are SQL for SQLite with the function `year(date)`. A table has the column `id` (`maker/3`), `name` and
`name_zh` where its rows are named, and one column for each attribute; an attribute that is a coined name has a second
column `<attribute>_zh`. A ref holds the id of the row it refers to, a category its key, a date its ISO form, a boolean
0 or 1. A many-to-many relation is a table; any other relation is a ref on its many side. The table of a series is
`<entity>_<series>` with the columns `<entity>`, `period` and `<series>`.
"""


def markdown() -> str:
    """The reference as Markdown."""
    head = _HEAD.format(
        sources=_listed(SOURCES),
        implying=_listed(IMPLYING),
        made=_made(),
        functions=_listed(f"{function}()" for function in FUNCTIONS),
    )
    return head + "".join(_section(model) for model in _models())


def _made() -> str:
    rows = [f"| `{kind}` | {_listed(sources_of(kind))} |" for kind in typing.get_args(AttributeType)]
    return "\n".join(["| type | sources that make it |", "|---|---|", *rows])


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def json_schema() -> str:
    """The JSON Schema for editors, as text."""
    return json.dumps(Schema.model_json_schema(by_alias=True), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _models() -> list[type[BaseModel]]:
    """Every model, each after the first that mentions it."""
    found: list[type[BaseModel]] = [Schema]
    for model in found:
        for field in model.model_fields.values():
            found += [inner for inner in _mentioned(field.annotation) if inner not in found]
    return found


def _mentioned(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    inner = [model for argument in typing.get_args(annotation) for model in _mentioned(argument)]
    return list(dict.fromkeys(inner))


def _section(model: type[BaseModel]) -> str:
    text = " ".join((model.__doc__ or "").split())
    rows = [_row(name, field) for name, field in model.model_fields.items()]
    table = "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *rows])
    return f"\n## {model.__name__}\n\n{text}\n\n{table}\n"


def _row(name: str, field: FieldInfo) -> str:
    cells = (
        f"`{field.alias or name}`",
        _kind(field.annotation) + _limits(field),
        _default(field),
        field.description or "",
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _kind(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _kind(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_kind(argument) for argument in arguments if argument is not type(None)))
    if origin is typing.Literal:
        return ", ".join(f"`{word}`" for word in arguments)
    if origin is list:
        return f"list of {_kind(arguments[0])}"
    if origin is tuple:
        return f"[{', '.join(_kind(argument) for argument in arguments)}]"
    if origin is dict:
        return f"{_kind(arguments[0])} → {_kind(arguments[1])}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    return _WORDS[annotation]


def _limits(field: FieldInfo) -> str:
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    found = [
        f"{sign} {getattr(limit, key):,.10g}"
        for limit in field.metadata
        for key, sign in signs.items()
        if getattr(limit, key, None) is not None
    ]
    return f", {', '.join(found)}" if found else ""


def _default(field: FieldInfo) -> str:
    value = default_of(field)
    if value is PydanticUndefined:
        return "**needed**"
    if value is None or value == {} or value == []:
        return ""
    if isinstance(value, BaseModel):
        return "its defaults"
    return f"`{json.dumps(value)}`"


if __name__ == "__main__":
    sys.stdout.write(json_schema())
