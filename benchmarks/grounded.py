"""What comes of a model in grounded mode: how often what it writes is accepted, mended or refused, and why.

python -m benchmarks.grounded WORLD --model-url URL --model NAME [--searches 20] [--pages 8] [--attempts 3] [--jobs 8]

Each search is an episode of its own, with the first words of a question or a name of the world as the query; pages are
the shortest among the first results. Every observation shown is compared with what the index alone would have shown:
one that fell back must be the same.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from worldgen import World
from worldgen.env import Episode
from worldgen.llm import Blocking, ModelClient
from worldgen.records import Written
from worldgen.search.world_model.backend import Backend, Simulation
from worldgen.seeds import stream

_URL = re.compile(r"(?m)^\[\d+\] (\S+)$")


def queries(world: World, count: int) -> list[str]:
    """What is asked: beginnings of questions and names of things, in turn."""
    names = [name for (name,) in world.sql("SELECT name FROM wg_entity WHERE named = 1 ORDER BY id")]
    drawn = stream(0, "benchmarks", "grounded").sample(names, min(count, len(names)))
    asked = [task.question[:80] for task in world.tasks]
    mixed = [query for pair in zip(drawn, asked * count, strict=False) for query in pair]
    return mixed[:count]


def walk(world: World, backend: Backend, query: str, *, opens: bool) -> tuple[list[Written], int]:
    """Search, and open the shortest of the first pages: what was written, and texts that fell back and yet differ."""
    episode, plain = Episode.start(world, backend=backend), Episode.start(world)
    calls: list[tuple[str, dict[str, str]]] = [("web_search", {"query": query})]
    found = _URL.findall(plain.call(*calls[0]).text)
    if opens and found:
        calls.append(("web_extractor", {"url": min(found[:5], key=lambda url: len(world.open(url).body))}))
        plain.call(*calls[1])
    differing = 0
    for (name, arguments), step in zip(calls, plain.trajectory().steps, strict=True):
        seen = episode.call(name, arguments)
        if name == "web_extractor" and [answer.outcome for answer in seen.written] == ["fallback"]:
            differing += seen.text != step.observation
    written = [answer for step in episode.trajectory().steps for answer in step.written]
    print(f"{query[:40]!r}: {[(answer.action, answer.outcome) for answer in written]}", file=sys.stderr, flush=True)
    return written, differing


def run(world: World, model: Blocking, args: argparse.Namespace) -> dict[str, Any]:
    """Ask and open, and count what comes of it."""
    simulation = Simulation(model=args.model, attempts=args.attempts, max_tokens=args.max_tokens)
    backend = Backend(simulation, model)
    began = time.perf_counter()
    with ThreadPoolExecutor(args.jobs) as pool:
        walks = [
            pool.submit(walk, world, backend, query, opens=number < args.pages)
            for number, query in enumerate(queries(world, args.searches))
        ]
        came = [done.result() for done in walks]
    written = [answer for answers, _ in came for answer in answers]
    usage = model.usage
    return {
        "seconds": round(time.perf_counter() - began, 1),
        "outcomes": {
            action: dict(Counter(answer.outcome for answer in written if answer.action == action))
            for action in ("search", "open")
        },
        "replies": sum(len(answer.replies) for answer in written),
        "reasons": dict(Counter(reason for answer in written for reason in answer.reasons).most_common()),
        "pages_that_fell_back_and_differ": sum(differing for _, differing in came),
        "tokens": usage and {of: getattr(usage, of) for of in ("prompt", "cached", "completion")},
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", type=Path)
    parser.add_argument("--model-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--searches", type=int, default=20)
    parser.add_argument("--pages", type=int, default=8)
    parser.add_argument("--attempts", type=int, default=3)
    parser.add_argument("--max-tokens", type=int, default=1_500)
    parser.add_argument("--jobs", type=int, default=8)
    args = parser.parse_args()
    client = ModelClient(args.model_url, args.model, timeout=1_200, concurrency=args.jobs)
    with World.load(args.world) as world, Blocking(client) as model:
        print(json.dumps(run(world, model, args), indent=2))


if __name__ == "__main__":
    main()
