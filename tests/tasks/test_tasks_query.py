from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import CallerError
from worldgen.facts.tables import Facts
from worldgen.tasks import (
    Agg,
    And,
    At,
    Attr,
    Compare,
    Not,
    Or,
    Order,
    TableQuery,
    compile_rows,
    gold_rows,
)
from worldgen.tasks.frame import Frame
from worldgen.tasks.query import Condition, Term, read_condition

NUMBERS = st.integers(0, 3000).map(str)
OPS = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
PRICE, RAM, MAKER_YEAR, WEIGHT = Attr("price"), Attr("memory"), Attr("maker.founded"), Attr("weight")
ORIGIN = Attr("chip.maker_of_origin.founded")

LEAVES = st.one_of(
    st.builds(Compare, st.sampled_from([PRICE, RAM, MAKER_YEAR, WEIGHT, ORIGIN, Attr("battery")]), OPS, NUMBERS),
    st.builds(Compare, st.just(Attr("screen")), OPS, st.integers(55, 75).map(lambda n: f"{n / 10:.1f}")),
    st.builds(Compare, st.just(Attr("released")), OPS, st.dates().map(lambda d: d.isoformat())),
    st.builds(Compare, st.just(Attr("finish")), st.sampled_from(["=", "!="]), st.sampled_from(["glass", "ceramic"])),
    st.builds(Compare, st.just(Attr("satellite")), st.sampled_from(["=", "!="]), st.sampled_from(["yes", "no"])),
    st.builds(Compare, st.just(Attr("maker")), st.sampled_from(["=", "!="]), st.integers(0, 15).map("maker/{}".format)),
    st.builds(Compare, st.just(At("maker.shipments", "2029-Q1")), OPS, st.integers(0, 900000).map(str)),
    st.builds(Compare, st.just(At("maker.shipments", "2019-Q1")), OPS, NUMBERS),
    st.builds(Compare, st.just(Agg("count", "offer", "phone")), OPS, st.integers(0, 4).map(str)),
    st.builds(
        Compare,
        st.builds(Agg, st.sampled_from(["sum", "mean", "min", "max"]), st.just("offer"), st.just("phone"),
                  st.just("monthly_price"), st.none(), st.just(2)),
        OPS, st.integers(0, 30000).map(lambda n: str(Decimal(n).scaleb(-2))),
    ),
    st.builds(
        Compare,
        st.just(Agg("count", "offer", "phone", None, Compare(Attr("carrier.network"), "=", "own"))),
        OPS, st.integers(0, 3).map(str),
    ),
)  # fmt: skip
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: And(tuple(items))),
        st.lists(inner, min_size=1, max_size=3).map(lambda items: Or(tuple(items))),
    ),
    max_leaves=4,
)
COLUMNS: tuple[Term, ...] = (PRICE, Attr("maker.headquarters.population"), At("maker.shipments", "2028-Q2"))


def value_of(facts: Facts, table: str, term: Term, row: int) -> object:
    """The value of a term, the slow way: row by row, with fractions."""
    if isinstance(term, Agg):
        other = facts.tables[term.table]
        rows = [i for i in range(other.size) if int(other.columns[term.by].values[i]) == row]
        rows = [i for i in rows if term.where is None or holds(facts, term.table, term.where, i)]
        if term.of is None:
            return Fraction(len(rows))
        column = other.columns[term.of]
        values = [Fraction(int(column.values[i]), 10**column.decimals) for i in rows if column.given[i]]
        if term.how == "sum":
            return sum(values, Fraction(0))
        if not values:
            return None
        return {"mean": sum(values) / len(values), "min": min(values), "max": max(values)}[term.how]
    here = facts.tables[table]
    for word in term.words[:-1]:
        target = here.columns[word].canonical(row)
        if target is None:
            return None
        here, row = facts.tables[target.split("/")[0]], int(target.split("/")[1])
    if isinstance(term, At):
        series = facts.tables[f"{here.name}_{term.words[-1]}"]
        for i in range(series.size):
            of, period = (series.columns[key] for key in series.key)
            if int(of.values[i]) == row and period.canonical(i) == term.period:
                return plain(series.columns[term.words[-1]].canonical(i))
        return None
    return plain(here.columns[term.words[-1]].canonical(row))


def plain(text: str | None) -> object:
    if text is None:
        return None
    try:
        return Fraction(text)
    except ValueError:
        return text


def holds(facts: Facts, table: str, condition: Condition, row: int) -> bool:
    if isinstance(condition, And):
        return all(holds(facts, table, item, row) for item in condition.items)
    if isinstance(condition, Or):
        return any(holds(facts, table, item, row) for item in condition.items)
    if isinstance(condition, Not):
        return not holds(facts, table, condition.item, row)
    left, right = value_of(facts, table, condition.term, row), plain(condition.value)
    if left is None:
        return False
    assert isinstance(left, type(right))
    return {
        "=": left == right, "!=": left != right, "<": left < right,  # type: ignore[operator]
        "<=": left <= right, ">": left > right, ">=": left >= right,  # type: ignore[operator]
    }[condition.op]  # fmt: skip


