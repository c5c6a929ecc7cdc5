"""The routes of a real server: what they say, in which shape, under which bounds."""

import json
import re

import pytest

from worldgen import World

ERROR = {"code", "message", "expected", "got", "fix"}


@pytest.fixture(scope="module")
def world(tiny_world):
    with World.load(tiny_world) as opened:
        yield opened


def a_query(world):
    return next(iter(world.pages.values())).title


def test_health_and_readiness(guarded_server):
    assert guarded_server.nobody.get("/health").json() == {"status": "ok"}
    assert guarded_server.nobody.get("/ready").json() == {"status": "ready", "worlds": 2}


def test_the_worlds_tell_the_trainer_more_than_the_agent(guarded_server):
    agent = guarded_server.agent.get("/worlds").json()
    trainer = guarded_server.trainer.get("/worlds").json()
    assert [w["world"] for w in agent["worlds"]] == ["river-ferries-1", "river-ferries-copy"]
    assert {"digest", "counts", "open"} & set(agent["worlds"][0]) == set()
    assert trainer["worlds"][0]["digest"]


def test_search_by_body_and_by_query_finds_what_the_engine_finds(open_server, world):
    query = a_query(world)
    posted = open_server.nobody.post("/search", json={"query": query, "k": 4}).json()
    assert posted == open_server.nobody.get("/search", params={"q": query, "k": 4}).json()
    hits = world.search(query, 4, withholding="strict")
    assert [(r["url"], r["snippet"]) for r in posted["results"]] == [(hit.url, hit.snippet) for hit in hits]
    assert set(posted["results"][0]) == {"url", "title", "snippet", "date"}


def test_a_batch_is_the_searches_one_by_one(open_server, world):
    queries = [a_query(world), "ferry", "\ud83d", ""]
    body = json.dumps({"queries": queries})
    found = open_server.nobody.post("/batch_search", content=body).json()["results"]
    assert [page["results"] for page in found] == [
        open_server.nobody.post("/search", content=json.dumps({"query": query})).json()["results"] for query in queries
    ]


@pytest.mark.parametrize("asked", [{"query": "ferry line"}, {"queries": ["ferry line"]}, {"query": ["ferry line"]}])
def test_retrieve_has_the_shape_that_search_r1_reads(open_server, asked):
    reply = open_server.nobody.post("/retrieve", json={**asked, "topk": 2, "return_scores": True, "other": 1}).json()
    snippets = open_server.nobody.get("/search", params={"q": "ferry line", "k": 2}).json()["results"]
    assert len(reply["result"]) == 1
    for item, hit in zip(reply["result"][0], snippets, strict=True):
        title, text = item["document"]["contents"].split("\n")
        assert (title, text) == (f'"{hit["title"]}"', hit["snippet"])
        assert item["score"] > 0
        assert set(item["document"]) == {"id", "contents"}
    plain = open_server.nobody.post("/retrieve", json={**asked, "topk": 2}).json()
    assert plain["result"][0] == [item["document"] for item in reply["result"][0]]


def test_open_gives_the_page_and_none_of_its_labels(open_server, world):
    stale = next(page for page in world.pages.values() if page.kind == "stale")
    page = open_server.nobody.get("/open", params={"url": stale.url}).json()
    assert set(page) == {"url", "title", "site", "author", "date", "text"}
    assert page["text"].endswith(stale.body)
    assert page == open_server.nobody.post("/open", json={"url": stale.url}).json()


def test_every_address_without_a_page_is_answered_alike(open_server, world):
    near = next(iter(world.pages)) + "x"
    replies = [open_server.nobody.get("/open", params={"url": url}) for url in (near, "https://a.example/", "no")]
    assert {reply.status_code for reply in replies} == {404}
    assert {re.sub(r"^\S+", "", reply.json()["error"]["message"]) for reply in replies} == {" could not be reached"}


