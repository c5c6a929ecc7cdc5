"""What rests on what in a schema, so that a part can be taken out together with all that needs it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from worldgen.facts.plan import Node, needs_of, placeholders
from worldgen.schema import Schema
from worldgen.schema.layout import Fields, relation_ref, resolve, series_table, tables
from worldgen.schema.sql import tokens

_DAY = re.compile(r"[0-9]")


class Needed(Exception):
    """A part cannot be taken out: something that has to stay needs it."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What goes together.

    Attributes:
        tables: Whole tables.
        columns: Columns of tables that stay.
        checks: Checks that name one of them.
    """

    tables: frozenset[str]
    columns: frozenset[Node]
    checks: frozenset[str]

    @property
    def size(self) -> int:
        """How many parts there are."""
        return len(self.tables) + len(self.columns) + len(self.checks)

    def beside(self, other: Removal) -> Removal:
        """What of this is not in the other."""
        columns = frozenset(column for column in self.columns - other.columns if column[0] not in other.tables)
        return Removal(self.tables - other.tables, columns, self.checks - other.checks)

    def together(self, other: Removal) -> Removal:
        """Both."""
        gone = self.tables | other.tables
        columns = frozenset(column for column in self.columns | other.columns if column[0] not in gone)
        return Removal(gone, columns, self.checks | other.checks)


class Uses:
    """Who needs whom in one schema; nodes are those of `worldgen.facts.plan`."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.layout: dict[str, Fields] = tables(schema)
        self.users: dict[Node, list[Node]] = defaultdict(list)
        for node, needs in needs_of(schema).items():
            for needed in needs:
                self.users[needed].append(node)
        self.fixed = frozenset(self._fixed())
        self.checked = {
            name: self._named(check.sql) | self._named(check.breaks) for name, check in schema.checks.items()
        }

    def _fixed(self) -> Iterator[Node]:
        """Columns that tell rows apart, date them, or are a process's own: never taken out of a table that stays."""
        for use in self.schema.processes:
            for filled in use.fills.values():
                yield from ((filled, column) for column in self.layout[filled])
        for name, entity in self.schema.entities.items():
            paths = [*(entity.key or ()), *self._known(entity.known)]
            for attribute in entity.attributes.values():
                paths += self._known(attribute.known)
            for text in (entity.phrase or {}).values():
                paths += placeholders(text)
            yield from self._steps(name, paths)
        for name, relation in self.schema.relations.items():
            spot = relation_ref(relation)
            paths = list(self._known(relation.known))
            if relation.valid is not None:
                paths += [one for one in (relation.valid.start, relation.valid.end) if one is not None]
            for attribute in relation.attributes.values():
                paths += self._known(attribute.known)
            yield from self._steps(name if spot is None else spot[0], paths)

    def _steps(self, table: str, paths: Iterable[str]) -> Iterator[Node]:
        for path in paths:
            yield from resolve(self.layout, table, path)

    @staticmethod
    def _known(known: str | None) -> list[str]:
        return [] if known is None or _DAY.match(known) else [known]

    def _named(self, sql: str) -> frozenset[Node]:
        """The tables and columns that a statement may mean by its words."""
        words = {token.name.lower() for token in tokens(sql)} - {""}
        named = [table for table in self.layout if table.lower() in words]
        columns = ((table, column) for table in named for column in self.layout[table] if column.lower() in words)
        return frozenset([*((table, "id") for table in named), *columns])

    def of_check(self, node: Node) -> frozenset[str]:
        """The checks that name a column or table."""
        return frozenset(name for name, named in self.checked.items() if node in named)

    def removal(self, *, table: str | None = None, column: Node | None = None) -> Removal:
        """What goes when a table or a column goes.

        Raises:
            Needed: Something that has to stay needs it.
        """
        gone_tables: set[str] = set()
        gone: set[Node] = set()
        waiting: list[Node] = [column] if column is not None else []
        tables_waiting = [table] if table is not None else []
        while waiting or tables_waiting:
            if tables_waiting:
                lost = tables_waiting.pop()
                if lost in gone_tables:
                    continue
                self._may_go(lost)
                gone_tables.add(lost)
                waiting += [(lost, part) for part in (*self.layout[lost], "name")]
                continue
            node = waiting.pop()
            if node in gone:
                continue
            owner, part = node
            if owner not in gone_tables:
                whole = self._whole(node)
                if whole:
                    tables_waiting.append(owner)
                elif owner == "" or part in ("id", "name") or node in self.fixed:
                    raise Needed(".".join(node))
            gone.add(node)
            waiting += self.users[node]
        return Removal(
            frozenset(gone_tables),
            frozenset(node for node in gone if node[0] not in gone_tables),
            frozenset(name for node in gone for name in self.of_check(node)),
        )

    def _may_go(self, table: str) -> None:
        if any(table in use.fills.values() for use in self.schema.processes):
            raise Needed(table)

    def _whole(self, node: Node) -> bool:
        """Whether losing this part takes its table along: rows and series that hang on what went."""
        table, part = node
        if table == "":
            return False
        relation = self.schema.relations.get(table)
        if relation is not None and relation_ref(relation) is None:
            return part in ("id", "name", *relation.columns)
        return table not in self.schema.entities and self._is_series(table)

    def _is_series(self, table: str) -> bool:
        return any(series_table(name, series) == table for name, series in self.schema.series.items())
