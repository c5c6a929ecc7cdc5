"""Whole worlds at several sizes, stage by stage: facts, database, pages, questions, index; and how they grow."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.large import market
from benchmarks.measuring import MISSING, Row, Runner, Spent, measured, peak_mb, times
from benchmarks.peers import PhantomWiki
from worldgen.corpus import write_corpus
from worldgen.facts.generate import generate
from worldgen.records import Page
from worldgen.search import build_index
from worldgen.store.database import DatabaseWriter
from worldgen.tasks import make_tasks

_SEED = 7


@dataclass(frozen=True, slots=True)
class Built:
    """What a world of one size took: seconds by stage (processor, wall) and counts."""

    entities: int
    cpu: dict[str, float]
    wall: dict[str, float]
    pages: int
    words: int
    questions: int
    peak_mb: float


def built(entities: int) -> Built:
    """Build a world of so many entities, one process, no haystack, no proofs."""
    schema = market(entities)
    with tempfile.TemporaryDirectory() as folder:
        facts = measured(lambda: generate(schema, _SEED))
        writer = DatabaseWriter(Path(folder) / "world.db", schema)

        def stored() -> None:
            writer.write_facts(facts.value)
            writer.run_checks()

        database = measured(stored)
        pages = measured(lambda: write_corpus(facts.value, ("en",)))
        kept = measured(lambda: writer.write_pages(pages.value))
        tasks = measured(lambda: make_tasks(facts.value, writer.connection, pages.value, "en", count=20))

        def finished() -> None:
            writer.write_tasks(tasks.value)
            writer.close()

        last = measured(finished)
        index = measured(lambda: build_index(pages.value, Path(folder) / "index", key="benchmark"))
    spent: dict[str, tuple[Spent, ...]] = {
        "facts": (facts,),
        "database": (database, kept, last),
        "pages": (pages,),
        "questions": (tasks,),
        "index": (index,),
    }
    cpu = {name: sum(part.cpu for part in parts) for name, parts in spent.items()}
    wall = {name: sum(part.wall for part in parts) for name, parts in spent.items()}
    count = sum(table.size for table in facts.value)
    return Built(count, cpu, wall, len(pages.value), _words(pages.value), len(tasks.value), peak_mb())


def rows(sizes: Sequence[int], peer: PhantomWiki | None, run: Runner) -> list[Row]:
    """A row a size for the whole and for questions, then one for the growth between the two largest."""
    out: list[Row] = []
    worlds: list[Built] = []
    for size in sizes:
        world: Built = run(built, size)
        worlds.append(world)
        total, clock = sum(world.cpu.values()), sum(world.wall.values())
        theirs = peer.build(size) if peer is not None else None
        stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in world.cpu.items())
        wanted = {5_000: "20×", 50_000: "40×"}.get(size, "")
        out.append(
            Row(
                f"world of {world.entities:,} entities: facts, database, pages, index, questions",
                f"PhantomWiki at depth 6: {theirs.text()}, {theirs.value:,} articles" if theirs else MISSING,
                f"{total:.1f} s (wall {clock:.1f} s: {stages}), {world.pages:,} pages, {world.words:,} words, "
                f"{world.peak_mb:,.0f} MB",
                times(theirs.cpu, total) if theirs else "",
                wanted,
            )
        )
        rate = world.questions / world.cpu["questions"]
        wanted = "100/s at 50,000 entities" if size == sizes[-1] else ""
        out.append(
            Row(f"questions with computed answers, {world.entities:,} entities", "", f"{rate:,.1f}/s", "", wanted)
        )
    if len(worlds) > 1:
        small, large = worlds[-2:]
        out.append(Row("growth exponent of the whole", "", f"{_growth(small, large):.2f}", "", "at most 1.05"))
    return out


def _growth(small: Built, large: Built) -> float:
    spent = sum(large.cpu.values()) / sum(small.cpu.values())
    return math.log(spent) / math.log(large.entities / small.entities)


def _words(pages: Sequence[Page]) -> int:
    return sum(len(page.body.split()) for page in pages)
