"""A schema as YAML that the loader reads back to the same schema."""

from __future__ import annotations

import json
from typing import Any

import yaml

from worldgen.schema import Schema, canonical


class _Dumper(yaml.SafeDumper):
    """Quotes whatever the strict loader would not take for text."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    plain = text.replace("_", "").isalpha() and text.lower() not in _WORDS
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})
_Dumper.add_representer(str, _text)


def as_yaml(schema: Schema, heading: str = "") -> str:
    """The schema as a file, with a comment on top.

    >>> from worldgen.schema.loader import load_schema, parse_schema
    >>> schema = load_schema("software-company")
    >>> canonical(parse_schema(as_yaml(schema))) == canonical(schema)
    True
    """
    plain: dict[str, Any] = json.loads(canonical(schema))
    order = [name for name in type(schema).model_fields if name in plain]
    body = yaml.dump(
        {name: plain[name] for name in order}, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=120
    )
    return "".join(f"# {line}\n" for line in heading.splitlines()) + body
