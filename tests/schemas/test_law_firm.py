"""A law firm: would a lawyer believe its people, cases, hours and bills?"""

import datetime as dt

import numpy as np
from shipped import each_seed, filled, mean_by, numbers, rank_correlation, rows, skewed, through

from worldgen.facts.tables import Facts

NAME = "law-firm"


def days_between(facts: Facts, sql: str) -> np.ndarray:
    """Days from the first to the second date of each row."""
    pairs = rows(facts, sql)
    return np.array([(dt.date.fromisoformat(second) - dt.date.fromisoformat(first)).days for first, second in pairs])


@each_seed
def test_one_head_and_a_partner_for_each_team(seed: int) -> None:
    facts = filled(NAME, seed)
    head = "SELECT id, grade, partner FROM lawyer WHERE employed = 1 AND manager IS NULL"
    ((managing, grade, partner),) = rows(facts, head)
    assert partner == 1
    assert grade == numbers(facts.tables["lawyer"], "grade").max()
    leads = rows(facts, "SELECT l.partner, l.employed, l.department = t.id FROM team t JOIN lawyer l ON l.id = t.lead")
    assert set(leads) == {(1, 1, 1)}
    direct = rows(facts, f"SELECT COUNT(*) FROM lawyer WHERE employed = 1 AND manager = '{managing}'")[0][0]
    partners = rows(facts, "SELECT COUNT(*) FROM lawyer WHERE employed = 1 AND partner = 1")[0][0]
    assert partners == direct + 1, "partners are the managing partner and those who report there"
    assert 5 <= partners <= 9
    assert rows(facts, "SELECT COUNT(*) FROM lawyer WHERE employed = 1")[0][0] == 35
    assert numbers(facts.tables["team"], "headcount").sum() == 35


@each_seed
def test_pay_and_rates_rise_with_the_grade(seed: int) -> None:
    facts = filled(NAME, seed)
    lawyer = facts.tables["lawyer"]
    salary, rate, grade = (numbers(lawyer, key) for key in ("salary", "rate", "grade"))
    assert rank_correlation(salary, grade) > 0.85
    assert rank_correlation(rate, salary) > 0.9
    assert 48_000 <= salary.min() <= salary.max() <= 230_000
    assert 150 <= rate.min() <= rate.max() <= 700
    target = mean_by(facts, "SELECT partner, AVG(target) FROM lawyer WHERE target IS NOT NULL GROUP BY partner")
    assert target[0] > 1.1 * target[1], "partners have clients to win and bill fewer hours"
    assert 1_100 <= target[1] <= target[0] <= 1_800


@each_seed
def test_lawyers_came_as_lawyers(seed: int) -> None:
    facts = filled(NAME, seed)
    ages = "SELECT MIN(year(hired) - year(born)), MAX(year(hired) - year(born)), MAX(2029 - year(born)) FROM lawyer"
    youngest, oldest, now = rows(facts, ages)[0]
    assert 25 <= youngest <= oldest <= 51
    assert now <= 70
    assert rows(facts, "SELECT id FROM lawyer WHERE admitted > year(hired) OR hired > '2029-12-31'") == []
    age = mean_by(facts, "SELECT partner, AVG(2029 - year(born)) FROM lawyer WHERE employed = 1 GROUP BY partner")
    assert age[1] > age[0]


@each_seed
def test_cases_take_the_time_that_courts_take(seed: int) -> None:
    facts = filled(NAME, seed)
    matter = facts.tables["matter"]
    took = numbers(matter, "days_open")
    assert 100 <= took.min() <= took.max() <= 620
    assert 180 <= np.median(took) <= 420
    wait = days_between(
        facts, "SELECT m.opened, h.held FROM matter m JOIN hearing h ON h.matter = m.id AND h.turn = 1 ORDER BY m.id"
    )
    usual = dict(rows(facts, "SELECT m.id, 7 * c.waiting FROM matter m JOIN court c ON c.id = m.court"))
    expected = np.array([usual[key] for key in sorted(usual)])
    assert rank_correlation(wait, expected) > 0.5
    assert 0.6 < (wait / expected).min() <= (wait / expected).max() < 2
    between = days_between(
        facts, "SELECT a.held, b.held FROM hearing a JOIN hearing b ON a.matter = b.matter AND a.turn < b.turn"
    )
    assert 50 <= between.min() <= between.max() <= 240
    opened = {dt.date.fromisoformat(day).weekday() for (day,) in rows(facts, "SELECT opened FROM matter")}
    assert not opened & {5, 6}
    assert rows(facts, "SELECT id FROM matter WHERE kept_until <> year(closed) + 10") == []