def test_tools_and_calls_without_an_episode(open_server):
    tools = open_server.nobody.get("/tools").json()["tools"]
    names = [tool["function"]["name"] for tool in tools]
    assert "web_search" in names
    assert "dict_memory" not in names
    called = {"name": "web_search", "arguments": '{"query": "ferry"}'}
    assert open_server.nobody.post("/call", json=called).json()["text"].startswith("[1] https://")
    for mistaken in ({"name": "dict_memory", "arguments": {}}, {"name": "no_tool"}, {"name": "web_search"}):
        reply = open_server.nobody.post("/call", json=mistaken)
        assert reply.status_code == 200
        assert reply.json()["ok"] is False
        assert reply.json()["text"].startswith("Error: ")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/search", b"{", 400, "serve.not-json"),
        ("POST", "/search", b"[" * 100_000, 400, "serve.not-json"),
        ("POST", "/search", b"[]", 400, "serve.not-json"),
        ("POST", "/search", b"\xff", 400, "serve.not-json"),
        ("POST", "/search", b"{}", 400, "serve.missing-field"),
        ("POST", "/search", b'{"query": 1}', 400, "serve.wrong-field"),
        ("POST", "/search", b'{"query": "a", "kk": 1}', 400, "serve.unknown-field"),
        ("POST", "/search", b'{"query": "a", "k": 11}', 400, "serve.wrong-field"),
        ("POST", "/search", b'{"query": "a", "k": true}', 400, "serve.wrong-field"),
        ("POST", "/search", b'{"query": "' + b"a" * 2_001 + b'"}', 400, "serve.too-long"),
        ("GET", "/search?q=a&q=b", b"", 400, "serve.twice"),
        ("GET", "/search?q=a&k=1e3", b"", 400, "serve.wrong-field"),
        ("POST", "/retrieve", b'{"query": "a", "topk": 11}', 400, "serve.wrong-field"),
        ("POST", "/retrieve", b'{"": "ferry"}', 400, "serve.missing-field"),
        ("POST", "/open", b'{"": "ferry"}', 400, "serve.unknown-field"),
        ("POST", "/batch_search", json.dumps({"queries": ["a"] * 65}).encode(), 400, "serve.wrong-field"),
        ("POST", "/search", b" " * 2_000_001, 413, "serve.body-too-large"),
        ("DELETE", "/search", b"", 405, "serve.method"),
        ("GET", "/nothing", b"", 404, "http.not-found"),
        ("GET", "/w/nowhere/search?q=a", b"", 404, "serve.unknown-world"),
        ("POST", "/call", b'{"name": "web_search", "episode": "none"}', 404, "serve.unknown-episode"),
        ("GET", "/api/ferry?seats=many", b"", 400, "tools.malformed-call"),
        ("GET", "/api/ferry?seats_min=nan", b"", 400, "tools.malformed-call"),
        ("GET", "/api/ferry?length_min=nan", b"", 400, "tools.malformed-call"),
        ("GET", "/api/ferry?nothing=1", b"", 400, "tools.malformed-call"),
        ("GET", "/api/ferry?limit=1&limit=2", b"", 400, "tools.malformed-call"),
        ("GET", "/api/ferry?cursor=xyz", b"", 400, "tools.malformed-call"),
        ("GET", "/api/ferry/99999", b"", 404, "serve.no-row"),
        ("GET", "/api/wg_task", b"", 404, "serve.no-tool"),
        ("POST", "/sql", b'{"query": "DELETE FROM ferry"}', 400, "tools.malformed-call"),
        ("POST", "/sql", b'{"query": "SELECT * FROM wg_task"}', 400, "tools.malformed-call"),
    ],
)
def test_every_mistake_has_the_same_shape(open_server, method, path, body, status, code):
    reply = open_server.nobody.request(method, path, content=body)
    assert reply.status_code == status
    assert set(reply.json()) == {"error"}
    assert set(reply.json()["error"]) == ERROR
    assert reply.json()["error"]["code"] == code
    assert "Traceback" not in reply.text


def test_headers_are_bounded(open_server):
    reply = open_server.nobody.get("/health", headers={"X-Long": "a" * 20_000})
    assert reply.status_code == 431


def test_a_body_without_a_length_is_bounded_too(open_server):
    reply = open_server.nobody.post("/search", content=(b" " * 100_000 for _ in range(30)))
    assert reply.status_code == 413


