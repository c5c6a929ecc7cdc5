"""The one text form of a schema, for its digest: what decides a world, nothing else.

Keys of the schema language are sorted and defaults left out, so comments, layout and spelling of numbers do not
matter. The order of the author's own names is kept: categories are drawn and tables written in that order.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any, cast

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from worldgen.schema.model import Schema


def canonical(schema: Schema) -> str:
    """The schema as compact JSON."""
    return json.dumps(_plain(schema), ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def from_canonical(text: str) -> Schema:
    """The schema that `canonical` wrote; it has been checked before and is not checked again."""
    return Schema.model_validate_json(text, strict=True)


def schema_digest(schema: Schema) -> str:
    """SHA-256 of the canonical form, in hex."""
    return sha256(canonical(schema).encode("utf-8")).hexdigest()


def default_of(field: FieldInfo) -> Any:
    """What a key is where it is not given; `PydanticUndefined` where it must be."""
    factory = cast("Callable[[], Any] | None", field.default_factory)
    return field.default if factory is None else factory()


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return dict(sorted(_fields(value)))
    if isinstance(value, dict):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dt.date):
        return value.isoformat()
    return value


def _fields(node: BaseModel) -> list[tuple[str, Any]]:
    found = []
    for name, field in type(node).model_fields.items():
        value = getattr(node, name)
        default = default_of(field)
        if default is PydanticUndefined or value != default:
            found.append((field.alias or name, _plain(value)))
    return found


def _key(key: Any) -> str:
    return json.dumps(key) if isinstance(key, float) else str(key)
