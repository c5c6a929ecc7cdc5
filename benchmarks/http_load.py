"""Episodes side by side on one server for a while: errors, latency, memory; and many worlds behind one server.

python -m benchmarks.http_load WORLD [--seconds 60] [--episodes 64] [--worlds 300]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.http_client import TRAINER_KEY, Connection, Process, served, started
from benchmarks.measuring import Row, markdown
from worldgen.seeds import stream
from worldgen.world import World

_CALLS = 25
_SETTLING = 10.0


@dataclass
class Tally:
    """What a run saw."""

    calls: list[float] = field(default_factory=list)
    begun: int = 0
    refused: int = 0
    errors: list[str] = field(default_factory=list)
    rss: list[tuple[float, float]] = field(default_factory=list)


async def _agent(number: int, port: int, queries: list[str], tally: Tally, end: float) -> None:
    """One agent after another, each an episode with calls, an answer and its end."""
    draws = stream(number, "benchmark", "http-load")
    connection = Connection(port)
    while time.perf_counter() < end:
        settings = {"seed": draws.integer(2**31), "perturbation": "flaky"}
        status, body = await connection.ask("POST", "/episodes", settings, TRAINER_KEY)
        if status != 201:
            tally.errors.append(f"start: {status} {body[:200]!r}")
            continue
        tally.begun += 1
        id = json.loads(body)["episode"]
        urls: list[str] = []
        for turn in range(_CALLS):
            if time.perf_counter() > end:
                break
            query = queries[draws.integer(len(queries))]
            name, arguments = "web_search", {"query": query}
            if urls and turn % 3 == 1:
                name, arguments = "web_extractor", {"url": urls[draws.integer(len(urls))]}
            elif turn % 8 == 7:
                name, arguments = "dict_memory", {"operation": "add", "dict": {f"{turn}": query}}  # type: ignore[dict-item]
            begun = time.perf_counter()
            status, body = await connection.ask("POST", "/call", {"name": name, "arguments": arguments, "episode": id})
            tally.calls.append(time.perf_counter() - begun)
            reply = json.loads(body)
            if "text" not in reply:
                tally.errors.append(f"call: {status} {body[:200]!r}")
            elif status != 200:
                tally.refused += 1
            elif name == "web_search":
                urls = [line.split()[1] for line in reply["text"].split("\n") if line.startswith("[")] or urls
        for method, path, sent in (
            ("POST", f"/episodes/{id}/submit", {"answer": "| a |\n|---|\n| b |"}),
            ("GET", f"/episodes/{id}/reward", None),
            ("DELETE", f"/episodes/{id}", None),
        ):
            status, body = await connection.ask(method, path, sent, TRAINER_KEY)
            if status != 200:
                tally.errors.append(f"{method} {path}: {status} {body[:200]!r}")
    connection.close()


async def _watched(process: Process, queries: list[str], seconds: float, episodes: int) -> Tally:
    tally = Tally()
    begun = time.perf_counter()

    async def watch() -> None:
        while time.perf_counter() < begun + seconds:
            tally.rss.append((time.perf_counter() - begun, process.rss_mb()))
            await asyncio.sleep(0.5)

    agents = [_agent(number, process.port, queries, tally, begun + seconds) for number in range(episodes)]
    await asyncio.gather(watch(), *agents)
    return tally


def load_rows(folder: Path, seconds: float, episodes: int) -> list[Row]:
    """A server under so many episodes."""
    with World.load(folder) as world:
        _ = world.engine
        queries = [page.title for page in world.pages.values()]
    with started(served([folder])) as process:
        cpu = process.cpu()
        tally = asyncio.run(_watched(process, queries, seconds, episodes))
        cpu = process.cpu() - cpu
    for error in tally.errors[:5]:
        print(error, file=sys.stderr)
    times = sorted(tally.calls)
    p50, p99 = times[len(times) // 2] * 1e3, times[len(times) * 99 // 100] * 1e3
    settled = [rss for at, rss in tally.rss if at >= min(_SETTLING, seconds / 2)]
    first = settled[0]
    spread = f"{(min(settled) - first) / first:+.1%} to {(max(settled) - first) / first:+.1%}"
    what = f"{episodes} episodes at once, {seconds:g} s"
    return [
        Row(f"{what}: errors", "", f"{len(tally.errors)} in {len(times):,} calls, {tally.begun:,} episodes", "", "0"),
        Row(f"{what}: calls", "", f"{len(times) / seconds:,.0f}/s, {cpu / seconds:.2f} processors", ""),
        Row(f"{what}: latency", "", f"p50 {p50:.1f} ms, p99 {p99:.1f} ms", f"{p99 / p50:.1f}×", "p99 < 10 × p50"),
        Row(f"{what}: memory after 10 s", "", f"{first:.0f} MB, {spread}", "", "±5 %"),
        Row(f"{what}: refused by faults", "", f"{tally.refused:,}"),
    ]


async def _visited(port: int, names: list[str]) -> None:
    connection = Connection(port)
    for name in names:
        for path, sent in ((f"/w/{name}/search", {"query": "ferry"}), ("/episodes", {"world": name})):
            status, body = await connection.ask("POST", path, sent, TRAINER_KEY)
            assert status in (200, 201), body
    for name in reversed(names):
        status, body = await connection.ask("POST", f"/w/{name}/search", {"query": name}, TRAINER_KEY)
        assert status == 200, body
    connection.close()


def world_rows(folder: Path, count: int) -> list[Row]:
    """One world under many names behind one server, each searched twice, an episode running in each."""
    with World.load(folder) as world:
        _ = world.engine
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        copies = [Path(place) / f"{folder.name}-{number:03}" for number in range(count)]
        for copy in copies:
            _linked(folder, copy)
        with started(served(copies)) as process:
            idle = process.rss_mb()
            begun = time.perf_counter()
            asyncio.run(_visited(process.port, [copy.name for copy in copies]))
            took = time.perf_counter() - begun
            peak = process.peak_mb()
    what = f"{count} worlds behind one server"
    return [
        Row(f"{what}: memory", "", f"{idle:.0f} MB at first, peak {peak:,.0f} MB with an episode in each", "", "2 GB"),
        Row(f"{what}: time", "", f"{took / count * 1e3:.0f} ms a world: opened, searched twice, an episode begun"),
    ]


def _linked(folder: Path, copy: Path) -> None:
    for path in folder.rglob("*"):
        target = copy / path.relative_to(folder)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, target)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("world", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--episodes", type=int, default=64)
    parser.add_argument("--worlds", type=int, default=300)
    options = parser.parse_args()
    found = []
    if options.episodes:
        found += load_rows(options.world, options.seconds, options.episodes)
    if options.worlds:
        found += world_rows(options.world, options.worlds)
    print(markdown(found))


if __name__ == "__main__":
    main()
