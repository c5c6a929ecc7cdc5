"""Worlds to write about: the shipped schemas, filled once a session."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from worldgen.corpus import write_corpus
from worldgen.facts.generate import generate
from worldgen.facts.tables import Facts
from worldgen.records import Page
from worldgen.schema.loader import load_schema

SCHEMAS = Path(__file__).parents[2] / "schemas"
WORLDS = ("smartphone-market", "county-football", "software-company", "municipal-election")


@cache
def facts_of(name: str) -> Facts:
    """The facts of a shipped schema, seed 7."""
    return generate(load_schema(SCHEMAS / f"{name}.yaml"), 7)


@cache
def pages_of(name: str) -> tuple[Page, ...]:
    """Its English pages."""
    return tuple(write_corpus(facts_of(name), ["en"]))


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest) -> tuple[Facts, tuple[Page, ...]]:
    """A world's facts and English pages."""
    return facts_of(request.param), pages_of(request.param)


@pytest.fixture
def market() -> tuple[Facts, tuple[Page, ...]]:
    """The smartphone market's facts and English pages."""
    return facts_of("smartphone-market"), pages_of("smartphone-market")


@pytest.fixture(scope="session")
def schemas() -> Path:
    """Where the shipped schemas lie."""
    return SCHEMAS
