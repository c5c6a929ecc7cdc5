"""The gold, computed again: each question's query is evaluated in plain Python over the typed tables."""

from __future__ import annotations

from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from worldgen.proofs.files import Files

Row = dict[str, Any]


class Evaluator:
    """Evaluates table queries (the JSON of a task) over the rows of a world.

    Values are canonical text; a missing one is None, and a comparison with it is false.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._rows = {table: {row["id"]: row for row in files.table(table)} for table in files.tables}
        self._back: dict[tuple[str, str], dict[str, list[Row]]] = {}
        self._series = {name: f"{node['of']}_{name}" for name, node in files.schema.get("series", {}).items()}
        self._at: dict[str, dict[tuple[str, str], Row]] = {}

    def rows(self, query: dict[str, Any]) -> list[Row]:
        """The subject rows that answer a query; in order where it has one."""
        subject, where = query["subject"], query.get("where")
        found = [row for row in self._rows[subject].values() if self.holds(where, row, subject)]
        if "order" not in query:
            return found
        by, sign = query["order"]["by"], -1 if query["order"]["descending"] else 1
        keyed = [(self.term(by, row, subject), row) for row in found]
        given = [(_order(value), row) for value, row in keyed if value is not None]
        given.sort(key=lambda pair: sign * pair[0] if isinstance(pair[0], Decimal) else pair[0])
        return [row for _, row in given][: query["limit"]]

    def holds(self, condition: dict[str, Any] | None, row: Row, table: str) -> bool:
        """Whether a row meets a condition."""
        if condition is None:
            return True
        if "and" in condition:
            return all(self.holds(item, row, table) for item in condition["and"])
        if "or" in condition:
            return any(self.holds(item, row, table) for item in condition["or"])
        if "not" in condition:
            return not self.holds(condition["not"], row, table)
        value = self.term(condition["term"], row, table)
        return value is not None and _compare(value, condition["op"], condition["value"])

    def term(self, term: dict[str, Any], row: Row, table: str) -> str | None:
        """The canonical value of a term for a row; a ref is the id of what it refers to."""
        if "attribute" in term:
            return self._path(term["attribute"].split("."), row, table)
        if "series" in term:
            *steps, series = term["series"].split(".")
            entity = self._path(steps, row, table) if steps else row["id"]
            return None if entity is None else self._observed(series, entity, term["period"])
        return self._aggregate(term, row)

    def withheld(self, term: dict[str, Any], row: Row, table: str) -> bool:
        """Whether a term without a value is one that the schema withholds now and then, and not one that is nothing.

        Nothing is what a ref to nothing leads to, and what an average of no rows is.
        """
        if "aggregate" in term:
            return False
        *steps, last = (term["attribute"] if "attribute" in term else term["series"]).split(".")
        holder = self._path(steps, row, table) if steps else row["id"]
        if holder is None:
            return False
        if "series" in term:
            return bool(self._files.schema["series"][last].get("undisclosed"))
        where = holder.split("/")[0]
        node = self._files.schema.get("entities", {}).get(where) or self._files.schema.get("relations", {}).get(where)
        return bool((node or {}).get("attributes", {}).get(last, {}).get("undisclosed"))

    def name(self, entity: str, language: str) -> str:
        """What an entity is called."""
        en, zh = self._files.names[entity]
        return zh if language == "zh" else en

    def _path(self, steps: list[str], row: Row, table: str) -> str | None:
        here: Row | None = row
        for step in steps[:-1]:
            target = None if here is None else here.get(step)
            here = None if target is None else self._rows[target.split("/")[0]][target]
            table = target.split("/")[0] if target is not None else table
        if here is None:
            return None
        if steps[-1] == "name" and "name" in here:
            return str(here["id"])
        cell = here[steps[-1]]
        if f"{here['id']}/{steps[-1]}" in self._files.facts:
            return self._files.facts[f"{here['id']}/{steps[-1]}"].value
        return None if cell is None else str(cell)

    def _observed(self, series: str, entity: str, period: str) -> str | None:
        fact = self._files.facts.get(f"{entity}/{series}@{period}")
        return None if fact is None else fact.value

    def _aggregate(self, term: dict[str, Any], row: Row) -> str | None:
        table, by = term["table"], term["by"]
        if (table, by) not in self._back:
            index: dict[str, list[Row]] = defaultdict(list)
            for other in self._rows[table].values():
                if other[by] is not None:
                    index[other[by]].append(other)
            self._back[table, by] = index
        rows = [r for r in self._back[table, by].get(row["id"], []) if self.holds(term.get("where"), r, table)]
        if term["aggregate"] == "count":
            return str(len(rows))
        read = [self._member(term["of"], r, table) for r in rows]
        return _reduce(term["aggregate"], [value for value in read if value is not None], term.get("decimals", 0))

    def _member(self, name: str, row: Row, table: str) -> str | None:
        series = {t: s for s, t in self._series.items()}
        if table in series and name == series[table]:
            of = self._files.schema["series"][name]["of"]
            return self._observed(name, row[of], row["period"])
        return self._path([name], row, table)


def _reduce(how: str, values: list[str], decimals: int) -> str | None:
    if not values and how != "sum":
        return None
    if how in ("min", "max"):
        return min(values, key=_order) if how == "min" else max(values, key=_order)
    total = sum(map(Decimal, values), Decimal(0))
    if how == "sum":
        return str(total)
    return str((total / len(values)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN))


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except ArithmeticError:
        return None


def _order(value: str) -> Decimal | str:
    number = _number(value)
    if number is not None:
        return number
    return Decimal(value.replace("-", "")) if value.replace("-", "").isdigit() else value


def _compare(value: str, op: str, literal: str) -> bool:
    a, b = _number(value), _number(literal)
    left: Any = a if a is not None and b is not None else value
    right: Any = b if a is not None and b is not None else literal
    match op:
        case "=":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case _:
            return bool(left >= right)


def same_number(cell: str, value: str) -> bool:
    """Whether a gold cell writes a number, whatever its trailing zeros."""
    a, b = _number(cell.rstrip("%")), _number(value)
    return a is not None and b is not None and a == b
