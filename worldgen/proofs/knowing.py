"""Since when a fact could be known, and which facts can be out of date: worked out from the schema and the tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from worldgen.proofs.files import Files
from worldgen.proofs.parsing import words

Node = dict[str, Any]
Place = tuple[str, str]
"""A table and an attribute."""

_PATH = re.compile(r"(?<![\w.])[a-z_]\w*(?:\.\w+)*(?![\w.]|\s*\()")
_TEXT = re.compile(r"'[^']*'|\"[^\"]*\"")
_CHANGING = frozenset({"integer", "decimal", "money", "percent", "ref"})


class Knowledge:
    """What the schema says of when facts are known.

    Args:
        files: The world.
    """

    def __init__(self, files: Files) -> None:
        self.files = files
        self.nodes: dict[str, Node] = {}
        self.specs: dict[Place, Node] = {}
        self.series: dict[str, Node] = {}
        self._days: dict[Place, dict[str, str]] = defaultdict(dict)
        self._read()

    @cached_property
    def rows(self) -> dict[str, dict[str, Node]]:
        """Table → its rows by id."""
        return {table: {row["id"]: row for row in self.files.table(table)} for table in self.files.tables}

    @cached_property
    def since(self) -> dict[str, str]:
        """Fact id → the first day (ISO) on which a page may state it, for facts that are not always known."""
        self._settle()
        return {f"{row}/{at[1]}": day for at, days in self._days.items() for row, day in days.items()}

    def _read(self) -> None:
        schema = self.files.schema
        for name, node in (*schema.get("entities", {}).items(), *schema.get("relations", {}).items()):
            told = {key: node[key] for key in ("known", "changes") if key in node}
            first, second = node.get("roles") or (node.get("from"), node.get("to"))
            if node.get("cardinality", "many_to_many") == "many_to_many":
                self.nodes[name] = node
                self.specs |= {(name, key): spec for key, spec in node.get("attributes", {}).items()}
            if node.get("cardinality") == "many_to_many":
                self.specs |= {(name, first): {"ref": node["from"]}, (name, second): {"ref": node["to"]}}
            elif node.get("cardinality") == "one_to_many":
                self.specs[node["to"], first] = {"ref": node["from"], **told}
            elif "cardinality" in node:
                self.specs[node["from"], second] = {"ref": node["to"], **told}
        for name, node in schema.get("series", {}).items():
            self.series[f"{node['of']}_{name}"] = node

    # Since when

    def _settle(self) -> None:
        """Give every attribute the latest day of what it rests on, again and again until nothing moves."""
        for table, name in self.specs:
            self._own(table, name)
        for table, node in self.series.items():
            name = table.removeprefix(f"{node['of']}_")
            self._days[table, name] = {key: after(row["period"]) for key, row in self.rows[table].items()}
        moved = True
        while moved:
            moved = False
            for (table, name), spec in self.specs.items():
                for row, day in self._inherited(table, spec):
                    moved |= self._raise((table, name), row, day)
        for table in self.series:
            self._days.pop((table, table.removeprefix(f"{self.series[table]['of']}_")))

    def _raise(self, at: Place, row: str, day: str) -> bool:
        if day <= self._days[at].get(row, ""):
            return False
        self._days[at][row] = day
        return True

    def _own(self, table: str, name: str) -> None:
        for node in (self.nodes.get(table, {}), self.specs[table, name]):
            known = node.get("known")
            if known is None:
                continue
            for key in self.rows.get(table, {}):
                day = str(known)
                if not day[:1].isdigit():
                    at, end, column = self._end(table, key, day)
                    value = None if end is None else self.rows[at][end][column]
                    day = "" if value is None else after(str(value))
                self._raise((table, name), key, day)

    def _end(self, table: str, key: str, path: str) -> tuple[str, str | None, str]:
        """The table, the row and the column in which a path ends; no row behind a ref to nothing."""
        *refs, last = path.split(".")
        row: str | None = key
        for ref in refs:
            row = None if row is None else self.rows[table][row].get(ref)
            table = self.specs.get((table, ref), {}).get("ref", ref)
        return table, row, last

    def _inherited(self, table: str, spec: Node) -> Iterator[tuple[str, str]]:
        """(row, day) of what the attribute is computed from."""
        aggregate, share, rank = spec.get("aggregate"), spec.get("share"), spec.get("rank")
        if aggregate is not None:
            for name in filter(None, (aggregate["by"], aggregate.get("of"))):
                for key, day in self._days.get((aggregate["table"], name), {}).items():
                    target = self.rows[aggregate["table"]][key][aggregate["by"]]
                    if target is not None:
                        yield target, day
            return
        found = [(key, day) for path in self._paths(table, spec) for key, day in self._along(table, path)]
        if share is None and rank is None:
            yield from found
            return
        within = (share or {}).get("within")
        latest: dict[object, str] = {}
        for key, day in found:
            group = self._group(table, key, within)
            latest[group] = max(day, latest.get(group, ""))
        for key in self.rows[table] if latest else ():
            yield key, latest.get(self._group(table, key, within), "")

    def _group(self, table: str, key: str, within: str | None) -> object:
        if within is None:
            return ""
        end, row, column = self._end(table, key, within)
        return None if row is None else self.rows[end][row][column]

    def _paths(self, table: str, spec: Node) -> list[str]:
        text = str(spec.get("expr", (spec.get("share") or {}).get("weight", "")))
        paths = [spec[key][word] for key, word in (("depends", "on"), ("rank", "of")) if key in spec]
        return paths + [p for p in _PATH.findall(_TEXT.sub("", text)) if (table, p.split(".")[0]) in self.specs]

    def _along(self, table: str, path: str) -> Iterator[tuple[str, str]]:
        for key in self.rows.get(table, {}):
            end, row, column = self._end(table, key, path)
            day = self._days.get((end, column), {}).get(row or "", "")
            if day:
                yield key, day

    # What can be out of date

    def fixed(self, subject: str, attribute: str) -> bool:
        """Whether the attribute cannot have had another value before."""
        table = subject.split("/")[0]
        spec = self.specs.get((table, attribute))
        if spec is None:
            return True  # a series: what was counted in a period stays
        told = spec.get("changes", self.nodes.get(table, {}).get("changes"))
        if told is not None:
            return not told
        kind = spec.get("type") or ("ref" if "ref" in spec else "name" if "name" in spec else "category")
        return kind not in _CHANGING or spec.get("unit", "count") not in words()["counted"]


def after(time: str) -> str:
    """The first day on which something of that time can be known: that day, or the day after a period."""
    if "-Q" in time:
        year, quarter = time.split("-Q")
        return f"{int(year) + 1:04d}-01-01" if quarter == "4" else f"{year}-{int(quarter) * 3 + 1:02d}-01"
    if len(time) == 7:
        year, month = time.split("-")
        return f"{int(year) + 1:04d}-01-01" if month == "12" else f"{year}-{int(month) + 1:02d}-01"
    return f"{int(time) + 1:04d}-01-01" if len(time) <= 4 else time
