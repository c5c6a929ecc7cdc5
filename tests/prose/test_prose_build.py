"""A world in a model's words: proven where the model is honest, free and the same when it is built again."""

import json
from itertools import count
from pathlib import Path

import pytest

from worldgen.errors import ServiceError
from worldgen.llm import FakeReply, FakeServer, ModelError
from worldgen.pipeline import build_world
from worldgen.prose import Prose
from worldgen.prose.players import paraphrases
from worldgen.store import read_manifest
from worldgen.store.manifest import build_key
from worldgen.world import World

SCHEMA = Path(__file__).parents[2] / "docs" / "small-schema.yaml"
NOWHERE = "http://127.0.0.1:9/v1"


def build(out, told=None, **more):
    return build_world(SCHEMA, seed=1, haystack=20, proofs=False, out=out, prose=told, **more)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("replies")


@pytest.fixture(scope="module")
def honest(tmp_path_factory, cache):
    with FakeServer(paraphrases, model="fake") as server:
        told = Prose("fake", server.url, cache=cache)
        return build_world(SCHEMA, seed=1, prose=told, out=tmp_path_factory.mktemp("honest"))


def test_an_honest_model_s_world_passes_all_proofs(honest):
    counts = honest.prose
    assert honest.checked.passed
    assert counts.rewritten > counts.sentences / 2
    assert counts.refused.total() < counts.sentences / 20
    assert counts.rewritten + counts.unchanged + counts.refused.total() == counts.sentences > 100


def test_it_is_a_world_of_its_own_and_says_what_decided_its_words(honest, tmp_path):
    plain = build(tmp_path)
    assert (honest.path.name, plain.path.name) == ("lake-lighthouses-prose-1", "lake-lighthouses-1")
    assert honest.manifest.build_key != plain.manifest.build_key
    assert read_manifest(honest.path).prose == Prose("fake", "http://elsewhere/v1").identity
    assert read_manifest(plain.path).prose is None
    told = json.loads((honest.path / "build.json").read_text("utf-8"))
    assert told["prose"] == honest.prose.to_json()
    assert "prose" in told["seconds"]
    assert "prose" not in json.loads((plain.path / "build.json").read_text("utf-8"))
    with World.load(honest.path) as new, World.load(plain.path) as old:
        alike = [page for url, page in old.pages.items() if new.pages.get(url) == page and page.kind == "sound"]
        assert len(alike) < sum(page.kind == "sound" for page in old.pages.values()) / 2


def test_a_warm_cache_builds_the_same_world_without_a_server(honest, cache, tmp_path):
    told = Prose("fake", NOWHERE, cache=cache)
    again = build_world(SCHEMA, seed=1, prose=told, out=tmp_path, proofs=False)
    assert again.manifest.digest == honest.manifest.digest
    assert (again.prose.stored, honest.prose.stored) == (again.prose.replies, 0)
    assert (again.prose.rewritten, again.prose.refused) == (honest.prose.rewritten, honest.prose.refused)


def test_a_world_that_stands_is_not_written_again(honest):
    again = build_world(SCHEMA, seed=1, prose=Prose("fake", NOWHERE), out=honest.path.parent)
    assert (again.existed, again.prose) == (True, None)


def test_a_model_that_dies_midway_ends_the_build_and_the_next_one_goes_on(tmp_path):
    number = count(1)

    def dies(request):
        return FakeReply("no", status=400) if next(number) > 20 else paraphrases(request)

    with FakeServer(dies, model="fake") as server, pytest.raises(ModelError) as raised:
        build(tmp_path / "out", Prose("fake", server.url, cache=tmp_path / "replies"))
    assert isinstance(raised.value, ServiceError)
    assert raised.value.code == "model.refused"
    assert not (tmp_path / "out").exists()
    with FakeServer(paraphrases, model="fake") as server:
        result = build(tmp_path / "out", Prose("fake", server.url, cache=tmp_path / "replies"))
        assert len(server.requests) == result.prose.replies - 20
    assert result.prose.stored == 20


@pytest.mark.parametrize("other", [{"model": "b"}, {"seed": 1}, {"temperature": 0.1}, {"max_tokens": 9}])
def test_what_decides_the_words_decides_the_world(other):
    from worldgen.facts.reading import read_schema

    def key(**told):
        return build_key(read_schema(SCHEMA), 1, ["en"], 20, "", Prose(**told).identity)

    given = {"model": "a", "url": "http://a/v1"}
    assert key(**given) == key(model="a", url="http://b/v1", jobs=2, cache=Path("x"))
    assert key(**{**given, **other}) != key(**given) != build_key(read_schema(SCHEMA), 1, ["en"], 20)
