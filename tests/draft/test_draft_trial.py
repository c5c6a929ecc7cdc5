"""What a trial finds, and to which piece of a draft each finding goes."""

from pathlib import Path

import pytest

from worldgen.draft.trial import FRAME, RULES, built, rehearsed, troubles
from worldgen.errors import CheckBroken, ProofError
from worldgen.facts.reading import read_schema
from worldgen.pipeline import BuildResult

SMALL = Path(__file__).parents[2] / "docs" / "small-schema.yaml"
TEXT = SMALL.read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "piece"),
    [
        ("world: lake", "world: Lake", FRAME),
        ("strategy: long_tail", "strategy: short_tail", FRAME),
        ("count: 40", "count: -40", FRAME),
        ("name: {kind: place}", "name: {kind: palace}", FRAME),
        ("light/lights,", "light,", FRAME),
        ("uniform: [1790, 1860]", "uniform: [1860, 1790]", "trust"),
        ("ref: trust", "ref: trusts", "lighthouse"),
        ("0.8 * height", "0.8 * tallness", "lighthouse"),
        ("WHERE year(l.lit)", "WHERE century(l.lit)", RULES),
        ('t.founded"', 't.founded + 500"', RULES),
        ("host: forum", "host: messenger", FRAME),
    ],
)
def test_each_mistake_is_that_of_the_piece_it_stands_in(tmp_path, old, new, piece):
    assert TEXT.count(old) == 1
    path = tmp_path / "changed.yaml"
    path.write_text(TEXT.replace(old, new), "utf-8")
    found = rehearsed(path, 1)
    assert isinstance(found, list)
    assert {trouble.piece for trouble in found} == {piece}


def test_a_rule_that_another_world_breaks_is_told_to_the_rules(tmp_path):
    # The tallest tower of seed 1 has 35.0 m, that of seed 2 has 37.9 m.
    path = tmp_path / "lucky.yaml"
    path.write_text(TEXT.replace("year(l.lit) < t.founded", "l.height > 36 OR year(l.lit) < t.founded"), "utf-8")
    schema = rehearsed(path, 1)
    assert not isinstance(schema, list)
    found = built(path, schema, 2, ["en"])
    assert isinstance(found, list)
    assert [(piece, type(error)) for piece, error in found] == [(RULES, CheckBroken)]


def test_a_proof_that_fails_is_told_to_the_kinds_that_it_names():
    schema = read_schema(SMALL)
    named = ProofError("build.proof-failed", "1 of 37 proofs failed", got="statements.values: lighthouse/3/lit is …")
    assert troubles(named, schema) == [("lighthouse", named)]
    other = ProofError("build.proof-failed", "1 of 37 proofs failed", got="agents.crawl: 0.6, ceiling 0.5")
    assert troubles(other, schema) == [(FRAME, other)]


def test_a_world_on_trial_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = built(SMALL, read_schema(SMALL), 1, ["en"])
    assert isinstance(found, BuildResult)
    assert found.checked.passed
    assert list(tmp_path.iterdir()) == []
