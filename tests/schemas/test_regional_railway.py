"""A regional railway: would somebody who plans, runs or rides trains believe its timetable and its figures?"""

from itertools import pairwise

import numpy as np
from shipped import each_seed, filled, mean_by, numbers, rank_correlation, rows, skewed, through

NAME = "regional-railway"


@each_seed
def test_lines_are_regional_in_length_speed_and_interval(seed: int) -> None:
    line = filled(NAME, seed).tables["line"]
    length, minutes, track = (numbers(line, name) for name in ("length", "running_time", "speed"))
    assert 12 < length.min() <= length.max() < 110
    speed = length * 60 / minutes
    assert (speed < track).all()
    assert (speed > 0.55 * track).all()
    assert rank_correlation(length, minutes) > 0.6
    assert rank_correlation(numbers(line, "mean_speed"), track) > 0.5
    assert set(numbers(line, "headway")) <= {30, 60, 120, 180, 240}
    gap = length / (numbers(line, "stops") - 1)
    assert 2 < gap.min() <= gap.max() < 20


@each_seed
def test_each_railcar_has_a_day_that_can_be_driven(seed: int) -> None:
    facts = filled(NAME, seed)
    days: dict[str, list[tuple]] = {}
    trips = "SELECT vehicle, departure, arrival, origin, destination, line FROM trip ORDER BY vehicle, departure"
    for vehicle, *trip in rows(facts, trips):
        days.setdefault(vehicle, []).append(tuple(trip))
    for day in days.values():
        assert len({trip[4] for trip in day}) == 1, "a railcar stays on its line"
        for (_, arrived, _, here, _), (departed, _, there, _, _) in pairwise(day):
            assert departed >= arrived + 8
            assert there == here
    used = rows(facts, "SELECT COUNT(*) FROM railcar WHERE daily_trips > 0")[0][0]
    assert used == len(days) == numbers(facts.tables["line"], "vehicles").sum()
    assert numbers(facts.tables["railcar"], "daily_distance").max() < 1500


@each_seed
def test_trains_run_by_day(seed: int) -> None:
    facts = filled(NAME, seed)
    line, trip = facts.tables["line"], facts.tables["trip"]
    assert numbers(line, "first_departure").min() >= 5 * 60 + 20
    assert numbers(line, "last_departure").max() <= 20 * 60 + 40
    assert numbers(trip, "arrival").max() < 24 * 60
    assert rows(facts, "SELECT id FROM line WHERE trips <> (SELECT COUNT(*) FROM trip WHERE line = line.id)") == []
    both = dict(rows(facts, "SELECT direction, COUNT(*) FROM trip GROUP BY direction"))
    assert both["outbound"] == both["inbound"]
    reached = """
        SELECT l.id FROM line l JOIN call c ON c.line = l.id AND c.place = l.stops
        WHERE c.stop <> l.destination OR c.distance <> l.length OR c.minutes <> l.running_time
    """
    assert rows(facts, reached) == []


@each_seed
def test_more_people_board_where_more_live(seed: int) -> None:
    facts = filled(NAME, seed)
    station = facts.tables["station"]
    people, boardings = numbers(station, "population"), numbers(station, "boardings")
    assert rank_correlation(people, boardings) > 0.6
    assert skewed(people)
    assert 2 < np.median(boardings / people) < 40
    assert rank_correlation(numbers(station, "bicycle_stands"), people) > 0.6
    calls = rows(facts, "SELECT SUM(l.trips) FROM line l JOIN call c ON c.line = l.id")[0][0]
    assert numbers(station, "calls").sum() == calls
    assert 1 <= numbers(station, "platforms").min() <= numbers(station, "platforms").max() <= 6


@each_seed
def test_stations_lie_on_a_plain(seed: int) -> None:
    facts = filled(NAME, seed)
    slope = """
        SELECT MAX(ABS(s.elevation - t.elevation) / (b.distance - a.distance))
        FROM call a JOIN call b ON a.line = b.line AND b.place = a.place + 1
        JOIN station s ON s.id = a.stop JOIN station t ON t.id = b.stop
    """
    assert rows(facts, slope)[0][0] < 40, "no adhesion railway climbs more than forty metres in a kilometre for long"
    elevation = numbers(facts.tables["station"], "elevation")
    assert 5 < elevation.min() <= elevation.max() < 80


