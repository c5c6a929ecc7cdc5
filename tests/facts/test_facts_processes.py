from itertools import pairwise

import numpy as np
import pytest
from facts_schemas import PlainView, digest, market, schema
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from worldgen.errors import CallerError, GenerationError, SchemaError
from worldgen.facts.generate import generate
from worldgen.facts.processes import process_of
from worldgen.facts.processes.election import dhondt
from worldgen.facts.processes.league_season import fixtures
from worldgen.facts.processes.process import process_names
from worldgen.schema.links import reserved_words
from worldgen.schema.model import Attribute
from worldgen.seeds import stream


def league(teams, seed=7, **given):
    process = process_of("league_season")
    parameters = process.read({"teams": "club", "seasons": [2026, 2027]} | given)
    view = PlainView({"club": {"strength": np.linspace(0.5, 1.5, teams), "capacity": np.full(teams, 700)}})
    return process.run(parameters, view, {}, stream(seed, "league"))


def test_fixtures_are_a_double_round_robin_with_turns_at_home():
    for teams in (2, 3, 7, 10):
        rounds, home, away = fixtures(teams)
        pairs = list(zip(home.tolist(), away.tolist(), strict=True))
        assert len(set(pairs)) == len(pairs) == teams * (teams - 1)
        for number in range(int(rounds.max()) + 1):
            playing = np.concatenate((home[rounds == number], away[rounds == number]))
            assert len(set(playing.tolist())) == len(playing)
        first = rounds <= rounds.max() // 2
        at_home = np.bincount(home[first], minlength=teams)
        assert at_home.max() - at_home.min() <= 2


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 15), st.integers(0, 10**6), st.integers(2, 4))
def test_a_league_table_adds_up(teams, seed, win):
    made = league(teams, seed, win=win, capacity="capacity")
    match, standing = made["match"], made["standing"]
    assert (match["attendance"] <= 700).all()
    assert (match["attendance"] > 0).all()
    for season in (2026, 2027):
        now = match["season"] == season
        played = {name: column[now] for name, column in match.items()}
        table = {name: column[standing["season"] == season] for name, column in standing.items()}
        assert set(table["last_match"].tolist()) == {match["date"][match["season"] == season].max()}
        on_a_day = zip(played["date"].tolist() * 2, [*played["home"].tolist(), *played["away"].tolist()], strict=True)
        assert len(set(on_a_day)) == 2 * now.sum()
        assert sorted(table["position"].tolist()) == list(range(1, teams + 1))
        assert (table["played"] == 2 * (teams - 1)).all()
        for club in range(teams):
            home, away = played["home"] == club, played["away"] == club
            scored = played["home_goals"][home].sum() + played["away_goals"][away].sum()
            conceded = played["away_goals"][home].sum() + played["home_goals"][away].sum()
            won = (played["home_goals"] > played["away_goals"])[home].sum()
            won += (played["away_goals"] > played["home_goals"])[away].sum()
            drawn = (played["home_goals"] == played["away_goals"])[home | away].sum()
            row = {name: int(column[club]) for name, column in table.items()}
            assert (row["goals_for"], row["goals_against"]) == (scored, conceded)
            assert row["goal_difference"] == scored - conceded
            assert (row["won"], row["drawn"], row["lost"]) == (won, drawn, row["played"] - won - drawn)
            assert row["points"] == win * won + drawn
        order = np.argsort(table["position"])
        ranking = [(table["points"][i], table["goal_difference"][i], table["goals_for"][i]) for i in order]
        assert all(better >= worse for better, worse in pairwise(ranking))


def test_stronger_teams_stand_higher():
    standing = league(14, strength="strength", seasons=[2000, 2019])["standing"]
    mean = [standing["position"][standing["club"] == club].mean() for club in range(14)]
    assert np.corrcoef(mean, np.linspace(0.5, 1.5, 14))[0, 1] < -0.85
    match = league(14, seasons=[2000, 2019])["match"]
    goals = match["home_goals"] + match["away_goals"]
    assert 2.3 < goals.mean() < 3.6
    assert match["home_goals"].mean() > match["away_goals"].mean()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=8).filter(lambda votes: sum(votes) > 0),
    st.integers(0, 30),
)
def test_dhondt_gives_all_seats_and_no_party_could_claim_another(votes, seats):
    won = dhondt(np.array([votes]), np.array([seats]))[0].tolist()
    assert sum(won) == seats
    for mine, have in zip(votes, won, strict=True):
        for theirs, taken in zip(votes, won, strict=True):
            if taken:
                assert mine * taken <= theirs * (have + 1)


def test_dhondt_ties_go_to_more_votes_then_to_the_earlier():
    assert dhondt(np.array([[10, 20]]), np.array([2])).tolist() == [[0, 2]]
    assert dhondt(np.array([[10, 10]]), np.array([1])).tolist() == [[1, 0]]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 12), st.integers(1, 9), st.integers(0, 10**6), st.integers(0, 3))
