"""Which schemas come with worldgen, wherever it is installed.

A wheel holds them in the package (`worldgen/schemas/`), a clone and an editable install beside it (`schemas/`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldgen.schema.model import Schema


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list of schemas.

    Attributes:
        name: What `load_schema` takes.
        strategy: The schema's strategy.
        rows: Rows that the schema states; those that a process makes are not counted.
        tables: Number of tables.
        title: English title, else the first one.
    """

    name: str
    strategy: str
    rows: int
    tables: int
    title: str


def shipped() -> dict[str, Path]:
    """Name → file of every shipped schema, by name.

    >>> all(path.suffix == ".yaml" for path in shipped().values())
    True
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "schemas", package.parent / "schemas"):
        found = sorted(folder.glob("*.yaml"))
        if found:
            return {path.stem: path for path in found}
    return {}


def describe() -> list[Row]:
    """What the shipped schemas are, by name.

    Raises:
        SchemaErrors: A shipped schema is broken.
    """
    from worldgen.schema.loader import load_schema

    rows = []
    for name, path in shipped().items():
        schema = load_schema(path)
        title = schema.title.get("en") or next(iter(schema.title.values()), name)
        rows.append(Row(name, schema.strategy, stated_rows(schema), table_count(schema), title))
    return rows


def table_count(schema: Schema) -> int:
    """How many tables the schema has: entities, many-to-many relations, series."""
    from worldgen.schema.layout import tables

    return len(tables(schema))


def stated_rows(schema: Schema) -> int:
    """How many rows the schema states, relations by their mean degree; without those that processes make."""
    from worldgen.schema.periods import ordinal

    counts = {name: entity.count or 0 for name, entity in schema.entities.items()}
    total = sum(counts.values())
    for relation in schema.relations.values():
        if relation.cardinality == "many_to_many" and relation.degree is not None and relation.degree.mean is not None:
            total += round(counts.get(relation.source, 0) * relation.degree.mean)
    for series in schema.series.values():
        periods = ordinal(series.end, series.every) - ordinal(series.start, series.every) + 1
        total += counts.get(series.of, 0) * max(periods, 0)
    return total
