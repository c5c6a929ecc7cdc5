"""A schema as plain data that can be changed, and read back as a checked schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from worldgen.errors import SchemaError
from worldgen.facts.plan import check_plan
from worldgen.facts.reading import vocabulary
from worldgen.schema import Schema, canonical
from worldgen.schema.checks import Check, check_schema

Plain = dict[str, Any]


@dataclass(slots=True)
class Outline:
    """A schema under change.

    Attributes:
        plain: The schema as `worldgen.schema.canonical` writes it, to be changed in place.
        checks: How many checks the schema had before anything was changed.
        rows: How many rows of entities it had, as far as it counts them.
        changes: What was changed, each in words.
    """

    plain: Plain
    checks: int = 0
    rows: int = 0
    changes: list[str] = field(default_factory=list)

    @staticmethod
    def of(schema: Schema) -> Outline:
        """The outline of a schema, with nothing changed yet."""
        rows = sum(entity.count or 0 for entity in schema.entities.values())
        return Outline(json.loads(canonical(schema)), len(schema.checks), rows)

    def copy(self) -> Outline:
        """Another one that changes apart from this."""
        return Outline(json.loads(json.dumps(self.plain)), self.checks, self.rows, list(self.changes))

    def schema(self) -> Schema:
        """The schema as it stands, its nodes checked and nothing else.

        Raises:
            SchemaError: A node is wrong.
        """
        try:
            return Schema.model_validate_json(json.dumps(self.plain), strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise SchemaError("variation.node", f"{place}: {first['msg']}", got=repr(first["input"])[:80]) from error

    def checked(self, *further: Check) -> Schema:
        """The schema as it stands, checked whole.

        Raises:
            SchemaErrors: What is wrong with it.
        """
        schema = self.schema()
        check_schema(schema, vocabulary=vocabulary(), further=(check_plan, *further))
        return schema

    def section(self, name: str) -> Plain:
        """A section of the schema, made where there is none."""
        found: Plain = self.plain.setdefault(name, {})
        return found

    def attributes(self) -> Iterator[tuple[str, str, Plain]]:
        """Every attribute that an author wrote: (table, name, attribute)."""
        for section in ("entities", "relations"):
            for table, node in self.plain.get(section, {}).items():
                for name, attribute in node.get("attributes", {}).items():
                    yield table, name, attribute

    def texts(self) -> Iterator[str]:
        """Every text of the schema, keys included."""
        yield from _texts(self.plain)


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from _texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value)
