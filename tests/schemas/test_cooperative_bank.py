"""A cooperative bank: would a banker, an auditor or a fund manager believe its books, loans and portfolios?"""

import numpy as np
from shipped import each_seed, filled, mean_by, numbers, rank_correlation, rows, skewed, through

NAME = "cooperative-bank"


@each_seed
def test_every_firm_has_a_whole_trial_balance(seed: int) -> None:
    facts = filled(NAME, seed)
    firms = facts.tables["borrower"].size
    assert rows(facts, "SELECT COUNT(*), COUNT(DISTINCT title) FROM account GROUP BY firm") == [(14, 14)] * firms
    assert rows(facts, "SELECT DISTINCT line FROM account ORDER BY line") == [(line,) for line in range(1, 15)]
    once = rows(facts, "SELECT title, COUNT(DISTINCT line), COUNT(DISTINCT side) FROM account GROUP BY title")
    assert all((lines, sides) == (1, 1) for _, lines, sides in once)
    both = """
        SELECT SUM(CASE side WHEN 'debit' THEN opening ELSE -opening END) AS start,
        SUM(debits) - SUM(credits) AS moved FROM account GROUP BY firm
    """
    assert all(abs(start) < 0.005 and abs(moved) < 0.005 for start, moved in rows(facts, both))


@each_seed
def test_firms_trade_as_wholesalers_do(seed: int) -> None:
    facts = filled(NAME, seed)
    cost = """
        SELECT c.closing / s.closing FROM account c JOIN account s ON s.firm = c.firm AND s.title = 'sales'
        WHERE c.title = 'cost_of_sales'
    """
    assert all(0.55 < share < 0.75 for (share,) in rows(facts, cost))
    borrower = facts.tables["borrower"]
    revenue, margin = numbers(borrower, "revenue"), numbers(borrower, "margin")
    assert 1_500_000 < revenue.min() <= revenue.max() < 30_000_000
    assert -15 < margin.min() <= margin.max() < 25
    ratio = numbers(borrower, "equity_ratio")
    assert 40 < ratio.min() <= ratio.max() < 100
    worn = """
        SELECT d.closing / e.closing FROM account d JOIN account e ON e.firm = d.firm AND e.title = 'equipment'
        WHERE d.title = 'accumulated_depreciation'
    """
    assert all(0 < share <= 1 for (share,) in rows(facts, worn))


@each_seed
def test_ratings_follow_the_books_and_rates_follow_the_ratings(seed: int) -> None:
    facts = filled(NAME, seed)
    borrower, loan = facts.tables["borrower"], facts.tables["loan"]
    rating = numbers(borrower, "rating")
    assert rank_correlation(rating, numbers(borrower, "margin")) < -0.6
    assert rating.min() >= 1
    assert rating.max() <= 10
    rate = numbers(loan, "rate")
    assert 2.5 <= rate.min() <= rate.max() <= 8
    dearer = mean_by(facts, "SELECT purpose, AVG(rate) FROM loan GROUP BY purpose")
    if {"energy", "stock"} <= dearer.keys():
        assert dearer["stock"] > dearer["energy"]


@each_seed
def test_every_balance_is_what_an_annuity_leaves(seed: int) -> None:
    facts = filled(NAME, seed)
    columns = "outstanding, principal, instalment, rate, term, paid, remaining, repaid"
    for outstanding, principal, instalment, rate, term, paid, remaining, repaid in rows(
        facts, f"SELECT {columns} FROM loan"
    ):
        owed, monthly = principal, rate / 1200
        for _ in range(paid):
            owed += owed * monthly - instalment
        assert abs(owed - outstanding) < 0.02 * principal + 60
        assert 0 < outstanding < principal
        assert 1 <= paid < term == paid + remaining
        assert abs(repaid - 100 * (1 - outstanding / principal)) < 0.06
    assert skewed(numbers(facts.tables["loan"], "principal"))


@each_seed
def test_loans_last_as_long_as_what_they_pay_for(seed: int) -> None:
    facts = filled(NAME, seed)
    term = mean_by(facts, "SELECT purpose, AVG(term) FROM loan GROUP BY purpose")
    assert 12 <= term["stock"] <= 36
    assert all(months > term["stock"] for purpose, months in term.items() if purpose != "stock")
    loan = facts.tables["loan"]
    assert (numbers(loan, "term") % 6 == 0).all()
    late = numbers(loan, "overdue")
    assert (late == 0).mean() > 0.5
    assert late.max() <= 200
    allowance = mean_by(facts, "SELECT stage, SUM(allowance) / SUM(outstanding) FROM loan GROUP BY stage")
    assert allowance[1] < 0.01
    assert all(allowance[stage] > allowance[1] for stage in allowance if stage > 1)


