"""What every check of a schema works with: the schema, its tables, its languages, and the report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from worldgen.records import Language
from worldgen.schema.layout import Field, Fields, PathError, relation_ref, resolve, series_table, tables
from worldgen.schema.model import Attribute, Schema
from worldgen.schema.problems import Path, Report

NUMERIC = frozenset({"integer", "decimal", "money", "percent"})
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Place:
    """One attribute with the table it belongs to and where it stands in the file."""

    table: str
    name: str
    attribute: Attribute
    at: Path


@dataclass(frozen=True, slots=True)
class Context:
    """A schema under examination.

    Attributes:
        schema: The schema.
        layout: Its tables.
        languages: Every language that its pages or questions use.
        report: Where problems go.
    """

    schema: Schema
    layout: dict[str, Fields]
    languages: tuple[Language, ...]
    report: Report

    @staticmethod
    def of(schema: Schema, report: Report) -> Context:
        """The context of a schema."""
        return Context(schema, tables(schema), used_languages(schema), report)

    def places(self) -> Iterator[Place]:
        """Every attribute that the author wrote: of entities and of relations."""
        for name, entity in self.schema.entities.items():
            for key, attribute in entity.attributes.items():
                yield Place(name, key, attribute, ("entities", name, "attributes", key))
        for name, relation in self.schema.relations.items():
            place = relation_ref(relation)
            for key, attribute in relation.attributes.items():
                table = name if place is None else place[0]
                yield Place(table, key, attribute, ("relations", name, "attributes", key))

    def field(self, table: str, column: str) -> Field | None:
        """A column, if there is such a one."""
        return self.layout.get(table, {}).get(column)

    def follow(self, table: str, path: str, at: Path) -> list[tuple[str, str]]:
        """The steps of a path; a path that leads nowhere is reported and has none."""
        try:
            return resolve(self.layout, table, path)
        except PathError as error:
            self.report.unknown("attribute", error.word, error.known, at)
            return []

    def end(self, table: str, path: str, at: Path) -> Field | None:
        """The column that a path ends in; None, reported, where it leads nowhere."""
        steps = self.follow(table, path, at)
        return self.layout[steps[-1][0]][steps[-1][1]] if steps else None

    def count(self, entity: str) -> int | None:
        """Rows of an entity, where the schema states them."""
        found = self.schema.entities.get(entity)
        return found.count if found is not None else None


def used_languages(schema: Schema) -> tuple[Language, ...]:
    """The languages of the questions and of the sites, in their fixed order."""
    used = set(schema.languages)
    for site in schema.sites:
        used |= set(site.languages)
    return tuple(language for language in get_args(Language) if language in used)


def series_tables(schema: Schema) -> dict[str, str]:
    """Table → name of the series."""
    return {series_table(name, series): name for name, series in schema.series.items()}
