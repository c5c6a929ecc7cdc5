"""A university: would a registrar, a dean or a research officer believe its programmes, courses and budgets?"""

import numpy as np
from shipped import each_seed, filled, mean_by, numbers, rank_correlation, rows, skewed, through

NAME = "university"


@each_seed
def test_schools_teach_different_things_and_are_paid_for_it(seed: int) -> None:
    facts = filled(NAME, seed)
    school = facts.tables["school"]
    assert rows(facts, "SELECT COUNT(DISTINCT field) FROM school") == [(school.size,)]
    assert rank_correlation(numbers(school, "budget"), numbers(school, "professors")) > 0.4
    each = numbers(school, "budget") / numbers(school, "professors")
    assert 300_000 < each.min() <= each.max() < 2_000_000
    books = numbers(school, "library")
    assert 8000 <= books.min() <= books.max() <= 150_000


@each_seed
def test_degrees_take_the_time_they_take(seed: int) -> None:
    facts = filled(NAME, seed)
    assert set(rows(facts, "SELECT degree, semesters, credits FROM programme")) <= {
        ("bachelor", 6, 180), ("master", 4, 120), ("state", 10, 300),
    }  # fmt: skip
    places = mean_by(facts, "SELECT degree, AVG(places) FROM programme GROUP BY degree")
    assert places["master"] < places["bachelor"]
    fee = mean_by(facts, "SELECT degree, AVG(fee) FROM programme GROUP BY degree")
    assert fee["bachelor"] < fee["master"] < 2500
    young = "SELECT p.id FROM programme p JOIN professor d ON d.id = p.director JOIN school s ON s.id = d.school"
    assert rows(facts, young + " WHERE p.started <= s.opened") == []
    admission = numbers(facts.tables["programme"], "admission")
    assert 8 < admission.min() <= admission.max() < 95


@each_seed
def test_enrolment_follows_places_and_length(seed: int) -> None:
    facts = filled(NAME, seed)
    held = """
        SELECT 1.0 * e.enrolment / (p.places * p.semesters / 2.0)
        FROM programme_enrolment e JOIN programme p ON p.id = e.programme
    """
    share = np.array([value for (value,) in rows(facts, held)])
    assert 0.55 < share.min() <= share.max() < 1.25, "a programme holds what it admits, less those who leave"
    total = mean_by(facts, "SELECT period, SUM(enrolment) FROM programme_enrolment GROUP BY period")
    assert sorted(total) == ["2023", "2024", "2025", "2026", "2027"]
    assert all(abs(total[str(year + 1)] / total[str(year)] - 1) < 0.1 for year in range(2023, 2027))
    assert 2000 < total["2027"] < 15_000


@each_seed
def test_lectures_are_larger_than_seminars(seed: int) -> None:
    facts = filled(NAME, seed)
    crowd = mean_by(facts, "SELECT style, AVG(enrolled) FROM course GROUP BY style")
    assert crowd["lecture"] > 2 * crowd["seminar"]
    course = facts.tables["course"]
    assert skewed(numbers(course, "enrolled"))
    filled_seats = numbers(course, "enrolled") / numbers(course, "seats")
    assert 0.4 < filled_seats.min() <= filled_seats.max() <= 1
    assert rank_correlation(numbers(course, "credits"), numbers(course, "hours")) > 0.6
    hours = mean_by(facts, "SELECT style, AVG(hours) FROM course GROUP BY style")
    assert "laboratory" not in hours or hours["laboratory"] > hours["seminar"]


@each_seed
def test_examinations_are_passed_by_most(seed: int) -> None:
    facts = filled(NAME, seed)
    course = facts.tables["course"]
    rate = numbers(course, "pass_rate")
    assert 35 < rate.min() <= rate.max() <= 100
    assert 70 < rate.mean() < 95
    marked = rows(facts, "SELECT pass_rate, mark FROM course WHERE mark IS NOT NULL")
    passes, marks = np.array(marked, dtype=float).T
    assert rank_correlation(passes, marks) > 0.5
    assert 40 <= marks.min() <= marks.max() <= 92
    assert (numbers(course, "sat") / numbers(course, "enrolled")).min() > 0.35


