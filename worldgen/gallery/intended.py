"""Which columns of a table a schema ties together: one is computed from the other, or both from the same."""

from __future__ import annotations

from functools import cache

from worldgen.schema import Field, Schema, resolve, tables
from worldgen.schema.expressions import parse
from worldgen.schema.model import Attribute

Step = tuple[str, str]


class Ties:
    """What each column of a schema is computed from."""

    def __init__(self, schema: Schema) -> None:
        self._layout = tables(schema)
        self.causes = cache(self._causes)

    def _causes(self, step: Step) -> frozenset[Step]:
        """Every column that an expression or a dependency reads for this one, however far back."""
        found: set[Step] = set()
        for other in self._read(step):
            found |= {other} | self.causes(other)
        return frozenset(found)

    def _read(self, step: Step) -> list[Step]:
        table, column = step
        field = self._layout.get(table, {}).get(column)
        attribute = field.attribute if field is not None else None
        if attribute is None:
            return []
        ends = (resolve(self._layout, table, path)[-1] for path in _paths(attribute, f"{table}.{column}"))
        return [end for end in ends if end != step]

    def tied(self, table: str, one: str, other: str) -> bool:
        """Whether one column is a cause of the other, or both have a numeric cause in common."""
        a, b = (table, one), (table, other)
        of_a, of_b = self.causes(a), self.causes(b)
        return a in of_b or b in of_a or any(self._is_number(step) for step in of_a & of_b)

    def _is_number(self, step: Step) -> bool:
        field: Field | None = self._layout[step[0]].get(step[1])
        return field is not None and field.sql in ("INTEGER", "REAL")


def _paths(attribute: Attribute, where: str) -> tuple[str, ...]:
    if attribute.expr is not None:
        return parse(attribute.expr, where).paths
    return (attribute.depends.on,) if attribute.depends is not None else ()
