import datetime as dt
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from facts_schemas import PlainView
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.processes import process_of
from worldgen.facts.processes.territorial_reorganisation import partition
from worldgen.rehearsal import rehearse
from worldgen.seeds import stream

HILLS = Path(__file__).parents[1] / "data" / "hill-districts.yaml"
SINCE, UNTIL = dt.date(1950, 1, 1), dt.date(2026, 12, 31)
REFORMS = [dt.date(1962, 4, 1), dt.date(1974, 1, 1), dt.date(1974, 1, 2), dt.date(2008, 7, 1)]


def days(date):
    return (date - dt.date(1970, 1, 1)).days


def land(places, districts, seed=7, reforms=REFORMS[:2], **given_):
    process = process_of("territorial_reorganisation")
    names = {"places": "place", "districts": "district", "since": SINCE, "until": UNTIL, "reforms": reforms}
    view = PlainView({"place": {"x": np.zeros(places)}, "district": {"x": np.zeros(districts)}})
    return process.run(process.read(names | given_), view, {}, stream(seed, "land"))


@st.composite
def lands(draw):
    reforms, split, merged = draw(st.integers(1, 4)), draw(st.integers(0, 2)), draw(st.integers(0, 2))
    first = merged + 1 + reforms * max(merged - split, 0) + draw(st.integers(0, 6))
    districts = first + reforms * split
    places = 2 * districts + draw(st.integers(0, 60))
    changes = {
        "moved": draw(st.sampled_from([0.0, 0.1, 0.5])), "renamed": draw(st.sampled_from([0.0, 0.2, 1.0])),
        "districts_renamed": draw(st.sampled_from([0.0, 0.4])), "years": [1950, 1973, 1974, 2026],
    }  # fmt: skip
    changes |= {"split": split, "merged": merged}
    made = land(places, districts, draw(st.integers(0, 10**6)), REFORMS[:reforms], **changes)
    return made, REFORMS[:reforms], split, merged


def spells(table, what):
    """Thing → its spells in order: since, until, and the other columns' values."""
    found = {}
    for row in range(len(table[what])):
        spell = {column: int(values[row]) for column, values in table.items()}
        found.setdefault(spell[what], []).append(spell)
    return {thing: sorted(own, key=lambda spell: spell["since"]) for thing, own in found.items()}


@settings(max_examples=40, deadline=None)
@given(lands())
def test_every_place_is_in_one_district_on_every_day(made_with):
    made, reforms, _, _ = made_with
    district, place = made["district"], made["place"]
    members = spells(made["membership"], "place")
    assert sorted(members) == list(range(len(place["district"])))
    changes = {days(reform) for reform in reforms}
    for number, own in members.items():
        assert own[0]["since"] == days(SINCE)
        assert own[-1]["until"] == days(UNTIL)
        assert [spell["number"] for spell in own] == list(range(1, len(own) + 1))
        assert [spell["lasting"] for spell in own] == [0] * (len(own) - 1) + [1]
        assert own[-1]["district"] == place["district"][number]
        assert len(own) == place["spells"][number]
        for one, two in pairwise(own):
            assert one["until"] + 1 == two["since"]
            assert two["since"] in changes
            assert one["district"] != two["district"]
        for spell in own:
            assert district["since"][spell["district"]] <= spell["since"]
            assert spell["until"] <= district["until"][spell["district"]]
    register = made["register"]
    for number, year, said in zip(*(register[c].tolist() for c in ("place", "year", "district")), strict=True):
        day = days(dt.date(year, 12, 31))
        holding = [spell["district"] for spell in members[number] if spell["since"] <= day <= spell["until"]]
        assert holding == [said]
    assert len(register["place"]) == 4 * len(members)


@settings(max_examples=40, deadline=None)
@given(lands())
def test_districts_begin_and_end_with_reforms_and_are_never_empty(made_with):
    made, reforms, split, merged = made_with
    district, membership, reform = made["district"], made["membership"], made["reform"]
    assert reform["date"].tolist() == [days(each) for each in reforms]
    assert (district["existing"] == (district["successor"] < 0)).all()
    assert (district["until"][district["existing"] == 1] == days(UNTIL)).all()
    present = np.bincount(made["place"]["district"], minlength=len(district["since"]))
    assert district["places"].tolist() == present.tolist()
    for number, day in enumerate(reform["date"].tolist()):
        founded = np.flatnonzero(district["since"] == day)
        gone = np.flatnonzero(district["until"] == day - 1)
        assert (len(founded), len(gone)) == (split, merged)
        assert (district["since"][district["successor"][gone]] < day).all()
        assert (district["origin"][founded] >= 0).all()
        assert (district["since"][district["origin"][founded]] < day).all()
        there = (district["since"] <= day) & (district["until"] >= day)
        assert reform["districts"][number] == there.sum()
        holding = (membership["since"] <= day) & (membership["until"] >= day)
        assert set(membership["district"][holding].tolist()) == set(np.flatnonzero(there).tolist())
    transfer = made["transfer"]
    assert np.bincount(np.searchsorted(reform["date"], transfer["date"]), minlength=len(reforms)).tolist() == (
        reform["transfers"].tolist()
    )
    assert (transfer["dissolved"] == (district["until"][transfer["old"]] < transfer["date"])).all()
    assert len(transfer["date"]) == len(membership["place"]) - len(made["place"]["district"])


