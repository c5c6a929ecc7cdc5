"""What comes of a model in grounded mode: how often what it writes is accepted, mended or refused, and why.

python -m benchmarks.grounded WORLD --model-url URL --model NAME [--searches 20] [--pages 8] [--attempts 3] [--jobs 8]
  [--model-cache DIR]

Each search is an episode of its own, with the first words of a question or a name of the world as the query; pages are
the shortest among the first results. Every observation shown is compared with what the index alone would have shown:
a page that fell back must be the same. With a cache of replies, a run that was broken off goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from worldgen import World
from worldgen.env import Episode
from worldgen.llm import Blocking, ModelClient
from worldgen.records import Written
from worldgen.search.world_model.backend import Backend, Simulation
from worldgen.search.world_model.turns import read_results
from worldgen.seeds import stream

_URL = re.compile(r"(?m)^\[\d+\] (\S+)$")


def queries(world: World, count: int) -> list[str]:
    """What is asked: beginnings of questions and names of things, in turn."""
    names = [name for (name,) in world.sql("SELECT name FROM wg_entity WHERE named = 1 ORDER BY id")]
    drawn = stream(0, "benchmarks", "grounded").sample(names, min(count, len(names)))
    asked = [task.question[:80] for task in world.tasks]
    mixed = [query for pair in zip(drawn, asked * count, strict=False) for query in pair]
    return mixed[:count]


@dataclass(frozen=True, slots=True)
class Answer:
    """One action of an agent.

    Attributes:
        written: How what it was shown came about.
        same: Whether that is, to the letter, what the index alone would have shown.
        snippets: Of a result page, snippets that are not the index's.
    """

    written: Written
    same: bool
    snippets: int


def walk(world: World, backend: Backend, query: str, *, opens: bool) -> list[Answer]:
    """Search, and open the shortest of the first pages."""
    episode, plain = Episode.start(world, backend=backend), Episode.start(world)
    calls: list[tuple[str, dict[str, str]]] = [("web_search", {"query": query})]
    found = _URL.findall(plain.call(*calls[0]).text)
    if opens and found:
        calls.append(("web_extractor", {"url": min(found[:5], key=lambda url: len(world.open(url).body))}))
        plain.call(*calls[1])
    answers = []
    for (name, arguments), step in zip(calls, plain.trajectory().steps, strict=True):
        began = time.perf_counter()
        seen = episode.call(name, arguments)
        snippets = _changed(seen.text, step.observation) if name == "web_search" and found else 0
        answers += [Answer(written, seen.text == step.observation, snippets) for written in seen.written]
        told = [f"{written.action} {written.outcome} {', '.join(written.reasons)}" for written in seen.written]
        print(f"{query[:40]!r}: {told}, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return answers


def _changed(shown: str, plain: str) -> int:
    """Snippets of a result page that are not those of the index's page."""
    pairs = zip(read_results(shown), read_results(plain), strict=True)
    return sum(entry.snippet != own.snippet for entry, own in pairs)


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
        came = [answer for done in walks for answer in done.result()]
    usage = model.usage
    return {
        "seconds": round(time.perf_counter() - began, 1),
        "audit": simulation.audit,
        **{action: _counted([a for a in came if a.written.action == action]) for action in ("search", "open")},
        "pages_that_fell_back_and_differ": sum(
            a.written.action == "open" and a.written.outcome == "fallback" and not a.same for a in came
        ),
        "tokens": usage and {of: getattr(usage, of) for of in ("prompt", "cached", "completion")},
        "stored": usage and usage.stored,
    }


def _counted(answers: list[Answer]) -> dict[str, Any]:
    reasons = Counter(reason for answer in answers for reason in answer.written.reasons)
    return {
        "outcomes": dict(Counter(answer.written.outcome for answer in answers)),
        "replies": sum(len(answer.written.replies) for answer in answers),
        "reasons": dict(reasons.most_common()),
        "same_as_the_index": sum(answer.same for answer in answers),
        "snippets_of_the_model": sum(answer.snippets for answer in answers),
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
    parser.add_argument("--model-cache", type=Path, help="folder of replies; a repeated run goes on from it")
    args = parser.parse_args()
    client = ModelClient(args.model_url, args.model, timeout=1_200, concurrency=args.jobs, cache=args.model_cache)
    with World.load(args.world) as world, Blocking(client) as model:
        print(json.dumps(run(world, model, args), indent=2))


if __name__ == "__main__":
    main()
