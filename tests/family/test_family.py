"""Families of worlds: the same with one process or several, and whole whatever dies."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from worldgen.errors import CallerError, ServiceError
from worldgen.family import build_family, errands
from worldgen.pipeline import BuildResult

TINY = Path(__file__).parents[1] / "data" / "river-ferries.yaml"
QUICK = {"haystack": 0, "languages": ["en"], "proofs": False}


def digests(outcomes):
    results = list(outcomes)
    assert all(isinstance(result, BuildResult) for result in results), results
    return {result.path.name: result.manifest.digest for result in results}


def test_a_family_is_the_same_with_one_job_and_two(tmp_path):
    one = digests(build_family(TINY, count=3, seed=5, vary=True, out=tmp_path / "one", **QUICK))
    two = digests(build_family(TINY, count=3, seed=5, vary=True, jobs=2, out=tmp_path / "two", **QUICK))
    assert one == two
    assert sorted(one) == ["river-ferries-v5-5", "river-ferries-v6-6", "river-ferries-v7-7"]
    again = list(build_family(TINY, count=3, seed=5, vary=True, out=tmp_path / "one", **QUICK))
    assert [result.existed for result in again] == [True] * 3


def test_without_a_schema_all_shipped_ones_take_turns():
    found = errands(None, count=40, seed=3)
    assert len({errand.schema for errand in found[:11]}) == 11
    assert {errand.variant for errand in found} == {0}
    later = errands(None, count=1, seed=20, vary=True)[0]
    assert later.schema == found[17].schema
    assert later.variant == 20


def test_every_so_manieth_world_is_proven():
    found = errands(TINY, count=7, seed=2, prove_every=3)
    assert [errand.options["proofs"] for errand in found] == [True, False, False, True, False, False, True]
    unproven = errands(TINY, count=2, prove_every=1, proofs=False)
    assert [errand.options["proofs"] for errand in unproven] == [False, False]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"count": 0}, "count starts at 1"), ({"jobs": 0}, "jobs start at 1"), ({"prove_every": 0}, "starts at 1"),
     ({"engine": "rai"}, "did you mean .ray.")],
)  # fmt: skip
def test_wrong_arguments_are_told(wrong, told, tmp_path):
    with pytest.raises(CallerError, match=told):
        list(build_family(TINY, out=tmp_path, **wrong))


def children():
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [int(number) for number in listed]


def spawned():
    """Children of this process that build worlds."""
    return [pid for pid in children() if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds its workers by /proc")
def test_a_killed_worker_loses_nothing(tmp_path):
    before, killed = set(spawned()), []

    def kill():
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            # One that has begun a world: its staging folder stands.
            if list((tmp_path / "killed").glob("*/")) or list((tmp_path / "killed").glob(".*")):
                for pid in set(spawned()) - before:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                    break
            time.sleep(0.02)

    plain = digests(build_family(TINY, count=4, out=tmp_path / "plain", **QUICK))
    killer = threading.Thread(target=kill)
    killer.start()
    found = digests(build_family(TINY, count=4, jobs=2, out=tmp_path / "killed", **QUICK))
    killer.join()
    assert killed
    assert found == plain
    assert sorted(entry.name for entry in (tmp_path / "killed").iterdir()) == sorted(plain)


class Deadly:
    """An errand that ends its process."""

    def __init__(self):
        self.options = {"seed": 1}

    def run(self):
        os._exit(9)


def test_what_kills_its_process_each_time_is_given_up(tmp_path):
    from worldgen.family.processes import in_processes

    found = list(in_processes([Deadly(), Deadly()], 2, tmp_path))
    assert [type(one) for one in found] == [ServiceError, ServiceError]
    assert "died, 3 times" in str(found[0])
