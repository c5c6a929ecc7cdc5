"""Which words a schema borrows from elsewhere, and whether they exist there.

Units, cultures and kinds of names belong to `worldgen.language`, processes to `worldgen.facts`. This package stands
below both, so what they know is handed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from worldgen.schema.model import Schema
from worldgen.schema.problems import Path, Report

_MEASURED = ("integer", "decimal")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that exist outside a schema.

    Attributes:
        units: Units of values.
        cultures: Cultures of coined names.
        kinds: Kinds of coined names.
        processes: Processes that fill tables.
    """

    units: frozenset[str]
    cultures: frozenset[str]
    kinds: frozenset[str]
    processes: frozenset[str]


def check_vocabulary(schema: Schema, vocabulary: Vocabulary, report: Report) -> None:
    """Report every borrowed word that does not exist."""
    known = {
        "unit": vocabulary.units,
        "culture": vocabulary.cultures,
        "name kind": vocabulary.kinds,
        "process": vocabulary.processes,
    }
    for what, word, at in _borrowed(schema):
        if word not in known[what]:
            report.unknown(what, word, sorted(known[what]), at)


def _borrowed(schema: Schema) -> Iterator[tuple[str, str, Path]]:
    """What kind of word, the word, and where it stands."""
    yield from _cultures(schema.cultures, ("cultures",))
    yield "name kind", schema.scope.kind, ("scope", "kind")
    yield from _cultures(schema.scope.culture, ("scope", "culture"))
    for name, entity in schema.entities.items():
        if entity.name is not None:
            at: Path = ("entities", name, "name")
            if entity.name.kind is not None:
                yield "name kind", entity.name.kind, (*at, "kind")
            yield from _cultures(entity.name.culture, (*at, "culture"))
    yield from _of_attributes(schema)
    for name, series in schema.series.items():
        if series.unit is not None and series.type in _MEASURED:
            yield "unit", series.unit, ("series", name, "unit")
    for position, process in enumerate(schema.processes):
        yield "process", process.use, ("processes", position, "use")


def _of_attributes(schema: Schema) -> Iterator[tuple[str, str, Path]]:
    for section, nodes in (("entities", schema.entities), ("relations", schema.relations)):
        for name, node in nodes.items():
            for key, attribute in node.attributes.items():
                at: Path = (section, name, "attributes", key)
                if attribute.unit is not None and attribute.kind in _MEASURED:
                    yield "unit", attribute.unit, (*at, "unit")
                if attribute.name is not None:
                    yield "name kind", attribute.name, (*at, "name")
                yield from _cultures(attribute.culture, (*at, "culture"))


def _cultures(names: list[str] | None, at: Path) -> Iterator[tuple[str, str, Path]]:
    for position, name in enumerate(names or ()):
        yield "culture", name, (*at, position)
