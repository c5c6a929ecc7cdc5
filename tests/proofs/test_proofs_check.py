"""A sound world passes every proof, in one process and in two, and says the same in both."""

import json
import shutil
import subprocess
import sys
from contextlib import closing

import pytest

from worldgen.errors import WorldFormatError
from worldgen.proofs import check, leaks
from worldgen.proofs.check import _prove_cap
from worldgen.proofs.files import Files
from worldgen.world import World


def test_a_sound_world_passes_and_two_processes_agree_with_one(tiny_world):
    one, two = check(tiny_world, processes=1), check(tiny_world)
    assert [r.name for r in one.results if not r.passed] == []
    assert one.results == two.results
    assert json.loads(json.dumps(two.to_json()))["passed"] is True


def test_queries_of_a_process_that_fails_are_asked_here(tiny_world):
    child = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"], stdout=subprocess.PIPE, text=True)
    with World.load(tiny_world) as world, closing(Files(tiny_world)) as files:
        assert _prove_cap(files, world, child) == leaks.prove_cap(files, world)


def test_a_world_in_two_languages_passes(tiny_world_in_two_languages):
    report = check(tiny_world_in_two_languages)
    assert [f"{r.name}: {r.detail}" for r in report.results if not r.passed] == []


def test_a_world_without_its_database_is_no_world(tiny_world, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(tiny_world, copy)
    (copy / "world.db").unlink()
    with pytest.raises(WorldFormatError) as caught:
        check(copy)
    assert caught.value.code == "world.no-database"
