"""The shipped schemas: do their worlds hold together, and would a person of the field believe them?"""

from collections import defaultdict
from contextlib import closing

import numpy as np
import pytest
from shipped import (
    SEEDS,
    SHIPPED,
    database,
    each_seed,
    filled,
    mean_by,
    numbers,
    rank_correlation,
    rows,
    skewed,
    through,
)

from worldgen.facts.generate import generate
from worldgen.facts.reading import vocabulary
from worldgen.schema import check_schema, load_schema
from worldgen.store.typed import rows_of

STRATEGIES = {"time_shifted", "long_tail", "private", "grounded"}
WORLDS = [(name, seed) for name in SHIPPED for seed in SEEDS]
each_world = pytest.mark.parametrize(("name", "seed"), WORLDS)


def test_each_strategy_has_a_schema() -> None:
    assert {load_schema(name).strategy for name in SHIPPED} == STRATEGIES


@each_world
def test_world_has_the_papers_size(name: str, seed: int) -> None:
    facts = filled(name, seed)
    assert 5 <= len(facts.tables) <= 9
    assert 300 <= sum(table.size for table in facts) <= 500


@each_world
def test_every_check_holds_and_notices_its_damage(name: str, seed: int) -> None:
    facts = filled(name, seed)
    assert len(facts.schema.checks) >= 5
    with closing(database(facts)) as connection:
        connection.isolation_level = None
        for key, check in facts.schema.checks.items():
            assert connection.execute(check.sql).fetchall() == [], key
            connection.execute("BEGIN")
            assert connection.execute(check.breaks).rowcount > 0, key
            assert connection.execute(check.sql).fetchall(), f"{key} misses its own damage"
            connection.execute("ROLLBACK")


@pytest.mark.parametrize("name", SHIPPED)
def test_same_seed_same_rows(name: str) -> None:
    schema = load_schema(name)
    once, again, other = generate(schema, 3), generate(schema, 3), generate(schema, 4)
    assert [list(rows_of(once, t)) for t in once] == [list(rows_of(again, t)) for t in again]
    assert [list(rows_of(once, t)) for t in once] != [list(rows_of(other, t)) for t in other]


@each_world
def test_names_are_unique_and_bilingual(name: str, seed: int) -> None:
    facts = filled(name, seed)
    names = [text for table in facts if table.named for text in table.names]
    assert len({text.en.casefold() for text in names}) == len(names)
    assert len({text.zh for text in names}) == len(names)
    assert all(any("一" <= letter <= "鿿" for letter in text.zh) for text in names)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_few_values_are_undisclosed(name: str) -> None:
    schema = load_schema(name)
    nodes = (*schema.entities.values(), *schema.relations.values())
    rates = [attribute.undisclosed for node in nodes for attribute in node.attributes.values()]
    assert sum(rate > 0 for rate in rates) >= 3
    assert all(rate <= 0.05 for rate in rates)


def test_every_power_of_the_language_is_shown() -> None:
    sources, shown = set(), set()
    for schema in map(load_schema, SHIPPED):
        nodes = (*schema.entities.values(), *schema.relations.values())
        attributes = [a for node in nodes for a in node.attributes.values()]
        sources |= {a.source for a in attributes}
        shown |= {"aliases"} if any(e.aliases for e in schema.entities.values()) else set()
        shown |= {"ambiguous"} if any(e.ambiguous for e in schema.entities.values()) else set()
        shown |= {"season"} if any(s.season for s in schema.series.values()) else set()
        shown |= {"validity"} if any(r.valid for r in schema.relations.values()) else set()
        shown |= {"relation"} if any(r.attributes for r in schema.relations.values()) else set()
        shown |= {key for key in ("acyclic", "distinct", "optional", "noise") for a in attributes if getattr(a, key)}
        shown |= {"process"} if schema.processes else set()
    assert sources >= {"normal", "lognormal", "pareto", "empirical", "values", "expr", "depends", "rank", "share"}
    assert sources >= {"aggregate", "name", "ref", "process", "uniform"}
    assert shown == {"aliases", "ambiguous", "season", "validity", "relation", "acyclic", "distinct", "optional",
                     "noise", "process"}  # fmt: skip


@pytest.mark.parametrize("name", SHIPPED)
def test_only_dates_and_years_are_uniform(name: str) -> None:
    schema = load_schema(name)
    for node in (*schema.entities.values(), *schema.relations.values()):
        assert all(a.kind in ("date", "year") for a in node.attributes.values() if a.uniform is not None)


@pytest.mark.parametrize("name", SHIPPED)
def test_questions_can_have_six_columns_and_a_reason(name: str) -> None:
    schema = load_schema(name)
    subjects = schema.tasks.subjects
    series = {f"{s.of}_{key}" for key, s in schema.series.items()}
    assert sum(len(subject.columns or ()) >= 6 for subject in subjects.values()) >= 3
    for table, subject in subjects.items():
        assert table in series or subject.columns
        assert all(len(subject.reasons[language]) >= 4 for language in ("en", "zh"))


@each_seed
def test_phones_cost_what_they_offer(seed: int) -> None:
    facts = filled("smartphone-market", seed)
    phone = facts.tables["phone"]
    price, sold = numbers(phone, "price"), numbers(phone, "units_sold")
    assert rank_correlation(price, numbers(phone, "storage")) > 0.5
    assert rank_correlation(price, through(facts, "phone", "chip", "benchmark")) > 0.7
    assert set(numbers(phone, "storage")) <= {64, 128, 256, 512, 1024}
    assert price.min() >= 90
    assert price.max() <= 2000
    assert skewed(sold)
    assert skewed(numbers(facts.tables["city"], "population"))
    maker = facts.tables["maker"]
    assert rank_correlation(numbers(maker, "employees"), numbers(maker, "revenue")) > 0.8
    weight = numbers(phone, "weight")
    assert 130 <= weight.min() <= weight.max() <= 270


