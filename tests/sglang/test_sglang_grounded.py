"""Grounded mode on SGLang itself: a model that babbles always falls back, never leaks, and is counted."""

import re

import pytest
from starlette.testclient import TestClient

from worldgen import World
from worldgen.env import Episode
from worldgen.llm import Blocking, ModelClient
from worldgen.search.world_model.backend import Backend, Simulation
from worldgen.serve.app import make_app
from worldgen.serve.keys import Keys
from worldgen.serve.server import Server

QUERIES = ("ferries with a diesel drive", "staff of the lines")


@pytest.fixture(scope="module")
def walked(tiny_world, sglang_url):
    """An episode in which a model that babbles was asked for two result pages and two pages, and the same without."""
    with World.load(tiny_world) as world, Blocking(ModelClient(sglang_url, "babbler")) as model:
        simulation = Simulation(model="babbler", attempts=2, max_tokens=64)
        episode = Episode.start(world, backend=Backend(simulation, model))
        plain = Episode.start(world)
        for query in QUERIES:
            found = plain.call("web_search", {"query": query})
            episode.call("web_search", {"query": query})
            url = re.search(r"^\[1\] (\S+)$", found.text, re.MULTILINE)[1]
            for one in (plain, episode):
                one.call("web_extractor", {"url": url})
        usage = model.usage
        yield world, episode.trajectory(), plain.trajectory(), usage


def test_what_babbles_is_never_shown(walked):
    _, record, plain, _ = walked
    assert [step.observation for step in record.steps] == [step.observation for step in plain.steps]
    written = [answer for step in record.steps for answer in step.written]
    assert [answer.outcome for answer in written] == ["fallback"] * 4
    assert not [answer.failure for answer in written if answer.failure]
    assert all(len(answer.replies) == 2 and answer.reasons for answer in written)


def test_the_server_s_prefix_cache_finds_the_rules(walked):
    _, _, _, usage = walked
    assert usage.requests == 8
    assert usage.cached > usage.prompt / 3


def test_the_record_plays_again_without_the_server(walked):
    world, record, _, _ = walked
    assert Episode.replay(world, record).trajectory() == record


def test_what_it_comes_to_is_counted_by_worldgen_s_own_metrics(tiny_world, sglang_url):
    with World.load(tiny_world) as world, Blocking(ModelClient(sglang_url, "babbler")) as model:
        backend = Backend(Simulation(model="babbler", attempts=1, max_tokens=32), model)
        server = Server([tiny_world], keys=Keys.make("trainer-key", None), backend=backend)
        with TestClient(make_app(server)) as client:
            shown = client.post("/search", json={"query": QUERIES[0]}).json()["results"]
            told = client.get("/metrics", headers={"Authorization": "Bearer trainer-key"}).text
        plain = world.search(QUERIES[0])
    assert [result["snippet"] for result in shown] == [hit.snippet for hit in plain]
    assert 'worldgen_written_total{action="search",outcome="fallback"} 1.0' in told
    assert "worldgen_model_requests_total 1.0" in told
