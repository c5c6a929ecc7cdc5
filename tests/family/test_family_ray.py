"""The engine `ray` on a cluster of several nodes, all of this machine: the same worlds, whatever node dies."""

import threading
import time
import warnings
from pathlib import Path

import pytest

from worldgen.family import build_family
from worldgen.pipeline import BuildResult

TINY = Path(__file__).parents[1] / "data" / "river-ferries.yaml"
QUICK = {"haystack": 0, "languages": ["en"], "proofs": False}


@pytest.fixture
def cluster(monkeypatch):
    """A cluster of a head without cores and two nodes with one each."""
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray = pytest.importorskip("ray", reason="the extra worldgen[ray] is not installed")
        from ray.cluster_utils import Cluster

        small = {"object_store_memory": 80_000_000}
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **small})
        nodes = [made.add_node(num_cpus=1, **small) for _ in range(2)]
        ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
        yield made, nodes
        ray.shutdown()
        made.shutdown()


def digests(outcomes):
    results = list(outcomes)
    assert all(isinstance(result, BuildResult) for result in results), results
    return {result.path.name: result.manifest.digest for result in results}


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_builds_the_same_worlds_although_a_node_dies(cluster, tmp_path):
    made, nodes = cluster
    here = digests(build_family(TINY, count=6, vary=True, out=tmp_path / "here", **QUICK))
    ended = []

    def kill():
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if len(list((tmp_path / "there").glob("river-ferries-*"))) >= 1:
                made.remove_node(nodes[1], allow_graceful=False)
                ended.append(True)
                return
            time.sleep(0.02)

    killer = threading.Thread(target=kill)
    killer.start()
    there = digests(build_family(TINY, count=6, vary=True, jobs=2, engine="ray", out=tmp_path / "there", **QUICK))
    killer.join()
    assert ended
    assert there == here
    assert sorted(entry.name for entry in (tmp_path / "there").iterdir()) == sorted(here)
