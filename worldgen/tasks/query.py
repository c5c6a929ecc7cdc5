"""The table query: the one object that a question is, before it is SQL, words, an evaluation or a plan.

A query names a subject table, the terms that are its columns, a condition, and for a top-k an order and a limit. A
term is a value of a subject row: an attribute (perhaps of a row it refers to), a series at a period, or an aggregate
over the rows that refer to it. Everything is plain data with an exact JSON round trip.

Comparisons are two-valued: one whose value is missing is false, and its negation true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from worldgen.errors import CallerError

Operator = Literal["=", "!=", "<", "<=", ">", ">="]
How = Literal["count", "sum", "mean", "min", "max"]

_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
_HOWS = ("count", "sum", "mean", "min", "max")
_PATH = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\Z")
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_PERIOD = re.compile(r"\d{4}(-Q[1-4]|-(0[1-9]|1[0-2]))?\Z")


def _require(ok: object, what: str, expected: str, got: object) -> None:
    if not ok:
        raise CallerError("query.invalid", f"a table query has a wrong {what}", expected=expected, got=repr(got))


@dataclass(frozen=True, slots=True)
class Attr:
    """An attribute of the subject, or of a row it refers to: `price`, `maker.founded`; `name` is a row's own name."""

    path: str

    def __post_init__(self) -> None:
        _require(_PATH.match(self.path), "path", "attribute names joined by dots", self.path)

    @property
    def words(self) -> tuple[str, ...]:
        """The names on the path."""
        return tuple(self.path.split("."))


@dataclass(frozen=True, slots=True)
class At:
    """A series at a period: `shipments` of the subject, `maker.shipments` of a row it refers to."""

    path: str
    period: str

    def __post_init__(self) -> None:
        _require(_PATH.match(self.path), "path", "names joined by dots, a series last", self.path)
        _require(_PERIOD.match(self.period), "period", "2029, 2029-Q1 or 2029-03", self.period)

    @property
    def words(self) -> tuple[str, ...]:
        """The names on the path."""
        return tuple(self.path.split("."))


@dataclass(frozen=True, slots=True)
class Agg:
    """An aggregate over the rows of ``table`` whose ref ``by`` is the subject.

    Attributes:
        how: count, or sum, mean, min, max of ``of``; rows whose value is not disclosed are left out. A sum over
            no row is 0, a mean, min or max over none is no value.
        of: An attribute of ``table``; None for count.
        where: Which of those rows count; a condition about ``table``.
        decimals: Digits that a mean is rounded to, half to even; for the others it says nothing.
    """

    how: How
    table: str
    by: str
    of: str | None = None
    where: Condition | None = None
    decimals: int = 0

    def __post_init__(self) -> None:
        _require(self.how in _HOWS, "aggregate", " or ".join(_HOWS), self.how)
        _require((self.of is None) == (self.how == "count"), "aggregate", "`of` with all but count", self.of)
        for name in (self.table, self.by, self.of or "x"):
            _require(_NAME.match(name), "name", "letters, digits and underscores", name)
        _require(0 <= self.decimals <= 6, "number of decimals", "0 to 6", self.decimals)


Term = Attr | At | Agg


@dataclass(frozen=True, slots=True)
class Compare:
    """A term against a literal in canonical text form: a number, an ISO date, a category's key, `yes`, `maker/3`."""

    term: Term
    op: Operator
    value: str

    def __post_init__(self) -> None:
        _require(self.op in _OPERATORS, "operator", " ".join(_OPERATORS), self.op)
        _require(isinstance(self.value, str), "literal", "canonical text", self.value)


