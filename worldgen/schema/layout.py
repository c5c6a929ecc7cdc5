"""The tables of a schema: what is stored, under which column, of which type.

Pure data. The store makes its tables from it, checks are compiled against it, tasks and facts resolve their paths
over it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from worldgen.schema.model import Attribute, AttributeType, Relation, Schema, Series
from worldgen.schema.problems import Path

SqlType = Literal["INTEGER", "REAL", "TEXT"]
FieldKind = AttributeType | Literal["id", "period"]
_SQL: dict[str, SqlType] = {
    "integer": "INTEGER",
    "year": "INTEGER",
    "boolean": "INTEGER",
    "decimal": "REAL",
    "money": "REAL",
    "percent": "REAL",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a table.

    Attributes:
        kind: What it holds.
        sql: Its SQL type.
        target: For an id its own table, for a ref the table referred to.
        categories: For a category its keys, in order.
        attribute: The node it comes from; None for ids, names, roles, periods and values of series.
        origin: Path of that node in the schema.
    """

    kind: FieldKind
    sql: SqlType
    target: str | None = None
    categories: tuple[str, ...] = ()
    attribute: Attribute | None = None
    origin: Path = ()


Fields = dict[str, Field]


def sql_type(kind: str, decimals: int = 0) -> SqlType:
    """The SQL type of a column.

    >>> sql_type("money"), sql_type("money", 2), sql_type("date")
    ('INTEGER', 'REAL', 'TEXT')
    """
    found = _SQL.get(kind, "TEXT")
    return "INTEGER" if found == "REAL" and decimals == 0 else found


def categories_of(attribute: Attribute) -> tuple[str, ...]:
    """The keys of a category in order: its values, or what its dependency maps to."""
    if attribute.values is not None:
        return tuple(attribute.values)
    if attribute.depends is not None and attribute.kind == "category":
        return tuple(dict.fromkeys(str(value) for value in attribute.depends.map.values()))
    return ()


def series_table(name: str, series: Series) -> str:
    """The table of a series: `<entity>_<series>`."""
    return f"{series.of}_{name}"


def relation_ref(relation: Relation) -> tuple[str, str, str] | None:
    """Where a relation becomes a ref: (entity that gets the column, column, entity referred to); None for a table."""
    if relation.cardinality == "many_to_many":
        return None
    if relation.cardinality == "one_to_many":
        return relation.target, relation.columns[0], relation.source
    return relation.source, relation.columns[1], relation.target


def relation_attribute(relation: Relation) -> Attribute:
    """The ref that a relation becomes where it is not many-to-many."""
    place = relation_ref(relation)
    return Attribute(
        ref=place[2] if place else relation.target,
        label=relation.label,
        degree=relation.degree,
        acyclic=relation.acyclic,
        distinct=relation.cardinality == "one_to_one",
        known=relation.known,
        changes=relation.changes,
    )


def entity_attributes(schema: Schema, entity: str) -> dict[str, Attribute]:
    """The attributes of an entity: its own, then the refs that relations add, in the order of the schema."""
    found = dict(schema.entities[entity].attributes)
    for relation in schema.relations.values():
        place = relation_ref(relation)
        if place is not None and place[0] == entity and place[1] not in found:
            found[place[1]] = relation_attribute(relation)
    return found


def tables(schema: Schema) -> dict[str, Fields]:
    """Every table with its columns: entities, many-to-many relations, series, in the order of the schema."""
    found = {name: _entity_fields(schema, name) for name in schema.entities}
    for name, relation in schema.relations.items():
        if relation.cardinality == "many_to_many" and name not in found:
            found[name] = _relation_fields(name, relation)
    for name, series in schema.series.items():
        found.setdefault(series_table(name, series), _series_fields(name, series))
    return found


def sql_columns(schema: Schema) -> dict[str, dict[str, SqlType]]:
    """Table → column → SQL type, in the order in which the store creates them; `id` is the primary key."""
    return {table: {column: field.sql for column, field in fields.items()} for table, fields in tables(schema).items()}


def _attribute_fields(name: str, attribute: Attribute, origin: Path) -> Fields:
    kind = attribute.kind
    field = Field(
        kind=kind,
        sql=sql_type(kind, attribute.decimals),
        target=attribute.ref,
        categories=categories_of(attribute),
        attribute=attribute,
        origin=origin,
    )
    if kind != "name":
        return {name: field}
    return {name: field, f"{name}_zh": Field("name", "TEXT", attribute=attribute, origin=origin)}


def _entity_fields(schema: Schema, name: str) -> Fields:
    entity = schema.entities[name]
    at: Path = ("entities", name)
    fields = {"id": Field("id", "TEXT", target=name, origin=at)}
    if entity.name is not None:
        for column in ("name", "name_zh"):
            fields[column] = Field("name", "TEXT", origin=(*at, "name"))
    for column, attribute in entity.attributes.items():
        fields |= _attribute_fields(column, attribute, (*at, "attributes", column))
    for key, relation in schema.relations.items():
        place = relation_ref(relation)
        if place is not None and place[0] == name and place[1] not in fields:
            fields |= _attribute_fields(place[1], relation_attribute(relation), ("relations", key))
    return fields


def _relation_fields(name: str, relation: Relation) -> Fields:
    at: Path = ("relations", name)
    fields = {"id": Field("id", "TEXT", target=name, origin=at)}
    for column, target in zip(relation.columns, (relation.source, relation.target), strict=True):
        fields[column] = Field("ref", "TEXT", target=target, origin=at)
    for column, attribute in relation.attributes.items():
        fields |= _attribute_fields(column, attribute, (*at, "attributes", column))
    return fields


def _series_fields(name: str, series: Series) -> Fields:
    at: Path = ("series", name)
    return {
        "id": Field("id", "TEXT", target=series_table(name, series), origin=at),
        series.of: Field("ref", "TEXT", target=series.of, origin=at),
        "period": Field("period", "TEXT", origin=at),
        name: Field(series.type, sql_type(series.type, series.decimals), origin=at),
    }


class PathError(ValueError):
    """A path that leads nowhere; says which word, and what would have been known there."""

    def __init__(self, word: str, known: list[str], reason: str) -> None:
        super().__init__(reason)
        self.word = word
        self.known = known
        self.reason = reason


def resolve(layout: Mapping[str, Fields], table: str, path: str) -> list[tuple[str, str]]:
    """The (table, column) pairs that a path such as `maker.headquarters.country` goes through.

    Raises:
        PathError: A word is no column, or is followed by a dot without being a ref.
    """
    steps: list[tuple[str, str]] = []
    words = path.split(".")
    for position, word in enumerate(words):
        fields = layout.get(table, {})
        if word not in fields:
            raise PathError(word, [name for name in fields if name != "id"], f"`{table}` has no attribute `{word}`")
        steps.append((table, word))
        if position < len(words) - 1:
            field = fields[word]
            if field.kind != "ref" or field.target is None:
                raise PathError(word, [n for n, f in fields.items() if f.kind == "ref"], f"`{word}` is not a ref")
            table = field.target
    return steps
