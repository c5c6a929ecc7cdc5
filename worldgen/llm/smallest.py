"""The smallest thing that a JSON Schema allows, which a fake says where a shape is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def smallest(schema: Mapping[str, Any]) -> Any:
    """A smallest instance of a JSON Schema without references; ``pattern`` and ``format`` are not looked at.

    >>> smallest({"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}, "s": {}}, "required": ["n"]})
    {'n': 3}
    """
    for word in ("const", "default"):
        if word in schema:
            return schema[word]
    if schema.get("enum"):
        return schema["enum"][0]
    for word in ("anyOf", "oneOf", "allOf"):
        if schema.get(word):
            return smallest(schema[word][0])
    kind = schema.get("type", "object" if "properties" in schema else "null")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: smallest(properties.get(name, {})) for name in schema.get("required", ())}
    if kind == "array":
        return [smallest(schema.get("items", {})) for _ in range(schema.get("minItems", 0))]
    if kind == "string":
        return "x" * int(schema.get("minLength", 0))
    if kind in {"integer", "number"}:
        return schema.get("minimum", min(0, schema.get("maximum", 0)))
    return False if kind == "boolean" else None
