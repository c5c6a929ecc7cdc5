"""What has to be known before what: every path leads to a column of the right kind, and no value needs itself."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from worldgen.errors import SchemaError
from worldgen.schema.context import NUMERIC, PLACEHOLDER, Context, Place, series_tables
from worldgen.schema.expressions import Kind, kind_of, parse
from worldgen.schema.layout import Field, relation_attribute, relation_ref, series_table
from worldgen.schema.model import Degree, Schema
from worldgen.schema.problems import Path, Report

Step = tuple[str, str]


def check_order(context: Context) -> None:
    """Paths, expressions and aggregates lead to columns of the right kind, and nothing depends on itself."""
    _dependencies(context)


def attribute_order(schema: Schema) -> list[Step]:
    """Every (table, column) that is drawn or computed, each after those it depends on.

    Raises:
        SchemaErrors: A path leads nowhere or there is a cycle.
    """
    context = Context.of(schema, Report())
    order = _dependencies(context)
    context.report.raise_if_any()
    return order


class _Dependencies:
    """Collects which column needs which; reports paths that lead nowhere."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.needs: dict[Step, list[Step]] = {}

    def add(self, step: Step, table: str, path: str, at: Path) -> Field | None:
        steps = self.context.follow(table, path, at)
        self.needs.setdefault(step, []).extend(steps)
        return self.context.layout[steps[-1][0]][steps[-1][1]] if steps else None

    def expression(self, step: Step, table: str, text: str, at: Path) -> str | None:
        """Note what an expression reads; its kind, or None where it is wrong."""
        report = self.context.report
        try:
            expression = parse(text, f"{step[0]}.{step[1]}")
            fields = {path: self.add(step, table, path, at) for path in expression.paths}
            if None in fields.values():
                return None
            return kind_of(expression, lambda path: _expression_kind(fields[path]))
        except SchemaError as error:
            message = error.message.partition(": ")[2] or error.message
            code = error.code.removeprefix("schema.")
            report.add(code, message, at, expected=error.expected, got=error.got, fix=error.fix)
            return None


def _expression_kind(field: Field | None) -> Kind:
    kind = field.kind if field is not None else "name"
    if kind in NUMERIC or kind == "year":
        return "number"
    return "boolean" if kind == "boolean" else "date" if kind == "date" else "text"


def _dependencies(context: Context) -> list[Step]:
    found = _Dependencies(context)
    for table, fields in context.layout.items():
        for column in fields:
            found.needs[(table, column)] = []
    for place in context.places():
        _attribute_needs(found, place)
    for name, relation in context.schema.relations.items():
        if relation.degree is not None:
            spot = relation_ref(relation)
            table, column = (name, relation.columns[1]) if spot is None else (spot[0], spot[1])
            target = relation.target if spot is None else relation_attribute(relation).ref or relation.target
            _degree_needs(found, (table, column), target, relation.degree, ("relations", name, "degree"))
    for name, series in context.schema.series.items():
        at: Path = ("series", name, "initial")
        kind = found.expression((series_table(name, series), name), series.of, series.initial, at)
        _expect(context, kind, ("number",), at)
    for name, entity in context.schema.entities.items():
        texts = entity.name.template if entity.name is not None and entity.name.template is not None else {}
        for language, text in texts.items():
            for path in PLACEHOLDER.findall(text):
                _placeholder_needs(found, name, path, ("entities", name, "name", "template", language))
    if context.report.problems:
        return []
    return _sorted(found.needs, context)


def _placeholder_needs(found: _Dependencies, table: str, path: str, at: Path) -> None:
    field = found.add((table, "name"), table, path, at)
    found.needs.setdefault((table, "name_zh"), []).append((table, "name"))
    if field is not None and field.kind == "ref" and field.target is not None:
        found.add((table, "name"), table, f"{path}.name", at)


def _attribute_needs(found: _Dependencies, place: Place) -> None:
    attribute, step, at, table = place.attribute, (place.table, place.name), place.at, place.table
    context = found.context
    if attribute.expr is not None:
        kind = found.expression(step, table, attribute.expr, (*at, "expr"))
        wanted = {"date": ("date",), "boolean": ("boolean", "number"), "category": ("text",)}
        _expect(context, kind, wanted.get(attribute.kind, ("number", "boolean")), (*at, "expr"))
    if attribute.depends is not None:
        _check_depends(found, place)
    if attribute.rank is not None:
        field = found.add(step, table, attribute.rank.of, (*at, "rank", "of"))
        _expect_field(context, field, NUMERIC | {"year", "date"}, (*at, "rank", "of"))
    if attribute.share is not None:
        kind = found.expression(step, table, attribute.share.weight, (*at, "share", "weight"))
        _expect(context, kind, ("number",), (*at, "share", "weight"))
        if attribute.share.within is not None:
            field = found.add(step, table, attribute.share.within, (*at, "share", "within"))
            _expect_field(context, field, frozenset({"ref", "category"}), (*at, "share", "within"))
    if attribute.aggregate is not None:
        _check_aggregate(found, place)
    if attribute.ref is not None and attribute.degree is not None:
        _degree_needs(found, step, attribute.ref, attribute.degree, (*at, "degree"))
    for key in ("after", "before"):
        bound = getattr(attribute, key)
        if bound is not None and not bound[:1].isdigit():
            field = found.add(step, table, bound, (*at, key))
            _expect_field(context, field, frozenset({"date", "year"}), (*at, key))