@each_seed
def test_trains_are_fuller_at_rush_hour(seed: int) -> None:
    facts = filled(NAME, seed)
    load = mean_by(
        facts, "SELECT rush, AVG(load_share * l.trips) FROM trip t JOIN line l ON l.id = t.line GROUP BY rush"
    )
    assert load[1] > 1.5 * load[0]
    trip = facts.tables["trip"]
    riders, seats = numbers(trip, "riders"), through(facts, "trip", "vehicle", "seats")
    assert riders.min() >= 1
    assert 0.1 < np.median(riders / seats) < 1.2
    daily = dict(rows(facts, "SELECT line, SUM(riders) FROM trip GROUP BY line"))
    yearly = dict(rows(facts, "SELECT id, passengers FROM line"))
    assert all(abs(daily[line] * 365 / yearly[line] - 1) < 0.08 for line in yearly)


@each_seed
def test_fares_pay_for_a_part(seed: int) -> None:
    facts = filled(NAME, seed)
    line = facts.tables["line"]
    covered = numbers(line, "fare_revenue") / numbers(line, "cost")
    assert 0.02 < covered.min() <= covered.max() <= 0.86
    per_km = numbers(line, "cost") / numbers(line, "train_km")
    assert 8 < per_km.min() <= per_km.max() < 20
    assert np.allclose(numbers(line, "train_km"), numbers(line, "length") * numbers(line, "trips") * 365, atol=1)
    per_kilometre = numbers(line, "fare") / numbers(line, "length")
    assert 0.1 < per_kilometre.min() <= per_kilometre.max() < 0.3
    operator = facts.tables["operator"]
    assert rank_correlation(numbers(operator, "staff"), numbers(operator, "train_km")) > 0.8


@each_seed
def test_ridership_has_a_season_and_fits_the_year(seed: int) -> None:
    facts = filled(NAME, seed)
    total = mean_by(facts, "SELECT period, SUM(ridership) FROM line_ridership GROUP BY period")
    assert total["2030-Q1"] < total["2030-Q3"]
    year = sum(value for period, value in total.items() if period.startswith("2030"))
    assert abs(year / numbers(facts.tables["line"], "passengers").sum() - 1) < 0.1


@each_seed
def test_railcars_are_as_old_as_their_drive(seed: int) -> None:
    facts = filled(NAME, seed)
    first = mean_by(facts, "SELECT traction, MIN(built) FROM railcar GROUP BY traction")
    assert first["diesel"] >= 2004
    assert min(first.get("battery", 2022), first.get("hydrogen", 2024)) >= 2022
    railcar = facts.tables["railcar"]
    built = numbers(railcar, "built")
    assert built.max() <= 2030
    assert (numbers(railcar, "mileage") < 400_000 * (2032 - built)).all()
    assert rank_correlation(numbers(railcar, "mileage"), built) < -0.4
    of_two, of_three = (
        rows(facts, f"SELECT MAX(seats), MAX(length), MIN(seats), MIN(length) FROM railcar WHERE cars = {cars}")[0]
        for cars in (2, 3)
    )
    assert of_two[0] < of_three[2]
    assert of_two[1] < of_three[3]
    per_tonne = numbers(railcar, "power") / numbers(railcar, "mass")
    assert 6 < per_tonne.min() <= per_tonne.max() < 14
    dearer = mean_by(facts, "SELECT traction = 'diesel', AVG(price / cars) FROM railcar GROUP BY 1")
    assert dearer[1] < dearer.get(0, 3_000_000)


@each_seed
def test_works_take_time_and_cost_by_it(seed: int) -> None:
    facts = filled(NAME, seed)
    project = facts.tables["project"]
    assert rank_correlation(numbers(project, "cost"), numbers(project, "months")) > 0.5
    wrong = """
        SELECT id FROM project WHERE finished AND date(started, '+' || months || ' months') >= '2031-09-01'
        OR NOT finished AND date(started, '+' || months || ' months') < '2031-07-01'
    """
    assert rows(facts, wrong) == []
    states = {state for (state,) in rows(facts, "SELECT DISTINCT finished FROM project")}
    assert states == {0, 1}
