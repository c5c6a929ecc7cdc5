from __future__ import annotations

from pathlib import Path

import pytest

from worldgen.pipeline import build_world

TINY = Path(__file__).parent / "data" / "river-ferries.yaml"


@pytest.fixture(scope="session")
def tiny_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small English world, built once a session; read it, never write it."""
    return _built(tmp_path_factory.mktemp("tiny"), ["en"])


@pytest.fixture(scope="session")
def tiny_world_in_two_languages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same small world in English and Chinese."""
    return _built(tmp_path_factory.mktemp("tiny-two"), ["en", "zh"])


def _built(out: Path, languages: list[str]) -> Path:
    return build_world(TINY, seed=1, languages=languages, haystack=120, proofs=False, out=out).path
