"""MCP on standard input and output: one process, one client, one session."""

from __future__ import annotations

import os
import signal
from types import FrameType

import anyio
from mcp.server.stdio import stdio_server

from worldgen.env import Episode
from worldgen.serve.mcp.handlers import make_protocol
from worldgen.serve.mcp.seat import Process
from worldgen.tools import Toolbox
from worldgen.tools.profile import profiles
from worldgen.world import World


def serve_stdio(world: World, profile: str, tools: Toolbox | Episode) -> None:
    """Serve one client until its end of file, Ctrl-C or SIGTERM.

    The question of an episode is what the client is told at the start, as instructions.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    anyio.run(_serve, Process(world, profile, tools), tools.question if isinstance(tools, Episode) else None)


async def _serve(seat: Process, instructions: str | None) -> None:
    protocol = make_protocol(lambda _: seat, pages=profiles()[seat.profile].pages, instructions=instructions)
    async with stdio_server() as (reading, writing):
        await protocol.run(reading, writing, protocol.create_initialization_options())


def _end(number: int, frame: FrameType | None) -> None:
    # A thread waits in a read of standard input, and nothing but input would wake it; the world is only read.
    os._exit(128 + number)
