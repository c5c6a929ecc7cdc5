"""Territorial reorganisation: which district each place belonged to when, through reforms on given days.

Places lie on a plane, districts are neighbouring places. A reform merges districts into a neighbour, splits others in
two, moves places near a border across it, and gives places and districts new names. What results are spells of validity
that follow one another from day to day, so that every day has one answer.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.distributions import noise_factor
from worldgen.facts.processes.process import Given, Process, Produced, View, int_column, processes
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Columns = dict[str, NDArray[Any]]

_EPOCH = dt.date(1970, 1, 1)
_WIDE = 10**6
_UNEVEN = 0.3
_COMPARED = 3
"""Districts drawn for a merger or a split, of which the smallest or the largest is taken."""
_NEIGHBOURS = 6
_CHUNK = 512
_BORDER_SPREAD = 0.3


class TerritoryGiven(Given):
    """Parameters of a territorial reorganisation."""

    places: str = Field(description="The entity of places.")
    districts: str = Field(description="The entity of districts; its count includes those that were dissolved.")
    since: dt.date = Field(description="The first day that is told of.")
    until: dt.date = Field(description="The last day that is told of; what still holds then is said to hold until it.")
    reforms: list[dt.date] = Field(min_length=1, description="The days on which reforms took effect, in order.")
    moved: float = Field(default=0.05, ge=0, le=0.5, description="Share of places moved across a border by a reform.")
    merged: int = Field(default=1, ge=0, description="Districts that a reform merges into a neighbour.")
    split: int = Field(default=1, ge=0, description="Districts that a reform splits, founding as many new ones.")
    renamed: float = Field(default=0.02, ge=0, le=1, description="Share of places that a reform gives a new name.")
    districts_renamed: float = Field(
        default=0.05, ge=0, le=1, description="Share of the districts before and after a reform that it renames."
    )
    years: list[int] = Field(default_factory=list, description="Years at whose end `register` tells every district.")


@processes.register("territorial_reorganisation")
class TerritorialReorganisation(Process):
    """Places in districts over time, through reforms; the spells of a place leave no gap and never overlap.

    `membership` tells in which district a place was from day to day, `register` at the end of single years, `transfer`
    each change. `place_name` and `district_name` have a row for each name that is no more in use, which the schema
    coins; the row's own name is the present one.
    """

    name: ClassVar[str] = "territorial_reorganisation"
    parameters: ClassVar[type[Given]] = TerritoryGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "place": {"district": "ref:districts", "spells": "integer", "former_names": "integer"},
        "district": {
            "since": "date", "until": "date", "existing": "boolean", "places": "integer", "origin": "ref:districts",
            "successor": "ref:districts", "former_names": "integer",
        },
        "membership": {
            "place": "ref:places", "district": "ref:districts", "number": "integer", "since": "date", "until": "date",
            "lasting": "boolean",
        },
        "register": {"place": "ref:places", "year": "year", "district": "ref:districts"},
        "transfer": {
            "place": "ref:places", "old": "ref:districts", "new": "ref:districts", "date": "date",
            "dissolved": "boolean",
        },
        "reform": {
            "date": "date", "transfers": "integer", "merged": "integer", "founded": "integer", "districts": "integer",
            "places_renamed": "integer", "districts_renamed": "integer",
        },
        "place_name": {"place": "ref:places", "number": "integer", "since": "date", "until": "date"},
        "district_name": {"district": "ref:districts", "number": "integer", "since": "date", "until": "date"},
    }  # fmt: skip

    def needs(self, given: TerritoryGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """How many places and districts there are."""
        return {given.places: [], given.districts: []}

    def run(self, given: TerritoryGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Draw the map, then let the reforms take effect one after another."""
        places, districts = view.size(given.places), view.size(given.districts)
        _check(given, places, districts)
        land = _Land(given, places, districts, rng)
        for day in given.reforms:
            land.reform((day - _EPOCH).days)
        return land.tables()


