"""Electric cars: would somebody who builds, sells or tests them believe this market?"""

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

NAME = "electric-cars"


@each_seed
def test_range_follows_the_battery_and_the_consumption(seed: int) -> None:
    variant = filled(NAME, seed).tables["variant"]
    battery, consumption, reach = (numbers(variant, key) for key in ("battery", "consumption", "driving_range"))
    assert np.allclose(reach, 100 * battery / consumption, atol=1)
    assert rank_correlation(reach, battery) > 0.6
    assert rank_correlation(consumption, numbers(variant, "mass")) > 0.5
    assert 10 <= consumption.min() <= consumption.max() <= 23
    assert 20 <= battery.min() <= battery.max() <= 140
    assert 180 <= reach.min() <= np.median(reach) <= 600
    assert reach.max() <= 850


@each_seed
def test_a_better_cell_makes_a_lighter_car(seed: int) -> None:
    facts = filled(NAME, seed)
    supplier, variant = facts.tables["supplier"], facts.tables["variant"]
    density = mean_by(facts, "SELECT chemistry, AVG(density) FROM supplier GROUP BY chemistry")
    order = [density[key] for key in ("lfp", "lmfp", "nmc", "solid") if key in density]
    assert order == sorted(order)
    assert rank_correlation(numbers(supplier, "cell_price"), numbers(supplier, "density")) > 0.7
    mass = numbers(variant, "mass")
    assert rank_correlation(mass, numbers(variant, "battery")) > 0.7
    assert 900 <= mass.min() <= mass.max() <= 3000


@each_seed
def test_power_weight_and_sprint_obey_mechanics(seed: int) -> None:
    facts = filled(NAME, seed)
    variant = facts.tables["variant"]
    power, mass, sprint = (numbers(variant, key) for key in ("power", "mass", "sprint"))
    assert rank_correlation(sprint, mass / power) > 0.95
    assert 2.3 <= sprint.min() <= sprint.max() <= 15
    assert rank_correlation(numbers(variant, "top_speed"), power) > 0.8
    by_trim = mean_by(facts, "SELECT trim, AVG(sprint) FROM variant GROUP BY trim")
    assert by_trim["performance"] < by_trim["dual"] < by_trim["standard"]


@each_seed
def test_charging_follows_voltage_and_power(seed: int) -> None:
    facts = filled(NAME, seed)
    variant = facts.tables["variant"]
    power, time, battery = (numbers(variant, key) for key in ("charging_power", "charging_time", "battery"))
    assert rank_correlation(time, battery / power) > 0.9
    assert 8 <= time.min() <= time.max() <= 50
    assert (60 * 0.7 * battery / power <= time + 1).all()
    by_voltage = mean_by(
        facts,
        "SELECT p.voltage > 400, AVG(v.charging_power) FROM variant v JOIN model m ON m.id = v.model"
        " JOIN platform p ON p.id = m.platform GROUP BY 1",
    )
    assert by_voltage[1] > 1.4 * by_voltage[0]


@each_seed
def test_prices_follow_class_battery_and_brand(seed: int) -> None:
    facts = filled(NAME, seed)
    variant, model = facts.tables["variant"], facts.tables["model"]
    price = numbers(variant, "price")
    assert rank_correlation(price, numbers(variant, "battery")) > 0.45
    assert rank_correlation(price, numbers(variant, "power")) > 0.45
    assert 13_000 <= price.min() <= price.max() <= 190_000
    assert skewed(numbers(model, "registered"))
    by_class = mean_by(
        facts,
        "SELECT p.vehicle_class, AVG(m.length) FROM model m JOIN platform p ON p.id = m.platform GROUP BY 1",
    )
    order = [by_class[key] for key in ("city", "compact", "midsize", "large") if key in by_class]
    assert order == sorted(order)
    assert 3400 <= numbers(model, "length").min() <= numbers(model, "length").max() <= 5500
    assert (numbers(model, "wheelbase") < 0.7 * numbers(model, "length")).all()


@each_seed
def test_dates_stand_in_their_order(seed: int) -> None:
    facts = filled(NAME, seed)
    wrong = """
        SELECT v.id FROM variant v JOIN model m ON m.id = v.model JOIN platform p ON p.id = m.platform
        JOIN maker k ON k.id = p.maker JOIN supplier s ON s.id = m.supplier
        WHERE NOT (k.founded < year(p.introduced) AND p.introduced < m.unveiled AND m.unveiled < m.orders_open
                   AND m.orders_open < v.on_sale AND v.on_sale <= '2031-10-31' AND s.founded < year(m.unveiled))
    """
    assert rows(facts, wrong) == []
    opened = numbers(facts.tables["plant"], "opened")
    assert opened.min() >= 1962
    assert rank_correlation(numbers(facts.tables["plant"], "workers"), numbers(facts.tables["plant"], "capacity")) > 0.8


@each_seed
def test_registrations_have_a_season_and_add_up_to_the_sales(seed: int) -> None:
    facts = filled(NAME, seed)
    total = mean_by(facts, "SELECT period, SUM(registrations) FROM maker_registrations GROUP BY period")
    assert total["2030-Q4"] > 1.08 * total["2030-Q3"]
    assert total["2031-Q1"] < 0.92 * total["2030-Q4"]
    assert total["2031-Q3"] > total["2030-Q3"]
    maker = facts.tables["maker"]
    assert rank_correlation(numbers(maker, "registration_share"), numbers(maker, "registration_rank")) < -0.95
    assert rank_correlation(numbers(maker, "revenue"), numbers(maker, "employees")) > 0.9
    sold = numbers(facts.tables["model"], "registered").sum()
    year = sum(total[period] for period in ("2030-Q4", "2031-Q1", "2031-Q2", "2031-Q3"))
    assert 0.8 * year < sold < 5 * year


@each_seed
def test_recalls_are_of_cars_that_were_sold(seed: int) -> None:
    facts = filled(NAME, seed)
    recall = facts.tables["recall"]
    assert (numbers(recall, "cars") <= through(facts, "recall", "model", "registered")).all()
    assert skewed(numbers(recall, "cars"))
    share = mean_by(facts, "SELECT defect, COUNT(*) FROM recall GROUP BY defect")
    assert share["software"] > share.get("belts", 0)
    by_age = rank_correlation(numbers(recall, "announced"), numbers(recall, "repaired"))
    assert by_age < -0.5
    cost = mean_by(facts, "SELECT defect, SUM(cost) / SUM(cars) FROM recall WHERE cost IS NOT NULL GROUP BY defect")
    assert cost["software"] < cost["cooling"]
