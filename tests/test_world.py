"""The door to a world: wrong calls are told plainly; threads, forks, pickles and closing are safe."""

import gc
import json
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from worldgen import World, build, check, load_schema
from worldgen.env import Episode
from worldgen.errors import CallerError, UnknownPage, WorldFormatError
from worldgen.family import build_family
from worldgen.pipeline import build_world
from worldgen.scoring import read_answers, read_tasks
from worldgen.tools import read_plan

ROOT = Path(__file__).parents[1]
TINY = ROOT / "tests" / "data" / "river-ferries.yaml"


@pytest.fixture
def world(tiny_world):
    with World.load(tiny_world) as opened:
        yield opened


@pytest.mark.parametrize("url", ["nope", "", "https://nowhere.example/", "\ud800"])
def test_an_unknown_page_is_a_key_error_that_says_more(world, url):
    with pytest.raises(UnknownPage) as caught:
        world.open(url)
    assert isinstance(caught.value, KeyError)
    assert "take URLs from search results" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    str(caught.value).encode()


def test_an_address_is_brought_to_its_form(world):
    url = next(iter(world.pages))
    assert world.open(f" {url}#top").url == url


WRONG = {
    "open None": lambda world: world.open(None),
    "open bytes": lambda world: world.open(b"x"),
    "open list": lambda world: world.open(["x"]),
    "search None": lambda world: world.search(None),
    "search list": lambda world: world.search(["a"]),
    "search k": lambda world: world.search("a", "3"),
    "search k true": lambda world: world.search("a", True),
    "search withholding": lambda world: world.search("a", withholding="all"),
    "toolbox withholding": lambda world: world.toolbox(withholding="all"),
    "sql None": lambda world: world.sql(None),
    "sql half a character": lambda world: world.sql("\ud800"),
    "load None": lambda world: World.load(None),
    "load bytes": lambda world: World.load(b"/tmp"),
    "schema None": lambda world: load_schema(None),
    "schema list": lambda world: load_schema(["x"]),
    "build seed": lambda world: build(TINY, seed="7"),
    "build seed true": lambda world: build(TINY, seed=True),
    "build haystack": lambda world: build(TINY, haystack=1.5),
    "build languages": lambda world: build(TINY, languages="en"),
    "build out": lambda world: build(TINY, out=3),
    "build processes": lambda world: build_world(TINY, processes="2"),
    "family schema": lambda world: list(build_family(3)),
    "family count": lambda world: list(build_family(TINY, count="2")),
    "family jobs": lambda world: list(build_family(TINY, jobs=None)),
    "check None": lambda world: check(None),
    "check number": lambda world: check(3),
    "check processes": lambda world: check(world.path, processes="2"),
    "toolbox profile None": lambda world: world.toolbox(None),
    "toolbox profile list": lambda world: world.toolbox(["search"]),
    "toolbox perturbation": lambda world: world.toolbox(perturbation="flaky"),
    "warm None": lambda world: world.is_warm(None),
    "sql seconds": lambda world: world.sql("SELECT 1", seconds="10"),
    "sql seconds true": lambda world: world.sql("SELECT 1", seconds=True),
    "sql limit": lambda world: world.sql("SELECT 1", limit=None),
    "addresses after": lambda world: world.addresses(after=None),
    "addresses limit": lambda world: world.addresses(limit="9"),
    "aliases": lambda world: world.aliases("fr"),
    "episode world": lambda world: Episode.start(None),
    "episode task": lambda world: Episode.start(world, 3),
    "episode profile": lambda world: Episode.start(world, profile=3),
    "episode withholding": lambda world: Episode.start(world, withholding=["none"]),
    "episode perturbation": lambda world: Episode.start(world, perturbation=3),
    "plan None": lambda world: read_plan(None),
    "tasks None": lambda world: read_tasks(None),
    "answers None": lambda world: read_answers(None),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_a_wrong_argument_is_the_callers_mistake(world, call):
    with pytest.raises(CallerError) as caught:
        call(world)
    assert caught.value.expected
    assert caught.value.got
    str(caught.value).encode()


def test_an_unknown_option_of_a_build_is_a_type_error():
    with pytest.raises(TypeError, match="sede"):
        build(TINY, sede=3)


def damage(place: Path, how: str) -> Path:
    manifest = place / "manifest.json"
    if how == "missing":
        shutil.rmtree(place)
    elif how == "empty":
        shutil.rmtree(place)
        place.mkdir()
    elif how == "foreign":
        manifest.write_text('{"name": "a web application"}')
    elif how == "newer":
        manifest.write_text(json.dumps({**json.loads(manifest.read_text("utf-8")), "format": 99}))
    elif how == "no database":
        (place / "world.db").unlink()
    elif how == "damaged database":
        (place / "world.db").write_bytes(b"no database" * 100)
    else:
        manifest.write_bytes(b"\xff\xfe")
    return place


@pytest.mark.parametrize(
    "how", ["missing", "empty", "foreign", "newer", "no database", "damaged database", "damaged manifest"]
)
def test_what_is_no_world_is_told(tiny_world, tmp_path, how):
    place = damage(Path(shutil.copytree(tiny_world, tmp_path / "copy")), how)
    with pytest.raises(WorldFormatError, match=r"\[world\."):
        World.load(place)


def test_threads_share_a_world(tiny_world):
    """In a process of its own, so that a deadlock is a failure and no hang."""
    program = f"""
from concurrent.futures import ThreadPoolExecutor
from worldgen import World

def use(part):
    for url in list(world.pages)[part::2] * 2:
        assert world.open(url).url == url
        assert world.sql("SELECT count(*) FROM ferry WHERE year(launched) > 0") == [(48,)]
        next(iter(world.facts))
    return [hit.url for hit in world.search("ferry landing price")]

with World.load({str(tiny_world)!r}) as world, ThreadPoolExecutor(2) as pool:
    first, second = pool.map(use, range(2))
    assert first == second != []
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, timeout=120, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_pickled_world_opens_its_place(world):
    with pickle.loads(pickle.dumps(world)) as again:
        assert again.path == world.path.resolve()
        assert again.manifest == world.manifest
        assert len(again.facts) == len(world.facts)


def test_a_forked_process_opens_the_files_for_itself(tiny_world):
    program = f"""
import os
from worldgen import World
with World.load({str(tiny_world)!r}) as world:
    url = next(iter(world.pages))
    expected = [hit.url for hit in world.search("ferry")]
    child = os.fork()
    if child == 0:
        same = world.open(url).url == url and [hit.url for hit in world.search("ferry")] == expected
        os._exit(0 if same and world.sql("SELECT 1") == [(1,)] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert world.open(url).url == url
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    subprocess.run([sys.executable, "-c", program], env=environment, timeout=120, check=True)


def test_a_closed_world_says_so_and_closes_again(tiny_world):
    with World.load(tiny_world) as world:
        url = next(iter(world.pages))
    world.close()
    for use in (lambda: world.open(url), lambda: world.search("a"), lambda: len(world.facts), lambda: world.sql("x")):
        with pytest.raises(CallerError, match=r"the world is closed .*\[world\.closed\]"):
            use()


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("ends", ["well", "badly"])
def test_a_build_leaves_the_collector_as_it_was(tmp_path, on, ends):
    def report(stage: str) -> None:
        assert gc.isenabled() == on
        if ends == "badly" and stage == "graph":
            raise KeyboardInterrupt

    before = gc.isenabled()
    (gc.enable if on else gc.disable)()
    try:
        with suppress(KeyboardInterrupt):
            build(TINY, seed=3, out=tmp_path, haystack=0, proofs=False, languages=["en"], report=report).close()
        assert gc.isenabled() == on
    finally:
        (gc.enable if before else gc.disable)()
    assert not list(tmp_path.glob(".*"))


def test_missing_packages_are_named():
    done = subprocess.run(
        [sys.executable, "-S", "cli.py", "schemas"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "is not installed" in done.stderr
    assert "pip install" in done.stderr


@pytest.mark.parametrize("url", [b"\x80", b"https://x.example/\xff"])
def test_bytes_that_are_no_text_are_a_plain_error(tiny_world, url):
    done = subprocess.run(
        [sys.executable, "-m", "worldgen", "open", str(tiny_world), url],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"[page.unknown]" in done.stderr


def test_an_index_is_made_once_by_two_threads(tiny_world, tmp_path):
    place = Path(shutil.copytree(tiny_world, tmp_path / "copy", ignore=shutil.ignore_patterns("index")))
    with World.load(place) as world, ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: world.engine, range(2))
    assert first is second
