"""The sample world in the repository is what its schema builds today, and it is sound."""

import shutil
from pathlib import Path

from worldgen.pipeline import build_world
from worldgen.proofs import check
from worldgen.store import read_manifest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "worlds" / "river-ferries-1"


def test_the_sample_is_what_its_schema_builds(tmp_path):
    schema = ROOT / "tests" / "data" / "river-ferries.yaml"
    built = build_world(schema, seed=1, haystack=120, languages=["en"], out=tmp_path, proofs=False)
    assert read_manifest(SAMPLE) == built.manifest


def test_the_sample_passes_every_proof(tmp_path):
    copy = tmp_path / "sample"
    shutil.copytree(SAMPLE, copy, ignore=shutil.ignore_patterns("index*"))
    report = check(copy)
    assert [f"{r.name}: {r.detail}" for r in report.results if not r.passed] == []
