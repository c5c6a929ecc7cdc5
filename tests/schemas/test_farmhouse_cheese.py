"""Farmhouse cheese: would a cheesemaker believe the milk, the cellar, the prices and the fair?"""

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

NAME = "farmhouse-cheese"


@each_seed
def test_harder_cheeses_ripen_longer_and_take_more_milk(seed: int) -> None:
    facts = filled(NAME, seed)
    cheese = facts.tables["cheese"]
    ripening, required = numbers(cheese, "ripening"), numbers(cheese, "required")
    assert (ripening >= required).all()
    assert ripening.max() <= 720
    assert rank_correlation(ripening, numbers(cheese, "weight")) > 0.6
    cow = rows(
        facts,
        "SELECT c.ripening, c.litres_needed FROM cheese c JOIN dairy d ON d.id = c.dairy WHERE d.animal = 'cow'",
    )
    days, litres = np.array(cow, dtype=float).T
    assert rank_correlation(days, litres) > 0.7
    assert 5 <= litres.min() <= litres.max() <= 13


@each_seed
def test_ewes_milk_is_richer_and_dearer(seed: int) -> None:
    facts = filled(NAME, seed)
    sql = "SELECT d.animal, AVG({}) FROM cheese c JOIN dairy d ON d.id = c.dairy GROUP BY d.animal"
    price, litres = mean_by(facts, sql.format("c.price")), mean_by(facts, sql.format("c.litres_needed"))
    assert price["cow"] < min(price[animal] for animal in ("goat", "sheep") if animal in price)
    if "sheep" in litres:
        assert litres["sheep"] < 0.85 * litres["cow"]
    every = numbers(facts.tables["cheese"], "price")
    assert 10 <= every.min() <= every.max() <= 75


@each_seed
def test_fat_and_salt_are_those_of_the_kind(seed: int) -> None:
    facts = filled(NAME, seed)
    fat = mean_by(facts, "SELECT rind, AVG(fat) FROM cheese GROUP BY rind")
    assert fat["bloomy"] > fat["none"]
    salt = mean_by(facts, "SELECT rind, AVG(salt) FROM cheese GROUP BY rind")
    assert salt["pierced"] == max(salt.values())
    assert salt["none"] == min(salt.values())
    every = numbers(facts.tables["cheese"], "fat")
    assert 32 <= every.min() <= every.max() <= 68


@each_seed
def test_every_litre_is_used_once(seed: int) -> None:
    used = rows(
        filled(NAME, seed),
        "SELECT SUM(c.output * c.litres_needed) / d.milk_total FROM dairy d JOIN cheese c ON c.dairy = d.id"
        " GROUP BY d.id",
    )
    assert all(0.97 < share < 1.03 for (share,) in used)


@each_seed
def test_milk_follows_the_grass_and_the_herds(seed: int) -> None:
    facts = filled(NAME, seed)
    total = mean_by(facts, "SELECT period, SUM(milk) FROM herd_milk GROUP BY period")
    assert total["2028-05"] > 1.7 * total["2028-01"]
    assert total["2028-12"] < total["2028-09"] < total["2028-06"]
    yield_a_head = "SELECT animal, AVG(1.0 * milk_total / heads) FROM dairy GROUP BY animal"
    by_animal = mean_by(facts, yield_a_head)
    assert 4500 < by_animal["cow"] < 7500
    assert 550 < by_animal.get("goat", 700) < 1100
    assert 230 < by_animal.get("sheep", 300) < 480
    herd = facts.tables["herd"]
    assert 8 <= numbers(herd, "heads").min() <= numbers(herd, "heads").max() <= 500


@each_seed
def test_higher_pastures_are_grazed_later_and_shorter(seed: int) -> None:
    facts = filled(NAME, seed)
    herd = facts.tables["herd"]
    height = numbers(herd, "pasture_elevation")
    assert rank_correlation(height, numbers(herd, "turnout")) > 0.6
    assert rank_correlation(height, numbers(herd, "housed") - numbers(herd, "turnout")) < -0.8
    assert 100 <= height.min() <= height.max() <= 2600
    grazed = rows(facts, "SELECT MIN(turnout), MAX(turnout), MIN(housed), MAX(housed) FROM herd")[0]
    assert "2028-03-15" < grazed[0] < grazed[1] < "2028-08-01"
    assert "2028-08-15" < grazed[2] < grazed[3] < "2028-12-31"


@each_seed
def test_dairies_are_farms_and_not_factories(seed: int) -> None:
    facts = filled(NAME, seed)
    dairy = facts.tables["dairy"]
    turnover, staff = numbers(dairy, "turnover"), numbers(dairy, "staff")
    assert rank_correlation(turnover, staff) > 0.7
    assert rank_correlation(turnover, numbers(dairy, "turnover_rank")) < -0.99
    assert 1 <= staff.min() <= staff.max() <= 45
    assert 30_000 < (turnover / staff).min() <= (turnover / staff).max() < 160_000
    assert skewed(numbers(facts.tables["cheese"], "output"))
    assert skewed(numbers(facts.tables["village"], "population"))


@each_seed
def test_gold_is_rarer_than_commendation(seed: int) -> None:
    facts = filled(NAME, seed)
    share = mean_by(facts, "SELECT medal, COUNT(*) FROM entry GROUP BY medal")
    assert 0 < share["gold"] < share["bronze"] + share["commended"]
    points = numbers(facts.tables["entry"], "points")
    assert 60 <= points.min() <= points.max() <= 100
    assert rank_correlation(points, numbers(facts.tables["entry"], "prize_money")) > 0.9
    in_september = "SELECT COUNT(*) FROM fair WHERE substr(held, 6, 2) IN ('09', '10')"
    assert rows(facts, in_september) == [(5,)]


@each_seed
def test_stalls_sell_a_part_of_what_is_made(seed: int) -> None:
    facts = filled(NAME, seed)
    sold = rows(
        facts,
        "SELECT 52.0 * SUM(s.sales) / (SELECT SUM(output) FROM cheese c WHERE c.dairy = s.dairy)"
        " FROM stall s WHERE s.sales IS NOT NULL GROUP BY s.dairy",
    )
    assert all(share < 0.9 for (share,) in sold)
    market = facts.tables["market"]
    assert rank_correlation(numbers(market, "visitors"), numbers(market, "stands")) > 0.4
    fee = numbers(facts.tables["stall"], "day_fee")
    assert np.allclose(
        fee, numbers(facts.tables["stall"], "metres") * through(facts, "stall", "market", "fee"), atol=0.02
    )
