"""A table query as SQLite SELECTs: which subject rows, and the ids of the rows that their cells are read from.

SQL selects and joins, and nothing else: no cell is computed here, since SQLite's rounding and averages differ between
versions. Aggregates in conditions are compared in whole numbers: a scaled sum against a scaled literal, times the
count for a mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial

from worldgen.errors import CallerError
from worldgen.facts.tables import Column, Facts
from worldgen.tasks.meaning import Meaning, meaning
from worldgen.tasks.query import Agg, And, At, Attr, Compare, Condition, Not, TableQuery, Term

Value = str | int | float
_OPERATORS = {"!=": "<>"}
_NUMERIC = ("integer", "decimal", "money", "percent", "year")


@dataclass(frozen=True, slots=True)
class Select:
    """A SELECT and its named parameters."""

    text: str
    parameters: dict[str, Value]


def compile_rows(query: TableQuery, facts: Facts) -> Select:
    """The SELECT of a query's rows: `id`, then for each column that is no aggregate the id of the row it is read from.

    Rows come in the query's order, then as they are stored, which is by number. What they must meet is settled in an
    inner SELECT, so that columns are joined for the rows of the answer only.
    """
    parameters: dict[str, Value] = {}
    inner = _Builder(facts, query.subject, parameters, "w")
    where = f" WHERE {inner.condition(query.where)}" if query.where is not None else ""
    chosen, order = f"{inner.root}.id", ""
    if query.order is not None and query.limit is not None:
        way = "DESC" if query.order.descending else "ASC"
        chosen += f", {inner.value(query.order.term)} AS o"
        order = f" ORDER BY o IS NULL, o {way}, {inner.root}.rowid LIMIT {query.limit}"
    rows = f"SELECT {chosen} FROM {inner.sources()}{where}{order}"
    outer = _Builder(facts, query.subject, parameters, "t")
    holders = [outer.holder(term) for term in query.terms if not isinstance(term, Agg)]
    text = f"SELECT {', '.join([f'{outer.root}.id', *holders])} FROM ({rows}) AS s"
    text += f" CROSS JOIN {outer.sources(on=f'{outer.root}.id = s.id')} ORDER BY "
    text += f"s.o IS NULL, s.o {way}, " if order else ""
    return Select(f"{text}{outer.root}.rowid", parameters)


def compile_members(term: Agg, facts: Facts, subjects: list[str]) -> Select:
    """The SELECT of the rows that an aggregate is computed from: subject id, row id."""
    build = _Builder(facts, term.table, {}, "m")
    by = f'{build.root}."{term.by}"'
    names = [build.bind(subject) for subject in subjects]
    where = f"{by} IN ({', '.join(names)})"
    if term.where is not None:
        where += f" AND {build.condition(term.where)}"
    text = f"SELECT {by}, {build.root}.id FROM {build.sources()} WHERE {where} ORDER BY {build.root}.rowid"
    return Select(text, build.parameters)


def literal(found: Meaning, value: str) -> Value:
    """A canonical literal as the value that the typed tables hold.

    Raises:
        CallerError: A number is wanted and the literal is none.
    """
    if found.type == "boolean":
        return int(value == "yes")
    if found.type not in _NUMERIC:
        return value
    try:
        return float(value) if found.decimals else int(value)
    except ValueError as error:
        raise CallerError(
            "query.literal", f"a {found.type} is compared with what is none", expected="a number", got=repr(value)
        ) from error


@dataclass(slots=True)
class _Builder:
    """The FROM clause of one SELECT as it grows, and the expressions over it."""

    facts: Facts
    table: str
    parameters: dict[str, Value]
    prefix: str
    joins: dict[str, tuple[str, str]] = field(default_factory=dict)
    subselects: int = 0

    @property
    def root(self) -> str:
        return f"{self.prefix}0"

    def sources(self, on: str = "") -> str:
        root = f'"{self.table}" AS {self.root}' + (f" ON {on}" if on else "")
        return " ".join([root, *(join for _, join in self.joins.values())])

    def bind(self, value: Value) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"

    def holder(self, term: Attr | At) -> str:
        meaning(self.facts, self.table, term)
        return f"{self._row(term)}.id"

    def value(self, term: Term) -> str:
        if isinstance(term, Agg):
            return self._aggregate_value(term)
        found = meaning(self.facts, self.table, term)
        column = "name" if found.column is None else term.words[-1]
        return f'{self._row(term)}."{column}"'

    def condition(self, condition: Condition, *, negated: bool = False) -> str:
        """A condition; under a NOT a comparison with nothing must be false, not unknown."""
        if isinstance(condition, Compare):
            text = self._compare(condition)
            return f"COALESCE({text}, 0)" if negated else text
        if isinstance(condition, Not):
            return f"NOT {self.condition(condition.item, negated=True)}"
        word = " AND " if isinstance(condition, And) else " OR "
        return f"({word.join(self.condition(item, negated=negated) for item in condition.items)})"

    def _compare(self, compare: Compare) -> str:
        if isinstance(compare.term, Agg):
            return self._over_members(compare.term, partial(self._folded_test, compare.term, compare))
        found = meaning(self.facts, self.table, compare.term)
        test = f"{_OPERATORS.get(compare.op, compare.op)} {self.bind(literal(found, compare.value))}"
        return self._through(self.root, self.table, compare.term, compare.term.words, test)

    def _through(self, alias: str, table: str, term: Attr | At, words: tuple[str, ...], test: str) -> str:
        """A test of what refs lead to, as subselects that are run once, not once a row."""
        self.subselects += 1
        inner = f"{self.prefix}i{self.subselects}"
        if len(words) > 1:
            target = self.facts.tables[table].columns[words[0]].target or ""
            deeper = self._through(inner, target, term, words[1:], test)
            # Many rows meet a range or a "not": reading each by an index takes longer than reading all in a row.
            by = f'{alias}."{words[0]}"' if test.startswith("=") else f'+{alias}."{words[0]}"'
            return f'{by} IN (SELECT {inner}.id FROM "{target}" AS {inner} WHERE {deeper})'
        if isinstance(term, Attr):
            column = words[0] if words[0] in self.facts.tables[table].columns else "name"
            return f'{alias}."{column}" {test}'
        series = f"{table}_{words[0]}"
        of = self.facts.tables[series].key[0]
        where = f'{inner}.period = {self.bind(term.period)} AND {inner}."{words[0]}" {test}'
        return f'{alias}.id IN (SELECT {inner}."{of}" FROM "{series}" AS {inner} WHERE {where})'

    def _folded_test(self, term: Agg, compare: Compare, alias: str) -> str:
        op = _OPERATORS.get(compare.op, compare.op)
        if term.of is None:
            return f"COUNT(*) {op} {self.bind(int(compare.value))}"
        column = self.facts.tables[term.table].columns[term.of]
        value = f'{alias}."{term.of}"'
        folded = _folded(term.how, value, column)
        if term.how in ("min", "max"):
            found = meaning(self.facts, self.table, term)
            return f"{folded} {op} {self.bind(literal(found, compare.value))}"
        exact = Decimal(compare.value)
        digits = max(0, -int(exact.as_tuple().exponent) - column.decimals)
        scaled = self.bind(int(exact.scaleb(column.decimals + digits)))
        times = f" * COUNT({value})" if term.how == "mean" else ""
        return f"{folded} * {10**digits} {op} {scaled}{times}"

    def _aggregate_value(self, term: Agg) -> str:
        if term.of is None:
            return self._over_members(term, lambda _: "COUNT(*)")
        column = self.facts.tables[term.table].columns[term.of]

        def folded(alias: str) -> str:
            value = f'{alias}."{term.of}"'
            text = _folded(term.how, value, column)
            return f"{text} * 1.0 / COUNT({value})" if term.how == "mean" else text

        return self._over_members(term, folded)

    def _over_members(self, term: Agg, expression: Callable[[str], str]) -> str:
        """An expression over the rows that refer to a row, which an index finds; asked of the rows left only."""
        self.subselects += 1
        inner = _Builder(self.facts, term.table, self.parameters, f"{self.prefix}g{self.subselects}")
        where = f" AND {inner.condition(term.where)}" if term.where is not None else ""
        chosen = expression(inner.root)
        return f'(SELECT {chosen} FROM {inner.sources()} WHERE {inner.root}."{term.by}" = {self.root}.id{where})'

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
    total = f"SUM({value})"
    if column.decimals:
        half = f"CASE WHEN {value} < 0 THEN -0.5 ELSE 0.5 END"
        total = f"SUM(CAST({value} * {10**column.decimals} + {half} AS INTEGER))"
    return f"COALESCE({total}, 0)" if how == "sum" else total
