"""Servers of others with one tool that does nothing, each as its own documentation has it: stateless, JSON answers.

python mcp_peers.py mcpserver|mcpserver-async|fastmcp PORT
"""

from __future__ import annotations

import sys
from typing import Any

import uvicorn


def app_of(kind: str) -> Any:
    """The ASGI application; imports only what it is made of."""
    if kind == "fastmcp":
        from fastmcp import FastMCP

        server = FastMCP("peer")
        server.tool(noop)
        return server.http_app(path="/mcp", stateless_http=True, json_response=True)
    from mcp.server.mcpserver import MCPServer

    peer = MCPServer("peer", log_level="ERROR")
    peer.add_tool(anoop if kind == "mcpserver-async" else noop, name="noop")
    return peer.streamable_http_app(stateless_http=True, json_response=True)


def noop() -> str:
    """Does nothing."""
    return ""


async def anoop() -> str:
    """Does nothing, without a thread."""
    return ""


if __name__ == "__main__":
    uvicorn.run(app_of(sys.argv[1]), port=int(sys.argv[2]), log_level="error", access_log=False)