@each_seed
def test_the_main_hearing_is_longer_and_hears_witnesses(seed: int) -> None:
    facts = filled(NAME, seed)
    length = mean_by(facts, "SELECT turn, AVG(minutes) FROM hearing GROUP BY turn")
    assert length[2] > 2 * length[1]
    assert rows(facts, "SELECT MAX(witnesses) FROM hearing WHERE turn = 1") == [(0,)]
    assert rows(facts, "SELECT MIN(witnesses) FROM hearing WHERE turn = 2")[0][0] >= 1
    main = np.array(rows(facts, "SELECT minutes, witnesses FROM hearing WHERE turn = 2"), dtype=float)
    assert rank_correlation(main[:, 0], main[:, 1]) > 0.4
    minutes = numbers(facts.tables["hearing"], "minutes")
    assert 15 <= minutes.min() <= minutes.max() <= 430
    assert set(minutes % 5) == {0}
    pages = mean_by(facts, "SELECT turn, AVG(bundle) FROM hearing GROUP BY turn")
    assert pages[2] > pages[1]


@each_seed
def test_large_disputes_take_more_hours_and_cost_a_smaller_part(seed: int) -> None:
    facts = filled(NAME, seed)
    matter = facts.tables["matter"]
    stake, fees, led = (numbers(matter, key) for key in ("at_stake", "fees", "lead_hours"))
    assert skewed(stake)
    assert rank_correlation(stake, fees) > 0.6
    assert rank_correlation(stake, led) > 0.7
    part = fees / stake
    assert 0.02 <= part.min() <= part.max() <= 0.7
    assert rank_correlation(stake, part) < -0.5
    told = matter.columns["estimate"].given
    assert rank_correlation(fees[told], numbers(matter, "estimate")[told]) > 0.8
    assert rank_correlation(led, numbers(matter, "team_hours")) > 0.5
    hours = numbers(facts.tables["work"], "hours")
    assert 1.5 <= hours.min() <= np.median(hours) <= 120
    assert hours.max() <= 700


@each_seed
def test_judgments_go_both_ways(seed: int) -> None:
    facts = filled(NAME, seed)
    ends = mean_by(facts, "SELECT outcome, COUNT(*) FROM matter GROUP BY outcome")
    assert ends["settled"] > ends.get("withdrawn", 0)
    share = rows(facts, "SELECT AVG(favourable) FROM matter")[0][0]
    assert 0.25 < share < 0.85
    wrong = "(role = 'claimant' AND outcome = 'dismissed') OR (role = 'defendant' AND outcome = 'upheld')"
    assert rows(facts, f"SELECT id FROM matter WHERE favourable = 1 AND ({wrong})") == []


@each_seed
def test_clients_pay_by_their_term_and_habit(seed: int) -> None:
    facts = filled(NAME, seed)
    bill = facts.tables["bill"]
    days = numbers(bill, "days_to_pay")
    terms = np.array(
        rows(
            facts,
            "SELECT b.days_to_pay, c.payment_days FROM bill b JOIN matter m ON m.id = b.matter"
            " JOIN client c ON c.id = m.client",
        ),
        dtype=float,
    )
    assert rank_correlation(terms[:, 0], terms[:, 1]) > 0.4
    assert 3 <= days.min() <= days.max() <= 80
    assert 0.1 < numbers(bill, "late").mean() < 0.7
    fees = mean_by(facts, "SELECT turn, SUM(fees) FROM bill GROUP BY turn")
    assert 0.3 < fees[1] / (fees[1] + fees[2]) < 0.5
    claims = mean_by(
        facts,
        "SELECT m.role, AVG(b.expenses) FROM bill b JOIN matter m ON m.id = b.matter WHERE b.turn = 1 GROUP BY m.role",
    )
    assert claims["claimant"] > 3 * claims["defendant"], "who sues lays out the court fee"


@each_seed
def test_good_clients_get_discounts(seed: int) -> None:
    facts = filled(NAME, seed)
    client = facts.tables["client"]
    discount, files = numbers(client, "discount"), numbers(client, "files")
    assert rank_correlation(discount, files) > 0.7
    assert 1 <= discount.min() <= discount.max() <= 15
    assert numbers(client, "billed").sum() == numbers(facts.tables["matter"], "fees").sum()
    assert rank_correlation(numbers(client, "billed"), numbers(client, "fee_rank")) < -0.99
    assert files.sum() == facts.tables["matter"].size
    late = "SELECT m.id FROM matter m JOIN client c ON c.id = m.client WHERE c.since >= m.opened"
    assert rows(facts, late) == []


@each_seed
def test_teams_bill_by_their_size_and_rest_in_summer(seed: int) -> None:
    facts = filled(NAME, seed)
    total = mean_by(facts, "SELECT period, SUM(hours) FROM team_hours GROUP BY period")
    assert total["2029-Q3"] < 0.95 * total["2029-Q2"]
    assert total["2029-Q4"] > 1.1 * total["2029-Q3"]
    year = mean_by(facts, "SELECT team, SUM(hours) FROM team_hours WHERE period LIKE '2029%' GROUP BY team")
    team = facts.tables["team"]
    each = np.array([year[f"team/{row}"] for row in range(team.size)]) / numbers(team, "headcount")
    assert 1_150 <= each.min() <= each.max() <= 2_000
    pay = numbers(team, "payroll") / numbers(team, "headcount")
    assert 55_000 <= pay.min() <= pay.max() <= 230_000
    assert (through(facts, "team", "lead", "grade") >= 3).all()
