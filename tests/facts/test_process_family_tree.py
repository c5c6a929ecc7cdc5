from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from facts_schemas import PlainView
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.lifetimes import years_between
from worldgen.facts.processes import process_of
from worldgen.rehearsal import rehearse
from worldgen.seeds import stream

VALLEY = Path(__file__).parents[1] / "data" / "valley-families.yaml"
PARENTS = ("father", "mother", "adoptive_father", "adoptive_mother")
LAST = int(np.datetime64("2026-12-31", "D").astype(np.int64))


def family(size, seed=7, **given_):
    process = process_of("family_tree")
    parameters = process.read({"people": "person", "present": 2026, "surnames": "surname"} | given_)
    view = PlainView({"person": {"x": np.zeros(size)}, "surname": {"x": np.zeros(40)}})
    return process.run(parameters, view, {}, stream(seed, "family"))


def deaths(made):
    """The day of death of everybody; of the living a day that never comes."""
    found = np.full(len(made["person"]["born"]), 10**7)
    found[made["death"]["person"]] = made["death"]["date"]
    return found


def parents_of(person, row):
    return {int(person[side][row]) for side in PARENTS} - {-1}


def rows(table, *columns):
    return zip(*(table[column].tolist() for column in columns), strict=True)


def near(person, row):
    """Somebody with parents and grandparents, by birth and by adoption."""
    parents = parents_of(person, row)
    return {row} | parents | {old for parent in parents for old in parents_of(person, parent)}


