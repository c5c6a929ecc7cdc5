"""Leaves out tables and attributes, with everything that hangs on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from worldgen.facts.plan import Node
from worldgen.schema import Schema
from worldgen.schema.layout import Fields, PathError, relation_ref, resolve, series_table, tables
from worldgen.seeds import Stream
from worldgen.variation.data import read
from worldgen.variation.drawing import between, taken, whole
from worldgen.variation.outline import Outline, Plain
from worldgen.variation.uses import Needed, Removal, Uses

_LEAST_COLUMNS = 3


def drop_tables(outline: Outline, rng: Stream) -> None:
    """Leave out whole things, relations and series."""
    schema = outline.schema()
    going = _Going(outline, schema)
    wanted = whole(read("plan")["drop"]["tables"], rng)
    for table in rng.shuffled(list(tables(schema))):
        if not wanted:
            break
        wanted -= going.table(table)
    going.take_out()


def drop_attributes(outline: Outline, rng: Stream) -> None:
    """Leave out single attributes."""
    schema = outline.schema()
    going = _Going(outline, schema)
    share = between(read("plan")["drop"]["attributes"], rng)
    stated = [(table, name) for table, name, attribute in outline.attributes() if not attribute.get("hidden")]
    for column in taken(stated, share, rng):
        going.column(column)
    going.take_out()


class _Going:
    """Collects what is to be left out, as long as enough stays."""

    def __init__(self, outline: Outline, schema: Schema) -> None:
        self.outline = outline
        self.schema = schema
        self.uses = Uses(schema)
        self.gone = Removal(frozenset(), frozenset(), frozenset())

    def table(self, table: str) -> bool:
        """Leave out a table, if it may go; says whether it went."""
        return self._add(lambda: self.uses.removal(table=table), table)

    def column(self, column: Node) -> bool:
        """Leave out a column, if it may go; says whether it went."""
        return self._add(lambda: self.uses.removal(column=column), ".".join(column))

    def _add(self, removal: Callable[[], Removal], what: str) -> bool:
        try:
            found = removal().beside(self.gone)
        except Needed:
            return False
        most = read("plan")["drop"]["cascade"]
        both = found.together(self.gone)
        if not found.size or (not found.tables and len(found.columns) > most) or not self._enough(both):
            return False
        self.gone = both
        others = found.size - 1
        self.outline.changes.append(f"without {what}" + (f" and {others} more that need it" if others else ""))
        return True

    def take_out(self) -> None:
        """Leave it all out."""
        take_out(self.outline, self.schema, self.gone)

    def _enough(self, removal: Removal) -> bool:
        limits, entities = read("plan")["drop"], self.schema.entities
        kept = [name for name in entities if name not in removal.tables]
        named = [name for name in kept if entities[name].name is not None]
        checks = len(self.schema.checks) - len(removal.checks)
        if len(named) < limits["keep_entities"] or checks < limits["keep_checks"] * self.outline.checks:
            return False
        rows = sum(entities[name].count or 0 for name in kept)
        if removal.tables and rows < limits["keep_rows"] * self.outline.rows:
            return False
        for name in kept:
            stated = [key for key, value in entities[name].attributes.items() if not value.hidden]
            gone = [column for table, column in removal.columns if table == name and column in stated]
            if gone and len(stated) - len(gone) < limits["keep_attributes"]:
                return False
        return True


def take_out(outline: Outline, schema: Schema, removal: Removal) -> None:
    """Take parts out of a schema, and whatever speaks of them out of its sites and tasks."""
    plain = outline.plain
    for name, relation in schema.relations.items():
        spot = relation_ref(relation)
        ends = {relation.source, relation.target} & removal.tables
        if ends or name in removal.tables or (spot is not None and (spot[0], spot[1]) in removal.columns):
            del plain["relations"][name]
    for name, series in schema.series.items():
        if series_table(name, series) in removal.tables or series.of in removal.tables:
            del plain["series"][name]
    for name in removal.tables & set(schema.entities):
        del plain["entities"][name]
    for table, column in removal.columns:
        for section in ("entities", "relations"):
            plain.get(section, {}).get(table, {}).get("attributes", {}).pop(column, None)
    for name in removal.checks:
        del plain["checks"][name]
    _sites(plain, removal.tables)
    _subjects(plain, schema, removal)


def _sites(plain: Plain, gone: Iterable[str]) -> None:
    kept = []
    for site in plain["sites"]:
        if "about" in site:
            site["about"] = [table for table in site["about"] if table not in set(gone)]
        if site.get("about") != []:
            kept.append(site)
    plain["sites"] = kept


def _subjects(plain: Plain, schema: Schema, removal: Removal) -> None:
    subjects = plain.get("tasks", {}).get("subjects", {})
    layout = tables(schema)
    for table in list(subjects):
        if table in removal.tables:
            del subjects[table]
            continue
        for key in ("columns", "where"):
            if key in subjects[table]:
                subjects[table][key] = [
                    path for path in subjects[table][key] if _stays(schema, layout, table, path, removal)
                ]
        if len(subjects[table].get("columns", [""] * _LEAST_COLUMNS)) < _LEAST_COLUMNS:
            del subjects[table]
        elif subjects[table].get("where") == []:
            del subjects[table]["where"]


def _stays(schema: Schema, layout: dict[str, Fields], table: str, path: str, removal: Removal) -> bool:
    try:
        steps: list[Node] = resolve(layout, table, path)
    except PathError:
        *refs, last = path.split(".")
        steps = resolve(layout, table, ".".join(refs)) if refs else []
        series = schema.series[last]
        steps.append((series_table(last, series), last))
    return not any(step in removal.columns or step[0] in removal.tables for step in steps)
