from __future__ import annotations

from pathlib import Path

import pytest

from worldgen.corpus import write_corpus
from worldgen.facts.generate import generate
from worldgen.facts.reading import read_schema
from worldgen.llm import FakeServer
from worldgen.prose import Prose
from worldgen.prose.players import PLAYERS
from worldgen.prose.rewriting import rewrite

TINY = Path(__file__).parents[1] / "data" / "river-ferries.yaml"


@pytest.fixture(scope="session")
def facts():
    return generate(read_schema(TINY), 1)


@pytest.fixture(scope="session")
def pages(facts):
    """The tiny world's pages in the grammar's words, in both languages."""
    return write_corpus(facts, ["en", "zh"])


@pytest.fixture
def write(facts, tmp_path):
    """Pages in the words of a player, or of any behaviour of a fake server; the pages, and the counts."""

    def written(player, given):
        behaviour = PLAYERS[player] if isinstance(player, str) else player
        with FakeServer(behaviour, model="fake") as server:
            told = Prose("fake", server.url)
            with told.open() as asks:
                return rewrite(given, facts, told, asks, folder=tmp_path)

    return written
