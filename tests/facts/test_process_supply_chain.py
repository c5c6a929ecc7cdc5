import time
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

SCHEMA = Path(__file__).parent / "schemas" / "supply_chain.yaml"


def chain(firms, goods, seed=7, **given):
    process = process_of("supply_chain")
    parameters = process.read({"firms": "firm", "goods": "good"} | given)
    view = PlainView({"firm": {"row": np.arange(firms)}, "good": {"row": np.arange(goods)}})
    return process.run(parameters, view, {}, stream(seed, "chain"))


spans = st.integers(1, 4).flatmap(lambda least: st.integers(least, 5).map(lambda most: [least, most]))


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5), st.integers(0, 12), st.integers(0, 30), st.integers(0, 10**6), spans, spans, st.data())
def test_volumes_balance(tiers, more_goods, more_firms, seed, inputs, sources, data):
    goods = tiers + more_goods
    output = data.draw(st.sampled_from([[1, 1], [1, 9], [500, 90000]]))
    given_ = {"tiers": tiers, "inputs": inputs, "sources": sources, "output": output}
    made = chain(goods + more_firms, goods, seed, **given_)
    firm, supply, recipe, good = (made[name] for name in ("firm", "supply", "recipe", "good"))
    bought = {}
    for buyer, each, volume in zip(supply["buyer"], supply["good"], supply["volume"], strict=True):
        bought[int(buyer), int(each)] = bought.get((int(buyer), int(each)), 0) + int(volume)
    needed = {}
    for number, makes in enumerate(firm["good"].tolist()):
        for row in np.flatnonzero(recipe["good"] == makes):
            key = (number, int(recipe["input"][row]))
            needed[key] = int(firm["output"][number] * recipe["quantity"][row])
    assert bought == needed
    sold = np.zeros(len(firm["output"]), dtype=np.int64)
    np.add.at(sold, supply["supplier"], supply["volume"])
    assert (sold == firm["delivered"]).all()
    assert (firm["delivered"] + firm["sold_outside"] == firm["output"]).all()
    assert firm["sold_outside"].min() >= 0
    assert firm["output"].min() > 0
    assert good["output"].sum() == firm["output"].sum()
    assert set(good["tier"].tolist()) == set(range(tiers))
    assert (good["makers"] > 0).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5), st.integers(0, 12), st.integers(0, 30), st.integers(0, 10**6), spans, spans)
def test_supply_runs_up_the_tiers_in_shares_of_a_hundred(tiers, more_goods, more_firms, seed, inputs, sources):
    goods = tiers + more_goods
    made = chain(goods + more_firms, goods, seed, tiers=tiers, inputs=inputs, sources=sources)
    firm, supply, recipe, good = (made[name] for name in ("firm", "supply", "recipe", "good"))
    assert (firm["tier"][supply["supplier"]] > firm["tier"][supply["buyer"]]).all()
    assert (good["tier"][recipe["input"]] > good["tier"][recipe["good"]]).all()
    assert (firm["good"][supply["supplier"]] == supply["good"]).all()
    assert len({*zip(recipe["good"].tolist(), recipe["input"].tolist(), strict=True)}) == len(recipe["good"])
    pairs = [*zip(supply["supplier"].tolist(), supply["buyer"].tolist(), strict=True)]
    assert len(set(pairs)) == len(pairs)
    groups = {}
    for row, key in enumerate(zip(supply["buyer"].tolist(), supply["good"].tolist(), strict=True)):
        groups.setdefault(key, []).append(row)
    for (_, each), rows in groups.items():
        assert np.rint(supply["share"][rows] * 10).sum() == 1000
        assert min(sources[0], good["makers"][each]) <= len(rows) <= sources[1]
        assert (supply["sole"][rows] == (len(rows) == 1)).all()
    for number, tier in enumerate(good["tier"].tolist()):
        deeper = (good["tier"] > tier).sum()
        assert min(inputs[0], deeper) <= good["inputs"][number] <= inputs[1]
    longest = np.zeros(len(firm["tier"]), dtype=np.int64)
    for row in np.argsort(-firm["tier"][supply["buyer"]], kind="stable").tolist():
        buyer, supplier = supply["buyer"][row], supply["supplier"][row]
        longest[buyer] = max(longest[buyer], supply["lead_time"][row] + longest[supplier])
    assert longest.tolist() == firm["chain_days"].tolist()


def test_an_industry_makes_sense_and_is_made_quickly():
    began = time.process_time()
    made = chain(11000, 700, inputs=[2, 4], sources=[1, 4])
    assert len(made["supply"]["buyer"]) > 50000
    assert time.process_time() - began < 6
    made = chain(300, 30)
    firm, supply = made["firm"], made["supply"]
    assert (firm["customers"][firm["tier"] > 0] > 0).mean() > 0.6
    assert firm["customers"].max() > 3 * np.median(firm["customers"][firm["tier"] > 0])
    assert 0.1 < supply["sole"].mean() < 0.6
    assert 10 < np.median(supply["lead_time"]) < 40
    assert 3 <= supply["lead_time"].min() <= supply["lead_time"].max() <= 90
    assert (firm["suppliers"] > 0).tolist() == (firm["tier"] < 3).tolist()
    assert (made["good"]["tier"] == 3).sum() > (made["good"]["tier"] == 0).sum()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tiers": 1}, "tiers"),
        ({"sources": [0, 2]}, "sources: 1 or more"),
        ({"inputs": [3, 2]}, "parameter inputs: .*least, greatest"),
        ({"lead_time": [0, 3]}, "lead_time: 1 or more"),
    ],
)
def test_wrong_parameters_are_errors(change, words):
    with pytest.raises(SchemaError, match=words):
        chain(20, 8, **change)


def test_impossible_chains_are_errors():
    with pytest.raises(GenerationError, match="rows of good; expected 4 or more"):
        chain(20, 3)
    with pytest.raises(GenerationError, match="rows of firm; expected 8 or more"):
        chain(7, 8)
    with pytest.raises(GenerationError, match="volumes grow"):
        chain(20, 8, output=[10**9, 10**9], per_unit=[10**3, 10**3])


def test_a_schema_with_a_supply_chain():
    facts = generate(read_schema(SCHEMA), 3)
    assert facts.tables["supply"].size > 20
    assert digest(facts) == digest(generate(read_schema(SCHEMA), 3)) != digest(generate(read_schema(SCHEMA), 4))
