"""A housing association: would a housing officer believe its flats, rents, tenancies and repairs?"""

import datetime as dt
from itertools import pairwise

import numpy as np
from shipped import (
    each_seed,
    filled,
    mean_by,
    numbers,
    rank_correlation,
    rows,
    skewed,
    through,
)

NAME = "housing-association"


def days(first: str, second: str) -> int:
    return (dt.date.fromisoformat(second) - dt.date.fromisoformat(first)).days


@each_seed
def test_flats_have_the_size_of_their_rooms(seed: int) -> None:
    facts = filled(NAME, seed)
    flat = facts.tables["flat"]
    area, rooms = numbers(flat, "area"), numbers(flat, "rooms")
    assert rank_correlation(area, rooms) > 0.9
    assert 22 <= area.min() <= area.max() <= 140
    assert 12 <= (area / rooms).min() <= (area / rooms).max() <= 45
    assert (numbers(flat, "floor") < through(facts, "flat", "building", "storeys")).all()
    living = numbers(facts.tables["building"], "living_area") / numbers(facts.tables["building"], "dwellings")
    assert 45 <= living.min() <= living.max() <= 80


@each_seed
def test_renovated_buildings_are_dearer_and_save_heat(seed: int) -> None:
    facts = filled(NAME, seed)
    flat, building = facts.tables["flat"], facts.tables["building"]
    rate = numbers(flat, "rent_rate")
    assert rank_correlation(rate, through(facts, "flat", "building", "renovated")) > 0.4
    assert 4.5 <= rate.min() <= rate.max() <= 12
    energy = numbers(building, "energy")
    assert rank_correlation(energy, numbers(building, "renovated")) < -0.7
    assert 45 <= energy.min() <= energy.max() <= 270
    assert np.allclose(numbers(flat, "rent"), numbers(flat, "area") * rate, atol=0.011)
    small = rows(facts, "SELECT AVG(CASE WHEN rooms = 1 THEN rent_rate END), AVG(rent_rate) FROM flat")[0]
    assert small[0] is None or small[0] > 0.95 * small[1]


@each_seed
def test_every_flat_is_let_three_times_and_never_twice_at_once(seed: int) -> None:
    facts = filled(NAME, seed)
    history = rows(facts, "SELECT flat, turn, began, until FROM tenancy ORDER BY flat, began")
    assert len(history) == 3 * facts.tables["flat"].size
    for before, after in pairwise(history):
        if before[0] == after[0]:
            assert after[1] == before[1] + 1
            assert 1 <= days(before[3], after[2]) <= 180, "a flat stands empty for days or months, not for years"
    lasted = [days(began, until) / 365.25 for _, _, began, until in history]
    assert 1 <= min(lasted) <= max(lasted) <= 16
    assert 3 <= float(np.median(lasted)) <= 7
    running = "SELECT COUNT(DISTINCT flat) FROM tenancy WHERE began <= '2028-06-30' AND until > '2028-06-30'"
    assert rows(facts, running) == [(facts.tables["flat"].size,)]


@each_seed
def test_rents_rise_and_deposits_follow(seed: int) -> None:
    facts = filled(NAME, seed)
    tenancy = facts.tables["tenancy"]
    by_turn = mean_by(facts, "SELECT turn, AVG(rent_agreed) FROM tenancy GROUP BY turn")
    assert by_turn[1] < by_turn[2] < by_turn[3]
    rent = numbers(tenancy, "rent_agreed")
    assert np.allclose(numbers(tenancy, "deposit"), 3 * rent, atol=0.01)
    assert (rent <= 1.05 * through(facts, "tenancy", "flat", "rent")).all()
    assert rank_correlation(numbers(tenancy, "household"), through(facts, "tenancy", "flat", "rooms")) > 0.6
    payment = mean_by(facts, "SELECT payment, COUNT(*) FROM tenancy GROUP BY payment")
    assert payment["debit"] > payment["standing"] > payment.get("allowance", 0)


