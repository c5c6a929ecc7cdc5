from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import pytest

from worldgen.disjoint import Gazetteer, NameKind


def _made(name: str, *held: tuple[NameKind, str], version: str | None = "1.0") -> Gazetteer:

    class Fake(Gazetteer):
        package = f"{name}-package"
        holds: ClassVar[tuple[NameKind, ...]] = tuple(dict.fromkeys(kind for kind, _ in held))

        def version(self) -> str | None:
            return version

        def names(self) -> Iterator[tuple[NameKind, str]]:
            yield from held

    Fake.name = name
    return Fake()


@pytest.fixture
def made() -> Callable[..., Gazetteer]:
    """Makes a gazetteer of a name that holds what is said, installed unless its version is None."""
    return _made


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the given gazetteers be all there are."""

    def put(*gazetteers: Gazetteer) -> None:
        there = {gazetteer.name: gazetteer for gazetteer in gazetteers}
        monkeypatch.setattr("worldgen.disjoint.report.all_gazetteers", lambda: list(there.values()))
        monkeypatch.setattr("worldgen.disjoint.report.gazetteer_of", there.__getitem__)

    return put
