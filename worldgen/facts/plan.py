"""The order of work: which column needs which, found before anything is drawn.

A node is a pair (table, part): part ``id`` stands for the rows themselves (with the two roles of a relation), ``name``
for the names, otherwise an attribute; (``""``, ``"0"``) is the first process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from worldgen.errors import SchemaError, did_you_mean
from worldgen.facts.processes.process import Process, process_of
from worldgen.schema.context import Context
from worldgen.schema.expressions import Expression, Kind, kind_of, parse
from worldgen.schema.layout import Fields, PathError, resolve, series_table, tables
from worldgen.schema.model import Attribute, Degree, ProcessUse, Schema
from worldgen.schema.problems import Path

Node = tuple[str, str]

_PLACE = re.compile(r"\{([^{}]*)\}")
_KINDS: dict[str, Kind] = {"date": "date", "category": "text", "boolean": "boolean", "ref": "boolean"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What `plan` found.

    Attributes:
        layout: Table → columns.
        order: All nodes, each after those it needs.
        expressions: (table, text) → the parsed expression.
        processes: The schema's processes with their plug-ins, in order.
        made_by: Entity without a count → number of the process that makes its rows.
    """

    layout: Mapping[str, Fields]
    order: tuple[Node, ...]
    expressions: Mapping[tuple[str, str], Expression]
    processes: tuple[tuple[ProcessUse, Process], ...]
    made_by: Mapping[str, int]


def plan(schema: Schema) -> Plan:
    """Find the order of work.

    Raises:
        SchemaError: A cycle, a path that leads nowhere, mixed kinds, or an undisclosed value that others rest on.
    """
    planner = _Planner(schema)
    order = planner.ordered()
    for error, _ in planner.problems:
        raise error
    return Plan(planner.layout, order, planner.expressions, planner.processes, planner.made_by)


def check_plan(context: Context) -> None:
    """Report everything that `plan` would stumble over, each where it stands."""
    planner = _Planner(context.schema)
    planner.ordered()
    for error, at in planner.problems:
        context.report.note(error, at)


def needs_of(schema: Schema) -> dict[Node, tuple[Node, ...]]:
    """Every node with the nodes that it needs, in the order of work.

    Raises:
        SchemaError: As `plan` does.
    """
    planner = _Planner(schema)
    order = planner.ordered()
    for error, _ in planner.problems:
        raise error
    return {node: tuple(planner.needs(node)) for node in order}


def placeholders(template: str) -> list[str]:
    """The paths in braces of a template, in order."""
    return _PLACE.findall(template)


def start_of(schema: Schema, table: str, name: str) -> str | None:
    """The attribute that a relation's end of validity is kept from preceding; None where the start follows from it."""
    relation = schema.relations.get(table)
    if relation is None or relation.valid is None or relation.valid.end != name:
        return None
    start = relation.attributes.get(relation.valid.start)
    follows = start is not None and (start.before == name or name in re.findall(r"\w+", start.expr or ""))
    return None if follows else relation.valid.start