@each_seed
def test_urgent_repairs_are_quicker_and_bills_follow_the_work(seed: int) -> None:
    facts = filled(NAME, seed)
    repair = facts.tables["repair"]
    taken = mean_by(facts, "SELECT urgency, AVG(days_taken) FROM repair GROUP BY urgency")
    assert taken.get("emergency", 0) < taken["urgent"] < taken["routine"]
    share = mean_by(facts, "SELECT urgency, COUNT(*) FROM repair GROUP BY urgency")
    assert share["routine"] > share["urgent"]
    assert share["routine"] > share.get("emergency", 0)
    cost = numbers(repair, "cost")
    assert rank_correlation(cost, numbers(repair, "hours")) > 0.7
    assert 30 <= cost.min() <= np.median(cost) <= 500
    assert cost.max() <= 4500
    assert skewed(cost)
    late = 1.0 * (numbers(repair, "days_taken") > numbers(repair, "target"))
    assert 0.02 < late.mean() < 0.45
    rated = rows(facts, "SELECT rating, 1.0 * days_taken / target FROM repair WHERE rating IS NOT NULL")
    rating, pace = np.array(rated, dtype=float).T
    assert rank_correlation(rating, pace) < -0.3


@each_seed
def test_trades_cost_what_they_do(seed: int) -> None:
    contractor = filled(NAME, seed).tables["contractor"]
    rate = mean_by(filled(NAME, seed), "SELECT trade, AVG(hourly_rate) FROM contractor GROUP BY trade")
    if {"heating", "locks"} <= rate.keys():
        assert rate["heating"] > rate["locks"]
    hourly = numbers(contractor, "hourly_rate")
    assert 35 <= hourly.min() <= hourly.max() <= 85
    assert rank_correlation(numbers(contractor, "billed"), numbers(contractor, "jobs")) > 0.4
    assert rank_correlation(numbers(contractor, "billed"), numbers(contractor, "billed_rank")) < -0.99


@each_seed
def test_heat_is_used_in_winter_and_by_area(seed: int) -> None:
    facts = filled(NAME, seed)
    total = mean_by(facts, "SELECT period, SUM(heat) FROM building_heat GROUP BY period")
    assert total["2027-Q3"] < total["2027-Q2"] < total["2026-Q4"] < total["2027-Q1"]
    assert total["2028-Q1"] > 4 * total["2027-Q3"]
    used = mean_by(facts, "SELECT building, SUM(heat) / 2.0 FROM building_heat GROUP BY building")
    building = facts.tables["building"]
    expected = numbers(building, "energy") * numbers(building, "living_area")
    ratio = np.array([used[f"building/{row}"] for row in range(building.size)]) / expected
    assert 0.6 < ratio.min() <= ratio.max() < 1.5


@each_seed
def test_staff_are_adults_and_paid_by_role(seed: int) -> None:
    facts = filled(NAME, seed)
    pay = mean_by(facts, "SELECT role, AVG(salary) FROM staff WHERE salary IS NOT NULL GROUP BY role")
    assert pay["technician"] > pay["caretaker"]
    assert "manager" not in pay or pay["manager"] == max(pay.values())
    ages = rows(facts, "SELECT MIN(year(hired) - year(born)), MAX(2028 - year(born)) FROM staff")
    entered, oldest = ages[0]
    assert entered >= 18
    assert oldest <= 67


@each_seed
def test_tall_buildings_have_lifts_and_many_homes(seed: int) -> None:
    facts = filled(NAME, seed)
    building = facts.tables["building"]
    storeys = numbers(building, "storeys")
    lift = numbers(building, "lift")
    assert lift.tolist() == [float(height >= 5) for height in storeys]
    assert rank_correlation(storeys, numbers(building, "dwellings")) > 0.1
    assert 10 <= numbers(building, "dwellings").min() <= numbers(building, "dwellings").max() <= 80
    assert numbers(facts.tables["estate"], "dwellings").min() >= 10
