"""The short way of a call of a tool, beside the SDK's own way; and the handlers in memory, without a transport."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import mcp
import pytest
from mcp.server.connection import Connection
from mcp.server.runner import serve_one
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from worldgen.serve.keys import Keys
from worldgen.serve.mcp.exchange import _Request, exchange
from worldgen.serve.mcp.handlers import make_protocol
from worldgen.serve.mcp.seat import EpisodeSeat, OpenSeat, Process, Seat
from worldgen.serve.server import Server
from worldgen.world import World

CALLS: list[dict[str, Any]] = [
    {"name": "web_search", "arguments": {"query": "ferry"}},
    {"name": "web_search"},
    {"name": "web_search", "arguments": None},
    {"name": "no_tool", "arguments": {}},
    {"name": "ferry_list", "arguments": {"limit": 2}},
    {"name": "sql_query", "arguments": {"query": "SELECT 1.5 AS a, NULL AS b, 'ü' AS c"}},
    {"name": "dict_memory", "arguments": {"operation": "retrieve_all"}},
    {"name": 5},
    {"arguments": {}},
    {"name": "web_search", "arguments": [], "_meta": {}},
    {"name": "web_search", "arguments": {"query": "x"}, "_meta": {"progressToken": "p"}},
]


def message_of(version: str, params: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """A call as a client of that version sends it: body and headers."""
    headers = [("mcp-protocol-version", version)]
    if version in MODERN_PROTOCOL_VERSIONS:
        meta = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {**params, "_meta": {**params.get("_meta", {}), **meta}}
        headers += [("mcp-method", "tools/call"), ("mcp-name", str(params.get("name", "")))]
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers


@pytest.mark.parametrize("version", [*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS])
@pytest.mark.parametrize("params", CALLS, ids=lambda params: json.dumps(params)[:50])
def test_the_short_way_answers_as_the_kernel_does(tiny_world: Path, version: str, params: dict[str, Any]) -> None:
    server = Server([tiny_world], keys=Keys.make(None, None), profiles=["open"])
    seat = OpenSeat(server, tiny_world.name, "open")
    protocol = make_protocol(lambda context: context.request, pages=True)  # type: ignore[arg-type, return-value]
    message, headers = message_of(version, params)

    async def kernel(seat: Seat) -> dict[str, Any]:
        connection = Connection.from_envelope(version, None, None)
        request = _Request(1, ServerMessageMetadata(request_context=seat))
        return await serve_one(
            protocol, request, "tools/call", message["params"], connection=connection, lifespan_state={}
        )

    async def act() -> None:
        short = json.loads((await exchange(protocol, seat, headers, json.dumps(message).encode())).body)
        if "error" in short:
            assert short["error"]["code"] in (-32602, -32020)
            with pytest.raises(ValueError, match="validation error"):
                await kernel(seat)
        else:
            assert short["result"] == json.loads(json.dumps(await kernel(seat)))

    asyncio.run(act())
    server.close()


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_a_process_keeps_notes_and_tells_the_question(tiny_world: Path, era: str) -> None:
    async def act() -> None:
        with World.load(tiny_world) as world:
            seat = Process(world, "search", world.toolbox("search"))
            protocol = make_protocol(lambda _: seat, pages=False, instructions="What is asked")
            async with mcp.Client(protocol, mode=era) as client:
                assert client.instructions == "What is asked"
                names = [tool.name for tool in (await client.list_tools()).tools]
                assert names == ["web_search", "web_extractor", "dict_memory"]
                await client.call_tool("dict_memory", {"operation": "add", "dict": {"a": 1}})
                kept = await client.call_tool("dict_memory", {"operation": "retrieve_all"})
                assert json.loads(kept.content[0].text) == {"a": 1}
                found = await asyncio.gather(*(client.call_tool("web_search", {"query": "ferry"}) for _ in range(8)))
                assert len({result.content[0].text for result in found}) == 1

    asyncio.run(act())


def test_a_call_that_would_wait_is_not_made_on_the_loop(tiny_world: Path) -> None:
    server = Server([tiny_world], keys=Keys.make(None, None))
    running = server.start(tiny_world.name, None)
    seat = EpisodeSeat(server, running)
    assert seat.quick
    with running.episode._lock:  # as the scoring of an answer holds it
        assert not seat.quick
    assert seat.quick
    server.close()
