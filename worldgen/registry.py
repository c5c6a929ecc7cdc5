"""One class behind every extension point: a name, a thing, an honest error for an unknown name.

Built-in things register themselves at import of their module; plug-ins come by the entry-point group
``worldgen.<kind>`` and are loaded at the first look-up that needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from worldgen.errors import CallerError, did_you_mean

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to things of one kind.

    Args:
        kind: What is registered, in the singular; plug-ins use the entry-point group ``worldgen.<kind>``.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: dict[str, T] = {}
        self._discovered = False

    def register(self, name: str) -> Callable[[T], T]:
        """Decorate a thing to register it under a name; a name taken raises `CallerError`."""

        def add(item: T) -> T:
            if name in self._items and self._items[name] is not item:
                raise CallerError(f"{self.kind}.duplicate", f"{self.kind} {name!r} is registered already")
            self._items[name] = item
            return item

        return add

    def get(self, name: str) -> T:
        """The thing of that name; `CallerError` lists the valid ones."""
        if name not in self._items:
            self._discover()
        if name not in self._items:
            raise CallerError(
                f"{self.kind}.unknown",
                f"unknown {self.kind} {name!r}",
                expected=" or ".join(self.names()) or "none is registered",
                fix=did_you_mean(name, self.names()),
            )
        return self._items[name]

    def names(self) -> list[str]:
        """All names, sorted, plug-ins included."""
        self._discover()
        return sorted(self._items)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def _discover(self) -> None:
        if self._discovered:
            return
        self._discovered = True
        for point in sorted(entry_points(group=f"worldgen.{self.kind}"), key=lambda p: p.name):
            if point.name not in self._items:
                self._items[point.name] = point.load()
