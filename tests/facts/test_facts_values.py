from statistics import NormalDist

import numpy as np
import pytest
from facts_schemas import alone, market, schema
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.derived import divided, largest_remainder
from worldgen.facts.distributions import distributions, noise_factor, standard_normal
from worldgen.facts.generate import generate
from worldgen.seeds import stream


def values(attribute, count=2000, **others):
    facts = generate(alone({"x": attribute} | others, count, key=["x"] if attribute.get("unique") else []), 7)
    return facts.tables["row"].columns["x"].values


def test_normal_draws_are_quantiles():
    z = standard_normal(200_000, stream(7, "z"))
    u = ((stream(7, "z").raw(200_000) >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
    exact = NormalDist()
    worst = max(abs(a - exact.inv_cdf(b)) for a, b in zip(z[:2000].tolist(), u[:2000].tolist(), strict=True))
    assert worst < 1e-9
    assert abs(z.mean()) < 0.01
    assert z.std() == pytest.approx(1, abs=0.01)


def test_noise_has_mean_one():
    factors = noise_factor(100_000, 0.3, stream(7, "n"))
    assert (factors > 0).all()
    assert factors.mean() == pytest.approx(1, abs=0.005)
    assert factors.std() == pytest.approx(0.3, abs=0.01)


def test_every_source_that_draws_is_registered():
    assert set(distributions) >= {"uniform", "normal", "lognormal", "pareto", "zipf", "empirical", "values"}


@pytest.mark.parametrize(
    ("attribute", "low", "median", "high"),
    [
        ({"type": "integer", "uniform": [10, 20]}, 10, 15, 20),
        ({"type": "decimal", "decimals": 1, "uniform": [5, 7]}, 50, 60, 70),
        ({"type": "integer", "normal": {"mean": 500, "sd": 50}, "min": 300, "max": 700}, 300, 500, 700),
        ({"type": "integer", "lognormal": {"median": 1000, "sigma": 1}, "max": 50000}, 0, 1000, 50000),
        ({"type": "integer", "pareto": {"min": 100, "alpha": 1.5}}, 100, 159, 10**9),
        ({"type": "integer", "zipf": {"max": 50}}, 1, 5, 50),
        ({"type": "integer", "empirical": [3, 5, 8]}, 3, 5, 8),
        ({"type": "year", "uniform": [1984, 2024]}, 1984, 2004, 2024),
    ],
)
def test_distributions_have_their_shape(attribute, low, median, high):
    drawn = values(attribute)
    assert low <= drawn.min()
    assert drawn.max() <= high
    assert np.median(drawn) == pytest.approx(median, rel=0.08)
    assert len(np.unique(drawn)) > 2


def test_bounds_do_not_pile_up():
    drawn = values({"type": "integer", "normal": {"mean": 100, "sd": 30}, "min": 80, "max": 120})
    assert (drawn == 80).sum() < 100
    assert (drawn == 120).sum() < 100


def test_rounding_keeps_to_the_grid_and_the_range():
    drawn = values({"type": "integer", "lognormal": {"median": 900, "sigma": 1}, "round": 50, "min": 120, "max": 4980})
    assert (drawn % 50 == 0).all()
    assert drawn.min() >= 150
    assert drawn.max() <= 4950


def test_category_weights():
    counts = np.bincount(values({"values": {"a": 6, "b": 3, "c": 1}}))
    assert counts / 2000 == pytest.approx([0.6, 0.3, 0.1], abs=0.04)


def test_unique_values_differ_even_where_the_range_is_full():
    drawn = values({"type": "integer", "uniform": [1, 300], "unique": True}, 300)
    assert sorted(drawn.tolist()) == list(range(1, 301))
    fixed = values({"type": "integer", "expr": "y * 0", "unique": True}, 50, y={"type": "integer", "uniform": [1, 9]})
    assert len(set(fixed.tolist())) == 50


def test_rank_is_a_permutation():
    attributes = {"y": {"type": "integer", "uniform": [1, 50]}, "x": {"type": "integer", "rank": {"of": "y"}}}
    columns = generate(alone(attributes, 400, key=[]), 7).tables["row"].columns
    ranks, of = columns["x"].values, columns["y"].values
    assert sorted(ranks.tolist()) == list(range(1, 401))
    assert (np.diff(of[np.argsort(ranks)]) <= 0).all()


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(min_value=1e-3, max_value=1e9), min_size=1, max_size=40),
    st.integers(min_value=0, max_value=10**6),
    st.integers(min_value=1, max_value=4),
)
def test_shares_add_up(weights, total, groups):
    group = np.arange(len(weights)) % groups
    group = np.unique(group, return_inverse=True)[1]
    parts = largest_remainder(np.array(weights), total, group)
    assert (parts >= 0).all()
    for each in range(int(group.max()) + 1):
        mine = group == each
        assert parts[mine].sum() == total
        exact = np.array(weights)[mine] / np.array(weights)[mine].sum() * total
        assert (np.abs(parts[mine] - exact) < 1 + 1e-6).all()


