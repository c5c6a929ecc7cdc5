"""MCP within the whole application: what a request names by prefix and header is meant there too; calls are bounded."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

WORLD = "river-ferries-1"
COPY = "river-ferries-copy"


def post(client: httpx.Client, place: str, method: str = "ping", params: Any = None, **headers: str) -> httpx.Response:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    return client.post(place, json=message, headers={"accept": "application/json", **headers})


def search(client: httpx.Client, place: str, query: str = "ferry") -> dict[str, Any]:
    result: dict[str, Any] = post(
        client, place, "tools/call", {"name": "web_search", "arguments": {"query": query}}
    ).json()["result"]
    return result


@pytest.mark.parametrize("below", [f"{WORLD}/search", "search"])
def test_an_episode_named_by_prefix_seats_the_client(open_server, below: str) -> None:
    id = open_server.start(perturbation={"faults": [{"kind": "rate_limit", "rate": 1, "in_a_row": 1}]})["episode"]
    place = f"/e/{id}/mcp/{below}"
    assert search(open_server.nobody, place)["isError"]
    assert not search(open_server.nobody, place)["isError"]
    assert len(open_server.trainer.get(f"/episodes/{id}/trajectory").json()["steps"]) == 2
    assert post(open_server.nobody, f"/e/{id}/mcp/{WORLD}/open").status_code == 404
    assert post(open_server.nobody, f"{place}?episode=another").status_code == 404
    assert post(open_server.nobody, f"{place}?episode={id}").status_code == 200
    assert open_server.nobody.post(f"/episodes/{id}/submit", json={"answer": ""}).status_code == 200
    assert "its answer is in" in search(open_server.nobody, place)["content"][0]["text"]
    open_server.trainer.delete(f"/episodes/{id}")
    assert post(open_server.nobody, place).status_code == 404


def test_a_world_named_by_prefix_or_header_is_the_endpoints(guarded_server) -> None:
    agent = guarded_server.agent
    assert post(agent, "/mcp/search").status_code == 404
    for place in (f"/w/{COPY}/mcp/search", f"/w/{COPY}/mcp/{COPY}/search"):
        assert post(agent, place).status_code == 200, place
        assert post(guarded_server.nobody, place).status_code == 401
    assert post(agent, "/mcp/search", **{"X-World": COPY}).status_code == 200
    for place in (f"/w/{COPY}/mcp/{WORLD}/search", f"/w/nope/mcp/{WORLD}/search", "/w/nope/mcp/search", "/w/nope/mcp"):
        assert post(agent, place).status_code == 404, place
    id = guarded_server.start(world=WORLD)["episode"]
    assert post(agent, f"/e/{id}/mcp/search").status_code == 200
    assert post(agent, f"/e/{id}/mcp/{COPY}/search").status_code == 404
    assert post(agent, f"/e/{id}/mcp/search", **{"X-World": COPY}).status_code == 404


def test_a_call_over_mcp_may_be_as_long_as_one_over_http(open_server) -> None:
    id = open_server.start()["episode"]
    for size, status in ((399_000, 200), (401_000, 413)):
        arguments = {"query": "x" * size}
        call = {"name": "web_search", "arguments": arguments}
        assert post(open_server.nobody, f"/e/{id}/mcp/search", "tools/call", call).status_code == status
        assert open_server.nobody.post(f"/e/{id}/call", json=call).status_code == status
    assert len(open_server.trainer.get(f"/episodes/{id}/trajectory").json()["steps"]) == 2
