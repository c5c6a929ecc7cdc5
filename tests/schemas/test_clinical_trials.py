"""Clinical trials: would somebody who plans, reviews or reads them believe their figures?"""

import numpy as np
from shipped import each_seed, filled, mean_by, numbers, rank_correlation, rows, skewed, through

NAME = "clinical-trials"


@each_seed
def test_later_phases_are_larger_longer_and_dearer(seed: int) -> None:
    facts = filled(NAME, seed)
    for what in ("enrolment", "sites", "cost", "julianday(ended) - julianday(started)"):
        by_phase = mean_by(facts, f"SELECT phase, AVG({what}) FROM trial GROUP BY phase")
        assert by_phase[1] < by_phase[2] < by_phase[3], what
    size = dict(rows(facts, "SELECT phase, MAX(enrolment) FROM trial GROUP BY phase"))
    assert size[1] <= 100
    assert size[2] <= 300 < size[3] <= 3000
    trial = facts.tables["trial"]
    assert skewed(numbers(trial, "enrolment"))
    assert rank_correlation(numbers(trial, "sites"), numbers(trial, "enrolment")) > 0.7


@each_seed
def test_patients_cost_what_they_cost(seed: int) -> None:
    facts = filled(NAME, seed)
    for phase, least, most in ((1, 25_000, 90_000), (2, 35_000, 90_000), (3, 25_000, 65_000)):
        found = f"SELECT AVG(cost / enrolment) FROM trial WHERE phase = {phase} AND cost IS NOT NULL"
        assert least < rows(facts, found)[0][0] < most


@each_seed
def test_fewer_compounds_get_through_each_phase(seed: int) -> None:
    facts = filled(NAME, seed)
    many = dict(rows(facts, "SELECT phase, COUNT(*) FROM trial GROUP BY phase"))
    assert many[1] == facts.tables["compound"].size
    assert many[1] > many[2] > many[3] > 0
    share = dict(rows(facts, "SELECT status, COUNT(*) FROM compound GROUP BY status"))
    assert share["discontinued"] > many[1] / 3
    assert 0 < share["approved"] <= many[3]
    passed = mean_by(facts, "SELECT phase, AVG(met) FROM trial GROUP BY phase")
    assert passed[2] < 0.75


@each_seed
def test_path_to_approval_takes_most_of_a_decade(seed: int) -> None:
    facts = filled(NAME, seed)
    path = """
        SELECT (julianday(s.decided) - julianday(t.started)) / 365.25
        FROM submission s JOIN trial t ON t.compound = s.compound AND t.phase = 1
    """
    years = np.array([length for (length,) in rows(facts, path)])
    assert 4 < years.min() <= years.max() < 14
    assert 5.5 < years.mean() < 11
    review = numbers(facts.tables["submission"], "review")
    assert 180 <= review.min() <= review.max() <= 420


@each_seed
def test_everything_is_over_by_the_day_of_the_world(seed: int) -> None:
    facts = filled(NAME, seed)
    as_of = facts.schema.as_of.isoformat()
    last = "SELECT MAX(day) FROM (SELECT ended AS day FROM trial UNION SELECT decided FROM submission)"
    assert rows(facts, last)[0][0] < as_of
    lead = rows(facts, "SELECT julianday(started) - julianday(registered) FROM trial")
    assert all(5 <= days <= 200 for (days,) in lead)
    assert rows(facts, "SELECT id FROM compound WHERE protected <= 2031") == []


@each_seed
def test_treatment_helps_where_the_endpoint_was_met(seed: int) -> None:
    facts = filled(NAME, seed)
    effect = mean_by(facts, "SELECT met, AVG(active_rate - control_rate) FROM trial WHERE phase > 1 GROUP BY met")
    assert effect[1] > 10 > effect[0] > -10
    placebo = numbers(facts.tables["trial"], "control_rate")
    assert 10 < np.median(placebo) < 40
    wrong = "SELECT id FROM arm WHERE ABS(response - 100.0 * responders / enrolment) > 0.06"
    assert rows(facts, wrong) == []