@settings(max_examples=100, deadline=None)
@given(st.integers(-(10**9), 10**9), st.integers(1, 10**5), st.integers(0, 3), st.integers(0, 3))
def test_means_round_half_to_even(total, count, have, want):
    from decimal import ROUND_HALF_EVEN, Decimal, localcontext

    with localcontext() as context:
        context.prec = 60
        exact = (Decimal(total).scaleb(-have) / count).quantize(Decimal(1).scaleb(-want), ROUND_HALF_EVEN)
    assert divided(np.array([total]), np.array([count]), have, want).tolist() == [int(exact.scaleb(want))]


@pytest.mark.parametrize(
    ("bounds", "holds"),
    [
        ({"after": "2020-05-05"}, lambda d: d > "2020-05-05"),
        ({"before": "2019"}, lambda d: d < "2019"),
        ({"after": "2018", "before": "2020"}, lambda d: d[:4] == "2019"),
    ],
)
def test_dates_keep_to_constant_bounds(bounds, holds):
    spec = {"type": "date", "uniform": ["2010-01-01", "2029-12-31"]} | bounds
    column = generate(alone({"x": spec}, 200, key=[]), 7).tables["row"].columns["x"]
    assert all(holds(text) for text in column.canonicals())


def test_a_year_after_a_date_passes_its_year():
    attributes = {
        "day": {"type": "date", "uniform": ["2010-01-01", "2015-12-31"]},
        "x": {"type": "year", "normal": {"mean": 2012, "sd": 3}, "after": "day", "max": 2030},
    }
    columns = generate(alone(attributes, 500, key=[]), 7).tables["row"].columns
    years = [int(text[:4]) for text in columns["day"].canonicals()]
    assert (columns["x"].values > np.array(years)).all()


def refs(spec, count=300):
    entities = {
        "a": {"count": 30, "name": {"kind": "place"}, "attributes": {"w": {"type": "integer", "uniform": [1, 9]}}},
        "b": {"count": count, "key": [], "phrase": {"en": "b"}, "attributes": {"x": spec}},
    }
    facts = generate(schema(market(entities=entities, series={}, relations={})), 7)
    return facts.tables["b"].columns["x"].values, facts


def test_even_refs():
    drawn, _ = refs({"ref": "a", "degree": {"even": True}})
    assert np.bincount(drawn).tolist() == [10] * 30


def test_zipf_refs_are_skewed_and_reach_everybody():
    drawn, _ = refs({"ref": "a", "degree": {"zipf": 1.0}})
    counts = np.sort(np.bincount(drawn, minlength=30))
    assert counts[0] >= 1
    assert counts[-1] > 35


def test_weighted_refs_follow_the_weight():
    drawn, facts = refs({"ref": "a", "degree": {"weight": "w ** 2"}}, 3000)
    weight = facts.tables["a"].columns["w"].values
    assert np.corrcoef(np.bincount(drawn, minlength=30), weight**2)[0, 1] > 0.9


def test_distinct_optional_and_capped_refs():
    drawn, _ = refs({"ref": "a", "distinct": True, "optional": 0.5}, 40)
    assert (drawn < 0).sum() == 20
    assert len(set(drawn[drawn >= 0].tolist())) == 20
    drawn, _ = refs({"ref": "a", "degree": {"max": 11}})
    assert np.bincount(drawn).max() <= 11


@pytest.mark.parametrize("distinct", [True, False])
def test_acyclic_refs_never_come_back(distinct):
    spec = {"ref": "row", "acyclic": True, "optional": 0.2, "distinct": distinct}
    parent = generate(alone({"x": spec}, 200, key=[]), 7).tables["row"].columns["x"].values
    assert (parent < 0).sum() == 40
    rows = np.arange(200)
    for _ in range(200):
        rows = np.where(rows >= 0, parent[rows], -1)
    assert (rows < 0).all()


def test_a_row_never_refers_to_itself():
    for extra in ({}, {"distinct": True}, {"degree": {"even": True}}):
        parent = generate(alone({"x": {"ref": "row"} | extra}, 50, key=[]), 7).tables["row"].columns["x"].values
        assert (parent != np.arange(50)).all()


def test_keys_are_unique():
    entities = {
        "a": {"count": 6, "name": {"kind": "place"}},
        "b": {
            "count": 55,
            "key": ["a", "year"],
            "phrase": {"en": "{a} in {year}", "zh": "{a}{year}"},
            "attributes": {"a": {"ref": "a"}, "year": {"type": "year", "uniform": [2010, 2029]}},
        },
    }
    table = generate(schema(market(entities=entities, series={}, relations={})), 7).tables["b"]
    pairs = set(zip(table.columns["a"].values.tolist(), table.columns["year"].values.tolist(), strict=True))
    assert len(pairs) == 55
    place = generate(schema(market(entities=entities, series={}, relations={})), 7).tables["a"].names
    assert table.names[0].en == f"{place[table.columns['a'].values[0]].en} in {table.columns['year'].values[0]}"


