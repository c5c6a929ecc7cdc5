"""Fills a schema: `generate` walks the plan node by node, each with streams of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.given import Given, named, verify
from worldgen.facts.naming import (
    Claims,
    add_aliases,
    coined,
    entity_names,
    relation_phrases,
    scope_name,
    series_phrases,
)
from worldgen.facts.paths import Draft
from worldgen.facts.plan import Plan, plan
from worldgen.facts.refs import draw_pairs
from worldgen.facts.series import draw_series
from worldgen.facts.settle import ids
from worldgen.facts.tables import Column, Facts, Table
from worldgen.facts.values import column_of, degree_weight, disclosed, draw_attribute, to_grid
from worldgen.schema.layout import categories_of, series_table
from worldgen.schema.model import Attribute, ProcessUse, Schema
from worldgen.seeds import stream

_NUMBERS = {"integer", "decimal", "money", "percent", "year", "boolean"}


def generate(schema: Schema, seed: int, *, avoid: frozenset[str] = frozenset(), given: Given | None = None) -> Facts:
    """Draw all facts of a world.

    Args:
        schema: A checked schema.
        seed: The world's seed.
        avoid: Names that must not occur, e.g. `names_of` a world beside which this one is searched.
        given: Names and values that are taken as they are, in place of draws.

    Returns:
        Tables and columns in the order of the schema. The schema's SQL checks are not run here.

    Raises:
        SchemaError: The schema contradicts itself, e.g. by a cycle.
        GenerationError: Its rules could not be satisfied; the message names rows.
    """
    return _Generator(schema, seed, avoid, given or Given()).run()


class _Generator:
    def __init__(self, schema: Schema, seed: int, avoid: frozenset[str], given: Given) -> None:
        self.schema = schema
        self.plan: Plan = plan(schema)
        self.draft = Draft(schema, seed, self.plan.layout, given=given)
        self.claims = Claims(avoid)
        self.produced: dict[str, dict[str, tuple[NDArray[Any], str, str]]] = {}

    def run(self) -> Facts:
        self._reserve()
        scope = scope_name(self.draft, self.claims)
        for table, part in self.plan.order:
            if table == "":
                self._run_process(int(part))
            elif part == "id":
                self._begin(table)
            elif part == "name":
                self._name(table)
            else:
                self._attribute(table, part)
        self._check_validity()
        for table in self.plan.layout:
            add_aliases(self.draft, table, self.claims)
        return Facts(self.schema, self.draft.seed, scope, {name: self._ordered(name) for name in self.plan.layout})

    def _reserve(self) -> None:
        """Keep given names from everything that is coined."""
        for name in self.draft.given.coined():
            if not self.claims.reserve(name):
                raise GenerationError(
                    "facts.given-name", f"two things are given the name {name!r}, or one that differs by a space",
                    expected="a name of its own for each",
                )  # fmt: skip
        for (table, name), told in self.draft.given.values.items():
            spec = self.plan.layout[table][name].attribute
            if spec is not None and spec.name is not None:
                for each in told.values():
                    self.claims.reserve(each.value)

    def _check_validity(self) -> None:
        for name, relation in self.schema.relations.items():
            valid, table = relation.valid, self.draft.tables.get(name)
            if valid is None or valid.end is None or table is None:
                continue
            wrong = np.flatnonzero(table.columns[valid.end].values < table.columns[valid.start].values)
            if len(wrong):
                raise GenerationError(
                    "facts.validity", f"{name}: {valid.end} lies before {valid.start} in {ids(name, wrong)}",
                    expected="from <= to in every row", fix=f"bound {valid.end} by `after: {valid.start}`",
                )  # fmt: skip

    def _ordered(self, name: str) -> Table:
        table = self.draft.tables[name]
        table.columns = {column: table.columns[column] for column in self.plan.layout[name] if column in table.columns}
        return table

    def _begin(self, name: str) -> None:
        if name in self.schema.entities:
            entity = self.schema.entities[name]
            size = entity.count if entity.count is not None else self._made_rows(name)
            named, key = entity.name is not None, () if entity.name is not None else tuple(entity.key or ())
            self.draft.tables[name] = Table(
                name=name, kind="entity", size=size, columns={}, names=[], named=named, key=key
            )
        elif name in self.schema.relations:
            self._begin_relation(name)
        else:
            own = next(n for n, series in self.schema.series.items() if series_table(n, series) == name)
            draw_series(self.draft, self.plan, own, self.schema.series[own])

    def _made_rows(self, name: str) -> int:
        columns = self.produced.get(name, {})
        return len(next(iter(columns.values()))[0]) if columns else 0

    def _begin_relation(self, name: str) -> None:
        relation = self.schema.relations[name]
        sizes = self.draft.size(relation.source), self.draft.size(relation.target)
        weight = degree_weight(
            self.draft, self.plan, relation.target, relation.degree.weight if relation.degree is not None else None
        )
        rng = stream(self.draft.seed, "facts", name, "pairs")
        pairs = draw_pairs(relation, *sizes, rng, weight=weight, where=name)
        columns = {
            role: Column(role, "ref", rows, np.ones(len(rows), dtype=np.bool_), target=target)
            for role, rows, target in zip(relation.columns, pairs, (relation.source, relation.target), strict=True)
        }
        self.draft.tables[name] = Table(
            name=name, kind="relation", size=len(pairs[0]), columns=columns, names=[], named=False,
            key=relation.columns,
        )  # fmt: skip

    def _name(self, name: str) -> None:
        table = self.draft.tables[name]
        if table.kind == "entity":
            table.names = entity_names(self.draft, name, self.claims)
        elif table.kind == "relation":
            table.names = relation_phrases(self.draft, name)
        else:
            table.names = series_phrases(self.draft, table)

    def _attribute(self, table: str, name: str) -> None:
        spec = self.plan.layout[table][name].attribute
        assert spec is not None
        made = self.produced.get(table, {})
        if spec.name is not None:
            column = self._coined(table, name, spec)
        elif name in made and (spec.process or spec.ref is not None):
            column = self._filled(table, name, spec, *made[name])
        elif spec.process:
            raise SchemaError(
                "schema.process-column", f"{table}.{name}: no process fills it",
                expected=" or ".join(made) or "a process", got=name,
            )  # fmt: skip
        else:
            column = draw_attribute(self.draft, self.plan, table, name)
        self._mirror(table, column)
        verify(self.draft.given, table, column)
        self.draft.tables[table].columns[name] = column

    def _coined(self, table: str, name: str, spec: Attribute) -> Column:
        size = self.draft.size(table)
        column = column_of(name, spec, np.arange(size, dtype=np.int64), np.ones(size, dtype=np.bool_))
        column.given = disclosed(self.draft, table, name, spec.undisclosed)
        column.texts = coined(
            spec.name or "", spec.culture or self.schema.cultures, size, self.claims, seed=self.draft.seed, table=table,
            part=name,
        )  # fmt: skip
        for row, told in self.draft.given.column(table, name).items():
            column.texts[row] = named(told.value, column.texts[row])
        return column

    def _mirror(self, table: str, column: Column) -> None:
        """Both directions of a symmetric pair have the same values."""
        relation = self.schema.relations.get(table)
        if relation is not None and relation.symmetric and relation.source == relation.target:
            half = self.draft.size(table) // 2
            column.values[half:] = column.values[:half]
            column.given[half:] = column.given[:half]
            if column.texts is not None:
                column.texts[half:] = column.texts[:half]

    # Processes

    def _run_process(self, number: int) -> None:
        use, process = self.plan.processes[number]
        given = process.read(use.given)
        rng = stream(self.draft.seed, "facts", "process", use.use, number)
        made = process.run(given, self.draft, use.fills, rng)
        for own, entity in use.fills.items():
            columns = made[own]
            self._check_rows(use, own, entity, columns)
            for column, values in columns.items():
                kind, _, parameter = process.tables[own][column].partition(":")
                # A ref leads to the entity that a parameter names, or to another table of the process itself.
                own_table = parameter in process.tables
                target = use.fills.get(parameter, "") if own_table else str(getattr(given, parameter, "") or "")
                self.produced.setdefault(entity, {})[column] = (values, kind, target)

    def _check_rows(self, use: ProcessUse, own: str, entity: str, columns: Mapping[str, NDArray[Any]]) -> None:
        sizes = {len(values) for values in columns.values()}
        count = self.schema.entities[entity].count
        if len(sizes) != 1 or (count is not None and sizes != {count}):
            raise GenerationError(
                "facts.process-rows", f"process {use.use} makes {own} rows for entity {entity}",
                expected=f"{count} rows" if count is not None else "columns of one length", got=str(sorted(sizes)),
            )  # fmt: skip

    def _filled(self, table: str, name: str, spec: Attribute, values: NDArray[Any], kind: str, target: str) -> Column:
        where = f"{table}.{name}"
        fits = spec.kind == kind or (spec.kind in _NUMBERS and kind in _NUMBERS)
        if not fits or (kind == "ref" and spec.ref != target):
            raise SchemaError(
                "schema.process-type", f"{where} is filled by a process", expected=f"ref: {target}" if target else kind,
                got=f"ref: {spec.ref}" if spec.ref else spec.kind,
            )  # fmt: skip
        if kind == "category":
            stored = self._indices(where, categories_of(spec), values)
        else:
            stored = to_grid(values.astype(np.float64), spec.decimals, 1, where)
        return column_of(name, spec, stored, disclosed(self.draft, table, name, spec.undisclosed))

    def _indices(self, where: str, categories: tuple[str, ...], values: NDArray[Any]) -> NDArray[np.int64]:
        place = {key: index for index, key in enumerate(categories)}
        unknown = sorted({str(value) for value in values.tolist()} - set(place))
        if unknown:
            raise SchemaError(
                "schema.process-category", f"{where} is filled by a process",
                expected="a value for " + ", ".join(unknown), got=", ".join(categories),
            )  # fmt: skip
        return np.array([place[str(value)] for value in values.tolist()], dtype=np.int64)
