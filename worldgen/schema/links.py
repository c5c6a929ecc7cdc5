"""Do references lead somewhere, and is every name free that is used?"""

from __future__ import annotations

from functools import cache
from pathlib import Path as File

from worldgen.schema.context import Context, series_tables
from worldgen.schema.layout import relation_ref
from worldgen.schema.model import Relation
from worldgen.schema.problems import Path, Report

Step = tuple[str, str]
_OWN = frozenset({"id", "name", "name_zh", "period"})


@cache
def reserved_words() -> frozenset[str]:
    """Words that SQL keeps for itself, in SQLite or PostgreSQL."""
    return frozenset((File(__file__).parent / "data" / "reserved.txt").read_text(encoding="utf-8").split())


def check_links(context: Context) -> None:
    """References, names of tables and columns, keys, processes."""
    _check_tables(context)
    for place in context.places():
        if place.attribute.ref is not None and place.attribute.ref not in context.schema.entities:
            context.report.unknown("entity", place.attribute.ref, context.schema.entities, (*place.at, "ref"))
    for name, relation in context.schema.relations.items():
        _check_relation(context, name, relation)
    for name, series in context.schema.series.items():
        if series.of not in context.schema.entities:
            context.report.unknown("entity", series.of, context.schema.entities, ("series", name, "of"))
    _check_columns(context)
    _check_keys(context)
    _check_processes(context)


def _check_tables(context: Context) -> None:
    schema, report = context.schema, context.report
    seen: dict[str, Path] = {}
    named: list[Step] = [("entities", name) for name in schema.entities]
    named += [("relations", name) for name in schema.relations]
    for at in named:
        _check_table(at[1], at, seen, report)
    for table, name in series_tables(schema).items():
        _check_table(table, ("series", name), seen, report)
        if name == schema.series[name].of or name in _OWN or name in reserved_words():
            _reserved(name, ("series", name), report)


def _check_table(table: str, at: Path, seen: dict[str, Path], report: Report) -> None:
    if table in seen:
        other = ".".join(map(str, seen[table]))
        report.add("duplicate-table", f"two tables would be called {table}", at, fix=f"the other one is {other}")
    seen[table] = at
    if table in reserved_words() or table.startswith(("wg_", "sqlite_")):
        _reserved(table, at, report)


def _reserved(word: str, at: Path, report: Report) -> None:
    expected = "no SQL keyword, none of id, name, name_zh and period, nothing that begins with wg_ or sqlite_"
    report.add("reserved-name", f"{word!r} is reserved", at, expected=expected, fix="choose another name")


def _check_relation(context: Context, name: str, relation: Relation) -> None:
    report, at = context.report, ("relations", name)
    for key, entity in (("from", relation.source), ("to", relation.target)):
        if entity not in context.schema.entities:
            report.unknown("entity", entity, context.schema.entities, (*at, key))
    many = relation.cardinality == "many_to_many"
    if many and relation.columns[0] == relation.columns[1]:
        report.add("clash", "both columns have one name", at, fix="tell them apart by `roles: [one, other]`")
    if not many and (relation.attributes or relation.valid or relation.symmetric or relation.phrase):
        report.add(
            "misplaced-key",
            "attributes, valid, symmetric and phrase need a table of their own",
            at,
            expected="cardinality many_to_many",
            got=relation.cardinality,
        )
    elif (relation.acyclic or relation.symmetric) and relation.source != relation.target:
        report.add("misplaced-key", "acyclic and symmetric join an entity with itself", at)
    if relation.acyclic and relation.symmetric:
        report.add("contradiction", "a symmetric relation has cycles", at, expected="either acyclic or symmetric")
    if relation.valid is not None:
        for column in filter(None, (relation.valid.start, relation.valid.end)):
            attribute = relation.attributes.get(column)
            if attribute is None:
                report.unknown("attribute", column, relation.attributes, (*at, "valid"))
            elif attribute.kind not in ("date", "year"):
                report.add("wrong-kind", f"{column} has no date", (*at, "valid"), expected="a date or year")


def _check_columns(context: Context) -> None:
    report = context.report
    for place in context.places():
        if place.name in _OWN or place.name in reserved_words():
            _reserved(place.name, place.at, report)
            continue
        base = place.name.removesuffix("_zh")
        twin = context.field(place.table, base)
        if base != place.name and twin is not None and twin.kind == "name":
            report.add("clash", f"`{place.name}` is the Chinese form of `{base}`", place.at, fix="rename one of them")
    for name, relation in context.schema.relations.items():
        at = ("relations", name)
        spot = relation_ref(relation)
        columns = relation.columns if spot is None else (spot[1],)
        for column in columns:
            if column in _OWN or column in reserved_words():
                _reserved(column, at, report)
        if spot is None:
            taken = set(relation.attributes) & set(columns)
            if taken:
                report.add("clash", f"`{min(taken)}` is a column of the relation already", at, fix="rename it")
            continue
        field = context.field(spot[0], spot[1])
        if field is not None and field.origin != at:
            other = ".".join(map(str, field.origin))
            report.add("clash", f"`{spot[0]}` has a column `{spot[1]}` already", at, got=other, fix="give `roles`")


def _check_keys(context: Context) -> None:
    for name, entity in context.schema.entities.items():
        for position, column in enumerate(entity.key or ()):
            at: Path = ("entities", name, "key", position)
            field = context.field(name, column)
            if field is None:
                context.report.unknown("attribute", column, context.layout[name], at)
            elif field.attribute is not None and field.attribute.undisclosed:
                context.report.add("undisclosed", f"`{column}` tells rows apart", at, expected="a value always stated")


def _check_processes(context: Context) -> None:
    schema, report = context.schema, context.report
    filled: set[str] = set()
    for position, use in enumerate(schema.processes):
        for table, target in use.fills.items():
            if target not in schema.entities:
                report.unknown("entity", target, schema.entities, ("processes", position, "fills", table))
            filled.add(target)
    for name, entity in schema.entities.items():
        if name in filled:
            continue
        if entity.count is None:
            fix = "state it, or let a process fill the entity"
            report.add("missing-key", "`count` is missing", ("entities", name), fix=fix)
        for key, attribute in entity.attributes.items():
            if attribute.process is not None:
                at = ("entities", name, "attributes", key, "process")
                report.add("no-process", f"no process fills `{name}`", at, expected="an entry of `processes`")
    for place in context.places():
        if place.at[0] == "relations" and place.attribute.process is not None:
            report.add("no-process", "a process fills entities only", (*place.at, "process"))
