"""Knockout cups: every season the field is drawn against itself round by round until one team is left.

Where the field is no power of two, some teams have a bye in the first round, so that the second has one. Each round is
drawn anew, as in the English FA Cup, rather than along a bracket.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.distributions import noise_factor
from worldgen.facts.processes.league_season import goals_of
from worldgen.facts.processes.process import Given, Process, Produced, View, processes
from worldgen.schema import elementary
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_EPOCH = dt.date(1970, 1, 1)
_YEAR = 364
_STRENGTH_SPREAD = 0.35
_FORM_SPREAD = 0.12
_STRENGTH_EFFECT = 0.8
_EXTRA_TIME = 1 / 3
"""Thirty minutes of ninety."""
_SCORED = 0.75
_KICKS = 5


class CupGiven(Given):
    """Parameters of a knockout cup."""

    teams: str = Field(description="The entity that plays; every season all of it enters.")
    seasons: tuple[int, int] = Field(description="Year in which the first and the last season start.")
    strength: str | None = Field(default=None, description="A team's strength, above 0, 1 being average; else drawn.")
    seeding: Literal["none", "byes", "halves"] = Field(
        default="none",
        description=(
            "`none`: all by lot. `byes`: the strongest have the byes. `halves`: that, and each tie joins one of the "
            "stronger half of those left with one of the weaker."
        ),
    )
    venues: str | None = Field(default=None, description="The entity of grounds, for the place of each tie.")
    ground: str | None = Field(default=None, description="A team's own ground, a ref to `venues`; needed with it.")
    start: str = Field(
        default="09-05", pattern=r"^(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$", description="First day, MM-DD."
    )
    every: int = Field(default=28, ge=1, le=60, description="Days from one round to the next.")
    days: int = Field(default=2, ge=1, le=7, description="Days over which the ties of a round spread; no final does.")
    goals: float = Field(default=1.4, gt=0, le=4, description="Mean goals of a side among equals in ninety minutes.")
    home_advantage: float = Field(default=1.2, gt=0, le=3, description="Factor on the goals of the home side.")


@processes.register("knockout_cup")
class KnockoutCup(Process):
    """Cups drawn anew each round, with byes, extra time, penalties and a final at a ground of neither side.

    Goals are those after extra time, without the penalties of a shootout. Round 1 is the first; a team's `last_round`
    is the one in which it went out, the winner's the final. Venues have to be given for a final to have a place.
    """

    name: ClassVar[str] = "knockout_cup"
    parameters: ClassVar[type[Given]] = CupGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "tie": {
            "season": "year", "round": "integer", "remaining": "integer", "final": "boolean", "date": "date",
            "home": "ref:teams", "away": "ref:teams", "venue": "ref:venues", "home_goals": "integer",
            "away_goals": "integer", "extra_time": "boolean", "penalties": "boolean", "winner": "ref:teams",
            "loser": "ref:teams",
        },
        "shootout": {
            "season": "year", "round": "integer", "home": "ref:teams", "away": "ref:teams", "home_scored": "integer",
            "away_scored": "integer", "winner": "ref:teams",
        },
        "entry": {
            "season": "year", "team": "ref:teams", "bye": "boolean", "played": "integer", "won": "integer",
            "goals_for": "integer", "goals_against": "integer", "last_round": "integer", "last_match": "date",
            "champion": "boolean",
        },
        "edition": {
            "season": "year", "teams": "integer", "rounds": "integer", "ties": "integer", "goals": "integer",
            "shootouts": "integer", "final_date": "date", "winner": "ref:teams", "runner_up": "ref:teams",
            "venue": "ref:venues",
        },
    }  # fmt: skip

    def needs(self, given: CupGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """The teams, with the attributes that parameters name, and the grounds."""
        found = {given.teams: [path for path in (given.strength, given.ground) if path is not None]}
        return found | ({given.venues: []} if given.venues is not None else {})

    def run(self, given: CupGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Play all seasons."""
        teams = view.size(given.teams)
        _check(given, teams)
        ties, shootouts = _play_all(given, _strength(given, view, rng), _Grounds(given, view), rng)
        made = {
            "tie": ties, "shootout": shootouts, "entry": _entries(given, ties, teams),
            "edition": _editions(given, ties, teams),
        }  # fmt: skip
        if given.venues is None:
            for table in ("tie", "edition"):
                del made[table]["venue"]
        return made


