from pathlib import Path

import numpy as np
import pytest
from facts_schemas import PlainView, market, schema
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.generate import generate
from worldgen.facts.processes import process_of
from worldgen.facts.processes.knockout_cup import rounds_of, shootouts_of
from worldgen.rehearsal import rehearse
from worldgen.seeds import stream

CUP = Path(__file__).parents[1] / "data" / "island-cup.yaml"


def cup(teams, seed=7, *, grounds=None, **given_):
    process = process_of("knockout_cup")
    places = {"venues": "ground", "ground": "ground"} if grounds else {}
    parameters = process.read({"teams": "club", "seasons": [2026, 2027]} | places | given_)
    strength = np.linspace(0.5, 1.5, teams)
    own = np.arange(teams) % (grounds or 1)
    view = PlainView({"club": {"strength": strength, "ground": own}, "ground": {"x": np.zeros(grounds or 1)}})
    return process.run(parameters, view, {}, stream(seed, "cup"))


def rows(table, **where):
    keep = np.ones(len(next(iter(table.values()))), dtype=bool)
    for column, value in where.items():
        keep &= table[column] == value
    return {column: values[keep] for column, values in table.items()}


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 70), st.integers(0, 10**6), st.sampled_from(["none", "byes", "halves"]), st.integers(1, 4),
)  # fmt: skip
def test_a_cup_leaves_one_team(teams, seed, seeding, days):
    made = cup(teams, seed, grounds=teams + 1, seeding=seeding, days=days, every=30, strength="strength")
    for season in (2026, 2027):
        tie, entry = rows(made["tie"], season=season), rows(made["entry"], season=season)
        assert len(tie["home"]) == teams - 1
        alive, last_day = set(range(teams)), 0
        for number in range(1, rounds_of(teams) + 1):
            now = rows(tie, round=number)
            playing = [*now["home"].tolist(), *now["away"].tolist()]
            assert len(set(playing)) == len(playing)
            assert set(playing) <= alive
            assert set(now["remaining"].tolist()) == {len(alive)}
            assert now["date"].min() > last_day
            assert now["date"].max() - now["date"].min() < days
            last_day = now["date"].max()
            byes = alive - set(playing)
            assert not byes or number == 1
            alive -= set(now["loser"].tolist())
            assert len(alive) == 2 ** (rounds_of(teams) - number)
            assert (entry["last_round"][now["loser"]] == number).all()
            assert (entry["last_match"][now["loser"]] == now["date"]).all()
            if number == 1:
                assert set(np.flatnonzero(entry["bye"]).tolist()) == byes
        assert np.flatnonzero(entry["champion"]).tolist() == list(alive) == tie["winner"][-1:].tolist()
        assert entry["won"].sum() == teams - 1
        assert entry["played"].sum() == 2 * (teams - 1)
        assert (entry["played"] - entry["won"] == 1 - entry["champion"]).all()
        assert entry["goals_for"].sum() == entry["goals_against"].sum()


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 40), st.integers(0, 10**6))
def test_a_tie_has_a_winner_who_did_better(teams, seed):
    made = cup(teams, seed, grounds=teams + 1, seasons=[2000, 2004])
    tie, shootout, edition = made["tie"], made["shootout"], made["edition"]
    ahead = tie["home_goals"] > tie["away_goals"]
    level = tie["home_goals"] == tie["away_goals"]
    assert (tie["penalties"] == level).all()
    assert (tie["extra_time"] >= tie["penalties"]).all()
    assert (tie["winner"] == np.where(ahead, tie["home"], tie["away"]))[~level].all()
    assert (np.sort([tie["home"], tie["away"]], axis=0) == np.sort([tie["winner"], tie["loser"]], axis=0)).all()
    for column in ("season", "round", "home", "away", "winner"):
        assert shootout[column].tolist() == tie[column][level].tolist()
    at_home = shootout["home_scored"] > shootout["away_scored"]
    assert (shootout["home_scored"] != shootout["away_scored"]).all()
    assert (shootout["winner"] == np.where(at_home, shootout["home"], shootout["away"])).all()
    finals = rows(tie, final=1)
    assert (edition["winner"] == finals["winner"]).all()
    assert (edition["final_date"] == finals["date"]).all()
    assert not ((finals["venue"] == finals["home"]) | (finals["venue"] == finals["away"])).any()
    others = rows(tie, final=0)
    assert (others["venue"] == others["home"]).all()


