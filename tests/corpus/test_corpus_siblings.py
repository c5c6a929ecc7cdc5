"""A haystack is the same whoever writes it: this process, several workers, or this one after its workers failed."""

from __future__ import annotations

import io
import pickle
import signal
from pathlib import Path

import pytest

from worldgen.corpus import siblings as module
from worldgen.corpus.haystack import haystack_pages
from worldgen.corpus.siblings import Family, serve, siblings
from worldgen.facts.generate import generate
from worldgen.facts.naming import names_of
from worldgen.facts.tables import Facts
from worldgen.schema import load_schema

SCHEMA = Path(__file__).parents[1] / "data" / "river-ferries.yaml"


@pytest.fixture(scope="module")
def facts() -> Facts:
    return generate(load_schema(str(SCHEMA)), 5)


def test_workers_write_the_same_haystack(facts: Facts) -> None:
    alone = haystack_pages(facts, ["en"], 520, workers=1)
    assert len(alone) == 520
    assert haystack_pages(facts, ["en"], 520, workers=2) == alone


def test_what_failing_workers_leave_is_written_here(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    family = Family(facts.schema, facts.seed, ("en",), names_of(facts))
    monkeypatch.setattr(module, "_PROGRAM", "raise SystemExit(3)")
    assert list(siblings(family, 2, workers=2)) == [family.sibling(0), family.sibling(1)]


def test_workers_end_with_the_iteration(facts: Facts) -> None:
    hands: list[module._Hand] = []
    made = module._Hand.__init__

    def noted(hand: module._Hand, family: Family, numbers: range) -> None:
        made(hand, family, numbers)
        hands.append(hand)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module._Hand, "__init__", noted)
        written = siblings(Family(facts.schema, facts.seed, ("en",), frozenset()), 1000, workers=2)
        next(written)
        written.close()
    assert len(hands) == 2
    assert all(hand._process.returncode is not None for hand in hands)


def test_a_worker_answers_its_numbers_in_order(facts: Facts) -> None:
    family = Family(facts.schema, facts.seed, ("en",), frozenset())
    sink = io.BytesIO()
    before = signal.getsignal(signal.SIGINT)
    try:
        serve(io.BytesIO(pickle.dumps((family, range(1, 2)))), sink)
    finally:
        signal.signal(signal.SIGINT, before)
    sink.seek(0)
    assert pickle.load(sink) == family.sibling(1)
