"""A build is the same bytes everywhere, whole or not there, and says so when it stands already."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from worldgen.errors import CallerError, GenerationError
from worldgen.pipeline import STAGES, build, build_world
from worldgen.store import read_manifest
from worldgen.world import World

ROOT = Path(__file__).parents[2]
TINY = ROOT / "tests" / "data" / "river-ferries.yaml"
SMALL = {"haystack": 30, "proofs": False, "languages": ["en"]}
# The pinned bytes of the tiny world. They change when the format, a grammar or a table of names changes, and then on
# purpose: bump FORMAT_VERSION where an older reader could not read the new world.
GOLDEN = "tests/data/river-ferries.digest"


def artefacts(world: Path) -> dict[str, str]:
    manifest = read_manifest(world)
    return {"digest": manifest.digest, **manifest.tables, **manifest.artefacts}


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    return build_world(TINY, seed=2, out=tmp_path_factory.mktemp("built"), **SMALL).path


def test_the_tiny_world_has_its_pinned_digest(built):
    assert read_manifest(built).digest == (ROOT / GOLDEN).read_text("utf-8").strip()


VARIANTS = {
    "hash seed": {"PYTHONHASHSEED": "4242"},
    "locale and time zone": {"LC_ALL": "C.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Kiritimati"},
    "processor features": {
        "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
    },
}


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_other_surroundings_give_the_same_bytes(built, tmp_path, variant):
    script = (
        "from worldgen.pipeline import build_world\n"
        f"build_world({str(TINY)!r}, seed=2, out={str(tmp_path)!r}, haystack=30, proofs=False, languages=['en'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore", **VARIANTS[variant]}
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True, timeout=120)
    other = tmp_path / built.name
    assert artefacts(other) == artefacts(built)
    for name in read_manifest(built).artefacts:
        assert (other / name).read_bytes() == (built / name).read_bytes()


def test_a_rerun_stands_and_force_rebuilds(built):
    again = build_world(TINY, seed=2, out=built.parent, **SMALL)
    assert again.existed
    forced = build_world(TINY, seed=2, out=built.parent, force=True, **SMALL)
    assert not forced.existed
    assert forced.manifest.digest == again.manifest.digest


def test_another_build_at_the_place_is_not_overwritten(built):
    with pytest.raises(CallerError, match="another build stands there"):
        build_world(TINY, seed=2, out=built.parent, haystack=31, proofs=False, languages=["en"])


def test_a_foreign_folder_is_not_overwritten(tmp_path):
    place = tmp_path / "river-ferries-2"
    place.mkdir()
    (place / "thesis.txt").write_text("years of work")
    for force in (False, True):
        with pytest.raises(CallerError, match="no readable world"):
            build_world(TINY, seed=2, out=tmp_path, force=force, **SMALL)
    assert (place / "thesis.txt").read_text() == "years of work"


def test_a_link_in_the_place_is_not_replaced(built, tmp_path):
    place = tmp_path / "river-ferries-2"
    place.symlink_to(built)
    for force in (False, True):
        with pytest.raises(CallerError, match="a link stands there"):
            build_world(TINY, seed=2, out=tmp_path, force=force, **SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["river-ferries-2"]
    assert (built / "manifest.json").is_file()


def test_stages_are_reported_in_order(tmp_path):
    seen: list[str] = []
    build(TINY, seed=4, out=tmp_path, report=seen.append, **SMALL).close()
    assert seen == list(STAGES[:-1])


def test_an_unsatisfied_check_leaves_nothing(tmp_path):
    text = TINY.read_text("utf-8").replace("WHERE year(f.launched) < l.founded", "WHERE year(f.launched) > 0")
    schema = tmp_path / "impossible.yaml"
    schema.write_text(text, "utf-8")
    with pytest.raises(GenerationError, match="ferry/"):
        build_world(schema, seed=2, out=tmp_path / "out", **SMALL)
    assert list(tmp_path.iterdir()) == [schema]


def test_a_world_without_rows_or_questions_builds(tmp_path):
    text = TINY.read_text("utf-8")
    for count in ("count: 14", "count: 9", "count: 48"):
        text = text.replace(count, "count: 0")
    text = text.replace("degree: {mean: 1.5, max: 3}", "degree: {even: true}")
    schema = tmp_path / "empty.yaml"
    schema.write_text(text, "utf-8")
    with build(schema, seed=2, out=tmp_path / "out", haystack=0, proofs=False, languages=["en"]) as world:
        assert world.tasks == []
        assert world.manifest.counts["rows"] == 0
        assert world.search("anything") == [] or world.manifest.counts["pages"] > 0


def _start(out: Path, **limits) -> subprocess.Popen:
    def prepare() -> None:
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, name), (value, value))

    return subprocess.Popen(
        [sys.executable, "cli.py", "build", str(TINY), "--seed", "2", "--out", str(out), "--haystack", "600"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=prepare,
    )


def _await_staging(out: Path, process: subprocess.Popen) -> None:
    for _ in range(600):
        if list(out.glob(".river-ferries-2.partial-*/world.db")):
            time.sleep(0.4)  # in the midst of facts or haystack
            return
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    raise AssertionError("the build never started")


def test_a_killed_build_leaves_no_world_and_the_next_one_is_whole(tmp_path):
    process = _start(tmp_path)
    _await_staging(tmp_path, process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert not (tmp_path / "river-ferries-2").exists()
    assert list(tmp_path.iterdir()) != []
    build_world(TINY, seed=2, out=tmp_path, **SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["river-ferries-2"]


def test_an_interrupted_build_exits_130_and_cleans_up(tmp_path):
    process = _start(tmp_path)
    _await_staging(tmp_path, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_clear_line(tmp_path):
    process = _start(tmp_path, RLIMIT_FSIZE=200_000)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2, err
    assert "free" in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_place_is_one_clear_line(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    process = _start(blocked / "below")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2, err
    assert "build.cannot-write" in err


def test_the_index_is_a_cache_that_ranks_alike(built, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(built, copy)
    with World.load(copy) as world:
        before = [hit.url for hit in world.search("ferries landing price", 20)]
    for damage in ("missing", "damaged", "stale"):
        index = copy / "index"
        if damage == "missing":
            shutil.rmtree(index)
        elif damage == "damaged":
            for path in index.iterdir():
                path.write_bytes(b"\0")
        else:
            manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
            manifest["digest"] = "0" * 64
            (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
        with World.load(copy) as world:
            assert [hit.url for hit in world.search("ferries landing price", 20)] == before


def test_python_sees_the_same_world(built):
    with World.load(built) as world:
        fact = world.facts["ferry/0/length"]
        assert world.sql("SELECT length FROM ferry WHERE id = 'ferry/0'") == [(float(fact.value),)]
        graph = world.graph()
        assert graph.nodes["ferry/0"]["length"] == fact.value
        assert len(world.pages) == world.manifest.counts["pages"]
        assert world.open(next(iter(world.pages))).body
        with pytest.raises(CallerError, match="refused"):
            world.sql("DELETE FROM ferry")


def test_the_small_schema_of_the_reference_builds_with_its_proofs(tmp_path):
    result = build_world(ROOT / "docs" / "small-schema.yaml", seed=7, out=tmp_path)
    assert result.checked is not None
    crawl = next(proof for proof in result.checked.results if proof.name == "agents.crawl")
    assert "not judged" in crawl.detail