def _check(given: TerritoryGiven, places: int, districts: int) -> None:
    days = [given.since, *given.reforms, given.until]
    if any(one >= two for one, two in pairwise(days[:-1])) or days[-2] > days[-1]:
        got = ", ".join(day.isoformat() for day in days)
        raise _wrong("reforms", "since < each reform in order <= until", got, "put the days in order")
    bad = [year for year in given.years if not given.since <= dt.date(year, 12, 31) <= given.until]
    if bad or len(set(given.years)) != len(given.years):
        expected = f"different years that end from {given.since} to {given.until}"
        raise _wrong("years", expected, ", ".join(map(str, given.years)), "leave out the others")
    first = districts - given.split * len(given.reforms)
    lowest = first - len(given.reforms) * max(given.merged - given.split, 0)
    if first < 1 or first - given.merged < 1 or lowest < 1:
        raise GenerationError(
            "facts.territory", f"districts of {given.districts}", got=f"{districts}, {first} of them at first",
            expected=f"some left by {len(given.reforms)} reforms that found {given.split} and merge {given.merged}",
            fix="raise their count, or let reforms do less",
        )  # fmt: skip
    if places < max(districts, 2):
        raise GenerationError(
            "facts.territory", f"places of {given.places}", got=str(places), fix="raise their count",
            expected=f"two or more, one for each of {districts} districts",
        )  # fmt: skip


def _wrong(what: str, expected: str, got: str, fix: str) -> SchemaError:
    where = f"territorial_reorganisation: {what}"
    return SchemaError("schema.process-parameter", where, expected=expected, got=got, fix=fix)


def partition(x: Ints, y: Ints, parts: int, rng: Stream) -> Ints:
    """The part of each point, when the plane is cut across its wider side until there are so many parts.

    References:
        J. L. Bentley, "Multidimensional binary search trees used for associative searching", *Communications of the
        ACM* 18(9), 1975.
    """
    part = np.zeros(len(x), dtype=np.int64)
    waiting = [(np.arange(len(x)), parts)]
    done = 0
    while waiting:
        rows, left = waiting.pop()
        if left == 1:
            part[rows] = done
            done += 1
            continue
        less = left // 2
        share = less / left * (1 + _UNEVEN * (float(rng.unit(1)[0]) - 0.5))
        cut = min(max(round(share * len(rows)), less), len(rows) - left + less)
        ordered = _across(x, y, rows)
        waiting += [(ordered[:cut], less), (ordered[cut:], left - less)]
    return part


def _across(x: Ints, y: Ints, rows: Ints) -> Ints:
    """The points along the wider side of their bounds."""
    wide = [int(axis[rows].max() - axis[rows].min()) for axis in (x, y)]
    return np.asarray(rows[np.argsort((x if wide[0] >= wide[1] else y)[rows], kind="stable")])


class _Names:
    """The names that things have had before their present ones."""

    def __init__(self, since: Ints) -> None:
        self.since = since
        self.former: list[tuple[Ints, Ints, Ints]] = []

    def change(self, rows: Ints, day: int) -> None:
        """New names from that day on."""
        self.former.append((rows, self.since[rows], np.full(len(rows), day - 1)))
        self.since[rows] = day

    def table(self, what: str) -> Columns:
        """The names that are no more in use, thing by thing in the order of days."""
        rows, since, until = (np.concatenate(part) for part in zip(*self.former, strict=True))
        order = np.lexsort((since, rows))
        return {
            what: rows[order], "number": _numbered(rows[order]), "since": since[order], "until": until[order],
        }  # fmt: skip


def _numbered(ordered: Ints) -> Ints:
    """1, 2, … within each run of equal values."""
    return np.arange(1, len(ordered) + 1) - np.searchsorted(ordered, ordered)


