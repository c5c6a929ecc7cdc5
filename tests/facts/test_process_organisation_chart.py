from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from facts_schemas import PlainView
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.processes import process_of
from worldgen.rehearsal import rehearse
from worldgen.seeds import stream

MILL = Path(__file__).parents[1] / "data" / "paper-mill.yaml"
FIRST, LAST = (int(np.datetime64(day, "D").astype(np.int64)) for day in ("1990-01-01", "2026-12-31"))


def organisation(people, departments=1, seed=7, **given_):
    process = process_of("organisation_chart")
    names = {"employees": "employee", "departments": "department", "posts": "post", "years": [1990, 2026]}
    view = PlainView({"employee": {"x": np.zeros(people)}, "department": {"x": np.zeros(departments)}})
    fills = {name: name for name in process.tables}
    return process.run(process.read(names | given_), view, fills, stream(seed, "organisation"))


@st.composite
def organisations(draw):
    former = draw(st.sampled_from([0.0, 0.2, 0.6]))
    people = draw(st.integers(2, 150))
    departments = draw(st.integers(1, min(7, people - round(people * former))))
    changes = {
        "former": former, "span": draw(st.sampled_from([[1, 6], [3, 8], [6, 6]])),
        "leading": draw(st.sampled_from([0.0, 0.5, 1.0])), "promoted": draw(st.sampled_from([0.0, 0.5, 1.0])),
    }  # fmt: skip
    return organisation(people, departments, draw(st.integers(0, 10**6)), **changes), changes


@settings(max_examples=40, deadline=None)
@given(organisations())
def test_posts_are_one_tree_of_departments_with_falling_grades(made_with):
    made, changes = made_with
    post = made["post"]
    above = post["superior"]
    assert np.flatnonzero(above < 0).tolist() == [0]
    assert (above < np.arange(len(above))).all()
    assert (post["level"][1:] == post["level"][above[1:]] + 1).all()
    assert (post["grade"][1:] < post["grade"][above[1:]]).all()
    assert post["grade"].min() >= 1
    assert (post["opened"][1:] >= post["opened"][above[1:]]).all()
    assert post["reports"].tolist() == np.bincount(above[1:], minlength=len(above)).tolist()
    least, most = changes["span"]
    assert post["reports"].max() <= most
    staff = np.zeros(len(above), dtype=int)
    for row in range(len(above) - 1, 0, -1):
        staff[above[row]] += staff[row] + 1
    assert staff.tolist() == post["staff"].tolist()
    crossing = np.flatnonzero(post["department"][1:] != post["department"][above[1:]]) + 1
    assert (above[crossing] == 0).all()
    assert sorted(post["department"][crossing].tolist()) == list(range(1, len(made["department"]["lead"])))
    few = (post["reports"] > 0) & (post["reports"] < least)
    few[0] = False
    assert np.bincount(post["department"][few]).max(initial=0) <= 1
    assert len({*zip(post["department"].tolist(), post["number"].tolist(), strict=True)}) == len(above)


@settings(max_examples=40, deadline=None)
@given(organisations())
def test_people_sit_where_their_posts_are(made_with):
    made, _ = made_with
    employee, post, department = made["employee"], made["post"], made["department"]
    now = np.flatnonzero(employee["employed"])
    assert sorted(post["holder"].tolist()) == now.tolist()
    assert (post["holder"][employee["post"][now]] == now).all()
    superior = post["superior"][employee["post"][now]]
    assert (employee["manager"][now] == np.where(superior < 0, -1, post["holder"][superior])).all()
    assert (employee["manager"][now] == -1).sum() == 1
    managed = employee["manager"] >= 0
    assert (employee["grade"][managed] < employee["grade"][employee["manager"][managed]]).all()
    for column in ("department", "grade", "level"):
        assert (employee[column] == post[column][employee["post"]]).all()
    gone = employee["employed"] == 0
    assert made["departure"]["employee"].size == gone.sum()
    assert (employee["employed"][made["departure"]["employee"]] == 0).all()
    assert (employee["reports"][gone] == 0).all()
    assert employee["reports"].sum() == len(now) - 1
    assert department["headcount"].sum() == len(now) == made["band"]["headcount"].sum() == employee["staff"].max() + 1
    assert (department["headcount"] > 0).all()
    assert department["payroll"].sum() == employee["salary"][now].sum()
    assert (post["superior"][employee["post"][department["lead"]]] <= 0).all()
    band = made["band"]
    assert (employee["salary"] >= band["least"][employee["grade"] - 1]).all()
    assert (employee["salary"] <= band["most"][employee["grade"] - 1]).all()
    assert (np.diff(band["least"]) >= 0).all()


