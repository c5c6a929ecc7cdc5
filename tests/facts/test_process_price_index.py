import time
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import numpy as np
import pytest
from facts_schemas import PlainView, digest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.generate import generate
from worldgen.facts.processes import process_of
from worldgen.facts.reading import read_schema
from worldgen.seeds import stream

SCHEMA = Path(__file__).parent / "schemas" / "price_index.yaml"


def index(items, seed=7, columns=None, **given):
    process = process_of("price_index")
    parameters = process.read({"items": "item", "periods": ["2024-01", "2027-12"]} | given)
    view = PlainView({"item": {"row": np.arange(items)} | (columns or {})})
    return process.run(parameters, view, {}, stream(seed, "index"))


def exact(value, decimals):
    """The decimal number that a float of so many decimals stands for."""
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals))


def rounded(value, decimals):
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)


every_length = st.sampled_from([("month", "2024-01", "2024-02"), ("month", "2024-03", "2026-07"),
                                ("quarter", "2024-Q4", "2025-Q1"), ("quarter", "2020-Q2", "2029-Q4")])  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 25), st.integers(0, 10**6), every_length, st.integers(0, 3), st.sampled_from([-0.2, 0.03, 1]))
def test_the_index_is_that_of_the_published_parts(items, seed, length, decimals, inflation):
    every, first, last = length
    given_ = {"every": every, "periods": [first, last], "decimals": decimals, "inflation": inflation}
    made = index(items, seed, **given_)
    item, price, period = made["item"], made["price"], made["survey"]
    weights = [exact(weight, 2) for weight in item["weight"]]
    assert sum(weights) == 100
    assert min(weights) > 0
    levels = [exact(level, decimals) for level in period["level"]]
    assert levels[0] == 100
    number = len(levels)
    assert len(price["price"]) == items * number
    cents = [[exact(each, 2) for each in row] for row in price["price"].reshape(items, number)]
    relatives = [[exact(each, decimals) for each in row] for row in price["relative"].reshape(items, number)]
    for row, base in enumerate(item["base_price"]):
        assert min(cents[row]) > 0
        assert exact(base, 2) == cents[row][0]
        assert relatives[row] == [rounded(100 * each / cents[row][0], decimals) for each in cents[row]]
    for at, level in enumerate(levels):
        mean = sum(weight * row[at] for weight, row in zip(weights, relatives, strict=True)) / 100
        assert level == rounded(mean, decimals)
    for table, lag in (("change", 1), ("inflation", 12 if every == "month" else 4)):
        rows = made[table]
        assert rows["survey"].tolist() == list(range(lag, number))
        assert (rows["survey"] - rows["earlier"] == lag).all()
        for now, before, rate in zip(rows["survey"], rows["earlier"], rows["rate"], strict=True):
            assert exact(rate, decimals) == rounded(100 * (levels[now] / levels[before] - 1), decimals)
        assert (rows["year"] == period["year"][rows["survey"]]).all()
    assert (np.diff(period["first_day"]) > 27).all()


def test_a_base_within_the_series_is_100():
    made = index(12, base="2025-06", decimals=2)
    at = int(np.flatnonzero((made["survey"]["year"] == 2025) & (made["survey"]["part"] == 6))[0])
    assert made["survey"]["level"][at] == 100
    assert set(made["price"]["relative"].reshape(12, -1)[:, at].tolist()) == {100.0}
    day = np.datetime64("1970-01-01") + int(made["survey"]["first_day"][at])
    assert str(day) == "2025-06-01"


def test_an_economy_makes_sense_and_is_made_quickly():
    began = time.process_time()
    made = index(300, periods=["2010-01", "2025-12"])
    assert len(made["price"]["price"]) > 50000
    assert time.process_time() - began < 6
    rate = made["inflation"]["rate"]
    assert rate.mean() == pytest.approx(2.5, abs=1.5)
    assert -8 < rate.min() < rate.max() < 14
    prices = made["price"]["price"].reshape(300, -1)
    same = (prices[:, 1:] == prices[:, :-1]).mean()
    assert 0.3 < same < 0.7
    steps = prices[:, 1:] / prices[:, :-1]
    assert np.percentile(steps, 1) > 0.8
    assert np.percentile(steps, 99) < 1.25
    assert 0.2 < made["item"]["weight"].max() < 10
    hot, cold = (index(60, inflation=each)["survey"]["level"][-1] for each in (0.3, -0.05))
    assert hot > 160
    assert cold < 95


def test_weights_and_prices_may_be_given():
    columns = {"spent": [300.0, 100.0], "usual": [4.0, 0.5]}
    item = index(2, columns=columns, weight="spent", price="usual")["item"]
    assert item["weight"] == pytest.approx([75, 25], abs=0.02)
    assert item["base_price"] == pytest.approx([4, 0.5], rel=0.15)
    with pytest.raises(GenerationError, match=r"weight: item/1\.spent"):
        index(2, columns={"spent": [3.0, 0.0]}, weight="spent")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"periods": ["2024-05", "2024-05"]}, "two or more"),
        ({"periods": ["2024-05", "2023-05"]}, "two or more"),
        ({"periods": ["2024-Q1", "2024-Q4"]}, "is no month"),
        ({"every": "year"}, "every"),
        ({"base": "2030-01"}, "base: a period from 2024-01"),
        ({"change": 0}, "change"),
    ],
)
def test_wrong_parameters_are_errors(change, words):
    with pytest.raises(SchemaError, match=words):
        index(3, **change)


def test_no_items_and_too_many_are_errors():
    with pytest.raises(GenerationError, match="rows of item; expected 1 or more"):
        index(0)
    with pytest.raises(GenerationError, match="at most 10000"):
        index(10001, periods=["2024-01", "2024-02"])


def test_a_schema_with_an_index():
    facts = generate(read_schema(SCHEMA), 3)
    assert facts.tables["price"].columns["survey"].target == "month"
    assert facts.tables["month"].columns["level"].values[0] == 1000
    assert digest(facts) == digest(generate(read_schema(SCHEMA), 3)) != digest(generate(read_schema(SCHEMA), 4))