class _Land:
    """The map, and all that has happened to it."""

    def __init__(self, given: TerritoryGiven, places: int, districts: int, rng: Stream) -> None:
        self.given, self.rng = given, rng
        self.first, self.last = ((day - _EPOCH).days for day in (given.since, given.until))
        self.x, self.y = rng.below(places, _WIDE), rng.below(places, _WIDE)
        self.known = districts - given.split * len(given.reforms)
        self.district = partition(self.x, self.y, self.known, rng)
        self.alive = np.arange(districts) < self.known
        self.origin, self.successor = np.full(districts, -1), np.full(districts, -1)
        self.founded, self.dissolved = np.full(districts, self.first), np.full(districts, self.last)
        self.since = np.full(places, self.first)
        self.spells: list[tuple[Ints, Ints, Ints, Ints]] = []
        self.transfers: list[Columns] = []
        self.reforms: list[dict[str, int]] = []
        self.names = {"place": _Names(self.since.copy()), "district": _Names(self.founded.copy())}

    def reform(self, day: int) -> None:
        """What takes effect on a day."""
        before, standing = self.district.copy(), self.alive.copy()
        for _ in range(self.given.merged):
            self._merge(day)
        for _ in range(self.given.split):
            self._split(day)
        self._move()
        changed = np.flatnonzero(self.district != before)
        old = before[changed]
        self.spells.append((changed, old, self.since[changed], np.full(len(changed), day - 1)))
        self.since[changed] = day
        self.transfers.append({
            "place": changed, "old": old, "new": self.district[changed], "date": np.full(len(changed), day),
            "dissolved": ~self.alive[old] * 1,
        })  # fmt: skip
        renamed = [
            self._rename("place", np.arange(len(self.district)), self.given.renamed, day),
            self._rename("district", np.flatnonzero(standing & self.alive), self.given.districts_renamed, day),
        ]
        self.reforms.append({
            "date": day, "transfers": len(changed), "merged": self.given.merged, "founded": self.given.split,
            "districts": int(self.alive.sum()), "places_renamed": renamed[0], "districts_renamed": renamed[1],
        })  # fmt: skip

    def _sizes(self) -> Ints:
        return np.bincount(self.district, minlength=len(self.alive)).astype(np.int64)

    def _centres(self) -> tuple[Ints, Ints]:
        """The mean place of each district; districts without places have none that means anything."""
        sums = np.zeros((2, len(self.alive)), dtype=np.int64)
        for axis, values in enumerate((self.x, self.y)):
            np.add.at(sums[axis], self.district, values)
        x, y = sums // np.maximum(self._sizes(), 1)
        return x, y

    def _merge(self, day: int) -> None:
        alive, sizes = np.flatnonzero(self.alive), self._sizes()
        drawn = alive[self.rng.permutation(len(alive))[:_COMPARED]]
        gone = int(drawn[np.argmin(sizes[drawn])])
        x, y = self._centres()
        others = alive[alive != gone]
        into = int(others[np.argmin((x[others] - x[gone]) ** 2 + (y[others] - y[gone]) ** 2)])
        self.district[self.district == gone] = into
        self.alive[gone], self.successor[gone], self.dissolved[gone] = False, into, day - 1

    def _split(self, day: int) -> None:
        alive, sizes = np.flatnonzero(self.alive), self._sizes()
        drawn = alive[self.rng.permutation(len(alive))]
        # Founded on this day already: not split again. There are more places than districts, so one can be split.
        drawn = drawn[(sizes[drawn] > 1) & (self.founded[drawn] < day)][:_COMPARED]
        if len(drawn) == 0:
            raise GenerationError(
                "facts.territory", f"districts of {self.given.districts}", got="none with two places",
                expected="one of two places or more to split", fix="raise the count of places, or split fewer",
            )  # fmt: skip
        parent = int(drawn[np.argmax(sizes[drawn])])
        ordered = _across(self.x, self.y, np.flatnonzero(self.district == parent))
        new, self.known = self.known, self.known + 1
        self.district[ordered[len(ordered) // 2 :]] = new
        self.alive[new], self.origin[new], self.founded[new] = True, parent, day
        self.names["district"].since[new] = day

    def _move(self) -> None:
        """Move places that lie nearest to another district, and never a district's last."""
        alive = np.flatnonzero(self.alive)
        wanted = round(len(self.district) * self.given.moved)
        if len(alive) < 2 or wanted == 0:
            return
        x, y = self._centres()
        near = _nearest(x[alive], y[alive], min(_NEIGHBOURS, len(alive) - 1))
        place = np.empty(len(self.alive), dtype=np.int64)
        place[alive] = np.arange(len(alive))
        around = alive[near[place[self.district]]]
        far = (x[around] - self.x[:, None]) ** 2 + (y[around] - self.y[:, None]) ** 2
        closest = np.argmin(far, axis=1)
        rows = np.arange(len(closest))
        other, distance = around[rows, closest], far[rows, closest]
        own = (x[self.district] - self.x) ** 2 + (y[self.district] - self.y) ** 2
        border = (own + 1.0) / (distance + 1.0) * noise_factor(len(rows), _BORDER_SPREAD, self.rng)
        sizes = self._sizes()
        for row in np.argsort(-border, kind="stable").tolist():
            if wanted == 0:
                return
            if sizes[self.district[row]] > 1:
                sizes[self.district[row]] -= 1
                sizes[other[row]] += 1
                self.district[row] = other[row]
                wanted -= 1

    def _rename(self, what: str, rows: Ints, share: float, day: int) -> int:
        chosen = np.sort(rows[self.rng.permutation(len(rows))[: round(len(rows) * share)]])
        self.names[what].change(chosen, day)
        return len(chosen)

    def tables(self) -> Produced:
        """All tables, told on the last day."""
        everywhere = np.arange(len(self.district))
        now = (everywhere, self.district, self.since, np.full(len(everywhere), self.last))
        place, district, since, until = (np.concatenate(part) for part in zip(*self.spells, now, strict=True))
        order = np.lexsort((since, place))
        membership = {
            "place": place[order], "district": district[order], "number": _numbered(place[order]),
            "since": since[order], "until": until[order], "lasting": (until[order] == self.last) * 1,
        }  # fmt: skip
        names = {what: kept.table(what) for what, kept in self.names.items()}
        counts = {what: np.bincount(names[what][what], minlength=size) for what, size in self._counts().items()}
        return {
            "place": {
                "district": self.district, "spells": np.bincount(place), "former_names": counts["place"],
            },
            "district": {
                "since": self.founded, "until": self.dissolved, "existing": self.alive * 1, "places": self._sizes(),
                "origin": self.origin, "successor": self.successor, "former_names": counts["district"],
            },
            "membership": membership, "register": _register(membership, self.given.years, len(everywhere)),
            "transfer": {column: np.concatenate([part[column] for part in self.transfers]) for column in _TRANSFER},
            "reform": {column: int_column([row[column] for row in self.reforms]) for column in self.reforms[0]},
            "place_name": names["place"], "district_name": names["district"],
        }  # fmt: skip

    def _counts(self) -> dict[str, int]:
        return {"place": len(self.district), "district": len(self.alive)}


_TRANSFER = tuple(TerritorialReorganisation.tables["transfer"])


def _nearest(x: Ints, y: Ints, count: int) -> Ints:
    """For each point the numbers of so many others that lie nearest to it."""
    found = np.empty((len(x), count), dtype=np.int64)
    for start in range(0, len(x), _CHUNK):
        rows = np.arange(start, min(start + _CHUNK, len(x)))
        far = (x[rows, None] - x) ** 2 + (y[rows, None] - y) ** 2
        far[np.arange(len(rows)), rows] = 4 * _WIDE**2
        for place in range(count):
            found[rows, place] = np.argmin(far, axis=1)
            far[np.arange(len(rows)), found[rows, place]] = 4 * _WIDE**2
    return found


def _register(membership: Mapping[str, NDArray[Any]], years: list[int], places: int) -> Columns:
    """The district of every place on the last day of each year."""
    start = int(membership["since"].min())
    days = int(membership["until"].max()) - start + 2
    keys = membership["place"] * days + membership["since"] - start
    ends = int_column([(dt.date(year, 12, 31) - _EPOCH).days for year in years])
    place, end = np.tile(np.arange(places), len(years)), np.repeat(ends, places)
    at = np.searchsorted(keys, place * days + end - start, side="right") - 1
    return {"place": place, "year": np.repeat(int_column(years), places), "district": membership["district"][at]}
