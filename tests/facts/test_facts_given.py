"""What is given stands in the world as it is; what is drawn makes room for it, or the error says what does not fit."""

from pathlib import Path

import numpy as np
import pytest
from facts_schemas import digest, market, schema

from worldgen.errors import GenerationError
from worldgen.facts.generate import generate
from worldgen.facts.given import Given, Told
from worldgen.facts.reading import read_schema

TINY = Path(__file__).parents[1] / "data" / "river-ferries.yaml"


def told(value: str, turn: int = 3) -> Told:
    return Told(value, f"turn {turn}")


def facts_of(values=(), names=(), series=(), seed=5):
    return generate(read_schema(TINY), seed, given=Given(dict(names), dict(values), dict(series)))


def test_nothing_given_changes_nothing():
    document = schema(market())
    assert digest(generate(document, 3, given=Given())) == digest(generate(document, 3))


def test_given_facts_are_kept_and_the_rest_is_drawn():
    facts = facts_of(
        names={"line": ("Kestrel Packet",), "landing": ("Orrin Quay",)},
        values={
            ("line", "staff"): {0: told("77")},
            ("line", "licence"): {0: told("4321")},
            ("line", "seat"): {0: told("landing/0")},
            ("ferry", "launched"): {4: told("2001-05-06")},
            ("ferry", "drive"): {4: told("hybrid")},
            ("ferry", "price"): {row: told("990000") for row in range(30)},
        },
        series={("line", "sailings"): {(0, 2025): told("40000"), (0, 2026): told("40010")}},
    )
    line, ferry, sailings = facts.tables["line"], facts.tables["ferry"], facts.tables["line_sailings"]
    assert line.names[0].en == "Kestrel Packet"
    assert facts.tables["landing"].names[0].en == "Orrin Quay"
    assert [line.columns[name].canonical(0) for name in ("staff", "licence", "seat")] == ["77", "4321", "landing/0"]
    assert len(set(line.columns["licence"].values.tolist())) == line.size
    assert ferry.columns["launched"].canonical(4) == "2001-05-06"
    assert ferry.columns["crew"].canonical(4) == "4"
    assert ferry.columns["price"].canonicals()[:30] == ["990000"] * 30
    observed = sailings.columns["sailings"].values[:4].tolist()
    assert observed[1:3] == [40000, 40010]
    assert observed == sorted(observed)


@pytest.mark.parametrize(
    ("table", "name", "value", "rule"),
    [
        ("line", "staff", "3", "at least 12"),
        ("ferry", "launched", "1901-01-01", "after: line.founded"),
        ("line", "fleet", "44", "`aggregate`"),
        ("line", "size_rank", "9999", "`rank`"),
        ("ferry", "crew", "9", "`depends` gives"),
        ("landing", "residents", "2401", "a multiple of 10"),
    ],
)
def test_a_given_value_that_breaks_a_rule_is_named_with_its_turn(table, name, value, rule):
    with pytest.raises(GenerationError) as caught:
        facts_of(values={(table, name): {2: told(value, 8)}})
    assert f"{table}/2/{name}, as turn 8 gives it" in str(caught.value)
    assert rule in str(caught.value)
    assert f"got {value}" in str(caught.value)


def test_a_series_that_turns_is_refused():
    with pytest.raises(GenerationError, match=r"line/1/sailings@2026, as turn 3"):
        facts_of(series={("line", "sailings"): {(1, 2025): told("400"), (1, 2026): told("390")}})


def test_drawn_bounds_leave_room_for_given_values():
    for seed in range(6):
        document = market()
        document["entities"]["phone"]["attributes"]["released"]["uniform"] = ["1960-01-01", "2029-10-31"]
        facts = generate(
            schema(document), seed,
            given=Given(values={
                ("phone", "maker"): {0: told("maker/7")}, ("phone", "released"): {0: told("1972-02-03")},
            }),
        )  # fmt: skip
        assert facts.tables["maker"].columns["founded"].values[7] < 1972


def test_given_refs_keep_targets_distinct_and_without_a_cycle():
    chain = {row: told(f"phone/{row + 1}") for row in range(40)}
    facts = generate(schema(market()), 2, given=Given(values={("phone", "predecessor"): chain}))
    refs = facts.tables["phone"].columns["predecessor"].values
    used = refs[refs >= 0]
    assert len(used) == len(np.unique(used))
    for start in range(len(refs)):
        row, steps = start, 0
        while row >= 0:
            row, steps = int(refs[row]), steps + 1
            assert steps <= len(refs)
    chain[40] = told("phone/0", 11)
    with pytest.raises(GenerationError, match=r"phone/\d+/predecessor, as turn \d+ gives it.*cycle"):
        generate(schema(market()), 2, given=Given(values={("phone", "predecessor"): chain}))


def test_two_given_names_alike_are_refused():
    with pytest.raises(GenerationError, match="two things are given the name"):
        facts_of(names={"line": ("Orrin",), "landing": ("ORRIN",)})
