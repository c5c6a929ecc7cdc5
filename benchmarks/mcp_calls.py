"""MCP calls of a tool that does nothing: ours beside FastMCP's successor in the SDK, and beside ``fastmcp`` itself.

Every server runs alone on one core, the client on another; requests come over four kept connections of plain HTTP, in
the words of either era of the protocol. Ours is the whole way of an episode: key, episode, lock, ``dict_memory`` asked
for its empty notes, the step recorded. Rates are calls a second of the server's processor time, since neighbours on
the machine disturb that less; those by the clock stand beside them. Of the SDK's server the faster of a plain and an
async tool counts.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measuring import MISSING, Row, times

HERE = Path(__file__).parent
ERAS = {"handshake": "2025-11-25", "2026": "2026-07-28"}
_TINY = HERE.parent / "tests" / "data" / "river-ferries.yaml"
_TICKS = os.sysconf("SC_CLK_TCK")
_CONNECTIONS = 4
_WHAT = "MCP calls that do nothing, era {era}"
_ERAS_OF = {"fastmcp": ["handshake"]}
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Rate:
    """Calls a second: of the server's processor time, and by the clock."""

    cpu: float
    wall: float

    def text(self) -> str:
        """Both."""
        return f"{self.cpu:,.0f}/s (wall {self.wall:,.0f}/s)"


@dataclass(frozen=True, slots=True)
class _Server:
    """A running server, and what a call of it is."""

    process: subprocess.Popen[str]
    port: int
    path: str
    tool: str
    arguments: dict[str, Any]
    headers: tuple[str, ...] = ()


def rows(calls: int, fastmcp: Path | None) -> list[Row]:
    """A line an era beside the SDK's server, and one beside FastMCP where its environment is given."""
    peers = [str(HERE / "mcp_peers.py")]
    commands = {kind: [sys.executable, *peers, kind] for kind in ("mcpserver", "mcpserver-async")}
    if fastmcp is not None:
        commands["fastmcp"] = [str(fastmcp / "python"), *peers, "fastmcp"]
    with ExitStack() as stack:
        out = stack.enter_context(tempfile.TemporaryDirectory())
        servers = {name: _peer(stack, command) for name, command in commands.items()}
        servers["ours"] = _ours(stack, out)
        found = []
        for era in ERAS:
            rates = _rates({n: s for n, s in servers.items() if era in _ERAS_OF.get(n, ERAS)}, calls, era)
            sdk = max((rates[kind] for kind in ("mcpserver", "mcpserver-async")), key=lambda rate: rate.cpu)
            found.append(_row(era, "MCPServer", sdk, rates["ours"]))
            if "fastmcp" in rates:
                found.append(_row(era, "fastmcp", rates["fastmcp"], rates["ours"]))
    if fastmcp is None:
        found.append(Row(_WHAT.format(era="handshake"), MISSING, "", "", "2×"))
    return found


def _row(era: str, name: str, peer: Rate, ours: Rate) -> Row:
    return Row(_WHAT.format(era=era), f"{name} {peer.text()}", ours.text(), times(ours.cpu, peer.cpu), "2×")


def _rates(servers: dict[str, _Server], calls: int, era: str) -> dict[str, Rate]:
    """The best round of each server, the rounds taken in turns, so that a busy minute strikes all."""
    requests = {name: _request(server, ERAS[era]) for name, server in servers.items()}
    found: dict[str, list[Rate]] = {name: [] for name in servers}
    for name, server in servers.items():
        asyncio.run(_call(server.port, requests[name], calls // 10 + _CONNECTIONS))
    for _ in range(_ROUNDS):
        for name, server in servers.items():
            found[name].append(_round(server.process, server.port, requests[name], calls))
    return {name: max(rates, key=lambda rate: rate.cpu) for name, rates in found.items()}


def _peer(stack: ExitStack, command: list[str]) -> _Server:
    return _Server(*stack.enter_context(_running(command)), "/mcp", "noop", {})


def _ours(stack: ExitStack, out: str) -> _Server:
    process, port = stack.enter_context(_running([sys.executable, __file__, out]))
    assert process.stdout is not None
    episode = process.stdout.readline().strip()
    notes = {"operation": "retrieve_all"}
    return _Server(process, port, "/mcp/search", "dict_memory", notes, (f"x-episode: {episode}",))


def _round(process: subprocess.Popen[str], port: int, request: bytes, calls: int) -> Rate:
    before, start = _spent(process.pid), time.perf_counter()
    asyncio.run(_call(port, request, calls))
    wall = time.perf_counter() - start
    # The clock of the processor ticks a hundred times a second; a quick look may fall between two ticks.
    return Rate(calls / max(_spent(process.pid) - before, 1 / _TICKS), calls / wall)


def _spent(process: int) -> float:
    """Processor seconds of a process; needs Linux."""
    parts = Path(f"/proc/{process}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / _TICKS


@contextmanager
def _running(command: list[str]) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server of its own on the first core; this process goes to the others meanwhile."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cores[:1])
    process = subprocess.Popen([*command, str(port)], stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
    os.sched_setaffinity(0, cores[1:] or cores)
    try:
        _wait(process, port)
        yield process, port
    finally:
        process.kill()
        process.communicate()
        os.sched_setaffinity(0, cores)


def _wait(process: subprocess.Popen[str], port: int) -> None:
    while process.poll() is None:
        with socket.socket() as trying:
            if trying.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"a server ended before it served: {process.args}")


def _request(server: _Server, version: str) -> bytes:
    params: dict[str, Any] = {"name": server.tool, "arguments": server.arguments}
    headers = [*server.headers, f"mcp-protocol-version: {version}"]
    if version == ERAS["2026"]:
        about = {"protocolVersion": version, "clientInfo": {"name": "load", "version": "1"}, "clientCapabilities": {}}
        params["_meta"] = {f"io.modelcontextprotocol/{key}": value for key, value in about.items()}
        headers += ["mcp-method: tools/call", f"mcp-name: {server.tool}"]
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    headers += [f"host: 127.0.0.1:{server.port}", "content-type: application/json", f"content-length: {len(body)}"]
    lines = [f"POST {server.path} HTTP/1.1", *headers, "accept: application/json, text/event-stream", "", ""]
    return "\r\n".join(lines).encode() + body


async def _call(port: int, request: bytes, calls: int) -> None:
    await asyncio.gather(*(_calls(port, request, calls // _CONNECTIONS) for _ in range(_CONNECTIONS)))


async def _calls(port: int, request: bytes, calls: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(calls):
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        body = await reader.readexactly(int(length.split(b":")[1]))
        if b" 200 " not in head or b'"result"' not in body or b'"isError":true' in body:
            raise RuntimeError(f"a call failed: {body[:200]!r}")
    writer.close()
    await writer.wait_closed()


def _serve(out: str, port: int) -> None:
    """Ours: a tiny world and one episode, whose id is printed."""
    import uvicorn
    from starlette.applications import Starlette

    from worldgen.env import Limits
    from worldgen.pipeline import build_world
    from worldgen.serve.keys import Keys
    from worldgen.serve.mcp import mount_mcp
    from worldgen.serve.server import Server, ServerLimits

    world = build_world(_TINY, seed=1, haystack=0, proofs=False, out=Path(out)).path
    server = Server([world], keys=Keys.make(None, None), limits=ServerLimits(episode=Limits(calls=10**9)))
    app = Starlette()
    mount_mcp(app, server)
    print(server.start(world.name, None).id, flush=True)
    uvicorn.run(app, port=port, log_level="error", access_log=False, lifespan="off")


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