def relation(spec, sources=40, targets=15):
    entities = {
        "a": {"count": sources, "name": {"kind": "place"}},
        "b": {"count": targets, "name": {"kind": "brand"}},
    }
    document = market(entities=entities, series={}, relations={"r": {"cardinality": "many_to_many"} | spec})
    table = generate(schema(document), 7).tables["r"]
    return [tuple(pair) for pair in zip(*(c.values.tolist() for c in table.columns.values()), strict=True)]


@pytest.mark.parametrize("degree", [{"mean": 4}, {"max": 3}, {"mean": 12, "max": 15}, {"zipf": 1.5}, {"mean": 0.5}])
def test_pairs_are_unique_and_keep_to_their_degree(degree):
    pairs = relation({"from": "a", "to": "b", "degree": degree})
    assert len(set(pairs)) == len(pairs)
    assert pairs == sorted(pairs)
    counts = np.bincount([a for a, _ in pairs], minlength=40)
    assert counts.max() <= degree.get("max", 15)
    if "mean" in degree:
        assert counts.mean() == pytest.approx(degree["mean"], rel=0.4)


def test_acyclic_pairs_have_an_order():
    import networkx

    pairs = relation({"from": "a", "to": "a", "roles": ["part", "whole"], "acyclic": True, "degree": {"mean": 3}})
    assert len(pairs) > 60
    assert networkx.is_directed_acyclic_graph(networkx.DiGraph(pairs))


def broken(change, entity="phone"):
    document = market()
    document["entities"][entity]["attributes"].update(change)
    return schema(document)


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"a": {"type": "year", "expr": "b"}, "b": {"type": "year", "expr": "a"}}, "schema.cycle", "phone.a → phone.b"),
        ({"a": {"type": "integer", "expr": "makr.founded"}}, "schema.unknown-path", "did you mean 'maker'"),
        ({"a": {"type": "integer", "expr": "2029 - released"}}, "schema.expression", "a date is not a year"),
        ({"a": {"type": "integer", "expr": "released"}}, "schema.kind", "got date"),
        ({"a": {"type": "integer", "rank": {"of": "weight"}}}, "schema.undisclosed", "phone.weight"),
        ({"a": {"type": "integer", "uniform": [1, 9], "round": 0.5}}, "schema.round", "multiple of 1"),
        ({"a": {"type": "integer", "uniform": [1, 9], "after": "maker.founded"}}, "schema.bound", "a date or a year"),
        ({"a": {"type": "date", "uniform": ["2020-01-01", "2021-01-01"], "after": "ram"}}, "schema.bound", "got int"),
        ({"a": {"type": "integer", "depends": {"on": "tier", "map": {"low": 1}}}}, "schema.depends", "no mid"),
        ({"a": {"type": "integer", "process": True}}, "schema.process-column", "no process fills it"),
    ],
)  # fmt: skip
def test_schema_errors_say_where(change, code, words):
    with pytest.raises(SchemaError) as caught:
        generate(broken(change), 7)
    assert caught.value.code == code
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"a": {"type": "year", "uniform": [1950, 1960], "after": "maker.founded"}}, "facts.empty-range", "phone/0"),
        ({"a": {"type": "integer", "uniform": [1, 99], "unique": True}}, "facts.not-unique", "phone/"),
        ({"a": {"ref": "maker", "distinct": True}}, "facts.distinct", "at most 20 rows"),
        ({"a": {"type": "integer", "expr": "ram / 0"}}, "facts.not-a-number", "phone/0"),
        ({"a": {"type": "integer", "expr": "predecessor.ram"}}, "facts.not-a-number", "if_"),
        ({"a": {"type": "percent", "share": {"weight": "ram - 4"}}}, "facts.share-weight", "above zero"),
        ({"a": {"ref": "city", "degree": {"weight": "0 * population"}}}, "facts.degree-weight", "not all 0"),
        ({"a": {"ref": "maker", "degree": {"max": 2}}}, "facts.degree-max", "at most 40"),
    ],
)
def test_what_cannot_be_satisfied_names_rows(change, code, words):
    with pytest.raises(GenerationError) as caught:
        generate(broken(change), 7)
    assert caught.value.code == code
    assert words in str(caught.value)


def test_a_check_may_not_rest_on_undisclosed_values():
    document = market(checks={"light": {"sql": "SELECT id FROM phone WHERE weight > 900", "breaks": "x"}})
    with pytest.raises(SchemaError, match=r"checks\.light"):
        generate(schema(document), 7)


def test_an_end_before_its_start_names_the_rows():
    document = market()
    document["relations"]["partner"]["attributes"] = {
        "until": {"type": "year", "uniform": [2000, 2001]},
        "since": {"type": "year", "expr": "until + 1"},
    }
    with pytest.raises(GenerationError, match="partner/0"):
        generate(schema(document), 7)


def test_unique_optional_refs_may_all_refer_to_nothing():
    drawn, _ = refs({"ref": "a", "unique": True, "optional": 0.5}, 40)
    assert (drawn < 0).sum() == 20
    assert len(set(drawn[drawn >= 0].tolist())) == 20


def test_weights_of_nothing_are_an_error():
    with pytest.raises(GenerationError, match="at least one above 0"):
        values({"values": {"a": 0, "b": 0}})
