"""The episodes that run on a server: each with an id that nobody guesses, isolated, forgotten when idle."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from threading import Lock
from time import monotonic

from worldgen.env import Episode
from worldgen.errors import CallerError
from worldgen.serve.pool import WorldPool


class UnknownEpisode(CallerError):
    """No episode of that id runs here: it never did, or it was deleted, or it idled too long."""


class TooManyEpisodes(CallerError):
    """The server runs as many episodes as it may."""


@dataclass(slots=True)
class Running:
    """An episode on the server: its id, the world it holds open, when it was last used."""

    id: str
    world: str
    episode: Episode
    used: float


class EpisodeStore:
    """Running episodes by id. Safe to use from several threads.

    Args:
        pool: Where their worlds are; an episode holds its world open.
        most: Episodes at once.
        idle_seconds: After which `drop_idle` forgets an episode.
    """

    def __init__(self, pool: WorldPool, *, most: int = 10_000, idle_seconds: float = 3_600) -> None:
        self._pool = pool
        self._most = most
        self._idle_seconds = idle_seconds
        self._running: dict[str, Running] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._running)

    def add(self, world: str, episode: Episode) -> Running:
        """Take in an episode whose world the caller holds in the pool; the store releases it.

        Raises:
            TooManyEpisodes: There is no room.
        """
        with self._lock:
            if len(self._running) >= self._most:
                raise TooManyEpisodes(
                    "serve.too-many-episodes",
                    "the server runs as many episodes as it may",
                    expected=f"at most {self._most}",
                    fix="delete episodes that have ended",
                )
            running = Running(secrets.token_urlsafe(18), world, episode, monotonic())
            self._running[running.id] = running
            return running

    def get(self, id: str) -> Running:
        """The episode of that id; `UnknownEpisode` where there is none."""
        running = self._running.get(id)
        if running is None:
            raise UnknownEpisode(
                "serve.unknown-episode",
                "no episode of that id runs here",
                expected="an id as POST /episodes gave it",
                fix="start one, or restore it from its record",
            )
        running.used = monotonic()
        return running

    def delete(self, id: str) -> None:
        """Forget an episode; `UnknownEpisode` where there is none."""
        self._drop(self.get(id).id)

    def drop_idle(self) -> int:
        """Forget the episodes that nobody has used for a while; how many."""
        before = monotonic() - self._idle_seconds
        idle = [id for id, running in list(self._running.items()) if running.used < before]
        return sum(self._drop(id) for id in idle)

    def _drop(self, id: str) -> bool:
        """Whether it was there; it may have been deleted at the same time."""
        with self._lock:
            running = self._running.pop(id, None)
        if running is not None:
            self._pool.release(running.world)
        return running is not None
