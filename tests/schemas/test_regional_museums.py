"""Regional museums: would a curator believe these houses, their objects and their visitors?"""

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

NAME = "regional-museums"


@each_seed
def test_small_museums_are_small(seed: int) -> None:
    museum = filled(NAME, seed).tables["museum"]
    staff, visitors = numbers(museum, "staff"), numbers(museum, "total_visitors") / 2
    assert 900 <= visitors.min() <= visitors.max() <= 70_000
    assert (visitors > 250 * staff).all(), "nobody pays a post for a handful of visitors"
    assert (numbers(museum, "volunteers") > staff).mean() > 0.8
    assert staff.max() <= 15
    assert 60 <= numbers(museum, "floor_area").min() <= numbers(museum, "floor_area").max() <= 1800
    assert rank_correlation(visitors, numbers(museum, "opening_days")) > 0.5
    assert rank_correlation(visitors, numbers(museum, "visitor_rank")) < -0.99
    budget = rows(filled(NAME, seed), "SELECT budget, staff FROM museum WHERE budget IS NOT NULL")
    assert all(20_000 * staff < budget < 200_000 * staff for budget, staff in budget)


@each_seed
def test_years_stand_in_their_order(seed: int) -> None:
    facts = filled(NAME, seed)
    wrong = """
        SELECT o.id FROM object o JOIN collection c ON c.id = o.collection JOIN museum m ON m.id = c.museum
        JOIN town t ON t.id = m.town JOIN donor d ON d.id = o.donor
        WHERE NOT (t.first_recorded < m.built AND m.built < m.founded AND m.founded < c.started
                   AND c.started < year(o.accessioned) AND o.made < year(o.accessioned) AND d.settled < o.accessioned)
    """
    assert rows(facts, wrong) == []
    made = numbers(facts.tables["object"], "made")
    assert made.min() >= 1500
    assert 1780 <= np.median(made) <= 1930


@each_seed
def test_the_register_is_kept_in_order(seed: int) -> None:
    numbered = rows(filled(NAME, seed), "SELECT register_number FROM object ORDER BY accessioned, register_number")
    assert [n for (n,) in numbered] == sorted({n for (n,) in numbered})


@each_seed
def test_objects_weigh_and_cost_what_their_kind_does(seed: int) -> None:
    facts = filled(NAME, seed)
    sql = "SELECT c.kind, AVG(o.{}) FROM object o JOIN collection c ON c.id = o.collection GROUP BY c.kind"
    weight = mean_by(facts, sql.format("weight"))
    for light, heavy in (("doll", "jug"), ("jug", "clock"), ("clock", "chest"), ("clock", "plough")):
        assert weight.get(light, 0) < weight.get(heavy, 1000)
    value = mean_by(facts, sql.format("insured_value"))
    dear = [value[kind] for kind in ("clock", "fiddle") if kind in value]
    cheap = [value[kind] for kind in ("jug", "lantern") if kind in value]
    assert min(dear) > max(cheap)
    assert skewed(numbers(facts.tables["object"], "insured_value"))
    state = "SELECT condition IN ('excellent', 'good'), AVG(on_display) FROM object GROUP BY 1"
    assert mean_by(facts, state)[1] > mean_by(facts, state)[0]


@each_seed
def test_collections_are_skewed_and_harder_to_catalogue_when_large(seed: int) -> None:
    facts = filled(NAME, seed)
    collection = facts.tables["collection"]
    items = numbers(collection, "items")
    assert skewed(items)
    assert rank_correlation(items, numbers(collection, "catalogued")) < -0.3
    room = mean_by(facts, "SELECT kind, AVG(storage / items) FROM collection GROUP BY kind")
    assert min(room.get("chest", 9), room.get("plough", 9)) > 2 * max(room.get("jug", 0), room.get("doll", 0))
    assert numbers(collection, "storage").max() < 400


@each_seed
def test_exhibitions_run_in_the_season_and_reach_a_part_of_the_visitors(seed: int) -> None:
    facts = filled(NAME, seed)
    exhibition = facts.tables["exhibition"]
    visitors, exhibits = numbers(exhibition, "visitors"), numbers(exhibition, "exhibits")
    assert rank_correlation(visitors, through(facts, "exhibition", "museum", "annual")) > 0.5
    assert (visitors < 0.7 * through(facts, "exhibition", "museum", "annual")).all()
    assert rank_correlation(exhibits, through(facts, "exhibition", "museum", "floor_area")) > 0.3
    months = [int(opened[5:7]) for (opened,) in rows(facts, "SELECT opened FROM exhibition")]
    assert sum(3 <= month <= 8 for month in months) > 0.6 * len(months)
    weeks = (numbers(exhibition, "closed") - numbers(exhibition, "opened")) / 7
    assert 4 <= weeks.min() <= weeks.max() <= 31


@each_seed
def test_summer_brings_the_visitors(seed: int) -> None:
    facts = filled(NAME, seed)
    total = mean_by(facts, "SELECT period, SUM(visitors) FROM museum_visitors GROUP BY period")
    for year in (2027, 2028):
        assert total[f"{year}-Q1"] < total[f"{year}-Q4"] < total[f"{year}-Q2"] < total[f"{year}-Q3"]


@each_seed
def test_loans_cost_by_what_is_lent(seed: int) -> None:
    facts = filled(NAME, seed)
    loan = facts.tables["loan"]
    assert 20 <= loan.size <= 55
    assert rank_correlation(numbers(loan, "pieces"), numbers(loan, "transport_cost")) > 0.5
    assert rank_correlation(numbers(loan, "pieces"), numbers(loan, "insured_sum")) > 0.5
    purposes = mean_by(facts, "SELECT purpose, COUNT(*) FROM loan GROUP BY purpose")
    assert purposes["exhibition"] == max(purposes.values())


@each_seed
def test_curators_are_paid_by_their_hours(seed: int) -> None:
    curator = filled(NAME, seed).tables["curator"]
    assert rank_correlation(numbers(curator, "hours"), numbers(curator, "pay")) > 0.8
    hourly = numbers(curator, "pay") / numbers(curator, "hours") / 4.33
    assert 14 <= hourly.min() <= hourly.max() <= 35
