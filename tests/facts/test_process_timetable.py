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
from worldgen.facts.processes.timetable import platforms
from worldgen.facts.reading import read_schema
from worldgen.seeds import stream

SCHEMA = Path(__file__).parent / "schemas" / "timetable.yaml"


def timetable(lines, stops, vehicles, seed=7, columns=None, **given):
    process = process_of("timetable")
    parameters = process.read({"lines": "line", "stops": "stop", "vehicles": "bus"} | given)
    rows = {"line": lines, "stop": stops, "bus": vehicles}
    view = PlainView({name: {"row": np.arange(size)} | (columns or {}) for name, size in rows.items()})
    return process.run(parameters, view, {}, stream(seed, "timetable"))


def overlapping(groups, start, end):
    """Rows that begin while another of their group goes on."""
    order = np.lexsort((end, start, *groups))
    alike = np.all([group[order][1:] == group[order][:-1] for group in groups], axis=0)
    return int((alike & (start[order][1:] < end[order][:-1])).sum())


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 8), st.integers(2, 25), st.integers(0, 20), st.integers(0, 10**6), st.integers(1, 3))
def test_nothing_is_used_twice_at_a_time(lines, stops, spare, seed, dwell):
    made = timetable(lines, stops, lines + spare, seed, dwell=dwell, stops_per_line=[2, 7], last="14:00", extent=5)
    trip, visit, line = made["trip"], made["stop_time"], made["line"]
    assert overlapping([trip["vehicle"]], trip["departure"], trip["arrival"] + 6) == 0
    assert overlapping([visit["stop"], visit["platform"]], visit["arrival"], visit["departure"]) == 0
    assert overlapping([trip["vehicle"][visit["trip"]]], visit["arrival"], visit["departure"]) == 0
    assert made["stop"]["calls"].sum() == len(visit["stop"])
    assert (trip["arrival"] - trip["departure"] == line["running_time"][trip["line"]]).all()
    assert (trip["origin"] != trip["destination"]).all()
    assert line["vehicles"].sum() <= lines + spare
    assert line["trips"].sum() == len(trip["line"])
    assert line["first_departure"].min() >= 330
    assert line["last_departure"].max() <= 14 * 60
    for number in range(lines):
        for way in ("outbound", "inbound"):
            mine = (trip["line"] == number) & (trip["direction"] == way)
            assert set(np.diff(np.sort(trip["departure"][mine])).tolist()) <= {line["headway"][number]}


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(2, 20), st.integers(0, 10**6), st.integers(5, 120))
def test_running_times_follow_from_distances(lines, stops, seed, speed):
    made = timetable(lines, stops, lines, seed, speed=speed, stops_per_line=[2, 6], last="06:00", extent=4)
    trip, visit, call = made["trip"], made["stop_time"], made["call"]
    same = call["line"][1:] == call["line"][:-1]
    leg = np.rint(np.diff(call["distance"])[same] * 1000)
    assert (leg >= 100).all()
    assert made["line"]["length"].sum() * 1000 == pytest.approx(leg.sum())
    # The first leg has no stop on its way, every other one has the dwell of one.
    minutes = np.diff(call["minutes"])[same] - (call["place"][1:][same] > 2)
    assert (minutes == np.ceil(leg * 60 / (speed * 1000))).all()
    for number in range(len(trip["line"])):
        mine = visit["trip"] == number
        assert visit["departure"][mine][0] == trip["departure"][number]
        assert visit["arrival"][mine][-1] == trip["arrival"][number]
        assert (visit["departure"] - visit["arrival"] == 1).all()
        assert len(set(visit["stop"][mine].tolist())) == mine.sum()
        route = call["stop"][call["line"] == trip["line"][number]]
        assert visit["stop"][mine].tolist() == (route if trip["number"][number] % 2 else route[::-1]).tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60), st.integers(1, 20)), max_size=40))
def test_platforms_are_no_more_than_stand_at_once(visits):
    stop, since, long = (np.array([visit[i] for visit in visits], dtype=np.int64) for i in range(3))
    given_ = platforms(stop, since, since + long)
    assert overlapping([stop, given_], since, since + long) == 0
    for where in range(3):
        here = stop == where
        at_once = max((int((here & (since <= t) & (t < since + long)).sum()) for t in range(80)), default=0)
        assert given_[here].max(initial=0) == at_once


def test_a_city_makes_sense_and_is_made_quickly():
    began = time.process_time()
    made = timetable(20, 160, 400, headway=[8, 20])
    assert len(made["stop_time"]["trip"]) > 20000
    assert time.process_time() - began < 5
    line, stop = made["line"], made["stop"]
    assert (made["stop"]["calls"] > 0).mean() > 0.8
    assert 3 < np.median(line["length"]) < 30
    assert (60 * line["length"] / line["running_time"] <= 24.001).all()
    assert (60 * line["length"] / line["running_time"] > 12).all()
    assert stop["platforms"].max() <= 8
    assert stop["calls"][stop["platforms"] == stop["platforms"].max()].mean() > stop["calls"].mean()


def test_few_vehicles_make_long_headways():
    rich, poor = (timetable(4, 30, vehicles, headway=[10, 10])["line"] for vehicles in (200, 5))
    assert (rich["headway"] == 10).all()
    assert (poor["headway"] > rich["headway"]).all()
    assert poor["vehicles"].sum() <= 5
    placed = timetable(1, 3, 1, columns={"x": [0.0, 3.0, 9.0], "y": [0.0, 0.0, 0.0]}, x="x", y="y")["call"]
    assert sorted(placed["stop"].tolist()) == [0, 1, 2]
    assert placed["distance"].max() == pytest.approx(9 * 1.3, abs=0.2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"last": "05:00"}, "last lies before first"),
        ({"turn": 2, "dwell": 2}, "at least twice the dwell"),
        ({"headway": [30, 10]}, "parameter headway: .*least, greatest"),
        ({"stops_per_line": [1, 5]}, "two ends"),
        ({"first": "24:10"}, "first"),
        ({"x": "x"}, "x and y go together"),
        ({"speed": 0}, "1 to 1000"),
    ],
)
def test_wrong_parameters_are_errors(change, words):
    with pytest.raises(SchemaError, match=words):
        timetable(2, 5, 4, **change)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [((0, 5, 4), "rows of line"), ((2, 1, 4), "rows of stop"), ((2, 5, 1), "rows of bus; expected 2 or more")],
)
def test_too_few_rows_are_errors(sizes, words):
    with pytest.raises(GenerationError, match=words):
        timetable(*sizes)


def test_a_day_that_does_not_end_is_an_error():
    with pytest.raises(GenerationError, match="last vehicle back"):
        timetable(1, 3, 1, extent=2000, last="23:59")
    with pytest.raises(GenerationError, match="process timetable: speed"):
        timetable(1, 3, 1, columns={"slow": [0.5, 0.5, 0.5]}, speed="slow")


def test_a_schema_with_a_timetable():
    facts = generate(read_schema(SCHEMA), 3)
    trip, visit = facts.tables["trip"], facts.tables["visit"]
    assert set(trip.columns["direction"].values.tolist()) == {0, 1}
    assert visit.columns["trip"].target == "trip"
    assert visit.names[0].en == f"call 1 on {trip.names[0].en}"
    assert digest(facts) == digest(generate(read_schema(SCHEMA), 3)) != digest(generate(read_schema(SCHEMA), 4))