trees = st.builds(
    family, st.integers(2, 120), st.integers(0, 10**6), founders=st.sampled_from([None, 2]),
    outside=st.sampled_from([0.0, 0.3, 1.0]), divorce=st.sampled_from([0.0, 0.05, 0.2]),
    children=st.sampled_from([1.0, 3.0, 7.0]), adopted=st.sampled_from([0.0, 0.3]),
    infant_deaths=st.sampled_from([0.0, 0.3]), surname=st.sampled_from(["father", "mother"]),
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(trees)
def test_parents_are_of_an_age_to_be_and_alive(made):
    parents_fit(made)


def test_many_short_lives_leave_widows_and_orphans_whose_parents_fit():
    made = family(8000, lifespan=45, founders=200, divorce=0.05)
    person = made["person"]
    assert ((person["adopted"] == 1) & (person["father"] >= 0)).sum() > 100
    parents_fit(made)
    parents = np.array([person[side] for side in PARENTS])
    above = np.where(parents >= 0, person["generation"][parents], -1).max(axis=0)
    known = above >= 0
    assert (person["generation"][known] == above[known] + 1).all()


def parents_fit(made):
    person, died = made["person"], deaths(made)
    known = person["father"] >= 0
    assert (known == (person["mother"] >= 0)).all()
    born = person["born"]
    for side, most in (("father", 62), ("mother", 46)):
        parent = person[side][known]
        ages = years_between(born[parent], born[known])
        assert ((ages >= 17) & (ages <= most)).all()
        assert (born[known] <= died[parent]).all()
        assert (person["female"][parent] == (side == "mother")).all()
    adoption = made["adoption"]
    assert (person["adopted"][adoption["child"]] == 1).all()
    assert person["adopted"].sum() == len(adoption["child"])
    for side in ("father", "mother"):
        parent = adoption[side]
        assert (person[f"adoptive_{side}"][adoption["child"]] == parent).all()
        assert (years_between(born[parent], born[adoption["child"]]) >= 17).all()
        assert (adoption["date"] <= np.minimum(died[parent], died[adoption["child"]])).all()
    assert (adoption["age"] < 16).all()
    assert (adoption["date"] > born[adoption["child"]]).all()
    order = np.lexsort((born, person["mother"]))
    order = order[person["mother"][order] >= 0]
    same = np.diff(person["mother"][order]) == 0
    assert (np.diff(born[order])[same] >= 270).all()


@settings(max_examples=25, deadline=None)
@given(trees)
def test_marriages_come_one_at_a_time(made):
    person, marriage, end, died = made["person"], made["marriage"], made["marriage_end"], deaths(made)
    sides = np.array([marriage["husband"], marriage["wife"]])
    assert (person["female"][sides[0]] == 0).all()
    assert (person["female"][sides[1]] == 1).all()
    assert (marriage["date"] <= died[sides]).all()
    assert (years_between(person["born"][sides], np.array([marriage["date"]] * 2)) >= 17).all()
    assert np.bincount(sides.ravel(), minlength=len(died)).tolist() == person["marriages"].tolist()
    assert len({*rows(marriage, "husband", "wife")}) == len(marriage["date"])
    ended = {(h, w, began): stop for h, w, began, stop in rows(end, "husband", "wife", "date", "ended")}
    spells = [[] for _ in died]
    spouse = np.full(len(died), -1)
    for h, w, day, lasting in rows(marriage, "husband", "wife", "date", "lasting"):
        assert lasting == ((h, w, day) not in ended)
        if lasting:
            spouse[h], spouse[w] = w, h
        for row in (h, w):
            spells[row].append((day, ended.get((h, w, day), LAST)))
        assert not near(person, h) & near(person, w)
    assert spouse.tolist() == person["spouse"].tolist()
    for own in spells:
        own.sort()
        assert all(one[1] < two[0] for one, two in pairwise(own))
    first = np.minimum(died[end["husband"]], died[end["wife"]])
    assert (end["ended"] <= first).all()
    assert ((end["ended"] == first) | (end["divorced"] == 1)).all()
    assert (end["ended"] >= end["date"]).all()
    lasting = marriage["lasting"] == 1
    assert (person["living"][sides[:, lasting]] == 1).all()


@settings(max_examples=25, deadline=None)
@given(trees)
def test_generations_and_siblings_agree(made):
    person = made["person"]
    generation = person["generation"]
    for row in range(len(generation)):
        parents = parents_of(person, row)
        if parents:
            assert generation[row] == 1 + max(int(generation[parent]) for parent in parents)
        one, two = ((person[side] == person[side][row]) & (person[side] >= 0) for side in ("father", "mother"))
        full, either = one & two, one | two
        full[row] = either[row] = False
        assert person["siblings"][row] == full.sum()
        assert person["half_siblings"][row] == (either & ~full).sum()
        assert person["children"][row] == ((person["father"] == row) | (person["mother"] == row)).sum()
    assert made["marriage"]["children"].sum() == (person["father"] >= 0).sum()
    assert (person["born"] <= LAST).all()
    assert (made["death"]["date"] >= person["born"][made["death"]["person"]]).all()
    assert (made["death"]["date"] <= LAST).all()
    assert len(made["death"]["date"]) == (person["living"] == 0).sum()
    assert (made["death"]["age"] < 112).all()


@pytest.mark.parametrize("side", ["father", "mother"])
def test_surnames_are_handed_down(side):
    person = family(600, surname=side)["person"]
    heir = np.where(person["adopted"] == 1, person[f"adoptive_{side}"], person[side])
    known = heir >= 0
    assert known.sum() > 200
    assert (person["surname"][known] == person["surname"][heir[known]]).all()
    assert "surname" not in family(20, surnames=None)["person"]


def test_families_look_like_families():
    made = family(20000, founders=40)
    person, marriage, death = made["person"], made["marriage"], made["death"]
    assert 0.47 < person["female"].mean() < 0.53
    born = person["born"][(person["generation"] >= 1) & (person["father"] >= 0)]
    mothers = person["mother"][(person["generation"] >= 1) & (person["father"] >= 0)]
    assert 25 < years_between(person["born"][mothers], born).mean() < 32
    # People born so long ago that their lives are told to the end.
    old = person["born"] < LAST - 105 * 366
    ages = death["age"][old[death["person"]]]
    assert 65 < np.median(ages) < 82
    assert 0.03 < (ages < 5).mean() < 0.08
    brides = years_between(person["born"][marriage["wife"]], marriage["date"])
    assert 20 < np.median(brides) < 27
    gap = (person["born"][marriage["wife"]] - person["born"][marriage["husband"]]) / 365
    assert 0.5 < gap.mean() < 4
    assert np.abs(gap).max() <= 15.1
    assert 0.01 < person["half_siblings"][old].astype(bool).mean() < 0.4
    assert 0.75 < (person["marriages"][old & (person["children"] > 0)] == 1).mean() < 1


@pytest.mark.parametrize("wanted", [1.5, 3.0, 5.0])
def test_marriages_have_about_as_many_children_as_wanted(wanted):
    made = family(12000, founders=300, children=wanted)
    person, marriage, died = made["person"], made["marriage"], deaths(made)
    brides = years_between(person["born"][marriage["wife"]], marriage["date"])
    first = np.minimum(died[marriage["husband"]], died[marriage["wife"]])
    told = np.minimum(first, LAST) - marriage["date"] > 27 * 366
    kept = told & (brides < 25) & (marriage["divorced"] == 0)
    assert kept.sum() > 100
    assert 0.8 * wanted < marriage["children"][kept].mean() < 1.2 * wanted


def test_widows_and_the_divorced_marry_again():
    made = family(3000, divorce=0.03)
    again = np.flatnonzero(made["person"]["marriages"] > 1)
    parted = {*made["marriage_end"]["husband"].tolist(), *made["marriage_end"]["wife"].tolist()}
    assert len(again) > 50
    assert set(again.tolist()) <= parted
    assert made["person"]["half_siblings"].max() >= 1


def test_the_same_stream_gives_the_same_families():
    one, two, other = family(300, 1), family(300, 1), family(300, 2)
    for table, columns in one.items():
        assert all((values == two[table][column]).all() for column, values in columns.items())
    assert (one["person"]["born"] != other["person"]["born"]).any()


@pytest.mark.parametrize(
    ("size", "changes", "error", "match"),
    [
        (0, {}, GenerationError, "two people or more"),
        (1, {}, GenerationError, "two people or more"),
        (10, {"founders": 11}, SchemaError, "at most the 10"),
        (10, {"founders": 1}, SchemaError, "founders"),
        (10, {"present": 20260}, SchemaError, "present"),
        (10, {"surname": "both"}, SchemaError, "surname"),
        (40000, {"founders": 2, "children": 0.5, "outside": 0, "present": 1000}, GenerationError, "raise founders"),
    ],
)  # fmt: skip
def test_impossible_families_are_errors(size, changes, error, match):
    with pytest.raises(error, match=match):
        family(size, **changes)


def test_a_schema_with_families_keeps_its_checks():
    assert rehearse(VALLEY).processes[0].use == "family_tree"
