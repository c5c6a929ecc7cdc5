"""MCP over streamable HTTP, from the SDK's own client in both eras of the protocol, against a real server."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import mcp
import pytest
import uvicorn
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server as Protocol
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette

from worldgen.env import Limits
from worldgen.serve.keys import Keys
from worldgen.serve.mcp import mount_mcp
from worldgen.serve.server import Server, ServerLimits
from worldgen.tools import profiles

TRAINER = "the-trainers-key"
ERAS = ["legacy", "auto"]
WEB = ["web_search", "web_extractor"]
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
REFUSING = "faults: [{kind: rate_limit, rate: 1.0, in_a_row: 1, retry_after: 3}]"


@dataclass(frozen=True)
class Served:
    server: Server
    url: str
    world: str

    @asynccontextmanager
    async def client(self, place: str, era: str = "auto", **headers: str) -> AsyncIterator[mcp.Client]:
        """The SDK's client at an endpoint."""
        async with (
            create_mcp_http_client(headers) as http,
            mcp.Client(streamable_http_client(f"{self.url}{place}", http_client=http), mode=era) as client,
        ):
            yield client

    def post(self, place: str, method: str = "ping", params: Any = None, **headers: str) -> httpx.Response:
        """A bare request of the handshake era."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return httpx.post(f"{self.url}{place}", json=message, headers={**HEADERS, **headers})

    def start(self, **settings: Any) -> str:
        return self.server.start(self.world, settings.pop("task", None), **settings).id


@contextmanager
def serving(server: Server) -> Iterator[str]:
    app = Starlette()
    mount_mcp(app, server)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # a client that comes early waits
        config = uvicorn.Config(app, lifespan="off", log_level="warning", access_log=False)
        runner = uvicorn.Server(config)
        thread = threading.Thread(target=runner.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            runner.should_exit = True
            thread.join(20)
            server.close()


@pytest.fixture(scope="module")
def served(tiny_world: Path) -> Iterator[Served]:
    limits = ServerLimits(body=50_000, episode=Limits(calls=6))
    server = Server([tiny_world], keys=Keys.make(TRAINER, None), profiles=["search", "api", "open"], limits=limits)
    with serving(server) as url:
        yield Served(server, url, tiny_world.name)


def words(result: Any) -> str:
    return str(result.content[0].text)


def run(act: Any) -> Any:
    return asyncio.run(asyncio.wait_for(act, 60))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("profile", list(profiles()))
def test_an_endpoint_has_the_tools_of_its_profile_and_no_others(served: Served, era: str, profile: str) -> None:
    async def act() -> tuple[list[Any], dict[str, Any]]:
        episode = served.start(profile=profile)
        async with served.client(f"/mcp/{served.world}/{profile}", era, **{"X-Episode": episode}) as client:
            tools = (await client.list_tools()).tools
            return tools, {name: await client.call_tool(name, {}) for name in ("sql_query", "web_search", "ferry_list")}

    tools, called = run(act())
    assert [tool.name for tool in tools] == served.server.pool.get(served.world).toolbox(profile).names()
    for name, result in called.items():
        unknown = f"Error: unknown tool '{name}'" in words(result)
        assert unknown == (name not in [tool.name for tool in tools])
        assert result.is_error == (unknown or name != "ferry_list")
    for tool in tools:
        assert tool.input_schema["type"] == "object"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint == (tool.name != "dict_memory")


@pytest.mark.parametrize("era", ERAS)
def test_typed_tools_and_sql_answer_in_structures_that_fit_their_schemas(served: Served, era: str) -> None:
    async def act() -> None:
        async with served.client(f"/mcp/{served.world}/open", era) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            rows = await client.call_tool("ferry_list", {"limit": 2})
            assert rows.structured_content == json.loads(words(rows))
            assert len(rows.structured_content["items"]) == 2
            typed = {name: tool for name, tool in tools.items() if tool.output_schema is not None}
            assert set(tools) - set(typed) == set(WEB)
            for name, tool in typed.items():
                given = {"query": "SELECT 1 AS one"} if name == "sql_query" else {}
                if "id" in tool.input_schema["properties"]:
                    of = name.split("_to_")[0] if "_to_" in name else name.split("_")[0]
                    given = {"id": f"{of}/0"}
                result = await client.call_tool(name, given)  # the client validates
                assert not result.is_error, words(result)
                assert result.structured_content == json.loads(words(result))

    run(act())


def test_without_an_episode_there_are_no_notes_and_no_closed_profiles(served: Served) -> None:
    async def act() -> None:
        async with served.client(f"/mcp/{served.world}/search") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == WEB
            refused = await client.call_tool("dict_memory", {"operation": "retrieve_all"})
            assert refused.is_error
            assert "needs an episode" in words(refused)

    run(act())
    closed = served.post(f"/mcp/{served.world}/sql", "tools/list")
    assert closed.status_code == 403
    assert "'sql' is not open here" in closed.text


@pytest.mark.parametrize("era", ERAS)
def test_an_episode_brings_its_faults_its_notes_and_its_limits(served: Served, era: str) -> None:
    async def act() -> None:
        episode = served.start(perturbation=REFUSING)
        async with served.client(f"/mcp/{served.world}/search?episode={episode}", era) as client:
            note = {"operation": "add", "dict": {"a": "{not json"}}
            refused = await client.call_tool("dict_memory", note)
            assert (refused.is_error, words(refused)) == (
                True,
                "Error: 429 Too Many Requests. Try again in 3 seconds.",
            )
            assert not (await client.call_tool("dict_memory", note)).is_error
            for _ in range(2):
                kept = await client.call_tool("dict_memory", {"operation": "retrieve_all"})
            assert "{not json" in words(kept)
            for _ in range(2):
                await client.call_tool("web_search", {"query": "ferry"})
            over = await client.call_tool("web_search", {"query": "ferry"})
            assert over.is_error
            assert "used up its calls" in words(over)
        running = served.server.episodes.get(episode).episode
        assert [step.status for step in running.trajectory().steps] == [429, 200, 429, 200, 429, 200]
        assert running.trajectory().steps[0].faults == ("rate_limit",)
        again = running.replay(served.server.pool.get(served.world), running.trajectory())
        assert again.trajectory() == running.trajectory()

    run(act())


def test_an_ended_episode_takes_no_more_calls(served: Served) -> None:
    task = served.server.pool.get(served.world).tasks[0].instance_id
    episode = served.start(task=task)
    served.server.episodes.get(episode).episode.submit("| a |\n|---|\n| b |")
    call = {"name": "web_search", "arguments": {"query": "ferry"}}
    reply = served.post("/mcp/search", "tools/call", call, **{"X-Episode": episode}).json()
    assert reply["result"]["isError"] is True
    assert "its answer is in" in reply["result"]["content"][0]["text"]


def test_an_episode_is_reached_at_its_own_endpoint_only(served: Served) -> None:
    episode = served.start(profile="search")
    assert served.post("/mcp/search", **{"X-Episode": episode}).status_code == 200
    assert served.post("/mcp/open", **{"X-Episode": episode}).status_code == 404
    assert served.post("/mcp/search", **{"X-Episode": "guessed"}).status_code == 404
    assert served.post("/mcp/search?episode=guessed").status_code == 404


@pytest.mark.parametrize("era", ERAS)
def test_concurrent_clients_do_not_meet(served: Served, era: str) -> None:
    async def one(number: int) -> str:
        episode = served.start()
        async with served.client("/mcp/search", era, **{"X-Episode": episode}) as client:
            note = {"operation": "add", "dict": {"mine": f"note {number}"}}
            await client.call_tool("dict_memory", note)
            await client.call_tool("web_search", {"query": f"ferry {number}"})
            return words(await client.call_tool("dict_memory", {"operation": "retrieve_all"}))

    async def act() -> list[str]:
        return await asyncio.gather(*(one(number) for number in range(12)))

    for number, notes in enumerate(run(act())):
        assert json.loads(notes) == {"mine": f"note {number}"}


@pytest.mark.parametrize("era", ERAS)
def test_pages_are_resources_and_questions_prompts_under_open_only(served: Served, era: str) -> None:
    world = served.server.pool.get(served.world)

    async def act() -> None:
        async with served.client("/mcp/open", era) as client:
            urls: list[str] = []
            cursor = None
            while True:
                page = await client.list_resources(cursor=cursor)
                urls += [resource.uri for resource in page.resources]
                cursor = page.next_cursor
                if cursor is None:
                    break
            assert urls == sorted({*urls})
            assert {*world.pages} <= {*urls}
            assert len(urls) == world.manifest.counts["pages"] + world.manifest.counts["haystack"]
            for url in urls[:3]:
                read = (await client.read_resource(url)).contents[0]
                assert read.text == world.toolbox().call("web_extractor", {"url": url})
                assert (read.uri, read.mime_type) == (url, "text/markdown")
            for nowhere in ("https://nowhere.example/", "file:///etc/passwd", "", "x" * 5_000):
                with pytest.raises(MCPError, match=r"could not be reached|empty"):
                    await client.read_resource(nowhere)
            assert len((await client.list_resource_templates()).resource_templates) == 1
            prompts = (await client.list_prompts()).prompts
            assert [prompt.name for prompt in prompts] == [task.instance_id for task in world.tasks]
            task = world.tasks[0]
            got = (await client.get_prompt(task.instance_id)).messages
            assert [message.content.text for message in got] == [task.question]
            for missing in ("no-such-task", "../x"):
                with pytest.raises(MCPError, match="no such prompt"):
                    await client.get_prompt(missing)
            for cursor in ("-1", "x", "9" * 50, "٣"):
                with pytest.raises(MCPError, match="cursor"):
                    await client.list_prompts(cursor=cursor)
        for profile in ("search", "api"):
            async with served.client(f"/mcp/{profile}", era) as client:
                assert client.server_capabilities.resources is None
                assert client.server_capabilities.prompts is None
                for ask in (client.list_resources, client.list_resource_templates, client.list_prompts):
                    with pytest.raises(MCPError, match="Method not found"):
                        await ask()
                with pytest.raises(MCPError, match="Method not found"):
                    await client.read_resource(urls[0])

    run(act())


def test_reading_a_resource_in_an_episode_is_a_call_of_the_episode(served: Served) -> None:
    plan = "faults: [{kind: rename_tool, tool: web_extractor, to: fetch}, {kind: truncate, words: 50}]"
    episode = served.start(profile="open", perturbation=plan)
    url = next(url for url, page in served.server.pool.get(served.world).pages.items() if len(page.body) > 2_000)

    async def act() -> str:
        async with served.client("/mcp/open", **{"X-Episode": episode}) as client:
            return str((await client.read_resource(url)).contents[0].text)

    assert "[Part 1 of" in run(act())
    (step,) = served.server.episodes.get(episode).episode.trajectory().steps
    assert step.name == "fetch"


def test_a_renamed_tool_is_described_as_under_its_usual_name(served: Served) -> None:
    names = {"ferry_get": "boat", "dict_memory": "notes", "sql_query": "ask"}
    faults = ", ".join(f"{{kind: rename_tool, tool: {usual}, to: {name}}}" for usual, name in names.items())
    usually, renamed = served.start(profile="open"), served.start(profile="open", perturbation=f"faults: [{faults}]")

    async def act(episode: str) -> dict[str, Any]:
        async with served.client("/mcp/open", **{"X-Episode": episode}) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    before, after = run(act(usually)), run(act(renamed))
    for usual, name in names.items():
        assert after[name].output_schema == before[usual].output_schema
        assert after[name].annotations == before[usual].annotations
    assert after["boat"].output_schema is not None
    assert not after["notes"].annotations.read_only_hint


@pytest.mark.parametrize(
    "place",
    [
        "/mcp",
        "/mcp/",
        "/mcp/nowhere",
        "/mcp/nowhere/search",
        "/mcp/WORLD",
        "/mcp/WORLD/",
        "/mcp/WORLD/nothing",
        "/mcp/WORLD/search/",
        "/mcp/WORLD/search/tools",
        "/mcp/WORLD//search",
        "/mcp//WORLD/search",
        "/mcp/WORLD%2Fsearch",
        "/mcp/WORLD%2fsearch",
        "/mcp/WORLD%5Csearch",
        "/mcp/WORLD/search%00",
        "/mcp/../mcp/WORLD/search",
        "/mcp/WORLD/../WORLD/search",
        "/mcp/%2e%2e/WORLD/search",
        "/mcp/./search",
        "/mcp/..%2f..%2fetc%2fpasswd/search",
        "/%6dcp/WORLD/search",
        "/MCP/WORLD/search",
        "/mcp/WORLD/SEARCH",
        "/mcp/WORLD/searc%68%2f",
    ],
)
def test_guessed_paths_lead_nowhere(served: Served, place: str) -> None:
    assert status_of(served, place.replace("WORLD", served.world)) == 404


def status_of(served: Served, target: str) -> int:
    """The status of a request whose target is sent as it stands; clients would tidy it up."""
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    lines = [f"POST {target} HTTP/1.1", f"host: {served.url.removeprefix('http://')}", "connection: close"]
    lines += [f"{name}: {value}" for name, value in HEADERS.items()] + [f"content-length: {len(body)}", "", ""]
    host, port = served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall("\r\n".join(lines).encode() + body)
        return int(connection.recv(100).split()[1])


def test_the_helper_that_guesses_paths_would_see_a_hit(served: Served) -> None:
    assert status_of(served, f"/mcp/{served.world}/search") == 200
    assert status_of(served, "/mcp/search") == 200


def test_keys_open_the_tools(tiny_world: Path) -> None:
    server = Server([tiny_world], keys=Keys.make(TRAINER, "the-agents-key"))
    with serving(server) as url:
        served = Served(server, url, tiny_world.name)
        assert served.post("/mcp/search").status_code == 401
        assert served.post("/mcp/nowhere").status_code == 401
        for wrong in ("Bearer wrong", "Bearer", "Basic the-agents-key", "the-agents-key", "Bearer \xff"):
            assert served.post("/mcp/search", authorization=wrong.encode("latin-1")).status_code == 401  # type: ignore[arg-type]
        for key in (TRAINER, "the-agents-key"):
            assert served.post("/mcp/search", authorization=f"Bearer {key}").status_code == 200

        async def act() -> int:
            async with served.client("/mcp/search", Authorization="Bearer the-agents-key") as client:
                return len((await client.list_tools()).tools)

        assert run(act()) == 2


def test_large_bodies_are_refused_before_they_are_read(served: Served) -> None:
    call = {"name": "web_search", "arguments": {"query": "x" * 60_000}}
    assert served.post("/mcp/search", "tools/call", call).status_code == 413

    def parts() -> Iterator[bytes]:
        for _ in range(60):
            yield b" " * 1_000

    assert httpx.post(f"{served.url}/mcp/search", content=parts(), headers=HEADERS).status_code == 413


def test_other_names_for_a_loopback_address_are_refused(served: Served) -> None:
    assert served.post("/mcp/search", host="rebound.example").status_code == 421
    assert served.post("/mcp/search", origin="http://rebound.example").status_code == 403
    assert served.post("/mcp/search", origin="http://localhost:3000").status_code == 200


def test_what_is_no_post_of_json_is_refused(served: Served) -> None:
    place = f"{served.url}/mcp/search"
    for method in ("GET", "DELETE", "PUT", "HEAD"):
        assert httpx.request(method, place, headers=HEADERS).status_code == 405
    assert httpx.post(place, content=b"{}", headers={**HEADERS, "content-type": "text/plain"}).status_code == 400
    assert httpx.post(place, json={}, headers={"accept": "text/html"}).status_code == 406


HOSTILE = [
    b"",
    b"null",
    b"[]",
    b"{",
    b'"x"',
    b"[" * 20_000,
    b'{"a":' * 5_000,
    b"\xff\xfe",
    b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}',
    b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1}',
    b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":5}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    b'{"jsonrpc":"2.0","id":1,"result":{}}',
]
CALLS: list[Any] = [
    {},
    {"name": None},
    {"name": 5, "arguments": {}},
    {"name": "web_search"},
    {"name": "web_search", "arguments": []},
    {"name": "web_search", "arguments": "{}"},
    {"name": "web_search", "arguments": {"query": None}},
    {"name": "web_search", "arguments": {"queries": [[], {}, 5]}},
    {"name": "web_search", "arguments": {"queries": ["x"] * 1_000}},
    {"name": "web_search", "arguments": {"query": "\x00 '; DROP TABLE wg_page; -- ) OR ("}},
    {"name": "web_extractor", "arguments": {"url": "file:///etc/passwd"}},
    {"name": "web_extractor", "arguments": {"url": "http://[::1"}},
    {"name": "ferry_list", "arguments": {"limit": 10**30}},
    {"name": "ferry_list", "arguments": {"limit": -1, "sort": "x"}},
    {"name": "ferry_list", "arguments": {"cursor": "é"}},
    {"name": "ferry_get", "arguments": {"id": "\u2028" * 400}},
    {"name": "sql_query", "arguments": {"query": "ATTACH 'x' AS y"}},
    {"name": "sql_query", "arguments": {"query": "SELECT 9e999, x'00ff', NULL, 9223372036854775807"}},
    {"name": "\ud7ff\x00", "arguments": {"\x00": "\x00"}},
    {"name": "web_search", "arguments": {"query": "x"}, "_meta": 5},
    {"name": "web_search", "arguments": {"query": "x"}, "_meta": {"progressToken": {}}},
    {"name": "web_search", "arguments": {"query": "x"}, "task": "yes"},
]


@pytest.mark.parametrize("body", HOSTILE)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", "1999-01-01", "\x00é"])
def test_malformed_messages_are_answered(served: Served, body: bytes, version: str) -> None:
    headers = {**HEADERS, "mcp-protocol-version": version.replace("\x00", "").encode("latin-1")}
    reply = httpx.post(f"{served.url}/mcp/open", content=body, headers=headers)
    assert 400 <= reply.status_code < 500
    assert reply.json()["error"]["code"] < 0


@pytest.mark.parametrize("call", CALLS)
def test_hostile_calls_are_answered(served: Served, call: Any) -> None:
    reply = served.post("/mcp/open", "tools/call", call)
    answer = reply.json()
    assert reply.status_code == 200
    assert answer["error"]["code"] == -32602 if "error" in answer else answer["result"]["content"][0]["text"]


def test_half_characters_do_not_get_in(served: Served) -> None:
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"web_search","arguments":{"query":"\\ud800"}}}'
    )
    reply = httpx.post(f"{served.url}/mcp/open", content=body, headers=HEADERS)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32700)


def test_notifications_are_taken_and_dropped(served: Served) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    for version, status in (("2025-06-18", 202), ("2026-07-28", 202), ("1999-01-01", 400)):
        headers = {**HEADERS, "mcp-protocol-version": version}
        assert httpx.post(f"{served.url}/mcp/search", json=note, headers=headers).status_code == status


def test_hundreds_of_worlds_share_two_protocol_servers(tiny_world: Path, tmp_path: Path) -> None:
    """Worlds are known by their folders; each here is a copy made of links."""
    folders = []
    for number in range(300):
        folder = tmp_path / f"world-{number}"
        for path in (path for path in tiny_world.rglob("*") if path.is_file()):
            target = folder / path.relative_to(tiny_world)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, target)
        folders.append(folder)
    gc.collect()
    before = sum(isinstance(thing, Protocol) for thing in gc.get_objects())
    server = Server(folders, keys=Keys.make(TRAINER, None), profiles=["search", "api"], most_open=8)
    with serving(server) as url:
        call = {"name": "ferry_count", "arguments": {}}
        with httpx.Client(headers=HEADERS) as client:
            for folder in folders:
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
                reply = client.post(f"{url}/mcp/{folder.name}/api", json=message)
                assert reply.json()["result"]["structuredContent"]["count"] > 0
            assert client.post(f"{url}/mcp/api", json=message).status_code == 404
        assert server.pool.open_count() <= 8
        gc.collect()
        assert sum(isinstance(thing, Protocol) for thing in gc.get_objects()) == before + 2