def test_an_election_adds_up(wards, parties, seed, decimals):
    process = process_of("election")
    given_ = process.read(
        {"wards": "w", "parties": "p", "electorate": "voters", "seats": "seats", "decimals": decimals}
    )
    voters = np.arange(wards) * 977 + 150
    view = PlainView({"w": {"voters": voters, "seats": np.arange(wards) % 9 + 1}, "p": {"x": np.ones(parties)}})
    made = process.run(given_, view, {}, stream(seed, "election"))
    result, ward = made["result"], made["ward"]
    assert (ward["votes_cast"] <= voters).all()
    assert (ward["valid_votes"] + ward["spoiled_votes"] == ward["votes_cast"]).all()
    for number in range(wards):
        mine = result["ward"] == number
        assert result["votes"][mine].sum() == ward["valid_votes"][number]
        assert np.rint(result["share"][mine] * 10**decimals).sum() == 100 * 10**decimals
        assert result["seats"][mine].sum() == number % 9 + 1
    assert ward["turnout"] == pytest.approx(ward["votes_cast"] / voters * 100, abs=0.5001 * 10**-decimals)


def voting():
    column = {"process": True}
    ward = {
        "electorate": {"type": "integer", "lognormal": {"median": 9000, "sigma": 0.4}},
        "turnout": {"type": "percent", "decimals": 1} | column,
        "valid_votes": {"type": "integer"} | column,
    }
    result = {
        "ward": {"ref": "ward"},
        "party": {"ref": "party"},
        "votes": {"type": "integer"} | column,
        "share": {"type": "percent", "decimals": 1} | column,
        "seats": {"type": "integer"} | column,
        "clerk": {"ref": "party"},
    }
    party = {"votes": {"type": "integer", "aggregate": {"table": "result", "by": "party", "how": "sum", "of": "votes"}}}
    entities = {
        "ward": {"count": 8, "name": {"kind": "place"}, "attributes": ward},
        "party": {"count": 5, "name": {"kind": "party"}, "attributes": party},
        "result": {"key": ["ward", "party"], "phrase": {"en": "{party} in {ward}"}, "attributes": result},
    }
    given_ = {"wards": "ward", "parties": "party", "electorate": "electorate", "seats": 7}
    use = {"use": "election", "fills": {"result": "result", "ward": "ward"}, "given": given_}
    return market(entities=entities, series={}, relations={}, processes=[use])


def test_a_process_makes_rows_and_fills_columns():
    facts = generate(schema(voting()), 7)
    result, ward, party = (facts.tables[name] for name in ("result", "ward", "party"))
    assert result.size == 40
    assert result.stated() == ["votes", "share", "seats", "clerk"]
    assert result.names[1].en == f"{party.names[1].en} in {ward.names[0].en}"
    assert result.columns["share"].values.reshape(8, 5).sum(axis=1).tolist() == [1000] * 8
    assert ward.columns["valid_votes"].values.sum() == party.columns["votes"].values.sum()
    assert digest(generate(schema(voting()), 7)) == digest(facts)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda d: d["processes"][0]["given"].update(ward="ward"), "schema.process-parameter"),
        (lambda d: d["processes"][0]["given"].pop("wards"), "schema.process-parameter"),
        (lambda d: d["processes"][0]["fills"].update(results="result"), "schema.process-table"),
        (lambda d: d["processes"][0]["fills"].update(result="resalt"), "schema.unknown-entity"),
        (lambda d: d["processes"][0]["given"].update(electorate="voters"), "schema.unknown-path"),
        (lambda d: d["entities"]["result"]["attributes"].update(x={"type": "integer", "process": True}),
         "schema.process-column"),
        (lambda d: d["entities"]["result"]["attributes"].update(votes={"type": "date", "process": True}),
         "schema.process-type"),
        (lambda d: d["entities"]["result"]["attributes"].update(ward={"ref": "party"}), "schema.process-type"),
        (lambda d: d["processes"].clear(), "schema.no-count"),
    ],
)  # fmt: skip
def test_what_a_process_cannot_do_is_an_error(change, code):
    document = voting()
    change(document)
    with pytest.raises(SchemaError) as caught:
        generate(schema(document), 7)
    assert caught.value.code == code


def test_an_unknown_process_lists_the_known():
    with pytest.raises(CallerError, match=r"election or .*league_season"):
        process_of("elections")


@pytest.mark.parametrize("name", process_names())
def test_columns_of_processes_may_stand_in_a_schema(name):
    process = process_of(name)
    kinds = {"integer", "decimal", "money", "percent", "year", "date", "category", "boolean"}
    for columns in process.tables.values():
        assert {*columns} & {*reserved_words(), "id", "name", "name_zh", "period"} == set()
        for kind in columns.values():
            _, _, target = kind.partition("ref:")
            assert target in {*process.tables, *process.parameters.model_fields} if target else kind in kinds


def test_impossible_leagues_are_errors():
    with pytest.raises(GenerationError, match="two or more"):
        league(1)
    with pytest.raises(SchemaError, match="shorter than a year"):
        league(40)
    with pytest.raises(SchemaError, match="first, last"):
        league(4, seasons=[2027, 2026])


def test_a_category_that_a_process_fills_lists_its_values():
    listed = Attribute.model_validate({"values": {"low": 1, "high": 1}, "process": True})
    assert (listed.kind, listed.source) == ("category", "process")
    with pytest.raises(ValidationError, match="lists its `values`"):
        Attribute.model_validate({"type": "category", "process": True})
    with pytest.raises(ValidationError, match="exactly one source"):
        Attribute.model_validate({"values": {"low": 1}, "process": True, "expr": "1"})
