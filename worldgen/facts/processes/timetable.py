"""Timetables of lines between stops: regular headways, and no vehicle or platform used twice at a time.

A line runs to and fro between two ends. Its vehicles follow one another at one headway, so a vehicle that left an end
is back, turned round, when its turn comes again: ``vehicles * headway >= there + turn + back + turn``. Platforms are
given out first come, first served by the lowest free number, which for intervals needs no more than stand at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from worldgen.errors import GenerationError
from worldgen.facts.derived import largest_remainder
from worldgen.facts.processes.process import (
    Given,
    Process,
    Produced,
    Span,
    View,
    from_schema,
    int_column,
    processes,
    require_rows,
)
from worldgen.facts.settle import count_within
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Clock = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]

_DAY = 24 * 60
_WINDING = 1.3
_GRAIN = 100
_CLOCK_FACE = np.array([1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60], dtype=np.int64)
_END_CANDIDATES = 3
_UNSERVED_BONUS = 0.8


class TimetableGiven(Given):
    """Parameters of a timetable."""

    lines: str = Field(description="The entity that runs between stops.")
    stops: str = Field(description="The entity that is called at.")
    vehicles: str = Field(description="The entity that does the trips; at least one for each line.")
    x: str | None = Field(default=None, description="A stop's place from west to east in km; else drawn.")
    y: str | None = Field(default=None, description="A stop's place from south to north in km; else drawn.")
    extent: float = Field(default=12, gt=0, le=2000, description="Side in km of the square where stops are drawn.")
    stops_per_line: Span = Field(default=(5, 12), description="Least and greatest number of stops of a line.")
    speed: str | float = Field(default=24, description="Speed between stops in km/h: a number, or of the line.")
    headway: Span | str = Field(
        default=(10, 30), description="Minutes between trips: a range, or of the line; longer where vehicles lack."
    )
    first: Clock = Field(default="05:30", description="From when trips start, HH:MM.")
    last: Clock = Field(default="22:30", description="Until when trips start from a line's origin, HH:MM.")
    dwell: int = Field(default=1, ge=1, le=30, description="Minutes at a platform.")
    turn: int = Field(default=6, ge=2, le=240, description="Least minutes between two trips of a vehicle.")

    @model_validator(mode="after")
    def _possible(self) -> TimetableGiven:
        if (self.x is None) != (self.y is None):
            raise ValueError("x and y go together: give both or neither")
        if self.stops_per_line[0] < 2:
            raise ValueError(f"stops_per_line: a line has two ends or more; got {self.stops_per_line[0]}")
        if not isinstance(self.headway, str) and self.headway[0] < 1:
            raise ValueError(f"headway: 1 minute or more expected; got {self.headway[0]}")
        if not isinstance(self.speed, str) and not 1 <= self.speed <= 1000:
            raise ValueError(f"speed: 1 to 1000 km/h expected; got {self.speed:g}")
        if self.last < self.first:
            raise ValueError(f"last lies before first: {self.last} and {self.first}")
        if self.turn < 2 * self.dwell:
            raise ValueError(f"turn: at least twice the dwell of {self.dwell} expected; got {self.turn}")
        return self


@dataclass(frozen=True, slots=True)
class Routes:
    """The stops of all lines, one line after the other.

    Attributes:
        line: The line of each call.
        stop: Its stop.
        place: Its place on the line, from 0.
        metres: From the line's origin.
        arrival: Minutes after departure from the origin; ``-dwell`` at the origin itself.
        offset: Where each line begins, one more at the end.
        running: Minutes from end to end, line by line.
    """

    line: Ints
    stop: Ints
    place: Ints
    metres: Ints
    arrival: Ints
    offset: Ints
    running: Ints


@processes.register("timetable")
class Timetable(Process):
    """One day of trips at regular headways; times are minutes after midnight, and run past 1440 where a trip does.

    The direction is outbound or inbound. Vehicles stand at a platform from arrival to departure, also before they set
    out and after they have come in; distances are km from the origin, running times minutes.
    """

    name: ClassVar[str] = "timetable"
    parameters: ClassVar[type[Given]] = TimetableGiven
    tables: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "line": {
            "origin": "ref:stops", "destination": "ref:stops", "stops": "integer", "length": "decimal",
            "running_time": "integer", "headway": "integer", "vehicles": "integer", "trips": "integer",
            "first_departure": "integer", "last_departure": "integer",
        },
        "stop": {"lines": "integer", "calls": "integer", "platforms": "integer"},
        "call": {
            "line": "ref:lines", "stop": "ref:stops", "place": "integer", "distance": "decimal", "minutes": "integer",
        },
        "trip": {
            "line": "ref:lines", "number": "integer", "direction": "category", "vehicle": "ref:vehicles",
            "origin": "ref:stops", "destination": "ref:stops", "departure": "integer", "arrival": "integer",
        },
        "stop_time": {
            "trip": "ref:trip", "stop": "ref:stops", "place": "integer", "arrival": "integer", "departure": "integer",
            "platform": "integer",
        },
    }  # fmt: skip

    def needs(self, given: TimetableGiven, fills: Mapping[str, str]) -> dict[str, list[str]]:
        """Lines, stops and vehicles, with the attributes that parameters name."""
        lines = [path for path in (given.speed, given.headway) if isinstance(path, str)]
        stops = [path for path in (given.x, given.y) if path is not None]
        return {given.lines: lines, given.stops: stops, given.vehicles: []}

    def run(self, given: TimetableGiven, view: View, fills: Mapping[str, str], rng: Stream) -> Produced:
        """Lay out the lines, run the trips, give out the platforms."""
        lines = require_rows(self.name, view, given.lines, 1)
        stops = require_rows(self.name, view, given.stops, 2)
        vehicles = require_rows(self.name, view, given.vehicles, lines)
        routes = _routes(given, view, lines, stops, rng)
        headway, fleet = _headways(given, view, routes, vehicles, rng)
        trip = _trips(given, routes, headway, fleet, rng.permutation(vehicles), rng)
        stop_time = _stop_times(given, routes, trip)
        stop_time["platform"] = platforms(stop_time["stop"], stop_time["arrival"], stop_time["departure"])
        ends, outbound = routes.offset[1:] - 1, trip["direction"] == 0
        line = {
            "origin": routes.stop[routes.offset[:-1]], "destination": routes.stop[ends],
            "stops": np.diff(routes.offset), "length": routes.metres[ends] / 1000.0, "running_time": routes.running,
            "headway": headway, "vehicles": fleet, "trips": np.bincount(trip["line"], minlength=lines),
            "first_departure": trip["departure"][outbound & (trip["number"] == 1)],
            "last_departure": _last(trip["line"][outbound], trip["departure"][outbound], lines),
        }  # fmt: skip
        used = np.zeros(stops, dtype=np.int64)
        np.maximum.at(used, stop_time["stop"], stop_time["platform"])
        calls = np.bincount(stop_time["stop"], minlength=stops)
        return {
            "line": line,
            "stop": {"lines": np.bincount(routes.stop, minlength=stops), "calls": calls, "platforms": used},
            "call": {
                "line": routes.line, "stop": routes.stop, "place": routes.place + 1,
                "distance": routes.metres / 1000.0, "minutes": np.maximum(routes.arrival, 0),
            },
            "trip": trip | {"direction": np.where(outbound, "outbound", "inbound")},
            "stop_time": stop_time,
        }  # fmt: skip


def _last(line: Ints, departure: Ints, lines: int) -> Ints:
    last = np.zeros(lines, dtype=np.int64)
    np.maximum.at(last, line, departure)
    return last


# Lines


def _routes(given: TimetableGiven, view: View, lines: int, stops: int, rng: Stream) -> Routes:
    x, y = _places(given, view, stops, rng)
    least, greatest = (min(end, stops) for end in given.stops_per_line)
    sizes = least + rng.below(lines, greatest - least + 1)
    speed = np.rint(from_schema(view, given.lines, given.speed, "process timetable: speed", 1) * 1000).astype(np.int64)
    served = np.zeros(stops, dtype=np.bool_)
    order = rng.permutation(stops)
    routes: list[Ints] = []
    for size in sizes.tolist():
        waiting = order[~served[order]]
        start = int(waiting[0]) if len(waiting) else rng.integer(stops)
        route = _route(x, y, start, size, served, rng)
        served[route] = True
        routes.append(route)
    line = np.repeat(np.arange(lines, dtype=np.int64), sizes)
    stop, place = np.concatenate(routes), count_within(line)
    before = np.roll(stop, 1)
    straight = np.sqrt((x[stop] - x[before]) ** 2 + (y[stop] - y[before]) ** 2)
    leg = np.maximum(np.ceil(straight * _WINDING / _GRAIN).astype(np.int64), 1) * _GRAIN
    leg[place == 0] = 0
    minutes = np.where(place == 0, -given.dwell, -(-leg * 60 // speed[line]) + given.dwell)
    offset = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    arrival = _within(minutes, offset, line)
    metres = _within(leg, offset, line)
    return Routes(line, stop, place, metres, arrival, offset, arrival[offset[1:] - 1])


def _places(given: TimetableGiven, view: View, stops: int, rng: Stream) -> tuple[NDArray[Any], NDArray[Any]]:
    """Whole metres."""
    if given.x is None or given.y is None:
        side = given.extent * 1000
        return np.floor(rng.unit(stops) * side), np.floor(rng.unit(stops) * side)
    least = -1e5
    x, y = (from_schema(view, given.stops, path, "process timetable: place", least) for path in (given.x, given.y))
    return np.rint(x * 1000), np.rint(y * 1000)


def _route(x: NDArray[Any], y: NDArray[Any], start: int, size: int, served: NDArray[np.bool_], rng: Stream) -> Ints:
    """From a stop to one far off, by those that are least out of the way, stops without a line first."""
    others = np.flatnonzero(np.arange(len(x)) != start)
    candidates = others[rng.below(_END_CANDIDATES, len(others))]
    from_start = np.sqrt((x - x[start]) ** 2 + (y - y[start]) ** 2)
    end = int(candidates[np.argmax(from_start[candidates])])
    detour = from_start + np.sqrt((x - x[end]) ** 2 + (y - y[end]) ** 2)
    detour = np.where(served, detour, detour * _UNSERVED_BONUS)
    between = others[others != end]
    chosen = between[np.argsort(detour[between], kind="stable")[: size - 2]]
    along = (x[chosen] - x[start]) * (x[end] - x[start]) + (y[chosen] - y[start]) * (y[end] - y[start])
    return int_column([start, *chosen[np.argsort(along, kind="stable")].tolist(), end])


def _within(values: Ints, offset: Ints, group: Ints) -> Ints:
    """Running sums that begin anew in each group."""
    total = np.cumsum(values)
    return np.asarray(total - (total - values)[offset[:-1]][group], dtype=np.int64)


# Trips


def _headways(given: TimetableGiven, view: View, routes: Routes, vehicles: int, rng: Stream) -> tuple[Ints, Ints]:
    """Minutes between two trips of a line, and how many vehicles that takes."""
    lines = len(routes.running)
    if isinstance(given.headway, str):
        drawn = from_schema(view, given.lines, given.headway, "process timetable: headway", 1)
        wanted = np.rint(drawn).astype(np.int64)
    else:
        least, greatest = given.headway
        wanted = least + rng.below(lines, greatest - least + 1)
    cycle = 2 * (routes.running + given.turn)
    fleet = -(-cycle // wanted)
    if fleet.sum() > vehicles:
        alike = np.zeros(lines, dtype=np.int64)
        fleet = 1 + largest_remainder((fleet - 1).astype(np.float64), vehicles - lines, alike)
    headway = on_the_clock(np.maximum(wanted, -(-cycle // fleet)))
    return headway, -(-cycle // headway)


def on_the_clock(minutes: Ints) -> Ints:
    """The next headway at which departures are at the same minutes of every hour, or at the same minute of some hours.

    >>> on_the_clock(np.array([7, 10, 31, 61])).tolist()
    [10, 10, 60, 120]
    """
    part = _CLOCK_FACE[np.minimum(np.searchsorted(_CLOCK_FACE, minutes), len(_CLOCK_FACE) - 1)]
    return np.asarray(np.where(minutes <= 60, part, -(-minutes // 60) * 60), dtype=np.int64)


def _minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:])


def _trips(
    given: TimetableGiven, routes: Routes, headway: Ints, fleet: Ints, order: Ints, rng: Stream
) -> dict[str, NDArray[Any]]:
    """Trip by trip, line by line; direction 0 leads from origin to destination, 1 back."""
    first, last = _minutes(given.first), _minutes(given.last)
    lines = len(headway)
    start = first + np.floor(rng.unit(lines) * np.minimum(headway, last - first + 1)).astype(np.int64)
    rounds = (last - start) // headway + 1
    back = routes.running + given.turn
    # Tomorrow's first departure must find vehicles and platforms free.
    home = start + (rounds - 1) * headway + 2 * back
    late = np.flatnonzero(home > _DAY + first)
    if len(late):
        raise GenerationError(
            "facts.timetable", f"timetable: {given.lines}/{late[0]} takes {routes.running[late[0]]} minutes one way",
            expected="its last vehicle back before the first departure of the next day",
            got=f"{home[late[0]] - _DAY - first} minutes later", fix="lower `last`, the distances or stops_per_line",
        )  # fmt: skip
    line = np.repeat(np.arange(lines, dtype=np.int64), 2 * rounds)
    turn, direction = count_within(line) // 2, count_within(line) % 2
    base = np.cumsum(fleet) - fleet
    departure = start[line] + turn * headway[line] + direction * back[line]
    ends = routes.stop[routes.offset[:-1]][line], routes.stop[routes.offset[1:] - 1][line]
    return {
        "line": line, "number": 2 * turn + 1 + direction, "direction": direction,
        "vehicle": order[base[line] + turn % fleet[line]], "origin": np.where(direction == 0, *ends),
        "destination": np.where(direction == 1, *ends), "departure": departure,
        "arrival": departure + routes.running[line],
    }  # fmt: skip


def _stop_times(given: TimetableGiven, routes: Routes, trip: Mapping[str, NDArray[Any]]) -> dict[str, Ints]:
    """When each trip stands at each of its stops; also before it sets out, and after it has arrived."""
    sizes = np.diff(routes.offset)[trip["line"]]
    of = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    line, place, inbound = trip["line"][of], count_within(of), trip["direction"][of] == 1
    call = np.where(inbound, routes.offset[1:][line] - 1 - place, routes.offset[line] + place)
    there = routes.arrival[call]
    back = routes.running[line] - there - given.dwell
    arrival = trip["departure"][of] + np.where(inbound, back, there)
    return {
        "trip": of, "stop": routes.stop[call], "place": place + 1, "arrival": arrival,
        "departure": arrival + given.dwell,
    }  # fmt: skip


def platforms(stop: Ints, arrival: Ints, departure: Ints) -> Ints:
    """The platform of each visit: the lowest number that is free, from 1; one may arrive as another leaves.

    >>> platforms(np.array([0, 0, 0]), np.array([5, 6, 7]), np.array([7, 8, 9])).tolist()
    [1, 2, 1]
    """
    given = np.zeros(len(stop), dtype=np.int64)
    here, free, taken, most = -1, list[int](), list[tuple[int, int]](), 0
    order = np.lexsort((departure, arrival, stop))
    columns = (order.tolist(), stop[order].tolist(), arrival[order].tolist(), departure[order].tolist())
    for row, where, since, until in zip(*columns, strict=True):
        if where != here:
            here, free, taken, most = where, [], [], 0
        while taken and taken[0][0] <= since:
            heapq.heappush(free, heapq.heappop(taken)[1])
        if not free:
            most += 1
            free.append(most)
        given[row] = heapq.heappop(free)
        heapq.heappush(taken, (until, int(given[row])))
    return given