def test_no_other_origin_is_let_in(open_server):
    reply = open_server.nobody.get("/search?q=a", headers={"Origin": "https://elsewhere.example"})
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_worlds_are_chosen_by_path_or_header(guarded_server):
    agent = guarded_server.agent
    assert agent.get("/search?q=ferry").json()["error"]["code"] == "serve.which-world"
    by_path = agent.get("/w/river-ferries-copy/search?q=ferry").json()
    by_header = agent.get("/search?q=ferry", headers={"X-World": "river-ferries-1"}).json()
    assert by_path == by_header
    both = agent.get("/w/river-ferries-copy/search?q=ferry", headers={"X-World": "river-ferries-1"})
    assert both.json()["error"]["code"] == "serve.two-names"


def test_a_result_page_states_few_facts_whatever_the_route(open_server, world):
    """Snippets of all routes are those of strict withholding."""
    query = a_query(world)
    strict = [hit.snippet for hit in world.search(query, withholding="strict")]
    lax = [hit.snippet for hit in world.search(query, withholding="none")]
    assert strict != lax
    text = open_server.nobody.post("/call", json={"name": "web_search", "arguments": {"query": query}}).json()["text"]
    assert re.findall(r"(?m)^Snippet: (.*)$", text) == strict
    batch = open_server.nobody.post("/batch_search", json={"queries": [query]}).json()["results"][0]["results"]
    assert [result["snippet"] for result in batch] == strict


def test_metrics_are_the_trainers_and_have_few_labels(open_server):
    assert open_server.nobody.get("/metrics").status_code == 403
    for number in range(20):
        open_server.nobody.get(f"/made-up-{number}")
    text = open_server.trainer.get("/metrics").text
    assert 'route="other"' in text
    assert "made-up" not in text
    assert "worldgen_open_worlds 1.0" in text
    assert "worldgen_request_seconds_bucket" in text
    assert "_created" not in text


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:65000", "[::1]", "[::1]:80"])
def test_a_loopback_server_answers_to_its_names(open_server, name):
    assert open_server.nobody.get("/worlds", headers={"Host": name}).status_code == 200


@pytest.mark.parametrize(
    "name",
    ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "", "::1", "a@localhost"],
)
def test_a_loopback_server_is_not_called_by_another_name(open_server, name):
    for path in ("/worlds", "/worlds/", "/health", "/search?q=a", "/docs", "/nothing", "/site/"):
        reply = open_server.nobody.get(path, headers={"Host": name})
        assert (reply.status_code, reply.json()["error"]["code"]) == (421, "serve.other-host"), path


def test_nothing_is_redirected(open_server):
    for path in ("/worlds/", "/docs/", "/episodes/", "/api", "/mcp/", "/health/"):
        assert open_server.nobody.get(path, follow_redirects=False).status_code in (404, 405), path
    assert open_server.nobody.get("/site").status_code == 200


def test_another_method_is_told_which_there_are(open_server):
    for path, allowed in {"/search": "GET, POST", "/batch_search": "POST", "/tools": "GET", "/worlds": "GET"}.items():
        reply = open_server.nobody.delete(path)
        assert (reply.status_code, reply.headers["allow"]) == (405, allowed)


def test_a_world_or_episode_that_is_not_there_is_404_on_every_route(open_server):
    for path in (
        "/site/",
        "/site/a.example/",
        "/worlds",
        "/search?q=a",
        "/tools",
        "/api/ferry",
        "/metrics",
        "/nothing",
    ):
        for reply in (
            open_server.nobody.get(f"/w/nope{path}"),
            open_server.nobody.get(path, headers={"X-World": "nope"}),
            open_server.nobody.get(f"/e/nope{path}"),
            open_server.nobody.get(path, headers={"X-Episode": "nope"}),
        ):
            assert reply.status_code == 404, reply.request.url


def test_with_no_profile_open_a_message_lists_none(tiny_world, serve):
    with serve(str(tiny_world), "--profile", "none") as served:
        for reply in (served.nobody.get("/tools?profile=search"), served.nobody.get("/search?q=a")):
            assert reply.status_code == 403
            assert reply.json()["error"]["expected"] != ""
        refused = served.nobody.post("/mcp/search", json={}, headers={"Accept": "application/json"})
        assert refused.status_code == 403
        assert "expected  " not in refused.text
