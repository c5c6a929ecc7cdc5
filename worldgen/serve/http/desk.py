"""What every route of HTTP does with a server: lease a world, call a tool with or without an episode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, TypeVar

from anyio import CapacityLimiter, to_thread

from worldgen.search import SearchEngine
from worldgen.serve.episodes import Running
from worldgen.serve.http.errors import RequestError
from worldgen.serve.http.visit import Visit
from worldgen.serve.metrics import Metrics
from worldgen.serve.server import Server
from worldgen.tools import Observation
from worldgen.tools.profile import profile as find_profile
from worldgen.world import World

Group = Literal["web", "typed", "sql", "pages"]
T = TypeVar("T")
_THREADS = 8
_CALLS = 4
_MODELS = 64


class Desk:
    """A server's worlds and tools for the routes.

    Searching and opening pages takes less time than handing it to a thread, so it is done on the loop; what may take
    long (opening a world, SQL, typed tools, scoring) goes to threads, a few at a time.
    """

    def __init__(self, server: Server, metrics: Metrics) -> None:
        self.server = server
        self.metrics = metrics
        self._limiter = CapacityLimiter(_THREADS)
        # Apart from the others, so that slow queries do not keep worlds and episodes from being opened.
        self._calls = CapacityLimiter(_CALLS)
        # These wait for a model, which answers many at a time.
        self._models = CapacityLimiter(_MODELS)

    async def apart(self, act: Callable[[], T]) -> T:
        """Call something in a thread."""
        return await to_thread.run_sync(act, limiter=self._limiter)

    def world(self, name: str) -> Lease:
        """The world of that name for the length of an ``async with``: it is not closed meanwhile."""
        return Lease(self, name)

    def episode(self, visit: Visit) -> Running | None:
        """The episode that a visit names; None where it names none.

        Raises:
            CallerError: There is none of that id, or the visit names another world than the episode's.
        """
        if visit.episode is None:
            return None
        running = self.server.episodes.get(visit.episode)
        if visit.world not in (None, running.world):
            raise RequestError("serve.two-names", "the episode is of another world than the request")
        return running

    def open_to(self, visit: Visit, group: Group) -> str:
        """The profile through which a visit without an episode has a group of tools.

        Raises:
            RequestError: None that is open has it; or the visit names an episode.
        """
        if visit.episode is not None:
            raise RequestError(
                "serve.in-episode",
                "this route belongs to no episode",
                fix="call the episode's tools by POST /call, which records them",
            )
        for name in self.server.profiles:
            if getattr(find_profile(name), group):
                return name
        raise _closed(group)

    def world_name(self, visit: Visit) -> str:
        """The world that a visit means."""
        running = self.episode(visit)
        return self.server.world_name(visit.world) if running is None else running.world

    def has(self, visit: Visit, group: Group) -> bool:
        """Whether a visit's episode, or a profile that is open without one, has a group of tools."""
        running = self.episode(visit)
        names = self.server.profiles if running is None else (running.episode.origin.profile,)
        return any(getattr(find_profile(name), group) for name in names)

    def require(self, visit: Visit, group: Group) -> None:
        """Raise `RequestError` unless the visit `has` a group of tools."""
        if not self.has(visit, group):
            raise _closed(group)

    async def use(self, visit: Visit, group: Group, tool: str, arguments: Mapping[str, Any]) -> Observation:
        """Call a tool by its usual name, through the visit's episode where it names one."""
        running = self.episode(visit)
        if running is not None:
            self.require(visit, group)
            called = running.episode.called(tool)
            if called is None:
                raise _closed(group)
            return await self.call_in(running, called, arguments)
        return await self.call_openly(visit, self.open_to(visit, group), tool, arguments)

    async def call_in(self, running: Running, tool: str, arguments: Mapping[str, Any] | str | None) -> Observation:
        """Call a tool of an episode."""
        episode = running.episode
        async with self.world(running.world):  # not closed meanwhile, even if the episode is deleted
            if _quick(episode.origin.profile) and not episode.origin.backend and not episode.busy:
                seen = episode.call(tool, arguments)
            else:
                limiter = self._models if episode.origin.backend else self._calls
                seen = await to_thread.run_sync(partial(episode.call, tool, arguments), limiter=limiter)
        self.metrics.observation(seen)
        return seen

    async def ask_engine(self, world: World, act: Callable[[SearchEngine], T]) -> T:
        """Do something with the search engine of a call without an episode; what a model wrote of it is counted."""
        backend = self.server.backend
        if backend is None:
            return act(world.engine)
        simulator = world.simulator(backend.simulation, backend.asks)
        found = await to_thread.run_sync(partial(act, simulator), limiter=self._models)
        self.metrics.written(simulator.taken())
        return found

    async def call_openly(
        self, visit: Visit, profile: str, tool: str, arguments: Mapping[str, Any] | str | None
    ) -> Observation:
        """Call a tool without an episode."""
        async with self.world(self.server.world_name(visit.world)) as world:
            if _quick(profile) and self.server.backend is None:
                seen = self.server.observe(world, profile, tool, arguments)
            else:
                act = partial(self.server.observe, world, profile, tool, arguments)
                limiter = self._calls if self.server.backend is None else self._models
                seen = await to_thread.run_sync(act, limiter=limiter)
        self.metrics.observation(seen)
        return seen


class Lease:
    """A world held open; written out, since a generator would cost each search a tenth more."""

    __slots__ = ("_desk", "_name")

    def __init__(self, desk: Desk, name: str) -> None:
        self._desk = desk
        self._name = name

    async def __aenter__(self) -> World:
        pool = self._desk.server.pool
        if pool.is_open(self._name):
            return pool.hold(self._name)
        return await self._desk.apart(partial(pool.hold, self._name))

    async def __aexit__(self, *_: object) -> None:
        self._desk.server.pool.release(self._name)


def _quick(profile: str) -> bool:
    found = find_profile(profile)
    return not (found.typed or found.sql)


def _closed(group: Group) -> RequestError:
    names = {"web": "search", "typed": "api", "sql": "sql", "pages": "open"}
    return RequestError(
        "serve.closed-profile",
        "the tool profile in use does not have this",
        expected=f"the profile {names[group]} or open",
        fix="start an episode of such a profile, or serve it with --profile",
    )
