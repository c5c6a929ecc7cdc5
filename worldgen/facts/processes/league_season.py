"""League seasons: every team meets every other at home and away, and the final table adds up from the matches.

Fixtures follow the circle method: one team stands still while the others move round, so that each plays once a round.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.distributions import noise_factor
from worldgen.facts.processes.process import Given, Process, Produced, View, int_column, processes
from worldgen.schema import elementary
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_EPOCH = dt.date(1970, 1, 1)
_YEAR = 364
_MEANS = np.arange(2, 121) * 0.05
_MOST_GOALS = 20
_STRENGTH_SPREAD = 0.35
_FORM_SPREAD = 0.12
_STRENGTH_EFFECT = 0.8
_CROWD_SPREAD = 0.22
_CROWD_DRAW = 0.3
_LEAST_CROWD = 12


class LeagueGiven(Given):
    """Parameters of a league season."""

    teams: str = Field(description="The entity that plays.")
    seasons: tuple[int, int] = Field(description="Year in which the first and the last season start.")
    strength: str | None = Field(default=None, description="A team's strength, above 0, 1 being average; else drawn.")
    start: str = Field(
        default="08-15", pattern=r"^(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$", description="First day, MM-DD."
    )
    every: int = Field(default=7, ge=1, le=14, description="Days from one round to the next.")
    goals: float = Field(default=1.4, gt=0, le=4, description="Mean goals of a side among equals.")
    home_advantage: float = Field(default=1.2, gt=0, le=3, description="Factor on the goals of the home side.")
    win: int = Field(default=3, ge=1, le=10, description="Points for a win; a draw gives one.")
    attendance: str | float = Field(default=600, description="Usual crowd: a number, or an attribute of the team.")
    capacity: str | None = Field(default=None, description="An attribute of the team that no home crowd exceeds.")


@processes.register("league_season")
class LeagueSeason(Process):
    """Double round robins. Ranked by points, goal difference, goals scored, then by lot."""

    name: ClassVar[str] = "league_season"
    parameters: ClassVar[type[Given]] = LeagueGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "match": {
            "season": "year", "date": "date", "home": "ref:teams", "away": "ref:teams", "home_goals": "integer",
            "away_goals": "integer", "attendance": "integer",
        },
        "standing": {
            "season": "year", "club": "ref:teams", "played": "integer", "won": "integer", "drawn": "integer",
            "lost": "integer", "goals_for": "integer", "goals_against": "integer", "goal_difference": "integer",
            "points": "integer", "position": "integer", "last_match": "date",
        },
    }  # fmt: skip

    def needs(self, given: LeagueGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """The teams, with the attributes that parameters name."""
        paths = (given.strength, given.attendance, given.capacity)
        return {given.teams: [path for path in paths if isinstance(path, str)]}

    def run(self, given: LeagueGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Play all seasons."""
        teams = view.size(given.teams)
        first, last = given.seasons
        if teams < 2:
            raise GenerationError("facts.league", f"league of {given.teams}", expected="two or more", got=str(teams))
        if last < first:
            raise SchemaError(
                "schema.process-parameter", "league_season: seasons", expected="[first, last]", got=f"[{first}, {last}]"
            )
        strength = _strength(given, view, rng)
        matches: list[dict[str, Ints]] = []
        standings: list[dict[str, Ints]] = []
        for season in range(first, last + 1):
            played = _season(given, view, season, strength, rng)
            matches.append(played)
            standings.append(table_of(played, teams, given.win, rng))
        return {"match": _joined(matches), "standing": _joined(standings)}


def _joined(parts: list[dict[str, Ints]]) -> dict[str, NDArray[Any]]:
    return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}


def _strength(given: LeagueGiven, view: View, rng: Stream) -> Floats:
    if given.strength is None:
        return noise_factor(view.size(given.teams), _STRENGTH_SPREAD, rng)
    strength = np.asarray(view.numbers(given.teams, given.strength), dtype=np.float64)
    if not (strength > 0).all():
        bad = np.flatnonzero(~(strength > 0))
        raise GenerationError(
            "facts.league", f"strength of {given.teams}/{bad[0]}", expected="above 0", got=str(strength[bad[0]])
        )
    return strength


