"""MCP over the worlds of a server: `mount_mcp` puts it into an application, `stdio` serves one client of one world.

`handlers` say what a protocol's requests come to and `seat` for whom; `exchange` carries one request over HTTP, and
`mount` has the endpoints. Needs the extra ``worldgen[mcp]``.
"""

from worldgen.serve.mcp.mount import mount_mcp

__all__ = ["mount_mcp"]