@dataclass(frozen=True, slots=True)
class And:
    """All of the conditions hold."""

    items: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _require(self.items, "AND", "at least one condition", self.items)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the conditions holds."""

    items: tuple[Condition, ...]

    def __post_init__(self) -> None:
        _require(self.items, "OR", "at least one condition", self.items)


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    item: Condition


Condition = Compare | And | Or | Not


@dataclass(frozen=True, slots=True)
class Order:
    """What the rows are ordered by; rows without a value come last."""

    term: Term
    descending: bool = True


@dataclass(frozen=True, slots=True)
class TableQuery:
    """A question as data.

    Attributes:
        subject: Table whose rows are asked for.
        keys: The terms that tell the rows of the answer apart, its first columns.
        columns: The other columns, in order.
        where: Which rows; None means all.
        order: With ``limit``: the first ``limit`` rows by this term.
        limit: How many rows a top-k has.
    """

    subject: str
    keys: tuple[Attr, ...]
    columns: tuple[Term, ...]
    where: Condition | None = None
    order: Order | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        _require(_NAME.match(self.subject), "subject", "a table's name", self.subject)
        _require(self.keys, "key", "at least one key column", self.keys)
        _require(len(set(self.terms)) == len(self.terms), "column list", "different columns", self.terms)
        _require((self.order is None) == (self.limit is None), "order", "order and limit together", self.limit)
        _require(self.limit is None or self.limit >= 1, "limit", "1 or more", self.limit)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All columns, keys first."""
        return (*self.keys, *self.columns)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON; `from_json` gives the query back."""
        found: dict[str, Any] = {
            "subject": self.subject,
            "keys": [term_json(key) for key in self.keys],
            "columns": [term_json(term) for term in self.columns],
        }
        if self.where is not None:
            found["where"] = condition_json(self.where)
        if self.order is not None:
            found["order"] = {"by": term_json(self.order.term), "descending": self.order.descending}
            found["limit"] = self.limit
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TableQuery:
        """Read what `to_json` wrote.

        Raises:
            CallerError: The data is no table query.
        """
        try:
            order = data.get("order")
            return cls(
                subject=data["subject"],
                keys=tuple(_attr(item) for item in data["keys"]),
                columns=tuple(read_term(item) for item in data["columns"]),
                where=read_condition(data["where"]) if "where" in data else None,
                order=Order(read_term(order["by"]), bool(order["descending"])) if order is not None else None,
                limit=data.get("limit"),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise CallerError("query.invalid", f"not a table query: {error!r}", got=repr(data)) from error


def _attr(data: Mapping[str, Any]) -> Attr:
    return Attr(data["attribute"])


def term_json(term: Term) -> dict[str, Any]:
    """A term as plain JSON."""
    if isinstance(term, Attr):
        return {"attribute": term.path}
    if isinstance(term, At):
        return {"series": term.path, "period": term.period}
    found: dict[str, Any] = {"aggregate": term.how, "table": term.table, "by": term.by}
    if term.of is not None:
        found["of"] = term.of
    if term.where is not None:
        found["where"] = condition_json(term.where)
    if term.decimals:
        found["decimals"] = term.decimals
    return found


def read_term(data: Mapping[str, Any]) -> Term:
    """The term that `term_json` wrote."""
    if "attribute" in data:
        return Attr(data["attribute"])
    if "series" in data:
        return At(data["series"], data["period"])
    where = read_condition(data["where"]) if "where" in data else None
    return Agg(data["aggregate"], data["table"], data["by"], data.get("of"), where, data.get("decimals", 0))


def condition_json(condition: Condition) -> dict[str, Any]:
    """A condition as plain JSON."""
    if isinstance(condition, Compare):
        return {"term": term_json(condition.term), "op": condition.op, "value": condition.value}
    if isinstance(condition, Not):
        return {"not": condition_json(condition.item)}
    return {"and" if isinstance(condition, And) else "or": [condition_json(item) for item in condition.items]}


def read_condition(data: Mapping[str, Any]) -> Condition:
    """The condition that `condition_json` wrote."""
    if "and" in data:
        return And(tuple(read_condition(item) for item in data["and"]))
    if "or" in data:
        return Or(tuple(read_condition(item) for item in data["or"]))
    if "not" in data:
        return Not(read_condition(data["not"]))
    return Compare(read_term(data["term"]), data["op"], data["value"])


def comparisons(condition: Condition | None) -> Iterator[Compare]:
    """The comparisons of a condition, left to right."""
    if isinstance(condition, Compare):
        yield condition
    elif isinstance(condition, Not):
        yield from comparisons(condition.item)
    elif condition is not None:
        for item in condition.items:
            yield from comparisons(item)