def fixtures(teams: int) -> tuple[Ints, Ints, Ints]:
    """The round, home side and away side of every match of a double round robin.

    Sides are places in the draw, 0 … teams - 1. An odd number of teams leaves one at rest each round.

    >>> [column.tolist() for column in fixtures(2)]
    [[0, 1], [0, 1], [1, 0]]
    """
    places = teams + teams % 2
    rounds: list[int] = []
    home: list[int] = []
    away: list[int] = []
    ring = list(range(1, places))
    for number in range(places - 1):
        line = [0, *ring]
        for i in range(places // 2):
            pair = (line[i], line[places - 1 - i])
            # The fixed place swaps by round, the others by board, which alternates home and away for all.
            swap = number % 2 == 1 if i == 0 else i % 2 == 1
            one, two = pair[::-1] if swap else pair
            if max(pair) < teams:
                rounds.append(number)
                home.append(one)
                away.append(two)
        ring = [ring[-1], *ring[:-1]]
    second = [number + places - 1 for number in rounds]
    return int_column(rounds + second), int_column(home + away), int_column(away + home)


def _season(given: LeagueGiven, view: View, season: int, strength: Floats, rng: Stream) -> dict[str, Ints]:
    teams = len(strength)
    number, home, away = fixtures(teams)
    if int(number.max()) * given.every >= _YEAR:
        raise SchemaError(
            "schema.process-parameter", f"league_season: {teams} teams need {int(number.max()) + 1} rounds",
            expected="a season shorter than a year", got=f"every: {given.every}", fix="play more often, or fewer teams",
        )  # fmt: skip
    draw = rng.permutation(teams)
    home, away = draw[home], draw[away]
    month, day = (int(part) for part in given.start.split("-"))
    opening = (dt.date(season, month, day) - _EPOCH).days
    form = strength * noise_factor(teams, _FORM_SPREAD, rng)
    edge = elementary.power(form[home] / form[away], _STRENGTH_EFFECT)
    at_home = np.sqrt(given.home_advantage)
    order = np.lexsort((home, number))
    played = {
        "season": np.full(len(home), season, dtype=np.int64),
        "date": opening + number * given.every,
        "home": home,
        "away": away,
        "home_goals": goals_of(given.goals * at_home * edge, rng),
        "away_goals": goals_of(given.goals / at_home / edge, rng),
        "attendance": _attendance(given, view, home, away, strength, rng),
    }
    return {column: values[order] for column, values in played.items()}


@cache
def _goal_steps() -> Floats:
    """The chance of at most so many goals: a row for each of the means, a column for each number of goals."""
    steps = np.empty((len(_MEANS), _MOST_GOALS))
    mass = elementary.exp(-_MEANS)
    total = np.zeros(len(_MEANS))
    for goals in range(_MOST_GOALS):
        total = total + mass
        steps[:, goals] = total
        mass = mass * _MEANS / (goals + 1)
    return steps


def goals_of(mean: Floats, rng: Stream) -> Ints:
    """Goals of sides that score so many on average.

    Poisson draws, each mean taken to the nearest twentieth between 0.1 and 6.
    """
    row = np.minimum(np.maximum(np.rint(mean / 0.05).astype(np.int64) - 2, 0), len(_MEANS) - 1)
    return np.asarray((rng.unit(len(mean))[:, None] >= _goal_steps()[row]).sum(axis=1), dtype=np.int64)


def _attendance(given: LeagueGiven, view: View, home: Ints, away: Ints, strength: Floats, rng: Stream) -> Ints:
    if isinstance(given.attendance, str):
        usual = np.asarray(view.numbers(given.teams, given.attendance), dtype=np.float64)
    else:
        usual = given.attendance * strength
    crowd = usual[home] * elementary.power(strength[away], _CROWD_DRAW) * noise_factor(len(home), _CROWD_SPREAD, rng)
    if given.capacity is not None:
        crowd = np.minimum(crowd, np.asarray(view.numbers(given.teams, given.capacity), dtype=np.float64)[home])
    return np.maximum(np.rint(crowd), min(_LEAST_CROWD, np.floor(crowd.min(initial=0.0)))).astype(np.int64)


def table_of(played: Mapping[str, Ints], teams: int, win: int, rng: Stream) -> dict[str, Ints]:
    """The final table of one season's matches, team by team.

    Position goes by points, then goal difference, then goals scored, then by lot.
    """
    home, away = played["home"], played["away"]
    scored, conceded = played["home_goals"], played["away_goals"]

    def count(at_home: NDArray[Any], away_from: NDArray[Any]) -> Ints:
        total = np.zeros(teams, dtype=np.int64)
        np.add.at(total, home, at_home.astype(np.int64))
        np.add.at(total, away, away_from.astype(np.int64))
        return total

    won = count(scored > conceded, conceded > scored)
    drawn = count(scored == conceded, scored == conceded)
    lost = count(scored < conceded, conceded < scored)
    goals_for, goals_against = count(scored, conceded), count(conceded, scored)
    points = win * won + drawn
    order = np.lexsort((rng.permutation(teams), -goals_for, goals_against - goals_for, -points))
    position = np.empty(teams, dtype=np.int64)
    position[order] = np.arange(1, teams + 1)
    return {
        "season": np.full(teams, played["season"][0], dtype=np.int64), "club": np.arange(teams, dtype=np.int64),
        "played": won + drawn + lost, "won": won, "drawn": drawn, "lost": lost, "goals_for": goals_for,
        "goals_against": goals_against, "goal_difference": goals_for - goals_against, "points": points,
        "position": position, "last_match": np.full(teams, played["date"].max(), dtype=np.int64),
    }  # fmt: skip
