"""`worldgen serve --backend world-model`: what a model writes, over HTTP and MCP, and what is counted of it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from worldgen.cli.backend import ModelOptions
from worldgen.llm.fake import FakeServer
from worldgen.search.world_model.players import babbles, copies

QUERY = "ferries with a diesel drive"


@pytest.fixture(scope="module")
def babbling(tiny_world, serve):
    """The tiny world behind a model that babbles, and the model."""
    with FakeServer(babbles) as model:
        words = ["--backend", "world-model", "--model-url", model.url, "--model", "fake", "--no-model-cache"]
        with serve(str(tiny_world), *words) as served:
            yield served, model


def counts(served):
    """The metrics about the model: name with labels → value."""
    lines = served.trainer.get("/metrics").text.splitlines()
    told = [line.rsplit(" ", 1) for line in lines if line.startswith(("worldgen_written", "worldgen_model"))]
    return {name: float(value) for name, value in told}


def test_every_surface_shows_the_index_and_counts_the_fall_back(babbling, open_server):
    served, model = babbling
    before = counts(served)
    calls = [
        ("/search", {"query": QUERY, "k": 3}),
        ("/retrieve", {"query": QUERY}),
        ("/batch_search", {"queries": [QUERY, "landings"]}),
        ("/call", {"name": "web_search", "arguments": {"query": QUERY}}),
    ]
    for route, body in calls:
        assert served.nobody.post(route, json=body).json() == open_server.nobody.post(route, json=body).json(), route
    url = served.nobody.post("/search", json={"query": QUERY, "k": 1}).json()["results"][0]["url"]
    pages = [each.nobody.post("/open", json={"url": url}).json() for each in (served, open_server)]
    assert pages[0] == pages[1]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    call["params"] = {"name": "web_search", "arguments": {"query": QUERY}}
    headers = {"accept": "application/json, text/event-stream"}
    over_mcp = served.nobody.post("/mcp/search", json=call, headers=headers).json()
    assert over_mcp["result"]["content"][0]["text"].startswith("[1] https://")
    after = counts(served)

    def more(name):
        return after.get(name, 0.0) - before.get(name, 0.0)

    assert more('worldgen_written_total{action="search",outcome="fallback"}') == 7
    assert more('worldgen_written_total{action="open",outcome="fallback"}') == 1
    assert more('worldgen_model_replies_total{action="search"}') == 21
    assert more('worldgen_written_reasons_total{reason="unknown-result"}') == 7
    assert more("worldgen_model_requests_total") == 24 == len(model.requests)
    assert more("worldgen_model_prompt_tokens_total") > 0


def test_the_page_tells_of_each_count(babbling):
    page = (Path(__file__).parents[2] / "docs" / "world-model.md").read_text("utf-8")
    table = page.split("| `worldgen_model_…` |")[1].split("\n\n")[0]
    told = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert {f"worldgen_model_{name}" for name in told} == {
        name for name in counts(babbling[0]) if name.startswith("worldgen_model_") and "{" not in name
    }


def test_an_episode_tells_the_trainer_and_not_the_agent(babbling):
    served, _ = babbling
    episode = served.start(task=served.task())
    id = episode["episode"]
    said = served.nobody.post("/call", json={"episode": id, "name": "web_search", "arguments": {"query": QUERY}})
    assert set(said.json()) == {"text", "ok"}
    record = served.trainer.get(f"/episodes/{id}/trajectory").json()
    assert '"mode": "grounded"' in record["start"]["backend"]
    (written,) = record["steps"][0]["written"]
    assert (written["action"], written["outcome"]) == ("search", "fallback")
    assert "missing-result" in written["reasons"]
    assert "Paris" in written["replies"][0]
    again = served.trainer.post("/episodes/restore", json=record)
    assert again.status_code == 201
    assert served.trainer.get(f"/episodes/{again.json()['episode']}/trajectory").json() == record


def test_half_a_character_in_a_reply_is_told_and_plays_again(tiny_world, serve):
    with FakeServer(lambda request: "\ud800 Paris") as model:
        words = ["--backend", "world-model", "--model-url", model.url, "--model", "fake", "--no-model-cache"]
        with serve(str(tiny_world), *words) as served:
            id = served.start(task=served.task())["episode"]
            served.nobody.post("/call", json={"episode": id, "name": "web_search", "arguments": {"query": QUERY}})
            record = served.trainer.get(f"/episodes/{id}/trajectory").json()
            old = json.dumps(record).replace("\\ufffd", "\\ud800")
            again = served.trainer.post("/episodes/restore", content=old).json()["episode"]
            assert served.trainer.get(f"/episodes/{again}/trajectory").json() == record
    assert old != json.dumps(record)
    assert set(record["steps"][0]["written"][0]["replies"]) == {"\ufffd Paris"}


def test_a_model_s_replies_are_kept_and_cost_nothing_the_second_time(tiny_world, serve, tmp_path):
    with FakeServer(copies) as model:
        words = ["--backend", "world-model", "--model-url", model.url, "--model", "fake"]
        with serve(str(tiny_world), *words, "--model-cache", str(tmp_path / "kept")) as served:
            first = served.nobody.post("/search", json={"query": QUERY}).json()
            again = served.nobody.post("/search", json={"query": QUERY}).json()
            told = counts(served)
    assert first == again
    assert len(model.requests) == 1
    assert told["worldgen_model_stored_total"] == 1
    assert told['worldgen_written_total{action="search",outcome="accepted"}'] == 2


def test_a_dead_model_leaves_the_server_well_and_is_not_waited_for(tiny_world, serve):
    with FakeServer("dead") as model:
        words = ["--backend", "world-model", "--model-url", model.url, "--model", "fake", "--no-model-cache"]
        pauses = {"WORLDGEN_MODEL_FAILURES": "1", "WORLDGEN_MODEL_PAUSE": "600", "WORLDGEN_MODEL_LONGEST_PAUSE": "600"}
        with serve(str(tiny_world), *words, **pauses) as served:
            first = served.nobody.post("/search", json={"query": QUERY}).json()
            sent = len(model.requests)
            told = [served.nobody.post("/search", json={"query": QUERY}).json() for _ in range(10)]
            after = counts(served)
    assert first["results"]
    assert told == [first] * 10
    assert len(model.requests) == sent
    assert after['worldgen_written_reasons_total{reason="model.unreachable"}'] == 1
    assert after['worldgen_written_reasons_total{reason="model.down"}'] == 10
    assert after['worldgen_written_total{action="search",outcome="fallback"}'] == 11
    assert (after["worldgen_model_skipped_total"], after["worldgen_model_trips_total"]) == (10, 1)


def test_in_free_mode_there_are_episodes_alone_and_each_has_a_ledger(tiny_world, serve, babbling):
    with FakeServer(babbles) as model:
        words = ["--backend", "world-model", "--mode", "free", "--model-url", model.url, "--model", "fake"]
        with serve(str(tiny_world), *words, "--no-model-cache") as served:
            assert served.nobody.post("/search", json={"query": QUERY}).status_code == 403
            assert served.trainer.post("/episodes", json={"task": served.task()}).status_code == 400
            id = served.start()["episode"]
            call = {"episode": id, "name": "web_search", "arguments": {"query": QUERY}}
            assert served.nobody.post("/call", json=call).json()["text"].startswith("No results found")
            assert served.nobody.get(f"/episodes/{id}/ledger").status_code in (401, 403)
            told = served.trainer.get(f"/episodes/{id}/ledger")
            assert json.loads(told.text.splitlines()[0])["world"] == "river-ferries"
    grounded = babbling[0]
    none = grounded.trainer.get(f"/episodes/{grounded.start()['episode']}/ledger").json()
    assert none["error"]["code"] == "serve.no-ledger"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--backend", "world-model"], "model.not-named"),
        (["--model-url", "http://127.0.0.1:1/v1", "--model", "m"], "model.not-used"),
        (["--mode", "free"], "model.not-used"),
        (["--attempts", "2"], "model.not-used"),
        (["--backend", "world-model", "--model-url", "ftp://x", "--model", "m", "--no-model-cache"], "model.url"),
        (
            ["--backend", "world-model", "--model-url", "http://h/v1", "--model", "m", "--model-cache", "/proc/nope"],
            "model.cache",
        ),
        (
            ["--backend", "world-model", "--model-url", "http://h/v1", "--model", "m", "--instruction", "no-such"],
            "instruction.unknown",
        ),
        (
            ["--backend", "world-model", "--model-url", "http://h/v1", "--model", "m", "--instruction", "empty-result"],
            "world-model.instruction-mode",
        ),
    ],
)
def test_a_model_that_cannot_be_asked_is_one_line(tiny_world, words, code):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("WORLDGEN_")}
    command = [sys.executable, "-m", "worldgen", "serve", str(tiny_world), "--port", "0", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=clean)
    assert done.returncode == 2
    assert f"[{code}]" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_name_that_the_server_does_not_list_is_one_line(tiny_world):
    with FakeServer(copies) as model:
        words = ["--backend", "world-model", "--model-url", model.url, "--model", "fakee", "--port", "0"]
        clean = {key: value for key, value in os.environ.items() if not key.startswith("WORLDGEN_")}
        command = [sys.executable, "-m", "worldgen", "serve", str(tiny_world), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=clean)
    assert done.returncode == 2
    assert "did you mean 'fake'?" in done.stderr
    assert "[model.unknown-name]" in done.stderr


def test_the_options_are_those_that_the_command_has_by_default():
    assert ModelOptions(None, None, "grounded", 3, (), None, no_cache=False, max_tokens=8_192) == ModelOptions()