@each_seed
def test_professors_rise_through_the_ranks(seed: int) -> None:
    facts = filled(NAME, seed)
    served = mean_by(facts, "SELECT rank, AVG(year(appointed)) FROM professor GROUP BY rank")
    paid = mean_by(facts, "SELECT rank, AVG(salary) FROM professor WHERE salary IS NOT NULL GROUP BY rank")
    order = [rank for rank in ("full", "associate", "assistant") if rank in paid]
    assert [paid[rank] for rank in order] == sorted(paid.values(), reverse=True)
    assert [served[rank] for rank in order] == sorted(served.values())
    professor = facts.tables["professor"]
    assert rank_correlation(numbers(professor, "papers"), numbers(professor, "h_index")) > 0.8
    load = numbers(professor, "teaching")
    assert 2 <= load.min() <= load.max() <= 14
    published = mean_by(facts, "SELECT rank, AVG(papers) FROM professor GROUP BY rank")
    assert published["full"] > published["assistant"]


@each_seed
def test_grants_pay_mostly_for_people(seed: int) -> None:
    facts = filled(NAME, seed)
    project = facts.tables["project"]
    grant, staff = numbers(project, "amount"), numbers(project, "personnel")
    assert 60_000 < grant.min() <= grant.max() < 4_000_000
    assert np.median(staff / grant) > 0.5
    years = rows(facts, "SELECT (julianday(ends) - julianday(started)) / 365.25 FROM project")
    assert all(1.8 < length < 7.5 for (length,) in years)
    rate = through(facts, "project", "funder", "overhead_rate")
    direct = grant - numbers(project, "overhead")
    assert np.allclose(numbers(project, "overhead"), direct * rate / 100, atol=0.6)
    allowed = mean_by(facts, "SELECT form, AVG(overhead_rate) FROM funder GROUP BY form")
    if {"foundation", "industry"} <= allowed.keys():
        assert allowed["foundation"] < allowed["industry"]
    assert numbers(project, "posts").min() >= 1
    spent, gone = np.array(
        rows(
            facts,
            """SELECT spent, 100 * (julianday('2027-12-31') - julianday(started))
            / (julianday(ends) - julianday(started)) FROM project""",
        )
    ).T
    assert (np.abs(spent - gone) < 40).all()
    assert spent.max() <= 96


@each_seed
def test_researchers_cost_what_they_are_paid(seed: int) -> None:
    facts = filled(NAME, seed)
    paid = """
        SELECT cost / (salary * (julianday(until) - julianday(hired)) / 365.25) FROM researcher WHERE salary IS NOT NULL
    """
    assert all(1.2 < factor < 1.24 for (factor,) in rows(facts, paid)), "an employer adds a fifth to the salary"
    time = rows(facts, "SELECT stage, MIN(time), MAX(time) FROM researcher GROUP BY stage")
    held = {stage: (least, most) for stage, least, most in time}
    assert held["postdoc"] == (100, 100)
    assert held["doctoral"][0] >= 50
    assert held["doctoral"][1] <= 75
    age = mean_by(facts, "SELECT stage, AVG(year(hired) - year(born)) FROM researcher GROUP BY stage")
    assert age["doctoral"] + 3 < age["postdoc"]
    papers = mean_by(facts, "SELECT stage, AVG(papers) FROM researcher GROUP BY stage")
    assert papers["postdoc"] > papers["doctoral"]


@each_seed
def test_a_curriculum_shares_out_its_students(seed: int) -> None:
    facts = filled(NAME, seed)
    taken = """
        SELECT c.enrolled, SUM(m.takers), COUNT(*), c.open_to
        FROM course c JOIN module m ON m.course = c.id GROUP BY c.id
    """
    for enrolled, takers, entries, counted in rows(facts, taken):
        assert 0.8 * enrolled - 4 <= takers <= enrolled
        assert entries == counted
    assert numbers(facts.tables["module"], "takers").min() >= 0
    assert 0.25 < numbers(facts.tables["module"], "compulsory").mean() < 0.65