@each_seed
def test_more_of_a_drug_has_more_side_effects(seed: int) -> None:
    facts = filled(NAME, seed)
    rate = mean_by(facts, "SELECT dose, 1.0 * SUM(adverse) / SUM(enrolment) FROM arm GROUP BY dose")
    assert 0.2 < rate["placebo"] < rate["high"] < 0.85
    paired = """
        SELECT AVG(h.adverse * 1.0 / h.enrolment > l.adverse * 1.0 / l.enrolment)
        FROM arm h JOIN arm l ON l.trial = h.trial AND l.dose = 'placebo' WHERE h.dose = 'high' AND h.enrolment > 30
    """
    assert rows(facts, paired)[0][0] > 0.8
    stayed = rows(facts, "SELECT 1.0 * SUM(completed) / SUM(enrolment) FROM arm")[0][0]
    assert 0.8 < stayed < 0.98


@each_seed
def test_first_tests_are_in_the_young_and_healthy(seed: int) -> None:
    facts = filled(NAME, seed)
    age = mean_by(facts, "SELECT phase, AVG(age) FROM trial GROUP BY phase")
    assert 25 < age[1] < 40 < age[2] < 65
    women = numbers(facts.tables["trial"], "women")
    assert 40 < women.mean() < 55
    trial = facts.tables["trial"]
    failed = 1 - numbers(trial, "enrolment") / numbers(trial, "screened")
    assert 0.05 < failed.min() <= failed.max() < 0.65


@each_seed
def test_molecules_behave_as_their_class_does(seed: int) -> None:
    facts = filled(NAME, seed)
    half_life = mean_by(facts, "SELECT antibody, AVG(half_life) FROM compound GROUP BY antibody")
    assert half_life[1] > 240 > half_life[0]
    mass = numbers(facts.tables["compound"], "molar_mass")
    assert 200 < mass.min() < 1000 < 140_000 < mass.max() < 155_000
    endings = rows(facts, "SELECT name, name_zh FROM compound WHERE antibody = 1")
    assert all(name.endswith("mab") and chinese.endswith("单抗") for name, chinese in endings)
    assert 0.3 < rows(facts, "SELECT AVG(oral) FROM compound")[0][0] < 0.85


@each_seed
def test_research_is_paid_for(seed: int) -> None:
    facts = filled(NAME, seed)
    sponsor = facts.tables["sponsor"]
    assert rank_correlation(numbers(sponsor, "employees"), numbers(sponsor, "revenue")) > 0.8
    paid = """
        SELECT s.id FROM sponsor s JOIN compound c ON c.sponsor = s.id
        WHERE s.research_budget IS NOT NULL GROUP BY s.id HAVING SUM(c.spent) > 14 * s.research_budget
    """
    assert rows(facts, paid) == []
    quarterly = """
        SELECT s.id FROM sponsor s JOIN sponsor_spending q ON q.sponsor = s.id AND q.period LIKE '2030%'
        GROUP BY s.id HAVING SUM(q.spending) > s.research_budget OR SUM(q.spending) < s.research_budget / 8
    """
    assert rows(facts, quarterly) == []
    season = mean_by(facts, "SELECT period, SUM(spending) FROM sponsor_spending GROUP BY period")
    assert season["2030-Q4"] > season["2030-Q1"]


@each_seed
def test_large_hospitals_have_more_of_everything(seed: int) -> None:
    facts = filled(NAME, seed)
    hospital = facts.tables["hospital"]
    beds = numbers(hospital, "beds")
    assert 70 <= beds.min() <= beds.max() <= 1900
    assert rank_correlation(beds, numbers(hospital, "physicians")) > 0.8
    nurses = mean_by(facts, "SELECT kind = 'university', AVG(trial_nurses) FROM hospital GROUP BY 1")
    assert nurses[1] > 1.5 * nurses[0]
    assert rows(facts, "SELECT SUM(studies_led) FROM hospital") == [(facts.tables["trial"].size,)]


@each_seed
def test_investigators_have_written_and_practised(seed: int) -> None:
    facts = filled(NAME, seed)
    investigator = facts.tables["investigator"]
    papers, index = numbers(investigator, "papers"), numbers(investigator, "h_index")
    assert rank_correlation(papers, index) > 0.8
    assert (index <= papers).all()
    assert 8 <= papers.min() <= papers.max() <= 800
    practice = numbers(facts.tables["trial"], "begun") - through(facts, "trial", "investigator", "licensed")
    assert practice.min() >= 5
