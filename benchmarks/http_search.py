"""HTTP search beside a raw ASGI app over the same engine: requests a second, one core each, turn by turn.

python -m benchmarks.http_search WORLD [--requests 3000] [--rounds 3]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.http_client import Connection, Process, served, started
from benchmarks.measuring import Row, markdown, times
from worldgen.world import World

_CONNECTIONS = 8


def raw_app(world: World) -> Callable[..., Awaitable[None]]:
    """The least that answers ``POST /search`` with the same bytes."""
    from worldgen.search.shown import display_date

    search = world.engine.search

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        query = json.loads((await receive())["body"])["query"]
        hits = search(query, 10, withholding="strict")
        found = [{"url": h.url, "title": h.title, "snippet": h.snippet, "date": display_date(h.date)} for h in hits]
        body = json.dumps({"query": query, "results": found}, ensure_ascii=False, separators=(",", ":")).encode()
        head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": body})

    return app


def serve_raw(folder: Path) -> None:
    """Serve the raw app as `worldgen serve` serves ours."""
    import uvicorn

    # Without the protocol asyncio leaves Nagle's delay on, and the peer would wait between its head and its body.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(1_024)
    config = uvicorn.Config(
        raw_app(World.load(folder)), http="httptools", lifespan="off", log_level="warning", access_log=False
    )
    print(json.dumps({"url": f"http://127.0.0.1:{listening.getsockname()[1]}"}), flush=True)
    uvicorn.Server(config).run(sockets=[listening])


async def _asked(port: int, queries: list[str], count: int) -> bytes:
    """Ask so many times over several connections; the last body."""
    last = b""

    async def ask(start: int) -> None:
        nonlocal last
        connection = Connection(port)
        for number in range(start, count, _CONNECTIONS):
            status, last = await connection.ask("POST", "/search", {"query": queries[number % len(queries)]})
            assert status == 200
        connection.close()

    await asyncio.gather(*(ask(start) for start in range(_CONNECTIONS)))
    return last


def _same(ours: Process, raw: Process, queries: list[str]) -> None:
    for query in queries[:20]:
        mine, theirs = (asyncio.run(_asked(process.port, [query], 1)) for process in (ours, raw))
        assert json.loads(mine) == json.loads(theirs)


def rows(folder: Path, requests: int, rounds: int) -> list[Row]:
    """Requests a second of processor time and by the clock."""
    with World.load(folder) as world:
        _ = world.engine
        pages = list(world.pages.values())
        names = [page.title for page in pages[:: max(1, len(pages) // 200)]]
        words = [" ".join(page.body.split()[-40:-37]) for page in pages[:: max(1, len(pages) // 200)]]
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[-1]})
    out = []
    with (
        started(served([folder]), core=cores[0]) as ours,
        started(["-m", "benchmarks.http_search", "--raw", str(folder)], core=cores[0]) as raw,
    ):
        for what, queries in (("a name", names), ("three words", words)):
            _same(ours, raw, queries)
            best: dict[str, list[float]] = {"ours": [0, 0], "raw": [0, 0]}
            for _ in range(rounds):
                for name, process in (("ours", ours), ("raw", raw)):
                    asyncio.run(_asked(process.port, queries, min(200, requests)))
                    cpu, wall = process.cpu(), time.perf_counter()
                    asyncio.run(_asked(process.port, queries, requests))
                    rates = requests / (process.cpu() - cpu or 1e-9), requests / (time.perf_counter() - wall)
                    best[name] = [max(pair) for pair in zip(best[name], rates, strict=True)]
            for place, unit in enumerate(("a second of processor", "a second by the clock")):
                a, b = best["raw"][place], best["ours"][place]
                peer = f"raw ASGI: {a:,.0f}"
                out.append(Row(f"POST /search, {what}, {unit}", peer, f"{b:,.0f}", times(b, a), "0.7×"))
    return out


def main() -> None:
    """Measure, or serve the raw app."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("--requests", type=int, default=3_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--raw", action="store_true", help="serve the raw app and nothing else")
    options = parser.parse_args()
    if options.raw:
        serve_raw(options.world)
    else:
        print(markdown(rows(options.world, options.requests, options.rounds)))


if __name__ == "__main__":
    main()
