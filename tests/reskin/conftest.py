"""The built world that the tests of epochs move."""

import pytest

from worldgen.world import World


@pytest.fixture(scope="module")
def world(tiny_world_in_two_languages):
    with World.load(tiny_world_in_two_languages) as opened:
        yield opened