def test_shootouts_end_as_the_laws_say():
    scored = shootouts_of(20000, stream(3, "kicks"))
    more, less = scored.max(axis=0), scored.min(axis=0)
    assert (more > less).all()
    # Beyond five each, one pair decides; before, nobody kicks who cannot change it.
    assert (more - less)[more > 5].max() == 1
    assert (more - less).max() == 3
    assert 4 < more.mean() < 5.5
    assert 0.45 < (scored[0] > scored[1]).mean() < 0.55
    assert shootouts_of(0, stream(3, "kicks")).shape == (2, 0)


def test_the_strong_win_more_often_and_seeds_have_the_byes():
    long = {"seasons": [1800, 1999], "strength": "strength"}
    entry = cup(24, **long)["entry"]
    won = [entry["won"][entry["team"] == team].mean() for team in range(24)]
    assert np.corrcoef(won, range(24))[0, 1] > 0.85
    assert len(set(np.flatnonzero(rows(entry, season=1800)["bye"]).tolist())) == 8
    seeded = cup(24, seeding="byes", **long)["entry"]
    assert set(seeded["team"][seeded["bye"] == 1].tolist()) == set(range(16, 24))
    halves = rows(cup(24, seeding="halves", **long)["tie"], round=1)
    stronger = np.maximum(halves["home"], halves["away"])
    assert ((stronger >= 8) & (np.minimum(halves["home"], halves["away"]) < 8)).all()


def test_cups_look_like_cups():
    tie = cup(64, seasons=[1900, 1999])["tie"]
    assert 2.3 < (tie["home_goals"] + tie["away_goals"]).mean() < 3.6
    assert 0.15 < tie["extra_time"].mean() < 0.35
    assert 0.3 < tie["penalties"].sum() / tie["extra_time"].sum() < 0.75
    late = (tie["extra_time"] == 1) & (tie["penalties"] == 0)
    assert 0.4 < (tie["winner"] == tie["home"])[late].mean() < 0.75
    assert 0.5 < (tie["winner"] == tie["home"])[tie["final"] == 0].mean() < 0.65


def test_the_same_stream_gives_the_same_cup():
    one, two, other = cup(20, 1), cup(20, 1), cup(20, 2)
    for table, columns in one.items():
        assert all((values == two[table][column]).all() for column, values in columns.items())
    assert (one["tie"]["home"] != other["tie"]["home"]).any()


@pytest.mark.parametrize(
    ("teams", "changes", "error", "match"),
    [
        (0, {}, GenerationError, "two or more"),
        (1, {}, GenerationError, "two or more"),
        (4, {"seasons": [2027, 2026]}, SchemaError, "first, last"),
        (129, {"every": 60}, SchemaError, "shorter than a year"),
        (4, {"days": 5, "every": 3}, SchemaError, "at most every: 3"),
        (4, {"venues": "ground"}, SchemaError, "both or neither"),
        (4, {"goals": 0}, SchemaError, "goals"),
        (4, {"start": "13-01"}, SchemaError, "start"),
        (2, {"grounds": 2}, GenerationError, "a ground that is neither's"),
    ],
)  # fmt: skip
def test_impossible_cups_are_errors(teams, changes, error, match):
    with pytest.raises(error, match=match):
        cup(teams, **changes)


def test_a_cup_fills_a_schema():
    column = {"process": True}
    entities = {
        "ground": {"count": 9, "name": {"kind": "place"}},
        "club": {"count": 6, "name": {"kind": "club"}, "attributes": {"ground": {"ref": "ground", "distinct": True}}},
        "tie": {
            "key": ["home", "away", "season"],
            "phrase": {"en": "{home} against {away} in {season}"},
            "attributes": {
                "home": {"ref": "club"}, "away": {"ref": "club"}, "season": {"type": "year"} | column,
                "venue": {"ref": "ground"}, "date": {"type": "date"} | column,
                "home_goals": {"type": "integer"} | column, "penalties": {"type": "boolean"} | column,
            },
        },
    }  # fmt: skip
    given_ = {"teams": "club", "seasons": [2026, 2027], "venues": "ground", "ground": "ground"}
    use = {"use": "knockout_cup", "fills": {"tie": "tie"}, "given": given_}
    document = market(entities=entities, series={}, relations={}, processes=[use])
    facts = generate(schema(document), 7)
    tie, club = facts.tables["tie"], facts.tables["club"]
    assert tie.size == 10
    homes = club.columns["ground"].values[tie.columns["home"].values]
    assert (tie.columns["venue"].values == homes).sum() == 8
    document["entities"]["club"]["attributes"]["ground"] = {"type": "integer", "uniform": [1, 9]}
    with pytest.raises(SchemaError, match="expected a ref"):
        generate(schema(document), 7)


def test_a_schema_with_a_cup_keeps_its_checks():
    assert rehearse(CUP).processes[0].use == "knockout_cup"