@each_seed
def test_portfolios_hold_what_their_mandate_says(seed: int) -> None:
    facts = filled(NAME, seed)
    risky = mean_by(facts, "SELECT mandate, AVG(risky) FROM portfolio GROUP BY mandate")
    order = [risky[mandate] for mandate in ("cautious", "balanced", "growth") if mandate in risky]
    assert order == sorted(order)
    assert all(0 <= share <= 100 for share in order)
    portfolio = facts.tables["portfolio"]
    fee = numbers(portfolio, "fee")
    assert 0.3 <= fee.min() <= fee.max() <= 1.6
    weight = numbers(facts.tables["holding"], "weight")
    assert 0.2 < weight.min() <= weight.max() < 60
    assert rows(facts, "SELECT COUNT(*) FROM portfolio WHERE beaten <> (performance > benchmark)") == [(0,)]


@each_seed
def test_returns_are_plausible_for_their_risk(seed: int) -> None:
    facts = filled(NAME, seed)
    security = facts.tables["security"]
    swing, returned = numbers(security, "volatility"), numbers(security, "total_return")
    assert (np.abs(returned - numbers(security, "income")) <= 2 * swing).all()
    assert -35 < returned.min() <= returned.max() < 60
    assert numbers(facts.tables["portfolio"], "performance").min() > -12
    assert numbers(facts.tables["portfolio"], "performance").max() < 30
    kinds = mean_by(facts, "SELECT form, AVG(volatility) FROM security GROUP BY form")
    order = [kinds[form] for form in ("note", "bond", "preferred", "stock") if form in kinds]
    assert order == sorted(order)
    near = rows(facts, "SELECT price FROM security WHERE form IN ('bond', 'note')")
    assert all(75 < price < 125 for (price,) in near), "debt is quoted near its face value"
    holding = facts.tables["holding"]
    gain = numbers(holding, "value") / numbers(holding, "cost")
    assert 0.75 < gain.min() <= gain.max() < 1.9


@each_seed
def test_branches_are_staffed_and_funded_by_their_members(seed: int) -> None:
    facts = filled(NAME, seed)
    branch = facts.tables["branch"]
    assert numbers(branch, "headcount").min() >= 1
    assert rank_correlation(numbers(branch, "floor_area"), numbers(branch, "headcount")) > 0.3
    held = mean_by(facts, "SELECT branch, AVG(deposits) FROM branch_deposits GROUP BY branch")
    each = np.array([held[f"branch/{row}"] for row in range(branch.size)]) / numbers(branch, "members")
    assert 6000 < each.min() <= each.max() < 22000
    total = mean_by(facts, "SELECT period, SUM(deposits) FROM branch_deposits GROUP BY period")
    assert 0.95 < total["2027-Q4"] / total["2026-Q1"] < 1.2
    lent = rows(facts, "SELECT SUM(outstanding) FROM loan")[0][0]
    assert lent < 0.2 * total["2027-Q4"], "loans to nine firms are a small part of what members deposit"


@each_seed
def test_pay_and_authority_rise_with_the_grade(seed: int) -> None:
    facts = filled(NAME, seed)
    staff = facts.tables["staff"]
    grade = numbers(staff, "grade")
    assert rank_correlation(grade, numbers(staff, "salary")) > 0.9
    assert rank_correlation(grade, numbers(staff, "authority")) > 0.9
    assert 30_000 <= numbers(staff, "salary").min() <= numbers(staff, "salary").max() <= 150_000
    heads = mean_by(facts, "SELECT head, AVG(grade) FROM staff GROUP BY head")
    assert heads[1] > heads[0] + 1
    outranked = """
        SELECT h.id FROM staff h JOIN staff o ON o.branch = h.branch AND o.head = 0
        WHERE h.head = 1 AND o.grade >= h.grade
    """
    assert rows(facts, outranked) == []
    entered = rows(facts, "SELECT MIN(year(hired) - year(born)), MAX(2027 - year(born)) FROM staff")[0]
    assert entered[0] >= 18
    assert entered[1] <= 66


@each_seed
def test_loans_are_decided_after_the_firm_joined(seed: int) -> None:
    facts = filled(NAME, seed)
    joined = through(facts, "loan", "borrower", "joined")
    granted = np.array([int(year) for (year,) in rows(facts, "SELECT year(granted) FROM loan")])
    assert (granted > joined).all()
    assert rows(facts, "SELECT id FROM borrower WHERE joined <= founded") == []
