"""Where an MCP client sits: a world and a profile, and whether an episode or nobody keeps what it did before.

The protocol's handlers know nothing of paths, keys and episodes; they ask a `Seat`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import Any, Protocol

from worldgen.env import Episode
from worldgen.serve.episodes import Running
from worldgen.serve.server import Server
from worldgen.tools import DictMemory, Observation, Toolbox
from worldgen.tools.profile import profiles
from worldgen.world import World


class Seat(Protocol):
    """What the protocol's handlers need of a client's place; its methods may block."""

    profile: str

    @property
    def quick(self) -> bool:
        """Whether a call takes milliseconds at most: no SQL of the agent's, nothing to open first."""

    def specs(self) -> list[dict[str, Any]]:
        """The tools as OpenAI function schemas."""

    def called(self, usual: str) -> str | None:
        """What a tool is called here, which a fault may have renamed; None where it is not among these."""

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """Call a tool.

        Raises:
            EpisodeEnded: The episode takes no more calls.
        """

    def world(self) -> AbstractContextManager[World]:
        """The world, open for as long as the block lasts."""


class OpenSeat:
    """A seat without an episode: each call stands alone, so there are no notes to keep."""

    def __init__(self, server: Server, world: str, profile: str) -> None:
        self.profile = profile
        self._server = server
        self._world = world

    @property
    def quick(self) -> bool:
        """See `Seat.quick`."""
        world = self._server.pool.opened(self._world)
        if world is None or self._server.backend is not None:
            return False
        return not profiles()[self.profile].sql and world.is_warm(self.profile)

    def specs(self) -> list[dict[str, Any]]:
        """See `Seat.specs`."""
        with self.world() as world:
            specs = self._server.toolbox(world, self.profile).specs()
        return [spec for spec in specs if spec["function"]["name"] != DictMemory.name]

    def called(self, usual: str) -> str | None:
        """See `Seat.called`."""
        return usual

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """See `Seat.call`."""
        if name == DictMemory.name:
            return Observation(f"Error: {name} needs an episode, which keeps the notes.", 400)
        with self.world() as world:
            return self._server.counted(self._server.toolbox(world, self.profile).observe(name, arguments))

    def world(self) -> AbstractContextManager[World]:
        """See `Seat.world`."""
        return self._server.pool.lease(self._world)


class EpisodeSeat:
    """A seat in a running episode: its tools, faults, notes and limits; the episode holds its world open."""

    def __init__(self, server: Server, running: Running) -> None:
        self.profile = running.episode.origin.profile
        self._server = server
        self._running = running

    @property
    def quick(self) -> bool:
        """See `Seat.quick`; a call waits for the one before and for the scoring of the answer."""
        episode = self._running.episode
        return not profiles()[self.profile].sql and not episode.origin.backend and not episode.busy

    def specs(self) -> list[dict[str, Any]]:
        """See `Seat.specs`."""
        return self._running.episode.tools

    def called(self, usual: str) -> str | None:
        """See `Seat.called`."""
        return self._running.episode.called(usual)

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """See `Seat.call`."""
        return self._server.counted(self._running.episode.call(name, arguments))

    def world(self) -> AbstractContextManager[World]:
        """See `Seat.world`."""
        return self._server.pool.lease(self._running.world)


class Process:
    """The one seat of a process: its world stays open, and its notes last as long as it does."""

    quick = False

    def __init__(self, world: World, profile: str, tools: Toolbox | Episode) -> None:
        self.profile = profile
        self._world = world
        self._tools = tools
        self._lock = Lock()

    def specs(self) -> list[dict[str, Any]]:
        """See `Seat.specs`."""
        return self._tools.tools if isinstance(self._tools, Episode) else self._tools.specs()

    def called(self, usual: str) -> str | None:
        """See `Seat.called`."""
        return self._tools.called(usual)

    def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """See `Seat.call`; calls take turns."""
        if isinstance(self._tools, Episode):
            return self._tools.call(name, arguments)
        with self._lock:
            return self._tools.observe(name, arguments)

    @contextmanager
    def world(self) -> Iterator[World]:
        """See `Seat.world`."""
        yield self._world
