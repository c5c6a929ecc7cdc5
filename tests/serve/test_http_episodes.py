"""Episodes over HTTP: isolated, answered once, replayed after a crash; what an agent may not see it does not see."""

import json
import signal
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from serve_answers import gold_answer

from worldgen import World
from worldgen.reskin import reskin
from worldgen.serve.http.errors import plain_error

PLAN = {"faults": [{"kind": "rate_limit", "rate": 1, "retry_after": 3, "in_a_row": 1}]}
WORLD = "river-ferries-1"


def call(client: httpx.Client, episode: str, name: str, **arguments: object) -> httpx.Response:
    return client.post("/call", json={"name": name, "arguments": arguments, "episode": episode})


def test_an_episode_from_question_to_reward(open_server, tiny_world):
    task = open_server.task()
    begun = open_server.start(task=task)
    assert begun["question"]
    id = begun["episode"]
    assert call(open_server.nobody, id, "web_search", query="ferry").json()["ok"]
    assert open_server.trainer.get(f"/episodes/{id}/reward").json() == {"submitted": False, "reward": None}
    with World.load(tiny_world) as world:
        answer = gold_answer(next(t for t in world.tasks if t.instance_id == task))
    reply = open_server.nobody.post(f"/episodes/{id}/submit", json={"answer": answer})
    assert reply.json() == {"submitted": True}
    assert open_server.nobody.post(f"/episodes/{id}/submit", json={"answer": answer}).status_code == 409
    assert call(open_server.nobody, id, "web_search", query="ferry").status_code == 409
    assert open_server.trainer.get(f"/episodes/{id}/reward").json()["reward"]["value"] == 1.0
    assert open_server.trainer.delete(f"/episodes/{id}").json() == {"deleted": True}
    assert call(open_server.nobody, id, "web_search", query="ferry").status_code == 404


def test_an_episode_in_an_epoch_speaks_in_its_names(open_server, tiny_world):
    task = open_server.task()
    begun = open_server.start(task=task, epoch=2)
    with World.load(tiny_world) as world:
        told = next(t for t in reskin(world, 2).tasks if t.instance_id == task)
        built = next(t for t in world.tasks if t.instance_id == task)
    assert begun["question"] == told.question != built.question
    open_server.nobody.post(f"/episodes/{begun['episode']}/submit", json={"answer": gold_answer(told)})
    assert open_server.trainer.get(f"/episodes/{begun['episode']}/reward").json()["reward"]["value"] == 1.0
    record = open_server.trainer.get(f"/episodes/{begun['episode']}/trajectory").json()
    assert record["start"]["epoch"] == 2
    assert open_server.trainer.post("/episodes", json={"task": task, "epoch": -1}).status_code == 422


def test_a_body_is_json_whatever_it_is_called(open_server):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    reply = open_server.trainer.post("/episodes", content=json.dumps({"seed": 3}), headers=headers)
    assert reply.status_code == 201
    id = reply.json()["episode"]
    reply = open_server.nobody.post(f"/episodes/{id}/submit", content='{"answer": "none"}', headers=headers)
    assert reply.json() == {"submitted": True}


def test_notes_are_each_episodes_own(open_server):
    first, second = open_server.start()["episode"], open_server.start()["episode"]
    call(open_server.nobody, first, "dict_memory", operation="add", dict={"a": 1})
    assert call(open_server.nobody, first, "dict_memory", operation="retrieve_all").json()["text"] == '{"a": 1}'
    assert call(open_server.nobody, second, "dict_memory", operation="retrieve_all").json()["text"] == "{}"


def test_a_refusal_is_a_real_status_without_a_label(open_server):
    id = open_server.start(perturbation=PLAN)["episode"]
    refused = call(open_server.nobody, id, "web_search", query="ferry")
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "3"
    text = "Error: 429 Too Many Requests. Try again in 3 seconds."
    assert refused.json() == {**plain_error(429, text), "text": text, "ok": False}
    assert call(open_server.nobody, id, "web_search", query="ferry").status_code == 200
    steps = open_server.trainer.get(f"/episodes/{id}/trajectory").json()["steps"]
    assert [step["faults"] for step in steps] == [["rate_limit"], []]
    assert 'worldgen_faults_total{kind="rate_limit"}' in open_server.trainer.get("/metrics").text


