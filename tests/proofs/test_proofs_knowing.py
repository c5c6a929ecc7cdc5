"""Two ways to find out since when facts are known agree, and a fact is known when all that it is computed from is."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldgen.corpus.knowing import ALWAYS, known_days, may_change
from worldgen.facts.generate import generate
from worldgen.facts.tables import EPOCH
from worldgen.proofs.files import Files
from worldgen.proofs.knowing import Knowledge, after
from worldgen.schema.canonical import from_canonical


@pytest.fixture(scope="module")
def files(tiny_world):
    opened = Files(tiny_world)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def facts(tiny_world: Path):
    return generate(from_canonical((tiny_world / "schema.json").read_text("utf-8")), 1)


def test_proofs_and_corpus_agree_since_when_facts_are_known(files, facts):
    told = {
        facts.tables[table].fact(row, attribute): EPOCH.fromordinal(EPOCH.toordinal() + day).isoformat()
        for (table, attribute), days in known_days(facts).items()
        for row, day in enumerate(days.tolist())
        if day > ALWAYS and facts.tables[table].kind != "series"
    }
    assert told
    assert Knowledge(files).since == told


def test_proofs_and_corpus_agree_what_can_change(files, facts):
    knowledge = Knowledge(files)
    for table in facts:
        for attribute in table.columns if table.kind != "series" else ():
            assert knowledge.fixed(table.id(0), attribute) != may_change(facts, table.name, attribute), attribute
    fixed = ("landing/0", "opened"), ("landing/0", "depth"), ("line/0", "licence"), ("ferry/0", "price")
    assert all(knowledge.fixed(*each) for each in fixed)
    assert not any(
        knowledge.fixed(*each) for each in (("landing/0", "residents"), ("line/0", "seat"), ("call/0", "fare"))
    )


def test_a_count_is_known_with_the_last_thing_counted(files):
    since = Knowledge(files).since
    launched = [row["launched"] for row in files.table("ferry") if row["line"] == "line/0"]
    assert since["line/0/fleet"] == max(launched)
    assert since["landing/0/residents"] == "2028-06-01"
    assert "line/0/staff" not in since


@pytest.mark.parametrize(
    ("time", "day"),
    [
        ("2028-06-18", "2028-06-18"), ("2028", "2029-01-01"), ("2028-Q4", "2029-01-01"), ("2028-Q1", "2028-04-01"),
        ("2028-12", "2029-01-01"), ("2028-09", "2028-10-01"),
    ],
)  # fmt: skip
def test_a_period_is_known_when_it_is_over(time, day):
    assert after(time) == day
