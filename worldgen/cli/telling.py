"""How a fact and a column are said to a person: names for ids, labels for attributes, units behind numbers."""

from __future__ import annotations

from decimal import Decimal

from worldgen.language import unit
from worldgen.schema.layout import Field, tables
from worldgen.schema.model import Attribute, Labels, Series
from worldgen.store.reader import FactRow
from worldgen.world import World

_GROUPED = ("integer", "decimal", "money", "percent")


class Teller:
    """Says the facts of a world in its labels."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._schema = world.schema
        self._tables = tables(self._schema)

    def fact(self, fact: FactRow) -> str:
        """A fact in words, such as ``Haslas Belex Neo: storage 64 GB``."""
        node = self._node(fact.subject.partition("/")[0], fact.attribute)
        label = _first(node.label) if node is not None and node.label else fact.attribute.replace("_", " ")
        subject = f"{self._name(fact.subject)}, {fact.time}" if fact.time else self._name(fact.subject)
        return f"{subject}: {label} {self._value(fact, node)}"

    def columns(self) -> dict[str, str]:
        """Table → its columns, each with the unit of its numbers in brackets."""
        return {
            table: ", ".join(self._column(name, field) for name, field in fields.items())
            for table, fields in self._tables.items()
        }

    def _column(self, name: str, field: Field) -> str:
        said = _unit(self._schema.series.get(name) if field.origin[0] == "series" else field.attribute)
        return f"{name} ({said})" if said else name

    def _node(self, table: str, attribute: str) -> Attribute | Series | None:
        field = self._tables.get(table, {}).get(attribute)
        return self._schema.series.get(attribute) if field is None else field.attribute

    def _name(self, entity: str) -> str:
        rows = self._world.sql(f"SELECT coalesce(nullif(name, ''), name_zh) FROM wg_entity WHERE id = '{entity}'")
        return str(rows[0][0]) if rows else entity

    def _value(self, fact: FactRow, node: Attribute | Series | None) -> str:
        if not fact.disclosed:
            return "not disclosed"
        if fact.value is None:
            return "none"
        if fact.type == "ref":
            return self._name(fact.value)
        if fact.type not in _GROUPED:
            return fact.value
        said = _unit(node)
        return f"{Decimal(fact.value):,}{'' if said in ('', '%') else ' '}{said}"


def _unit(node: Attribute | Series | None) -> str:
    """What stands behind the numbers of an attribute: the unit's sign or noun, the currency's code, a percent sign."""
    if node is None:
        return ""
    if node.unit is not None:
        found = unit(node.unit)
        return found.symbol or found.many
    kind = node.kind if isinstance(node, Attribute) else node.type
    return "%" if kind == "percent" else node.currency or ""


def _first(labels: Labels) -> str:
    return (labels.get("en") or next(iter(labels.values())))[0]
