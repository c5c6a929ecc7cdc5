"""What a server is made of, apart from any protocol: worlds, episodes, keys, limits; HTTP and MCP both stand on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldgen.env import Episode, Limits, Trajectory
from worldgen.errors import CallerError
from worldgen.search.world_model.backend import Backend
from worldgen.serve.episodes import EpisodeStore, Running
from worldgen.serve.keys import Keys
from worldgen.serve.pool import WorldPool
from worldgen.tools import DictMemory, Observation, Toolbox
from worldgen.tools.profile import profile as find_profile
from worldgen.tools.tool import MAX_ARGUMENTS
from worldgen.world import Withholding, World


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Bounds that keep one caller from spoiling the server for the others.

    Attributes:
        body: Bytes of a request's body.
        call: Bytes of a request that calls a tool: an episode keeps what it was asked.
        record: Bytes of an episode's record that is to be restored.
        query: Characters of a search query.
        results: Results of one search.
        batch: Queries of one request.
        episodes: Episodes at once.
        idle_episode: Seconds after which an unused episode is forgotten.
        episode: Bounds of each episode.
    """

    body: int = 2_000_000
    call: int = 4 * MAX_ARGUMENTS
    record: int = 100_000_000
    query: int = 2_000
    results: int = 10
    batch: int = 64
    episodes: int = 10_000
    idle_episode: float = 3_600
    episode: Limits = field(default_factory=Limits)


class Server:
    """Worlds served together.

    Args:
        folders: Folders of built worlds.
        keys: Who may do what.
        profiles: Tool profiles that are open without an episode; episodes may have any. None is where a model invents.
        withholding: How much result pages hold back without an episode.
        limits: Bounds.
        most_open: Worlds open at once.
        perturbation: Plan of faults, as YAML text, of episodes that are started without one; calls without an episode
            meet no faults.
        backend: The world model that answers in the index's place; None for the index.
        hosts: Names, in lower case and without a port, by which requests may call the server; None for any.
    """

    def __init__(
        self,
        folders: Iterable[Path],
        *,
        keys: Keys,
        profiles: Iterable[str] = ("search",),
        withholding: Withholding = "strict",
        limits: ServerLimits | None = None,
        most_open: int = 48,
        perturbation: str = "",
        backend: Backend | None = None,
        hosts: Iterable[str] | None = None,
    ) -> None:
        self.keys = keys
        named = tuple(find_profile(name).name for name in profiles)
        # A call without an episode remembers nothing, and what a model invents must be remembered.
        invents = backend is not None and backend.simulation.mode == "free"
        self.profiles = () if invents else named
        self.withholding: Withholding = withholding
        self.perturbation = perturbation
        self.backend = backend
        self.hosts = None if hosts is None else frozenset(hosts)
        self.limits = limits or ServerLimits()
        self.pool = WorldPool(folders, most_open=most_open)
        self.on_observation: Callable[[Observation], None] = lambda seen: None
        self.episodes = EpisodeStore(self.pool, most=self.limits.episodes, idle_seconds=self.limits.idle_episode)

    def world_name(self, asked: str | None) -> str:
        """The world a request means: the one asked for, or the only one.

        Raises:
            CallerError: None is asked for and there are several, or there is none of that name.
        """
        names = self.pool.names()
        if asked is None:
            if len(names) > 1:
                raise CallerError(
                    "serve.which-world",
                    "several worlds are served, and the request names none",
                    expected="a path /w/<world>/…, or a header X-World",
                    got=", ".join(names[:5]) + (", …" if len(names) > 5 else ""),
                )
            return names[0]
        return self.pool.require(asked)

    def open_profile(self, name: str) -> str:
        """The profile, where it is open without an episode; `CallerError` where it is not."""
        find_profile(name)
        if name not in self.profiles:
            raise CallerError(
                "serve.closed-profile",
                f"the profile {name!r} is not open here without an episode",
                expected=" or ".join(self.profiles) or None,
                fix=f"start an episode of that profile, or serve with --profile {name}",
            )
        return name

    def toolbox(self, world: World, profile: str) -> Toolbox:
        """The tools of one call without an episode: nothing lasts, so there is no notebook."""
        engine = None if self.backend is None else world.simulator(self.backend.simulation, self.backend.asks)
        return world.toolbox(self.open_profile(profile), withholding=self.withholding, memory=False, engine=engine)

    def observe(
        self, world: World, profile: str, name: str, arguments: Mapping[str, Any] | str | None = None
    ) -> Observation:
        """Call a tool without an episode."""
        if name == DictMemory.name and find_profile(profile).web:
            return Observation(f"Error: {name} lasts for an episode, and this call belongs to none.", 400)
        return self.toolbox(world, profile).observe(name, arguments)

    def world_of_digest(self, digest: str) -> str:
        """The name of the world with that digest; `CallerError` where none is served."""
        for name, manifest in self.pool.manifests.items():
            if manifest.digest == digest:
                return name
        raise CallerError("serve.unknown-world", "no world of that digest is served here", got=digest[:64])

    def counted(self, seen: Observation) -> Observation:
        """The same observation, counted by whoever counts."""
        self.on_observation(seen)
        return seen

    def start(self, world: str, task: str | None, **settings: Any) -> Running:
        """Begin an episode; see `worldgen.env.Episode.start`."""
        limits = self.limits.episode
        return self._held(
            world, lambda opened: Episode.start(opened, task, limits=limits, backend=self.backend, **settings)
        )

    def restore(self, world: str, record: Trajectory) -> Running:
        """Begin an episode by playing its record again; see `worldgen.env.Episode.replay`."""
        limits = self.limits.episode
        return self._held(world, lambda opened: Episode.replay(opened, record, limits=limits, backend=self.backend))

    def tidy(self) -> None:
        """Forget what is idle: episodes, then worlds."""
        self.episodes.drop_idle()
        self.pool.close_idle()

    def close(self) -> None:
        """Close all worlds, and the model's connections."""
        self.pool.close()
        close = None if self.backend is None else getattr(self.backend.asks, "close", None)
        if close is not None:
            close()

    def _held(self, world: str, begin: Callable[[World], Episode]) -> Running:
        opened = self.pool.hold(world)
        try:
            return self.episodes.add(world, begin(opened))
        except BaseException:
            self.pool.release(world)
            raise