def rounds_of(teams: int) -> int:
    """The number of rounds that leave one of so many teams.

    >>> [rounds_of(teams) for teams in (2, 3, 4, 5, 64, 65)]
    [1, 2, 2, 3, 6, 7]
    """
    return (teams - 1).bit_length()


def _check(given: CupGiven, teams: int) -> None:
    first, last = given.seasons
    if teams < 2:
        raise GenerationError("facts.cup", f"cup of {given.teams}", expected="two or more", got=str(teams))
    if last < first:
        raise _wrong("seasons", "[first, last]", f"[{first}, {last}]", "swap them")
    if (given.venues is None) != (given.ground is None):
        got = "venues alone" if given.ground is None else "ground alone"
        raise _wrong("venues and ground", "both or neither", got, "name the entity, and each team's ref to it")
    if given.days > given.every:
        raise _wrong("days", f"at most every: {given.every}", str(given.days), "spread a round over fewer days")
    if (rounds_of(teams) - 1) * given.every + given.days >= _YEAR:
        raise _wrong(
            f"{teams} teams need {rounds_of(teams)} rounds", "a season shorter than a year", f"every: {given.every}",
            "play more often",
        )  # fmt: skip


def _wrong(what: str, expected: str, got: str, fix: str) -> SchemaError:
    return SchemaError("schema.process-parameter", f"knockout_cup: {what}", expected=expected, got=got, fix=fix)


def _strength(given: CupGiven, view: View, rng: Stream) -> Floats:
    if given.strength is None:
        return noise_factor(view.size(given.teams), _STRENGTH_SPREAD, rng)
    strength = np.asarray(view.numbers(given.teams, given.strength), dtype=np.float64)
    bad = np.flatnonzero(~(strength > 0))
    if len(bad):
        where = f"strength of {given.teams}/{bad[0]}"
        raise GenerationError("facts.cup", where, expected="above 0", got=str(strength[bad[0]]))
    return strength


class _Grounds:
    """Where ties are played."""

    def __init__(self, given: CupGiven, view: View) -> None:
        self.given = given
        self.count = view.size(given.venues) if given.venues is not None else 0
        own = view.refs(given.teams, given.ground) if given.ground is not None else None
        self.own = own if own is not None else np.full(view.size(given.teams), -1, dtype=np.int64)
        if own is not None and (own < 0).any():
            where = f"{given.ground} of {given.teams}/{np.flatnonzero(own < 0)[0]}"
            raise GenerationError("facts.cup", where, expected="a ground for every team", got="none")

    def neutral(self, one: Ints, two: Ints, rng: Stream) -> Ints:
        """For each final a ground that is neither side's, drawn from those that are free; -1 where there are none."""
        if self.count == 0:
            return np.full(len(one), -1, dtype=np.int64)
        taken = np.sort([self.own[one], self.own[two]], axis=0)
        alike = taken[0] == taken[1]
        free = self.count - 2 + alike
        if (free < 1).any():
            at = int(np.flatnonzero(free < 1)[0])
            raise GenerationError(
                "facts.cup", f"a final between {self.given.teams}/{one[at]} and {self.given.teams}/{two[at]}",
                expected="a ground that is neither's", got=f"{self.count} {self.given.venues}", fix="add a ground",
            )  # fmt: skip
        place = np.floor(rng.unit(len(one)) * free).astype(np.int64)
        place = place + (place >= taken[0])
        return np.asarray(np.where(~alike & (place >= taken[1]), place + 1, place), dtype=np.int64)