class _Planner:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.layout = tables(schema)
        self.expressions: dict[tuple[str, str], Expression] = {}
        self.processes = tuple((use, process_of(use.use)) for use in schema.processes)
        self.problems: list[tuple[SchemaError, Path]] = []
        self.made_by = self._made_by()
        self._refuse_undisclosed()
        self._needs: dict[Node, list[Node]] = {}

    def _made_by(self) -> dict[str, int]:
        made: dict[str, int] = {}
        for number, (use, process) in enumerate(self.processes):
            for own, entity in use.fills.items():
                at: Path = ("processes", number, "fills", own)
                if own not in process.tables:
                    self._wrong(at, "process-table", f"process {use.use} makes no table {own!r}", process.tables, own)
                elif entity not in self.schema.entities:
                    message = f"process {use.use} fills an unknown entity"
                    self._wrong(at, "unknown-entity", message, self.schema.entities, entity)
                elif self.schema.entities[entity].count is None:
                    made[entity] = number
        for name, entity_node in self.schema.entities.items():
            if entity_node.count is None and name not in made:
                expected = "a count, or a process that fills it"
                error = SchemaError("schema.no-count", f"entity {name}", expected=expected)
                self.problems.append((error, ("entities", name)))
        return made

    def _wrong(self, at: Path, code: str, message: str, known: Iterable[str], got: str) -> None:
        names = list(known)
        fix = did_you_mean(got, names)
        error = SchemaError(f"schema.{code}", message, expected=" or ".join(names), got=repr(got), fix=fix)
        self.problems.append((error, at))

    def _origin(self, node: Node) -> Path:
        """Where a node stands in the schema."""
        table, part = node
        if table == "":
            return ("processes", int(part))
        field = self.layout[table].get(part)
        if field is not None and part not in ("id", "name"):
            return field.origin
        if table in self.schema.entities:
            return ("entities", table)
        return ("relations", table) if table in self.schema.relations else ("series", self._series(table))

    # Order

    def ordered(self) -> tuple[Node, ...]:
        """All nodes, each after its needs, otherwise in the order of the schema."""
        done: dict[Node, None] = {}
        for start in self._nodes():
            self._visit(start, done)
        return tuple(done)

    def _nodes(self) -> Iterator[Node]:
        # Coined names come first, in the order of the schema: which of two like names is coined anew must not depend
        # on what else there is.
        for table, entity in self.schema.entities.items():
            if entity.count is not None:
                yield from ((table, n) for n, a in entity.attributes.items() if a.name is not None)
                if entity.name is not None and entity.name.kind is not None:
                    yield table, "name"
        for number in range(len(self.processes)):
            yield "", str(number)
        for table, fields in self.layout.items():
            yield table, "id"
            for name, field in fields.items():
                if field.attribute is not None and not name.endswith("_zh"):
                    yield table, name
            yield table, "name"

    def _visit(self, start: Node, done: dict[Node, None]) -> None:
        """Depth first without recursion, since a schema may chain thousands of attributes."""
        path: dict[Node, Iterator[Node]] = {}
        if start not in done:
            path[start] = iter(self.needs(start))
        while path:
            node = next(reversed(path))
            for needed in path[node]:
                if needed in path:
                    self._cycle([*list(path)[list(path).index(needed) :], needed])
                elif needed not in done:
                    path[needed] = iter(self.needs(needed))
                    break
            else:
                done[node] = None
                del path[node]

    def _cycle(self, chain: list[Node]) -> None:
        words = " → ".join(f"{table}.{part}" if table else f"process {part}" for table, part in chain)
        error = SchemaError(
            "schema.cycle", "values depend on one another in a circle", got=words, fix="break the circle somewhere"
        )
        self.problems.append((error, self._origin(chain[0])))

    # Needs

    def needs(self, node: Node) -> list[Node]:
        """The nodes that a node needs, each once; none, noted, where that is not to be found out."""
        if node not in self._needs:
            self._needs[node] = []
            try:
                self._needs[node] = list(dict.fromkeys(self._find_needs(node)))
            except SchemaError as error:
                self.problems.append((error, self._origin(node)))
        return self._needs[node]

    def _find_needs(self, node: Node) -> Iterator[Node]:
        table, part = node
        if table == "":
            use, process = self.processes[int(part)]
            for entity, columns in process.needs(process.read(use.given), use.fills).items():
                for column in columns:
                    yield from self._path(entity, column, f"process {use.use}")
                yield entity, "id"
        elif part == "id":
            yield from self._row_needs(table)
        elif part == "name":
            yield from self._name_needs(table)
        else:
            yield table, "id"
            yield from self._attribute_needs(table, part)

    def _row_needs(self, table: str) -> Iterator[Node]:
        if table in self.made_by:
            yield "", str(self.made_by[table])
        relation = self.schema.relations.get(table)
        if relation is not None:
            yield relation.source, "id"
            yield relation.target, "id"
            yield from self._degree(relation.target, relation.degree, table)
        for name, series in self.schema.series.items():
            if series_table(name, series) == table:
                yield series.of, "id"
                yield from self._expression(series.of, series.initial, f"{table}.initial", ("number", "boolean"))

    def _name_needs(self, table: str) -> Iterator[Node]:
        yield table, "id"
        entity, relation = self.schema.entities.get(table), self.schema.relations.get(table)
        if entity is not None:
            template = entity.name.template if entity.name is not None else entity.phrase
            for text in (template or {}).values():
                for place in placeholders(text):
                    yield from self._path(table, place, f"{table}: template", named=True)
            return
        if relation is not None:
            yield relation.source, "name"
            yield relation.target, "name"
            for text in (relation.phrase or {}).values():
                for place in placeholders(text):
                    yield from self._path(table, place, f"{table}: phrase", named=True)
            return
        yield self.schema.series[self._series(table)].of, "name"

    def _series(self, table: str) -> str:
        return next(name for name, series in self.schema.series.items() if series_table(name, series) == table)

    def _attribute_needs(self, table: str, name: str) -> Iterator[Node]:
        spec = self.layout[table][name].attribute
        assert spec is not None
        where = f"{table}.{name}"
        for bound in (spec.after, spec.before):
            if bound is not None and not bound[0].isdigit():
                yield from self._path(table, bound, where)
        entity = self.schema.entities.get(table)
        if entity is not None and entity.name is None and entity.key and entity.key[-1] == name:
            for other in entity.key[:-1]:
                yield from self._path(table, other, where)
        start = start_of(self.schema, table, name)
        if start is not None:
            yield from self._path(table, start, where)
        yield from self._source_needs(table, spec, where)
        if spec.ref is not None:
            yield spec.ref, "id"
            yield from self._degree(spec.ref, spec.degree, where)
        for number, (use, process) in enumerate(self.processes):
            for own, entity_name in use.fills.items():
                if entity_name == table and name in process.tables.get(own, ()):
                    yield "", str(number)

    def _source_needs(self, table: str, spec: Attribute, where: str) -> Iterator[Node]:
        if spec.expr is not None:
            wanted: Kind = _KINDS.get(spec.kind, "number")
            allowed: tuple[Kind, ...] = ("number", "boolean") if wanted in {"number", "boolean"} else (wanted,)
            yield from self._expression(table, spec.expr, where, allowed)
        elif spec.depends is not None:
            yield from self._path(table, spec.depends.on, where)
        elif spec.rank is not None:
            yield from self._path(table, spec.rank.of, where)
        elif spec.share is not None:
            yield from self._expression(table, spec.share.weight, where, ("number", "boolean"))
            if spec.share.within is not None:
                yield from self._path(table, spec.share.within, where)
        elif spec.aggregate is not None:
            other = spec.aggregate
            for column in (other.by, *([other.of] if other.of else [])):
                yield from self._path(other.table, column, where)

    def _degree(self, target: str, degree: Degree | None, where: str) -> Iterator[Node]:
        if degree is not None and degree.weight is not None:
            yield from self._expression(target, degree.weight, f"{where}: degree", ("number", "boolean"))

    def _expression(self, table: str, text: str, where: str, allowed: tuple[Kind, ...]) -> Iterator[Node]:
        expression = parse(text, where)
        needed = [node for path in expression.paths for node in self._path(table, path, where)]
        found = kind_of(expression, lambda path: self._kind(table, path, where))
        if found not in allowed:
            raise SchemaError("schema.kind", f"{where}: `{text}`", expected=allowed[0], got=found)
        self.expressions[table, text] = expression
        yield from needed

    def _kind(self, table: str, path: str, where: str) -> Kind:
        last_table, column = resolve(self.layout, table, path)[-1]
        kind = self.layout[last_table][column].kind
        if kind in {"id", "name"}:
            raise SchemaError("schema.kind", f"{where}: `{path}`", expected="a number, date or category", got=kind)
        return _KINDS.get(kind, "number")

    def _path(self, table: str, path: str, where: str, *, named: bool = False) -> Iterator[Node]:
        try:
            steps = resolve(self.layout, table, path)
        except PathError as error:
            raise SchemaError(
                "schema.unknown-path", f"{where}: `{path}` leads nowhere: {error.reason}",
                expected=", ".join(error.known), got=repr(error.word), fix=did_you_mean(error.word, error.known),
            ) from error  # fmt: skip
        for step_table, column in steps:
            yield step_table, "id"
            field = self.layout[step_table][column]
            if field.attribute is not None:
                yield step_table, column
            elif column in {"name", "name_zh"}:
                yield step_table, "name"
        last_table, column = steps[-1]
        target = self.layout[last_table][column].target
        if named and target is not None:
            yield target, "name"

    # Undisclosed

    def _refuse_undisclosed(self) -> None:
        """Values that others rest on must be disclosed."""
        for table, fields in self.layout.items():
            for name, field in fields.items():
                if field.attribute is not None and not name.endswith("_zh"):
                    for other, path, use in self._rests_on(table, field.attribute):
                        self._disclosed(other, path, f"{table}.{name}", use, field.origin)
        for table, entity in self.schema.entities.items():
            at: Path = ("entities", table)
            for path in entity.key or ():
                self._disclosed(table, path, table, "a key", (*at, "key"))
            template = entity.name.template if entity.name is not None else entity.phrase
            for path in dict.fromkeys(p for text in (template or {}).values() for p in placeholders(text)):
                self._disclosed(table, path, table, "a name", (*at, "phrase" if entity.name is None else "name"))
        for key, check in self.schema.checks.items():
            self._check_disclosed(key, check.sql)

    def _rests_on(self, table: str, spec: Attribute) -> Iterator[tuple[str, str, str]]:
        """Table, path from it, and what for."""
        for bound in (spec.after, spec.before):
            if bound is not None and not bound[0].isdigit():
                yield table, bound, "a bound"
        if spec.rank is not None:
            yield table, spec.rank.of, "a rank"
        if spec.depends is not None:
            yield table, spec.depends.on, "a dependency"
        if spec.aggregate is not None and spec.aggregate.of is not None:
            yield spec.aggregate.table, spec.aggregate.of, "an aggregate"

    def _disclosed(self, table: str, path: str, where: str, use: str, at: Path) -> None:
        try:
            last_table, column = resolve(self.layout, table, path)[-1]
        except PathError:
            return  # reported with its place when the order is found
        field = self.layout[last_table][column]
        if self._rate(last_table, column) > 0:
            error = SchemaError(
                "schema.undisclosed", f"{where}: {use} rests on {last_table}.{column}, which is partly undisclosed",
                expected="a value that is always given", got=f"undisclosed: {self._rate(last_table, column)}",
                fix=f"remove `undisclosed` from {'.'.join(str(part) for part in field.origin) or column}",
            )  # fmt: skip
            self.problems.append((error, at))

    def _rate(self, table: str, column: str) -> float:
        spec = self.layout[table][column].attribute
        if spec is not None:
            return spec.undisclosed
        series = self.schema.series.get(column)
        return series.undisclosed if series is not None and series_table(column, series) == table else 0.0

    def _check_disclosed(self, key: str, sql: str) -> None:
        words = set(re.findall(r"\w+", sql))
        for table in self.layout:
            if table in words:
                for column in self.layout[table]:
                    if column in words:
                        self._disclosed(table, column, f"checks.{key}", "a check", ("checks", key))
