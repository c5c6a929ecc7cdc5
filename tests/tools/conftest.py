from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from worldgen.world import World


@pytest.fixture(scope="session")
def tiny(tiny_world: Path) -> Iterator[World]:
    with World.load(tiny_world) as world:
        yield world


@pytest.fixture(scope="session")
def tiny_in_two_languages(tiny_world_in_two_languages: Path) -> Iterator[World]:
    with World.load(tiny_world_in_two_languages) as world:
        yield world
