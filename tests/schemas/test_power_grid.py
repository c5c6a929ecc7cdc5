"""A power system: would somebody who plans, runs or regulates grids believe its figures?"""

import numpy as np
from shipped import each_seed, filled, mean_by, numbers, rank_correlation, rows, skewed, through

NAME = "power-grid"
HOURS = 8784
"""Hours of 2032, a leap year."""


@each_seed
def test_capacity_factors_fit_what_a_station_runs_on(seed: int) -> None:
    facts = filled(NAME, seed)
    factor = mean_by(facts, "SELECT technology, AVG(capacity_factor) FROM plant GROUP BY technology")
    order = [factor[key] for key in ("solar", "onshore", "offshore", "biomass", "nuclear") if key in factor]
    assert order == sorted(order)
    assert 9 < factor["solar"] < 17
    assert 24 < factor["onshore"] < 42
    assert 75 < factor.get("nuclear", 86) < 95


@each_seed
def test_generation_is_capacity_times_time(seed: int) -> None:
    plant = filled(NAME, seed).tables["plant"]
    capacity, output = numbers(plant, "capacity"), numbers(plant, "output")
    assert (output * 1000 <= capacity * HOURS).all()
    assert np.allclose(output, capacity * HOURS / 1000 * numbers(plant, "capacity_factor") / 100, atol=1)
    assert skewed(capacity)
    assert 3 <= capacity.min() <= capacity.max() <= 3500


@each_seed
def test_large_units_are_nuclear_and_small_ones_burn_wood(seed: int) -> None:
    facts = filled(NAME, seed)
    size = mean_by(facts, "SELECT technology, AVG(capacity) FROM plant GROUP BY technology")
    assert size["gas"] > size["onshore"] > size.get("biomass", 0)
    assert size.get("nuclear", 1200) > 800
    share = mean_by(facts, "SELECT technology, COUNT(*) FROM plant GROUP BY technology")
    assert share["solar"] + share["onshore"] > share["gas"] > share.get("coal", 0)
    crew = mean_by(facts, "SELECT technology, AVG(1.0 * staff / capacity) FROM plant GROUP BY technology")
    assert crew["solar"] < crew.get("nuclear", 0.5)


@each_seed
def test_only_coal_and_gas_give_off_carbon(seed: int) -> None:
    facts = filled(NAME, seed)
    rate = mean_by(facts, "SELECT technology, 1000.0 * SUM(emissions) / SUM(output) FROM plant GROUP BY technology")
    assert 330 < rate["gas"] < 420
    assert 750 < rate.get("coal", 890) < 1000
    assert all(rate[key] == 0 for key in rate if key not in ("gas", "coal"))
    region = facts.tables["region"]
    clean, carbon = numbers(region, "renewable_share"), numbers(region, "emissions") / numbers(region, "generation")
    assert carbon[clean > 95].max(initial=0) < 0.05
    assert clean.max() <= 100


@each_seed
def test_stations_are_as_old_as_their_technology(seed: int) -> None:
    facts = filled(NAME, seed)
    first = dict(rows(facts, "SELECT technology, MIN(commissioned) FROM plant GROUP BY technology"))
    assert first["solar"] >= "2010"
    assert first.get("offshore", "2016") >= "2015"
    assert first.get("hydro", "1934") < "1985"
    last = dict(rows(facts, "SELECT technology, MAX(commissioned) FROM plant GROUP BY technology"))
    assert last.get("coal", "2000") < "2010"
    assert max(last.values()) < "2032"
    wrong = """
        SELECT p.id FROM plant p JOIN operator o ON o.id = p.operator
        WHERE NOT (p.taken_over > o.founded AND p.taken_over >= year(p.commissioned)) OR p.closes <= 2033
    """
    assert rows(facts, wrong) == []


@each_seed
def test_demand_follows_people_and_peaks_in_winter(seed: int) -> None:
    facts = filled(NAME, seed)
    region = facts.tables["region"]
    demand = numbers(region, "demand")
    per_head = demand * 1e6 / numbers(region, "population")
    assert 4000 < per_head.min() <= per_head.max() < 9000
    assert (numbers(region, "peak_load") * HOURS > demand * 1000).all()
    month = mean_by(facts, "SELECT period, SUM(load) FROM region_load GROUP BY period")
    assert month["2033-01"] > 1.15 * month["2033-06"]
    assert abs(sum(month.values()) / demand.sum() - 1) < 0.06
    quarter = mean_by(facts, "SELECT period, SUM(production) FROM operator_production GROUP BY period")
    assert quarter["2033-Q1"] > quarter["2032-Q3"]


@each_seed
def test_storage_loses_what_its_physics_lets_it(seed: int) -> None:
    facts = filled(NAME, seed)
    hours = mean_by(facts, "SELECT kind, AVG(1.0 * energy / power) FROM storage GROUP BY kind")
    assert 1.5 < hours["battery"] < 5 < hours.get("pumped", 7) < 12
    efficiency = numbers(facts.tables["storage"], "efficiency")
    assert 55 <= efficiency.min() <= efficiency.max() <= 94
    cycles = mean_by(facts, "SELECT kind, AVG(cycles) FROM storage GROUP BY kind")
    assert cycles["battery"] > cycles.get("pumped", 0)


@each_seed
def test_auctions_reward_competition_and_projects_follow_them(seed: int) -> None:
    facts = filled(NAME, seed)
    auction, project = facts.tables["auction"], facts.tables["project"]
    pressure = numbers(auction, "bids") / numbers(auction, "volume")
    relief = numbers(auction, "price") / numbers(auction, "ceiling_price")
    assert rank_correlation(pressure, relief) < -0.8
    assert (numbers(project, "due") > through(facts, "project", "auction", "held") + 700).all()
    assert rank_correlation(numbers(project, "progress"), through(facts, "project", "auction", "held")) < -0.3
    per_kilowatt = mean_by(
        facts,
        "SELECT a.technology, AVG(p.cost / p.capacity) FROM project p JOIN auction a ON a.id = p.auction GROUP BY 1",
    )
    assert per_kilowatt.get("solar", 0) < per_kilowatt["onshore"]
    operator = facts.tables["operator"]
    assert rank_correlation(numbers(operator, "revenue"), numbers(operator, "output")) > 0.9