@settings(max_examples=40, deadline=None)
@given(organisations())
def test_terms_of_a_post_follow_one_another(made_with):
    made, _ = made_with
    term, post, employee = made["term"], made["post"], made["employee"]
    left = dict(zip(made["departure"]["employee"].tolist(), made["departure"]["date"].tolist(), strict=True))
    columns = zip(*(term[c].tolist() for c in ("post", "employee", "since", "until", "lasting", "number")), strict=True)
    by_post, by_person = {}, {}
    for number, person, since, until, lasting, place in columns:
        by_post.setdefault(number, []).append((since, until, person, lasting, place))
        by_person.setdefault(person, []).append((since, until, number))
        assert FIRST <= since <= until <= LAST
    assert sorted(by_post) == list(range(len(post["holder"])))
    for number, terms in by_post.items():
        assert terms[0][0] == post["opened"][number]
        assert all(one[1] + 1 == two[0] for one, two in pairwise(terms))
        assert [place for *_, place in terms] == list(range(1, post["holders"][number] + 1))
        assert [lasting for *_, lasting, _ in terms] == [0] * (len(terms) - 1) + [1]
        assert terms[-1][1:3] == (LAST, post["holder"][number])
    assert sorted(by_person) == list(range(len(employee["hired"])))
    for person, terms in by_person.items():
        terms.sort()
        assert terms[0][0] == employee["hired"][person]
        assert len(terms) == employee["posts_held"][person]
        assert terms[-1][1] == left.get(person, LAST)
        assert terms[-1][2] == employee["post"][person]
        # Whoever moves up moves one step, from one day to the next.
        for one, two in pairwise(terms):
            assert one[1] + 1 == two[0]
            assert post["superior"][one[2]] == two[2]


def test_organisations_look_like_organisations():
    made = organisation(4000, 9)
    employee, post = made["employee"], made["post"]
    now = employee["employed"] == 1
    leads = now & (employee["reports"] > 0)
    assert 3 < employee["reports"][leads].mean() < 8
    assert 4 <= employee["level"].max() <= 9
    managers = employee["manager"] >= 0
    later = employee["hired"][employee["manager"][managers]] > employee["hired"][managers]
    assert 0.02 < later.mean() < 0.5
    means = [employee["salary"][employee["grade"] == grade].mean() for grade in range(1, post["grade"].max())]
    assert (np.diff(means) > 0).mean() > 0.7
    assert employee["salary"].max() / np.median(employee["salary"]) > 2.5
    held = made["term"]["until"] - made["term"]["since"]
    assert 4 < held[made["term"]["lasting"] == 0].mean() / 365 < 16
    assert (employee["posts_held"] > 1).any()


def test_the_same_stream_gives_the_same_organisation():
    one, two, other = organisation(200, 4, 1), organisation(200, 4, 1), organisation(200, 4, 2)
    for table, columns in one.items():
        assert all((values == two[table][column]).all() for column, values in columns.items())
    assert (one["employee"]["salary"] != other["employee"]["salary"]).any()


@pytest.mark.parametrize(
    ("people", "departments", "changes", "error", "match"),
    [
        (0, 1, {}, GenerationError, "two people or more"),
        (1, 1, {}, GenerationError, "two people or more"),
        (5, 0, {}, GenerationError, "and a department"),
        (5, 6, {}, GenerationError, "a post for each"),
        (50, 20, {}, SchemaError, "one head can lead: 8"),
        (5, 1, {"years": [2026, 1990]}, SchemaError, "first, last"),
        (5, 1, {"span": [5, 3]}, SchemaError, "least, most"),
        (5, 1, {"span": [0, 3]}, SchemaError, "from 1 on"),
        (5, 1, {"salary": [900, 800]}, SchemaError, "least, most"),
        (500, 1, {"grades": 2}, SchemaError, "one for each level"),
        (5, 1, {"former": 1.0}, SchemaError, "former"),
        (5, 1, {"posts": None}, SchemaError, "the entity that `post` fills"),
        (400, 1, {"years": [2026, 2026], "former": 0.9}, GenerationError, "terms of 90 days"),
    ],
)  # fmt: skip
def test_impossible_organisations_are_errors(people, departments, changes, error, match):
    with pytest.raises(error, match=match):
        organisation(people, departments, **changes)


def test_a_schema_with_an_organisation_keeps_its_checks():
    assert rehearse(MILL).processes[0].use == "organisation_chart"