@pytest.mark.parametrize("plan", ["flaky", "faults: [{kind: timeout, rate: 0.1}]", PLAN, None, ""])
def test_plans_by_name_text_and_object(open_server, plan):
    assert open_server.start(perturbation=plan)["episode"]


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ({"perturbation": "/etc/passwd"}, 400),
        ({"perturbation": {"faults": [{"kind": "no-such"}]}}, 400),
        ({"perturbation": "a: &a [*a]"}, 400),
        ({"perturbation": "[" * 5_000}, 400),
        ({"perturbation": {"faults": [], "\ud83d": 1}}, 400),
        ({"perturbation": 3}, 422),
        ({"task": "no-such"}, 404),
        ({"profile": "no-such"}, 400),
        ({"withholding": "no-such"}, 422),
        ({"seed": 2**63}, 422),
        ({"seed": -1}, 422),
        ({"world": "no-such"}, 404),
        ({"wrld": "x"}, 422),
    ],
)
def test_what_cannot_begin_says_why(open_server, settings, status):
    reply = open_server.trainer.post("/episodes", content=json.dumps(settings))
    assert reply.status_code == status, reply.text
    assert reply.json()["error"]["message"]
    assert "root:" not in reply.text


def test_a_profile_is_all_that_its_episode_reaches_on_any_route(guarded_server):
    for profile, allowed in {
        "search": {"site"},
        "api": {"api", "openapi"},
        "sql": {"sql"},
        "open": {"site", "api", "openapi", "sql"},
    }.items():
        id = guarded_server.start(world=WORLD, profile=profile)["episode"]
        agent = guarded_server.agent
        replies = {
            "site": agent.get(f"/e/{id}/site/?q=ferry"),
            "api": agent.get("/api/ferry", headers={"X-Episode": id}),
            "openapi": agent.get(f"/e/{id}/api/openapi.json"),
            "sql": agent.post(f"/e/{id}/sql", json={"query": "SELECT 1"}),
        }
        assert {name for name, reply in replies.items() if reply.status_code == 200} == allowed, profile
        assert {reply.status_code for reply in replies.values()} <= {200, 403}
        unknown = agent.post("/call", json={"name": "nothing", "episode": id}).json()["text"]
        offered = [tool["function"]["name"] for tool in agent.get(f"/tools?episode={id}").json()["tools"]]
        assert all(name in unknown for name in offered)
        for closed in ("/search?q=a", "/open?url=a"):
            assert agent.get(closed, headers={"X-Episode": id}).status_code == 400


def test_calls_over_rest_and_the_site_are_recorded(open_server):
    id = open_server.start(
        profile="open", perturbation={"faults": [{"kind": "rename_tool", "tool": "ferry_get", "to": "boat"}]}
    )["episode"]
    row = open_server.nobody.get(f"/e/{id}/api/ferry/3").json()
    assert row == open_server.nobody.get("/api/ferry/3").json()
    open_server.nobody.get(f"/e/{id}/site/?q=ferry")
    open_server.nobody.post(f"/e/{id}/sql", json={"query": "SELECT 1"})
    steps = open_server.trainer.get(f"/episodes/{id}/trajectory").json()["steps"]
    assert [step["name"] for step in steps] == ["boat", "web_search", "sql_query"]


def test_keys(guarded_server):
    id = guarded_server.start(world=WORLD)["episode"]
    for client, status in ((guarded_server.nobody, 401), (guarded_server.agent, 403), (guarded_server.trainer, 200)):
        for path in (f"/episodes/{id}", f"/episodes/{id}/reward", f"/episodes/{id}/trajectory", "/metrics"):
            assert client.get(path).status_code == status, path
        assert client.get(f"/w/{WORLD}/tasks").status_code == status
    for client, status in ((guarded_server.nobody, 401), (guarded_server.agent, 403)):
        assert client.post("/episodes", json={"world": WORLD}).status_code == status
        assert client.post("/episodes/restore", json={}).status_code == status
        assert client.delete(f"/episodes/{id}").status_code == status
        assert client.get(f"/w/{WORLD}/search?q=a").status_code == (401 if status == 401 else 200)
    wrong = {"Authorization": "Bearer wrong-key-é".encode()}
    assert guarded_server.nobody.get(f"/w/{WORLD}/search?q=a", headers=wrong).status_code == 401
    assert guarded_server.agent.post(f"/episodes/{id}/submit", json={"answer": ""}).status_code == 200


