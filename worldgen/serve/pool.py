"""The worlds behind one server: known by name from the start, opened when asked for, closed when idle."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic

from worldgen.errors import CallerError, did_you_mean
from worldgen.store import Manifest, read_manifest
from worldgen.world import World

MOST_OPEN = 48
IDLE_SECONDS = 300.0


@dataclass(slots=True)
class _Open:
    world: World
    used: float
    leases: int = 0


class WorldPool:
    """Worlds by the name of their folder. Safe to use from several threads.

    Args:
        folders: Folders of built worlds; two of one name are an error.
        most_open: Worlds open at once; beyond that the one unused for longest is closed, unless it is in use.
        idle_seconds: After which `close_idle` closes a world.

    Raises:
        WorldFormatError: A folder holds no readable world.
        CallerError: None is given, or two have one name.
    """

    def __init__(
        self, folders: Iterable[Path], *, most_open: int = MOST_OPEN, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._folders: dict[str, Path] = {}
        self.manifests: dict[str, Manifest] = {}
        for folder in folders:
            name = folder.resolve().name
            if name in self._folders:
                raise CallerError("serve.same-name", f"two worlds are called {name!r}", got=str(folder))
            self._folders[name] = folder
            self.manifests[name] = read_manifest(folder)
        if not self._folders:
            raise CallerError("serve.no-world", "no world to serve", expected="folders of built worlds")
        self._most_open = most_open
        self._idle_seconds = idle_seconds
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._lock = Lock()
        self._opening = {name: Lock() for name in self._folders}

    def names(self) -> list[str]:
        """All worlds, open or not."""
        return list(self._folders)

    def opened(self, name: str) -> World | None:
        """The world of that name if it is open now."""
        entry = self._open.get(name)
        return None if entry is None else entry.world

    def open_count(self) -> int:
        """How many are open now."""
        return len(self._open)

    def is_open(self, name: str) -> bool:
        """Whether `hold` would not have to wait for files."""
        return name in self._open

    def require(self, name: str) -> str:
        """The name itself; `CallerError` where no world is called so."""
        if name not in self._folders:
            raise CallerError(
                "serve.unknown-world",
                f"no world is called {name!r} here",
                expected=", ".join(self.names()[:5]) + (", …" if len(self._folders) > 5 else ""),
                fix=did_you_mean(name, self.names()),
            )
        return name

    def folder(self, name: str) -> Path:
        """Where the world of that name lies."""
        return self._folders[self.require(name)]

    def get(self, name: str) -> World:
        """The world of that name, for a use that ends at once: without a lease others may make the pool close it."""
        with self.lease(name) as world:
            return world

    @contextmanager
    def lease(self, name: str) -> Iterator[World]:
        """The world of that name for as long as the block lasts: it is not closed meanwhile."""
        world = self.hold(name)
        try:
            yield world
        finally:
            self.release(name)

    def hold(self, name: str) -> World:
        """The world of that name, opened if need be, not closed until `release`.

        Others can be had while one is opened, which takes long where its index must be built again.

        Raises:
            CallerError: There is none of that name.
            WorldFormatError: It cannot be read any more.
        """
        self.require(name)
        world = self._held(name)
        if world is not None:
            return world
        with self._opening[name]:
            world = self._held(name)
            if world is not None:
                return world
            world = World.load(self._folders[name])
            _ = world.engine  # opened here, and not by the first search
            with self._lock:
                self._open[name] = _Open(world, monotonic(), leases=1)
                self._shrink()
            return world

    def release(self, name: str) -> None:
        """End what `hold` began."""
        with self._lock:
            entry = self._open.get(name)
            if entry is not None:  # the pool may have been closed meanwhile
                entry.leases -= 1
                entry.used = monotonic()
                self._shrink()

    def close_idle(self) -> int:
        """Close the worlds that nobody has used for a while; how many."""
        with self._lock:
            before = monotonic() - self._idle_seconds
            idle = [name for name, entry in self._open.items() if entry.leases == 0 and entry.used < before]
            for name in idle:
                self._open.pop(name).world.close()
            return len(idle)

    def close(self) -> None:
        """Close all worlds."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].world.close()

    def _held(self, name: str) -> World | None:
        with self._lock:
            entry = self._open.get(name)
            if entry is None:
                return None
            entry.leases += 1
            entry.used = monotonic()
            self._open.move_to_end(name)
            return entry.world

    def _shrink(self) -> None:
        """Close those unused for longest while too many are open; one that is leased stays."""
        if len(self._open) > self._most_open:
            for name in [name for name, entry in self._open.items() if entry.leases == 0]:
                self._open.pop(name).world.close()
                if len(self._open) <= self._most_open:
                    break
