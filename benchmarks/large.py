"""The benchmark's own market, at any size: towns, companies and products in the proportion 1 : 2 : 7."""

from __future__ import annotations

from pathlib import Path

from worldgen.schema import Schema, load_schema

_FILE = Path(__file__).with_name("large.yaml")


def market(entities: int) -> Schema:
    """The schema with so many entities in all, at least 10."""
    schema = load_schema(str(_FILE))
    counts = {name: entity.count or 0 for name, entity in schema.entities.items()}
    whole = sum(counts.values())
    scaled = {
        name: entity.model_copy(update={"count": max(1, counts[name] * entities // whole)})
        for name, entity in schema.entities.items()
    }
    return schema.model_copy(update={"entities": scaled})