class _Tie(NamedTuple):
    """The results of one round's ties; goals with extra time, then those of a shootout."""

    home_goals: Ints
    away_goals: Ints
    extra: NDArray[np.bool_]
    level: NDArray[np.bool_]
    home_scored: Ints
    away_scored: Ints

    @property
    def home_won(self) -> NDArray[np.bool_]:
        return self.home_goals + self.home_scored > self.away_goals + self.away_scored


def _play_all(
    given: CupGiven, strength: Floats, grounds: _Grounds, rng: Stream
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """The ties of all seasons, round by round in all of them at once, and those that came to a shootout."""
    first, last = given.seasons
    month, day = (int(part) for part in given.start.split("-"))
    seasons = np.arange(first, last + 1, dtype=np.int64)
    opening = np.array([(dt.date(season, month, day) - _EPOCH).days for season in seasons.tolist()], dtype=np.int64)
    teams = len(strength)
    form = strength * noise_factor(len(seasons) * teams, _FORM_SPREAD, rng).reshape(len(seasons), teams)
    alive = np.tile(np.arange(teams, dtype=np.int64), (len(seasons), 1))
    made: list[dict[str, NDArray[Any]]] = []
    for number in range(1, rounds_of(teams) + 1):
        left = alive.shape[1]
        home, away, free = _draw(given, alive, strength, rng)
        row = np.repeat(np.arange(len(seasons)), home.shape[1])
        one, two = home.ravel(), away.ravel()
        played = _play(given, form[row, one] / form[row, two], rng, neutral=left == 2)
        winner = np.where(played.home_won, one, two)
        made.append({
            "season": seasons[row], "round": np.full(len(row), number), "remaining": np.full(len(row), left),
            "final": np.full(len(row), int(left == 2)),
            "date": opening[row] + (number - 1) * given.every + rng.below(len(row), 1 if left == 2 else given.days),
            "home": one, "away": two, "venue": grounds.neutral(one, two, rng) if left == 2 else grounds.own[one],
            "home_goals": played.home_goals, "away_goals": played.away_goals, "extra_time": played.extra * 1,
            "penalties": played.level * 1, "winner": winner, "loser": np.where(played.home_won, two, one),
            "home_scored": played.home_scored, "away_scored": played.away_scored,
        })  # fmt: skip
        alive = np.sort(np.concatenate((free, winner.reshape(home.shape)), axis=1), axis=1)
    ties = {column: np.concatenate([part[column] for part in made]) for column in made[0]}
    order = np.lexsort((ties["home"], ties["date"], ties["round"], ties["season"]))
    level = order[ties["penalties"][order] == 1]
    tables = KnockoutCup.tables
    return {c: ties[c][order] for c in tables["tie"]}, {c: ties[c][level] for c in tables["shootout"]}


def _draw(given: CupGiven, alive: Ints, strength: Floats, rng: Stream) -> tuple[Ints, Ints, Ints]:
    """The home and away sides of a round, and who has a bye: so many that a power of two is left.

    Shape (seasons, …), as that of those who are left.
    """
    byes: int = 2 ** rounds_of(alive.shape[1]) - alive.shape[1]
    drawn = _shuffled(alive, rng)
    if given.seeding != "none":
        # Sorting the drawn order keeps ties of strength to the lot.
        drawn = np.take_along_axis(drawn, np.argsort(-strength[drawn], axis=1, kind="stable"), axis=1)
    free, playing = drawn[:, :byes], drawn[:, byes:]
    if given.seeding == "byes":
        playing = _shuffled(playing, rng)
    half = playing.shape[1] // 2
    one, two = playing[:, :half], _shuffled(playing[:, half:], rng)
    at_home = (rng.unit(one.size) < 0.5).reshape(one.shape)
    return np.where(at_home, one, two), np.where(at_home, two, one), free


def _shuffled(rows: Ints, rng: Stream) -> Ints:
    """Each row in a drawn order."""
    return np.take_along_axis(rows, np.argsort(rng.raw(rows.size).reshape(rows.shape), axis=1, kind="stable"), axis=1)


def _play(given: CupGiven, better: Floats, rng: Stream, *, neutral: bool) -> _Tie:
    """Ninety minutes, extra time where level, penalties where still level."""
    edge = elementary.power(better, _STRENGTH_EFFECT)
    at_home = 1.0 if neutral else float(np.sqrt(given.home_advantage))
    means = given.goals * at_home * edge, given.goals / at_home / edge
    home, away = (goals_of(mean, rng) for mean in means)
    more = [goals_of(mean * _EXTRA_TIME, rng) for mean in means]
    extra = home == away
    home, away = home + extra * more[0], away + extra * more[1]
    level = home == away
    scored = np.zeros((2, len(home)), dtype=np.int64)
    scored[:, level] = shootouts_of(int(level.sum()), rng)
    return _Tie(home, away, extra, level, scored[0], scored[1])


def shootouts_of(count: int, rng: Stream) -> Ints:
    """Penalties scored by both sides, shape (2, count), never level.

    Five kicks each in turns, ended as soon as one side cannot catch up, then pairs of kicks until one side leads.

    References:
        The International Football Association Board, *Laws of the Game*, Law 10 (the result of a match).
    """
    scored = np.zeros((2, count), dtype=np.int64)
    first = (rng.unit(count) < 0.5).astype(np.int64)
    going = np.arange(count)
    kick = 0
    while len(going):
        for turn in (0, 1):
            side = first[going] ^ turn
            scored[side, going] += rng.unit(len(going)) < _SCORED
            own, other = scored[side, going], scored[1 - side, going]
            # Kicks that this side and the other have left of the five, or of this pair beyond them.
            ours, theirs = max(0, _KICKS - kick - 1), max(0, _KICKS - kick - 1) + (1 - turn)
            going = going[~((own > other + theirs) | (other > own + ours))]
        kick += 1
    return scored


def _entries(given: CupGiven, ties: Mapping[str, NDArray[Any]], teams: int) -> dict[str, NDArray[Any]]:
    """What each team did in each season."""
    seasons = given.seasons[1] - given.seasons[0] + 1
    made = {name: np.zeros(seasons * teams, dtype=np.int64) for name in KnockoutCup.tables["entry"]}
    made["season"] = np.repeat(np.arange(seasons), teams) + given.seasons[0]
    made["team"] = np.tile(np.arange(teams, dtype=np.int64), seasons)
    offset = (ties["season"] - given.seasons[0]) * teams
    for own, other in (("home", "away"), ("away", "home")):
        np.add.at(made["played"], offset + ties[own], 1)
        np.add.at(made["goals_for"], offset + ties[own], ties[f"{own}_goals"])
        np.add.at(made["goals_against"], offset + ties[own], ties[f"{other}_goals"])
    # Whoever won a tie played in the next round too, the last one aside.
    for column, value in (("last_round", "round"), ("last_match", "date")):
        made[column][offset + ties["loser"]] = ties[value]
    final = ties["final"] == 1
    won = (offset + ties["winner"])[final]
    made["last_round"][won], made["last_match"][won] = ties["round"][final], ties["date"][final]
    made["champion"][won] = 1
    np.add.at(made["won"], offset + ties["winner"], 1)
    made["bye"] = (made["played"] < made["last_round"]).astype(np.int64)
    return made


def _editions(given: CupGiven, ties: Mapping[str, NDArray[Any]], teams: int) -> dict[str, NDArray[Any]]:
    """Each season in a row."""
    seasons = given.seasons[1] - given.seasons[0] + 1
    final = ties["final"] == 1
    sums = {"goals": ties["home_goals"] + ties["away_goals"], "shootouts": ties["penalties"]}
    constant = {"teams": teams, "rounds": rounds_of(teams), "ties": teams - 1}
    return (
        {"season": ties["season"][final]}
        | {column: np.full(seasons, value, dtype=np.int64) for column, value in constant.items()}
        | {column: values.reshape(seasons, teams - 1).sum(axis=1) for column, values in sums.items()}
        | {"final_date": ties["date"][final], "winner": ties["winner"][final], "runner_up": ties["loser"][final]}
        | {"venue": ties["venue"][final]}
    )