@settings(max_examples=40, deadline=None)
@given(lands())
def test_former_names_follow_one_another(made_with):
    made, reforms, _, _ = made_with
    starts = {"place": np.full(len(made["place"]["district"]), days(SINCE)), "district": made["district"]["since"]}
    changes = {days(reform) for reform in reforms}
    for what, since in starts.items():
        names = spells(made[f"{what}_name"], what)
        assert made[what]["former_names"].tolist() == [len(names.get(row, ())) for row in range(len(since))]
        for row, own in names.items():
            assert own[0]["since"] == since[row]
            assert all(spell["since"] <= spell["until"] for spell in own)
            assert all(one["until"] + 1 == two["since"] for one, two in pairwise(own))
            assert all(spell["until"] + 1 in changes for spell in own)
            assert [spell["number"] for spell in own] == list(range(1, len(own) + 1))
            if what == "district":
                assert own[-1]["until"] < made["district"]["until"][row]
    renamed = made["reform"]["places_renamed"].sum(), made["reform"]["districts_renamed"].sum()
    assert renamed == (len(made["place_name"]["place"]), len(made["district_name"]["district"]))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.integers(0, 40), st.integers(0, 10**6))
def test_a_partition_has_all_parts(parts, more, seed):
    rng = stream(seed, "points")
    points = rng.below(parts + more, 50), rng.below(parts + more, 50)
    part = partition(*points, parts, rng)
    assert sorted(set(part.tolist())) == list(range(parts))


def test_reforms_look_like_reforms():
    made = land(3000, 40, moved=0.06)
    transfer, district = made["transfer"], made["district"]
    plain = transfer["dissolved"] == 0
    assert 0.08 < len(transfer["place"]) / 3000 < 0.35
    assert plain.sum() >= 3000 * 0.06
    # Places go to a handful of neighbours, not anywhere.
    ways = {}
    for old, new in zip(transfer["old"][plain].tolist(), transfer["new"][plain].tolist(), strict=True):
        ways.setdefault(old, set()).add(new)
    assert max(len(to) for to in ways.values()) <= 8
    for gone in np.flatnonzero(district["existing"] == 0).tolist():
        leaving = transfer["new"][(transfer["old"] == gone) & ~plain]
        assert (leaving == district["successor"][gone]).mean() > 0.7
    sizes = district["places"][district["existing"] == 1]
    assert sizes.min() > 10
    assert sizes.max() < 300
    assert (made["place"]["spells"] == 1).mean() > 0.6


def test_the_same_stream_gives_the_same_reforms():
    one, two, other = land(100, 12, 1), land(100, 12, 1), land(100, 12, 2)
    for table, columns in one.items():
        assert all((values == two[table][column]).all() for column, values in columns.items())
    assert (one["place"]["district"] != other["place"]["district"]).any()


@pytest.mark.parametrize(
    ("places", "districts", "changes", "error", "match"),
    [
        (0, 8, {}, GenerationError, "two or more"),
        (1, 3, {"merged": 0}, GenerationError, "two or more"),
        (6, 8, {}, GenerationError, "one for each of 8"),
        (60, 3, {}, GenerationError, "found 1 and merge 1"),
        (60, 6, {"split": 0, "merged": 3}, GenerationError, "found 0 and merge 3"),
        (60, 0, {}, GenerationError, "0, -2 of them at first"),
        (60, 8, {"reforms": []}, SchemaError, "reforms"),
        (60, 8, {"reforms": [REFORMS[1], REFORMS[0]]}, SchemaError, "put the days in order"),
        (60, 8, {"reforms": [SINCE]}, SchemaError, "put the days in order"),
        (60, 8, {"reforms": [UNTIL + dt.timedelta(1)]}, SchemaError, "put the days in order"),
        (60, 8, {"until": SINCE}, SchemaError, "put the days in order"),
        (60, 8, {"years": [1949]}, SchemaError, "years that end from"),
        (60, 8, {"years": [1980, 1980]}, SchemaError, "different years"),
        (60, 8, {"moved": 0.9}, SchemaError, "moved"),
    ],
)  # fmt: skip
def test_impossible_reforms_are_errors(places, districts, changes, error, match):
    with pytest.raises(error, match=match):
        land(places, districts, **changes)


def test_a_schema_with_reforms_keeps_its_checks():
    assert rehearse(HILLS).processes[0].use == "territorial_reorganisation"