@given(condition=CONDITIONS)
@settings(max_examples=60, deadline=None)
def test_sql_selects_what_brute_force_selects(phones, condition):
    query = TableQuery("phone", (Attr("name"),), COLUMNS, condition)
    select = compile_rows(query, phones.facts)
    found = [row[0] for row in phones.connection.execute(select.text, select.parameters)]
    assert found == [f"phone/{i}" for i in range(112) if holds(phones.facts, "phone", condition, i)]
    assert Frame(phones.facts).rows(query).tolist() == [int(id_.split("/")[1]) for id_ in found]


@given(condition=CONDITIONS)
@settings(max_examples=50, deadline=None)
def test_json_round_trip(condition):
    query = TableQuery("phone", (Attr("name"),), COLUMNS, condition, Order(PRICE, descending=False), 12)
    assert TableQuery.from_json(json.loads(json.dumps(query.to_json()))) == query
    assert read_condition(query.to_json()["where"]) == condition


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"subject": "phone", "keys": [], "columns": []},
        {"subject": "Phone!", "keys": [{"attribute": "name"}], "columns": []},
        {"subject": "phone", "keys": [{"attribute": "na me"}], "columns": []},
        {"subject": "phone", "keys": [{"attribute": "name"}], "columns": [{"series": "x", "period": "2029-Q5"}]},
        {"subject": "phone", "keys": [{"attribute": "name"}], "columns": [], "where": {"or": []}},
        {"subject": "phone", "keys": [{"attribute": "name"}], "columns": [], "limit": 3},
        {"subject": "phone", "keys": [{"attribute": "name"}], "columns": [{"aggregate": "sum", "table": "a", "by": "b"}]},  # noqa: E501
        {"subject": "phone", "keys": [{"attribute": "name"}], "columns": [{"attribute": "name"}]},
    ],
)  # fmt: skip
def test_a_wrong_query_is_refused(data):
    with pytest.raises(CallerError) as caught:
        TableQuery.from_json(data)
    assert caught.value.code == "query.invalid"


@pytest.mark.parametrize(
    ("term", "code"),
    [
        (Attr("nothing"), "query.no-column"),
        (Attr("price.founded"), "query.not-a-ref"),
        (At("shipments", "2029-Q1"), "query.no-table"),
        (Agg("count", "offer", "carrier"), "query.not-a-ref"),
        (Agg("sum", "offer", "phone", "since"), "query.not-a-number"),
    ],
)
def test_a_term_that_leads_nowhere_is_refused(phones, term, code):
    with pytest.raises(CallerError) as caught:
        gold_rows(TableQuery("phone", (Attr("name"),), (term,)), phones.connection, phones.facts, "en")
    assert caught.value.code == code


def test_top_k_by_each_kind_of_term(phones):
    for term in (PRICE, MAKER_YEAR, At("maker.shipments", "2029-Q1"), Agg("mean", "offer", "phone", "monthly_price")):
        for descending in (True, False):
            query = TableQuery("phone", (Attr("name"),), (RAM,), None, Order(term, descending), 17)
            values = [(value_of(phones.facts, "phone", term, row), row) for row in range(112)]
            known = sorted(
                ((v, r) for v, r in values if v is not None), key=lambda p: (-p[0] if descending else p[0], p[1])
            )
            found = [row.id for row in gold_rows(query, phones.connection, phones.facts, "en")]
            assert found == [f"phone/{row}" for _, row in known[:17]]


def test_cells_are_exact_and_know_their_facts(phones):
    facts = phones.facts
    mean = Agg("mean", "offer", "phone", "monthly_price", None, 3)
    query = TableQuery("phone", (Attr("name"),), (WEIGHT, MAKER_YEAR, mean, Attr("finish")))
    undisclosed = 0
    for number, row in enumerate(gold_rows(query, phones.connection, facts, "zh")):
        name, weight, founded, price, finish = row.cells
        assert name.text == facts.tables["phone"].names[number].zh
        assert not name.facts
        undisclosed += weight.text == "未披露"
        assert weight.text == (facts.tables["phone"].columns["weight"].canonical(number) or "未披露")
        maker = int(facts.tables["phone"].columns["maker"].values[number])
        assert founded.facts == (f"phone/{number}/maker", f"maker/{maker}/founded")
        assert founded.giving == (f"maker/{maker}/founded",)
        wanted = value_of(facts, "phone", mean, number)
        assert price.text == ("无记录" if wanted is None else f"{round(wanted * 1000) / 1000:.3f}")
        assert finish.text in ("玻璃", "聚合物", "陶瓷", "铝合金")
    assert undisclosed == int((~facts.tables["phone"].columns["weight"].given).sum()) > 0
