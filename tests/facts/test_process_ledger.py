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
from worldgen.facts.processes.ledger import CHART
from worldgen.facts.reading import read_schema
from worldgen.seeds import stream

SCHEMA = Path(__file__).parent / "schemas" / "ledger.yaml"


def ledger(firms, seed=7, **given):
    process = process_of("ledger")
    parameters = process.read({"firms": "firm", "dates": ["2030-01-01", "2030-12-31"]} | given)
    view = PlainView(
        {
            "firm": {
                "row": np.arange(firms),
            }
        }
    )
    return process.run(parameters, view, {}, stream(seed, "ledger"))


def cents(values):
    return np.rint(np.asarray(values) * 100).astype(np.int64)


sizes = st.integers(1, 60).flatmap(lambda least: st.integers(least, least + 40).map(lambda most: (least, most)))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), sizes, st.integers(0, 10**6), st.sampled_from([1000, 7e4, 5e6, 1e11]))
def test_books_balance(firms, entries, seed, turnover):
    made = ledger(firms, seed, entries=list(entries), turnover=turnover)
    account, entry, posting = made["account"], made["entry"], made["posting"]
    debit, credit, balance = (cents(posting[name]) for name in ("debit", "credit", "balance"))
    assert ((debit > 0) != (credit > 0)).all()
    assert min(debit.min(), credit.min(), balance.min()) >= 0
    rows = range(len(entry["firm"]))
    for number in rows:
        mine = posting["entry"] == number
        assert debit[mine].sum() == credit[mine].sum() == cents(entry["amount"][number])
        assert posting["place"][mine].tolist() == list(range(1, mine.sum() + 1))
        assert set((posting["account"][mine] // len(CHART)).tolist()) == {entry["firm"][number]}
    sign = np.where(account["side"] == "debit", 1, -1)
    for number in range(len(sign)):
        mine = posting["account"] == number
        steps = cents(account["opening"][number]) + sign[number] * np.cumsum(debit[mine] - credit[mine])
        assert balance[mine].tolist() == steps.tolist()
        assert cents(account["closing"][number]) == (steps[-1] if len(steps) else cents(account["opening"][number]))
        assert cents(account["debits"][number]) == debit[mine].sum()
        assert cents(account["credits"][number]) == credit[mine].sum()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), sizes, st.integers(0, 10**6))
def test_trial_balances_are_zero_and_entries_in_order(firms, entries, seed):
    made = ledger(firms, seed, entries=list(entries))
    account, entry, firm = made["account"], made["entry"], made["firm"]
    sign = np.where(account["side"] == "debit", 1, -1)
    for number in range(firms):
        mine = account["firm"] == number
        for when in ("opening", "closing"):
            assert (sign * cents(account[when]))[mine].sum() == 0
            assert account[when][mine].min() >= 0
        own = entry["firm"] == number
        assert entries[0] <= own.sum() == firm["entries"][number] <= entries[1]
        assert entry["number"][own].tolist() == list(range(1, own.sum() + 1))
        assert (np.diff(entry["date"][own]) >= 0).all()
    assert ((entry["date"] + 3) % 7 < 5).all()
    assert len({*zip(account["firm"].tolist(), account["number"].tolist(), strict=True)}) == len(sign)
    owed = cents(firm["liabilities"]) + cents(firm["capital"]) + cents(firm["profit"])
    assert (cents(firm["assets"]) == owed).all()


def test_traders_look_like_traders_and_are_made_quickly():
    began = time.process_time()
    made = ledger(150, entries=[120, 180], turnover=900000)
    assert len(made["posting"]["entry"]) > 50000
    assert time.process_time() - began < 6
    firm, entry = made["firm"], made["entry"]
    assert 0.8 * 900000 < np.median(firm["revenue"]) < 1.1 * 900000
    margin = firm["profit"] / firm["revenue"]
    assert 0 < np.median(margin) < 0.2
    assert ((margin > -0.5) & (margin < 0.4)).all()
    count = {kind: int((entry["kind"] == kind).sum()) for kind in set(entry["kind"].tolist())}
    assert min(count["wages"], count["rent"]) > 0.97 * 12 * 150
    assert count["credit_sale"] > count["cash_sale"] > count["equipment"] > 0
    paid = entry["amount"][(entry["kind"] == "wages") & (entry["firm"] == 0)]
    assert len(set(paid.tolist())) == 1


def test_turnover_scales_the_books():
    small, large = (ledger(20, turnover=size)["firm"] for size in (1e5, 1e8))
    assert 500 < np.median(large["revenue"]) / np.median(small["revenue"]) < 2000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dates": ["2030-12-31", "2030-01-01"]}, "parameter dates: .*least, greatest"),
        ({"dates": ["2030-01-01"]}, "parameter dates"),
        ({"entries": [0, 5]}, "1 or more"),
        ({"entries": [9, 5]}, "least, greatest"),
        ({"turnover": 10}, "1000 to 1e11"),
        ({"owner": "x"}, "owner"),
    ],
)
def test_wrong_parameters_are_errors(change, words):
    with pytest.raises(SchemaError, match=words):
        ledger(2, **change)


def test_books_of_nobody_and_too_small_a_turnover_are_errors():
    with pytest.raises(GenerationError, match="rows of firm; expected 1 or more"):
        ledger(0)
    process = process_of("ledger")
    parameters = process.read({"firms": "firm", "dates": ["2030-01-05", "2030-01-06"], "turnover": "size"})
    assert process.needs(parameters, {}) == {"firm": ["size"]}
    with pytest.raises(GenerationError, match=r"firm/1\.size"):
        process.run(parameters, PlainView({"firm": {"size": [5000, 900]}}), {}, stream(1, "ledger"))
    weekend = process.run(parameters, PlainView({"firm": {"size": [5000, 9000]}}), {}, stream(1, "ledger"))
    assert set(weekend["entry"]["date"].tolist()) <= {21919, 21920}


def test_a_schema_with_ledgers():
    facts = generate(read_schema(SCHEMA), 3)
    posting = facts.tables["posting"]
    assert posting.columns["debit"].values.sum() == posting.columns["credit"].values.sum() > 0
    assert posting.columns["account"].target == "account"
    assert digest(facts) == digest(generate(read_schema(SCHEMA), 3)) != digest(generate(read_schema(SCHEMA), 4))
