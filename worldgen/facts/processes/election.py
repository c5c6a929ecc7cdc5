"""An election by lists in wards: votes, shares that add up to 100, seats by d'Hondt's rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from worldgen.errors import GenerationError
from worldgen.facts.derived import divided, largest_remainder
from worldgen.facts.distributions import noise_factor, standard_normal
from worldgen.facts.processes.process import Given, Process, Produced, View, processes
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_TURNOUT_MEAN = 0.58
_TURNOUT_SPREAD = 0.07
_STRENGTH_SPREAD = 0.8


class ElectionGiven(Given):
    """Parameters of an election."""

    wards: str = Field(description="The entity that votes.")
    parties: str = Field(description="The entity that is voted for.")
    electorate: str = Field(description="A ward's number of voters.")
    seats: str | int = Field(description="Seats of a ward: an attribute of it, or a number.")
    turnout: str | None = Field(default=None, description="A ward's turnout, 0 to 1; else drawn.")
    strength: str | None = Field(default=None, description="A party's strength, above 0; else drawn.")
    leaning: float = Field(default=0.35, ge=0, le=1.5, description="How much a party's vote differs by ward.")
    spoiled: float = Field(default=0.012, ge=0, lt=0.5, description="Mean share of votes cast that are not valid.")
    decimals: int = Field(default=1, ge=0, le=3, description="Decimals of shares and of the turnout.")


@processes.register("election")
class Election(Process):
    """One row of results per ward and party; wards may be given their turnout and votes."""

    name: ClassVar[str] = "election"
    parameters: ClassVar[type[Given]] = ElectionGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "result": {
            "ward": "ref:wards", "party": "ref:parties", "votes": "integer", "share": "percent", "seats": "integer",
        },
        "ward": {
            "turnout": "percent", "votes_cast": "integer", "valid_votes": "integer", "spoiled_votes": "integer",
        },
    }  # fmt: skip

    def needs(self, given: ElectionGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """Wards and parties, with the attributes that parameters name."""
        wards = [path for path in (given.electorate, given.seats, given.turnout) if isinstance(path, str)]
        return {given.wards: wards, given.parties: [given.strength] if given.strength is not None else []}

    def run(self, given: ElectionGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Hold the election."""
        wards, parties = view.size(given.wards), view.size(given.parties)
        if wards == 0 or parties == 0:
            got = f"{wards} and {parties}"
            raise GenerationError("facts.election", "election", expected="wards and parties", got=got)
        electorate = np.rint(view.numbers(given.wards, given.electorate)).astype(np.int64)
        cast = np.floor(electorate * _turnout(given, view, wards, rng)).astype(np.int64)
        spoiled = np.floor(cast * np.minimum(given.spoiled * noise_factor(wards, 0.3, rng), 0.5)).astype(np.int64)
        valid = cast - spoiled
        _require(given.wards, valid > 0, valid, "at least one valid vote")
        ward = np.repeat(np.arange(wards, dtype=np.int64), parties)
        party = np.tile(np.arange(parties, dtype=np.int64), wards)
        weights = _strength(given, view, parties, rng)[party] * noise_factor(wards * parties, given.leaning, rng)
        votes = largest_remainder(weights, valid, ward)
        shares = largest_remainder(votes.astype(np.float64), np.full(wards, 100 * 10**given.decimals), ward)
        seats = dhondt(votes.reshape(wards, parties), _seats(given, view, wards))
        scale = float(10**given.decimals)
        hundredths = divided(cast * 100, np.maximum(electorate, 1), 0, given.decimals)
        return {
            "result": {"ward": ward, "party": party, "votes": votes, "share": shares / scale, "seats": seats.ravel()},
            "ward": {
                "turnout": hundredths / scale, "votes_cast": cast, "valid_votes": valid, "spoiled_votes": spoiled,
            },
        }  # fmt: skip


def _require(entity: str, holds: NDArray[Any], values: NDArray[Any], expected: str) -> None:
    bad = np.flatnonzero(~holds)
    if len(bad):
        raise GenerationError(
            "facts.election", f"election: {entity}/{bad[0]}", expected=expected, got=str(values[bad[0]])
        )


def _turnout(given: ElectionGiven, view: View, wards: int, rng: Stream) -> Floats:
    if given.turnout is None:
        drawn = _TURNOUT_MEAN + _TURNOUT_SPREAD * standard_normal(wards, rng)
        return np.minimum(np.maximum(drawn, 0.2), 0.95)
    turnout = np.asarray(view.numbers(given.wards, given.turnout), dtype=np.float64)
    _require(given.wards, (turnout >= 0) & (turnout <= 1), turnout, "a turnout from 0 to 1")
    return turnout


def _strength(given: ElectionGiven, view: View, parties: int, rng: Stream) -> Floats:
    if given.strength is None:
        return noise_factor(parties, _STRENGTH_SPREAD, rng)
    strength = np.asarray(view.numbers(given.parties, given.strength), dtype=np.float64)
    _require(given.parties, strength > 0, strength, "a strength above 0")
    return strength


def _seats(given: ElectionGiven, view: View, wards: int) -> Ints:
    if isinstance(given.seats, int):
        return np.full(wards, given.seats, dtype=np.int64)
    return np.asarray(np.rint(view.numbers(given.wards, given.seats)), dtype=np.int64)


def dhondt(votes: Ints, seats: Ints) -> Ints:
    """Seats by d'Hondt's rule: each in turn goes to the greatest ``votes / (seats won + 1)``.

    Quotients are compared by multiplying crosswise, so exactly. A tie goes to the party with more votes, then to the
    earlier one.

    Args:
        votes: Shape (wards, parties).
        seats: Shape (wards,).

    Returns:
        Seats, shape (wards, parties).

    References:
        V. D'Hondt, *Système pratique et raisonné de représentation proportionnelle*, 1882.

    >>> dhondt(np.array([[100, 80, 30, 20]]), np.array([8])).tolist()
    [[4, 3, 1, 0]]
    """
    won = np.zeros_like(votes)
    everywhere = np.arange(len(votes))
    for turn in range(int(seats.max(initial=0))):
        best = np.zeros(len(votes), dtype=np.int64)
        for party in range(1, votes.shape[1]):
            ours, theirs = votes[:, party], votes[everywhere, best]
            left, right = ours * (won[everywhere, best] + 1), theirs * (won[:, party] + 1)
            best = np.where((left > right) | ((left == right) & (ours > theirs)), party, best)
        won[everywhere, best] += turn < seats
    return won
