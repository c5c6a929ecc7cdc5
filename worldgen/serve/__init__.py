"""Serves worlds over HTTP and MCP: search, tools and episodes for agents, rewards for trainers, the site for browsers.

`make_app` makes the ASGI application of a `Server`; `worldgen serve` runs it. Needs the extra ``worldgen[serve]``.
"""
