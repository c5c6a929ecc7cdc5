"""A table query as SQLite SELECTs: which subject rows, and the ids of the rows that their cells are read from.

SQL selects and joins, and nothing else: no cell is computed here, since SQLite's rounding and averages differ between
versions. Aggregates in conditions are compared in whole numbers: a scaled sum against a scaled literal, times the
count for a mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from worldgen.facts.tables import Column, Facts
from worldgen.tasks.meaning import Meaning, meaning
from worldgen.tasks.query import Agg, And, At, Attr, Compare, Condition, Not, TableQuery, Term

Value = str | int | float
_NUMERIC = ("integer", "decimal", "money", "percent", "year")


@dataclass(frozen=True, slots=True)
class Select:
    """A SELECT and its named parameters."""

    text: str
    parameters: dict[str, Value]


def compile_rows(query: TableQuery, facts: Facts) -> Select:
    """The SELECT of a query's rows: `id`, then for each column that is no aggregate the id of the row it is read from.

    Rows come in the query's order, then by the row's number.
    """
    build = _Builder(facts, query.subject, {}, "t")
    holders = [build.holder(term) for term in query.terms if not isinstance(term, Agg)]
    where = build.condition(query.where) if query.where is not None else None
    order = []
    if query.order is not None:
        value = build.value(query.order.term)
        order = [f"{value} IS NULL", f"{value} {'DESC' if query.order.descending else 'ASC'}"]
    order.append(f"CAST(substr({build.root}.id, {len(query.subject) + 2}) AS INTEGER)")
    text = f"SELECT {', '.join([f'{build.root}.id', *holders])} FROM {build.sources()}"
    text += f" WHERE {where}" if where else ""
    text += f" ORDER BY {', '.join(order)}"
    text += f" LIMIT {query.limit}" if query.limit is not None else ""
    return Select(text, build.parameters)


def compile_members(term: Agg, facts: Facts, subjects: list[str]) -> Select:
    """The SELECT of the rows that an aggregate is computed from: subject id, row id."""
    build = _Builder(facts, term.table, {}, "m")
    by = f'{build.root}."{term.by}"'
    names = [build.bind(subject) for subject in subjects]
    where = f"{by} IN ({', '.join(names)})"
    if term.where is not None:
        where += f" AND {build.condition(term.where)}"
    order = f"CAST(substr({build.root}.id, {len(term.table) + 2}) AS INTEGER)"
    return Select(
        f"SELECT {by}, {build.root}.id FROM {build.sources()} WHERE {where} ORDER BY {order}", build.parameters
    )


def literal(found: Meaning, value: str) -> Value:
    """A canonical literal as the value that the typed tables hold."""
    if found.type == "boolean":
        return int(value == "yes")
    if found.type in _NUMERIC:
        return float(value) if found.decimals else int(value)
    return value


@dataclass(slots=True)
class _Builder:
    """The FROM clause of one SELECT as it grows, and the expressions over it."""

    facts: Facts
    table: str
    parameters: dict[str, Value]
    prefix: str
    joins: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def root(self) -> str:
        return f"{self.prefix}0"

    def sources(self) -> str:
        return " ".join([f'"{self.table}" AS {self.root}', *(join for _, join in self.joins.values())])

    def bind(self, value: Value) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"

    def holder(self, term: Attr | At) -> str:
        return f"{self._row(term)}.id"

    def value(self, term: Term) -> str:
        if isinstance(term, Agg):
            return self._aggregate_value(term)
        found = meaning(self.facts, self.table, term)
        column = "name" if found.column is None else term.words[-1]
        return f'{self._row(term)}."{column}"'

    def condition(self, condition: Condition) -> str:
        if isinstance(condition, Compare):
            return self._compare(condition)
        if isinstance(condition, Not):
            return f"NOT {self.condition(condition.item)}"
        word = " AND " if isinstance(condition, And) else " OR "
        return f"({word.join(self.condition(item) for item in condition.items)})"

    def _compare(self, compare: Compare) -> str:
        found = meaning(self.facts, self.table, compare.term)
        op = "<>" if compare.op == "!=" else compare.op
        term = compare.term
        if not isinstance(term, Agg):
            return f"COALESCE({self.value(term)} {op} {self.bind(literal(found, compare.value))}, 0)"
        alias = self._aggregate(term)
        if term.how == "count":
            return f"(COALESCE({alias}.n, 0) {op} {self.bind(int(compare.value))})"
        if found.column is None or term.how in ("min", "max"):
            return f"COALESCE({alias}.v {op} {self.bind(literal(found, compare.value))}, 0)"
        if term.how == "sum":
            return f"COALESCE({alias}.v {op} {self.bind(int(Decimal(compare.value).scaleb(found.decimals)))}, 0)"
        digits = max(0, -int(Decimal(compare.value).as_tuple().exponent))
        left = f"{alias}.v * {10**digits}"
        scaled = int(Decimal(compare.value).scaleb(found.column.decimals + digits))
        return f"COALESCE({left} {op} {self.bind(scaled)} * {alias}.n, 0)"

    def _aggregate_value(self, term: Agg) -> str:
        alias = self._aggregate(term)
        if term.how == "count":
            return f"COALESCE({alias}.n, 0)"
        return f"({alias}.v * 1.0 / {alias}.n)" if term.how == "mean" else f"{alias}.v"

    def _aggregate(self, term: Agg) -> str:
        key = repr(term)
        if key in self.joins:
            return self.joins[key][0]
        alias = f"{self.prefix}{len(self.joins) + 1}"
        inner = _Builder(self.facts, term.table, self.parameters, f"{alias}g")
        by = f'{inner.root}."{term.by}"'
        where = f" AND {inner.condition(term.where)}" if term.where is not None else ""
        chosen = [f"{by} AS k"]
        if term.of is None:
            chosen.append("COUNT(*) AS n")
        else:
            column = self.facts.tables[term.table].columns[term.of]
            value = f'{inner.root}."{term.of}"'
            chosen += [f"COUNT({value}) AS n", f"{_folded(term.how, value, column)} AS v"]
        text = f"SELECT {', '.join(chosen)} FROM {inner.sources()} WHERE {by} IS NOT NULL{where} GROUP BY {by}"
        self.joins[key] = (alias, f"LEFT JOIN ({text}) AS {alias} ON {alias}.k = {self.root}.id")
        return alias

    def _row(self, term: Attr | At) -> str:
        alias, table = self.root, self.table
        for position, word in enumerate(term.words[:-1]):
            target = self.facts.tables[table].columns[word].target
            assert target is not None
            key = ".".join(term.words[: position + 1])
            table, alias = target, self._join(key, target, f'{{}}.id = {alias}."{word}"')
        if isinstance(term, Attr):
            return alias
        series = f"{table}_{term.words[-1]}"
        key = f"{term.path}@{term.period}"
        if key in self.joins:
            return self.joins[key][0]
        of = self.facts.tables[series].key[0]
        return self._join(key, series, f'{{0}}."{of}" = {alias}.id AND {{0}}.period = {self.bind(term.period)}')

    def _join(self, key: str, table: str, on: str) -> str:
        if key not in self.joins:
            alias = f"{self.prefix}{len(self.joins) + 1}"
            self.joins[key] = (alias, f'LEFT JOIN "{table}" AS {alias} ON {on.format(alias)}')
        return self.joins[key][0]


def _folded(how: str, value: str, column: Column) -> str:
    if how in ("min", "max"):
        return f"{how.upper()}({value})"
    if column.decimals == 0:
        return f"SUM({value})"
    half = f"CASE WHEN {value} < 0 THEN -0.5 ELSE 0.5 END"
    return f"SUM(CAST({value} * {10**column.decimals} + {half} AS INTEGER))"
