"""Serves worlds over HTTP and MCP: search, tools and episodes for agents, rewards for trainers, the site for browsers.

`make_app` of `app` makes the ASGI application of a `Server`; `worldgen serve` runs it. Here is what both ways of asking
share (the pool of worlds, episodes, keys, metrics); `http` and `mcp` are the ways. Needs the extra ``worldgen[serve]``.
"""