@each_seed
def test_shipments_have_a_season_and_a_trend(seed: int) -> None:
    facts = filled("smartphone-market", seed)
    sql = "SELECT period, SUM(shipments) FROM maker_shipments GROUP BY period"
    total = mean_by(facts, sql)
    assert total["2028-Q4"] > 1.1 * total["2028-Q3"]
    assert total["2029-Q1"] < 0.9 * total["2028-Q4"]
    assert total["2029-Q2"] > total["2028-Q2"]


@each_seed
def test_football_is_amateur_football(seed: int) -> None:
    facts = filled("county-football", seed)
    fixture, standing, player = (facts.tables[name] for name in ("fixture", "standing", "player"))
    goals = numbers(fixture, "home_goals") + numbers(fixture, "away_goals")
    assert 2 < goals.mean() < 4.5
    assert goals.max() <= 16
    crowd = numbers(fixture, "attendance")
    assert 20 < np.median(crowd) < 900
    assert crowd.min() >= 0
    assert fixture.size == 180
    assert rank_correlation(numbers(standing, "position"), through(facts, "standing", "club", "strength")) < -0.3
    by_role = mean_by(facts, "SELECT position, AVG(1.0 * goals / appearances) FROM player GROUP BY position")
    assert by_role["forward"] > by_role["midfielder"] > by_role["defender"] >= by_role["goalkeeper"]
    assert rank_correlation(numbers(player, "goals"), numbers(player, "appearances")) > 0.15
    height = numbers(player, "height")
    assert 155 <= height.min() <= height.max() <= 210
    seasons = rows(facts, "SELECT season, MIN(date), MAX(date) FROM fixture GROUP BY season ORDER BY season")
    assert [season for season, _, _ in seasons] == [2022, 2023]
    assert seasons[0][2] < seasons[1][1]
    assert seasons[1][2] <= "2024-07-31"
    capacity = numbers(facts.tables["ground"], "capacity")[facts.tables["club"].columns["ground"].values]
    assert (crowd <= capacity[fixture.columns["home"].values]).all()


@each_seed
def test_pay_and_damage_follow_their_causes(seed: int) -> None:
    facts = filled("software-company", seed)
    employee, incident, project = (facts.tables[name] for name in ("employee", "incident", "project"))
    salary = numbers(employee, "salary")
    assert rank_correlation(salary, numbers(employee, "grade")) > 0.8
    assert 25_000 <= salary.min() <= salary.max() <= 150_000
    assert rank_correlation(numbers(incident, "downtime"), numbers(incident, "weight")) > 0.5
    assert rank_correlation(numbers(incident, "cost"), numbers(incident, "downtime")) > 0.5
    assert skewed(numbers(project, "budget"))
    assert rank_correlation(numbers(project, "length"), numbers(project, "budget")) > 0.6
    share = mean_by(facts, "SELECT severity, COUNT(*) FROM incident GROUP BY severity")
    assert share.get("critical", 0) < share["minor"]
    total = mean_by(facts, "SELECT period, SUM(spending) FROM department_spending GROUP BY period")
    assert total["2024-Q4"] > total["2024-Q3"]
    assert total["2025-Q4"] > total["2025-Q1"]
    assert numbers(facts.tables["client"], "projects").min() >= 1
    chain = employee.columns["mentor"].values.tolist()
    for start in range(employee.size):
        seen, here = set(), start
        while here >= 0:
            assert here not in seen
            seen.add(here)
            here = chain[here]


@each_seed
def test_election_follows_the_law(seed: int) -> None:
    facts = filled("municipal-election", seed)
    votes: dict[str, dict[str, int]] = defaultdict(dict)
    won: dict[str, dict[str, int]] = defaultdict(dict)
    for ward, party, count, seats in rows(facts, "SELECT ward, party, votes, seats FROM result"):
        votes[ward][party], won[ward][party] = count, seats
    places = dict(rows(facts, "SELECT id, seats FROM ward"))
    assert votes.keys() == places.keys()
    for ward, places_here in places.items():
        seats = dict.fromkeys(votes[ward], 0)
        for _ in range(places_here):
            best = max(seats, key=lambda party: (votes[ward][party] / (seats[party] + 1), votes[ward][party]))
            seats[best] += 1
        assert seats == won[ward]


@each_seed
def test_geography_and_population_are_sane(seed: int) -> None:
    facts = filled("municipal-election", seed)
    ward = facts.tables["ward"]
    people, voters = numbers(ward, "population"), numbers(ward, "electorate")
    assert 0.68 < (voters / people).min() <= (voters / people).max() < 0.9
    density = mean_by(facts, "SELECT setting, AVG(population / area) FROM ward GROUP BY setting")
    order = [density[key] for key in ("rural", "suburban", "urban") if key in density]
    assert order == sorted(order)
    assert rank_correlation(numbers(ward, "seats"), people) > 0.7
    turnout = numbers(ward, "turnout")
    assert 30 < turnout.min() <= turnout.max() < 85
    result = facts.tables["result"]
    assert rank_correlation(numbers(result, "share"), through(facts, "result", "party", "strength")) > 0.5
    assert numbers(facts.tables["municipality"], "wards").min() >= 1
    served = "SELECT COUNT(DISTINCT ward) FROM polling_station"
    assert rows(facts, served) == [(ward.size,)]


@pytest.mark.parametrize("name", SHIPPED)
def test_schema_can_be_asked_in_both_languages_with_known_words(name: str) -> None:
    schema = load_schema(name)
    both = schema.model_copy(update={"languages": ["en", "zh"]})
    check_schema(both, vocabulary=vocabulary())
