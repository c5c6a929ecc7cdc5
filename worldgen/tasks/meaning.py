"""What a term is about: where its path leads over the facts, and of which type its value is.

Sits between the query, which is names only, and whatever needs types: SQL, gold, wording, evaluation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from worldgen.errors import CallerError
from worldgen.facts.tables import Column, ColumnType, Facts, Table
from worldgen.tasks.query import Agg, At, Term

NUMBERS: frozenset[str] = frozenset({"integer", "decimal", "money", "percent"})
ORDERED: frozenset[str] = NUMBERS | {"year", "date", "period"}


@dataclass(frozen=True, slots=True)
class Meaning:
    """A term resolved over the facts.

    Attributes:
        hops: The refs on the way, as (table, column) pairs.
        table: The table that holds the value: of the attribute, the series, or the rows aggregated.
        column: Its column; None for a row's own name and for a count.
        type: Type of the value.
        decimals: Scale of the value.
        target: For a ref, and for a name: the table of the row that is named.
    """

    hops: tuple[tuple[str, str], ...]
    table: Table
    column: Column | None
    type: ColumnType
    decimals: int
    target: str | None

    @property
    def unit(self) -> str | None:
        """The unit's id, if the value has one."""
        return self.column.unit if self.column is not None else None

    @property
    def currency(self) -> str | None:
        """The currency's code, for money."""
        return self.column.currency if self.column is not None else None

    @property
    def step(self) -> int:
        """What values are multiples of, at their scale; 0 for exact whole numbers, years and dates."""
        if self.column is None or self.type not in NUMBERS:
            return 0
        spec = self.column.spec
        rounding = getattr(spec, "round", None)
        if rounding:
            return max(1, int(rounding * 10**self.column.decimals + 0.5))
        return 1 if self.column.decimals else 0


def meaning(facts: Facts, subject: str, term: Term) -> Meaning:
    """Resolve a term.

    Raises:
        CallerError: The path, the series or the aggregate does not exist in these facts.
    """
    table = _table(facts, subject)
    if isinstance(term, Agg):
        return _aggregate(facts, subject, term)
    hops = []
    for word in term.words[:-1]:
        column = _column(table, word)
        if column.type != "ref" or column.target is None:
            raise CallerError("query.not-a-ref", f"`{word}` of `{table.name}` is followed but is no ref", got=term.path)
        hops.append((table.name, word))
        table = _table(facts, column.target)
    last = term.words[-1]
    if isinstance(term, At):
        series = _table(facts, f"{table.name}_{last}")
        if series.kind != "series":
            raise CallerError("query.no-series", f"`{table.name}` has no series `{last}`", got=term.path)
        column = _column(series, last)
        return Meaning(tuple(hops), series, column, column.type, column.decimals, None)
    if last == "name" and "name" not in table.columns:
        return Meaning(tuple(hops), table, None, "name", 0, table.name)
    column = _column(table, last)
    return Meaning(tuple(hops), table, column, column.type, column.decimals, column.target)


def _aggregate(facts: Facts, subject: str, term: Agg) -> Meaning:
    table = _table(facts, term.table)
    by = _column(table, term.by)
    if by.type != "ref" or by.target != subject:
        raise CallerError("query.not-a-ref", f"`{term.table}.{term.by}` does not refer to `{subject}`", got=repr(term))
    if term.of is None:
        return Meaning((), table, None, "integer", 0, None)
    column = _column(table, term.of)
    if term.how in ("sum", "mean") and column.type not in NUMBERS:
        raise CallerError("query.not-a-number", f"`{term.of}` cannot be added up", expected="a number", got=column.type)
    if column.type not in ORDERED:
        raise CallerError("query.no-order", f"`{term.of}` has no order", expected="a number or a date", got=column.type)
    decimals = term.decimals if term.how == "mean" else column.decimals
    kind: ColumnType = "decimal" if term.how == "mean" and column.type == "integer" else column.type
    return Meaning((), table, column, kind, decimals, None)


def fact_namer(table: Table, attribute: str) -> Callable[[int], str | None]:
    """What names the fact that states a row's value; it gives None where no page does, as for a row's own name.

    A part of a key is known by a fact of its row: in a relation by that of the last key column, which joins the two
    sides, elsewhere by the first that is stated.
    """
    stated = table.stated()
    if attribute in table.key and attribute not in stated and stated:
        attribute = table.key[-1] if table.key[-1] in stated else stated[0]
    if attribute not in stated:
        return _unstated
    if table.kind == "series":
        return lambda row: table.fact(row, attribute)
    start = f"{table.name}/"
    end = f"/{attribute}"
    return lambda row: f"{start}{row}{end}"


def _unstated(_row: int) -> None:
    return None


def row_of(id_: str) -> int:
    """The row number in an id: `phone/17` → 17."""
    return int(id_.rsplit("/", 1)[1])


def _table(facts: Facts, name: str) -> Table:
    if name not in facts.tables:
        raise CallerError("query.no-table", f"there is no table `{name}`", expected=" or ".join(facts.tables), got=name)
    return facts.tables[name]


def _column(table: Table, name: str) -> Column:
    if name not in table.columns:
        raise CallerError(
            "query.no-column", f"`{table.name}` has no `{name}`", expected=" or ".join(table.columns), got=name
        )
    return table.columns[name]