def _degree_needs(found: _Dependencies, step: Step, target: str, degree: Degree, at: Path) -> None:
    if degree.weight is not None:
        kind = found.expression(step, target, degree.weight, (*at, "weight"))
        _expect(found.context, kind, ("number", "boolean"), (*at, "weight"))


def _check_depends(found: _Dependencies, place: Place) -> None:
    depends, at = place.attribute.depends, (*place.at, "depends")
    if depends is None:
        return
    context = found.context
    field = found.add((place.table, place.name), place.table, depends.on, (*at, "on"))
    if not _expect_field(context, field, frozenset({"category", "boolean"}), (*at, "on")) or field is None:
        return
    given = set(depends.map)
    wanted = list(field.categories)
    if field.kind == "boolean":
        wanted = ["true", "false"] if given & {"true", "false"} else ["yes", "no"]
    for key in sorted(given - set(wanted)):
        context.report.unknown("category", key, wanted, (*at, "map", key))
    missing = [key for key in wanted if key not in given]
    if missing:
        context.report.add("missing-key", "values are missing", (*at, "map"), expected=", ".join(missing))


def _check_aggregate(found: _Dependencies, place: Place) -> None:
    aggregate, at, step = place.attribute.aggregate, (*place.at, "aggregate"), (place.table, place.name)
    if aggregate is None:
        return
    context = found.context
    if aggregate.table not in context.layout:
        context.report.unknown("table", aggregate.table, context.layout, (*at, "table"))
        return
    by = found.add(step, aggregate.table, aggregate.by, (*at, "by"))
    if by is not None and by.target != place.table:
        message = f"`{aggregate.by}` does not refer to `{place.table}`"
        refs = [name for name, f in context.layout[aggregate.table].items() if f.target == place.table and name != "id"]
        context.report.add("wrong-kind", message, (*at, "by"), expected=" or ".join(refs) or "a ref to it")
    if aggregate.of is None:
        return
    field = found.add(step, aggregate.table, aggregate.of, (*at, "of"))
    allowed = NUMERIC | {"year", "date"} if aggregate.how in ("min", "max") else NUMERIC
    if not _expect_field(context, field, allowed, (*at, "of")) or field is None:
        return
    series = context.schema.series.get(series_tables(context.schema).get(aggregate.table, ""))
    undisclosed = field.attribute.undisclosed if field.attribute is not None else series.undisclosed if series else 0
    if undisclosed:
        message = f"`{aggregate.of}` is undisclosed in some rows, so its {aggregate.how} could not be known"
        context.report.add("undisclosed", message, (*at, "of"), fix=f"drop `undisclosed` from `{aggregate.of}`")


def _expect(context: Context, kind: str | None, allowed: tuple[str, ...], at: Path) -> None:
    if kind is not None and kind not in allowed:
        fix = "a date is not a year: use year(…)" if kind == "date" else None
        context.report.add("wrong-kind", "gives the wrong kind", at, expected=f"a {allowed[0]}", got=kind, fix=fix)


def _expect_field(context: Context, field: Field | None, allowed: frozenset[str], at: Path) -> bool:
    if field is None or field.kind in allowed:
        return field is not None
    context.report.add("wrong-kind", "is of the wrong kind", at, expected=" or ".join(sorted(allowed)), got=field.kind)
    return False


def _sorted(needs: dict[Step, list[Step]], context: Context) -> list[Step]:
    sorter: TopologicalSorter[Step] = TopologicalSorter()
    for step, before in needs.items():
        sorter.add(step, *before)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        cycle: list[Step] = list(reversed(error.args[1]))
        field = context.layout[cycle[0][0]][cycle[0][1]]
        told = " → ".join(f"{table}.{column}" for table, column in cycle)
        context.report.add("cycle", f"values depend on each other: {told}", field.origin, fix="break the circle")
        return []