def test_an_episode_is_of_one_world(guarded_server):
    id = guarded_server.start(world=WORLD)["episode"]
    body = {"name": "web_search", "arguments": {"query": "a"}, "episode": id}
    assert guarded_server.agent.post("/w/river-ferries-copy/call", json=body).status_code == 400
    assert guarded_server.agent.post(f"/w/{WORLD}/call", json=body).status_code == 200


def test_after_kill_9_an_episode_goes_on_from_its_record(tiny_world, serve):
    with serve(str(tiny_world), "--perturb", "rough") as first:
        task = first.task()
        begun = first.start(task=task, seed=11)
        seen = [call(first.nobody, begun["episode"], "web_search", query=f"ferry {n}").text for n in range(12)]
        record = first.trainer.get(f"/episodes/{begun['episode']}/trajectory").json()
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(10)
    assert "rate_limit" in record["start"]["perturbation"]
    with serve(str(tiny_world)) as second:
        restored = second.trainer.post("/episodes/restore", json=record).json()
        assert restored["question"] == begun["question"]
        assert restored["tools"] == begun["tools"]
        assert second.trainer.get(f"/episodes/{restored['episode']}/trajectory").json() == record
        again = second.start(task=task, seed=11, perturbation="rough")["episode"]
        repeated = [call(second.nobody, again, "web_search", query=f"ferry {n}").text for n in range(12)]
        assert repeated == seen
        following = [call(second.nobody, id, "web_search", query="next").text for id in (restored["episode"], again)]
        assert following[0] == following[1]
        record["steps"][0]["observation"] += "!"
        assert second.trainer.post("/episodes/restore", json=record).json()["error"]["code"] == "env.replay-differs"
        record["start"]["world"] = "0" * 64
        assert second.trainer.post("/episodes/restore", json=record).status_code == 404
        assert second.trainer.post("/episodes/restore", json={"start": 1}).status_code == 400


def test_episodes_side_by_side_do_not_disturb_one_another(open_server):
    def run(seed: int) -> list[str]:
        id = open_server.start(seed=seed, perturbation="rough", profile="search")["episode"]
        with httpx.Client(base_url=open_server.url, timeout=60, trust_env=False) as client:
            return [call(client, id, "web_search", query=f"landing {n}").text for n in range(8)]

    alone = [run(seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(run, range(6))) == alone
    assert alone[0] != alone[1]


def test_every_seed_that_the_description_allows_begins_an_episode(open_server):
    schema = open_server.nobody.get("/openapi.json").json()["components"]["schemas"]["NewEpisode"]
    bounds = schema["properties"]["seed"]
    for seed in (int(bounds["minimum"]), int(bounds["exclusiveMaximum"]) - 1):
        assert open_server.start(seed=seed)["episode"]


def test_a_mistaken_rest_request_in_an_episode_is_a_call_of_it(open_server):
    id = open_server.start(profile="open", perturbation=PLAN)["episode"]
    asked = {
        "/api/ferry/99999": 404,
        "/api/ferry?seats_min=many": 400,
        "/api/ferry?nothing=1": 400,
        "/api/ferry?limit=1&limit=2": 400,
        "/api/ferry/3?id=ferry/4": 400,
        "/api/ferry?length_min=nan": 400,
        f"/api/ferry?seats_min={'9' * 400}": 400,
        "/api/ferry?seats_min=100": 200,
    }
    for path, status in asked.items():
        replies = [open_server.nobody.get(f"/e/{id}{path}") for _ in range(2)]
        assert [reply.status_code for reply in replies] == [429, status], path
        assert replies[1].json() == open_server.nobody.get(path).json()
    for body, status in (({}, 400), ({"query": "SELECT 1", "more": 1}, 400), ({"query": "SELECT 1"}, 200)):
        replies = [open_server.nobody.post(f"/e/{id}/sql", json=body) for _ in range(2)]
        assert [reply.status_code for reply in replies] == [429, status], body
    record = open_server.trainer.get(f"/episodes/{id}/trajectory").json()
    assert [step["status"] for step in record["steps"]] == [429, 400] * 7 + [429, 200] + [429, 400] * 2 + [429, 200]
    assert open_server.trainer.post("/episodes/restore", json=record).status_code == 201
    open_server.nobody.post(f"/episodes/{id}/submit", json={"answer": ""})
    assert {open_server.nobody.get(f"/e/{id}{path}").status_code for path in asked} == {409}
    assert open_server.nobody.post(f"/e/{id}/sql", json={}).status_code == 409
