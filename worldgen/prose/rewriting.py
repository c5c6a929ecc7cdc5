"""The stage: every page's sentences go to the model, what may stand comes back in its words.

A page is asked for by itself, so that a request, and with it the cache, hangs on nothing but that page. What a model
wrote is judged against a scratch copy of the world in the grammar's words, by the audit and by the proofs' reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from worldgen.audit.claims import Lexicon
from worldgen.audit.spans import check_spans
from worldgen.facts.tables import Facts
from worldgen.llm.model import Reply, Request, Sampling
from worldgen.proofs.files import Files
from worldgen.proofs.reader import Reader
from worldgen.prose.asking import MOST, Wanted, read, request
from worldgen.prose.counts import Counts
from worldgen.prose.judge import Judge
from worldgen.prose.passages import Passage, passages, rewritten
from worldgen.prose.settings import Prose
from worldgen.records import Language, Page
from worldgen.schema.canonical import canonical
from worldgen.store.database import DatabaseWriter
from worldgen.store.manifest import MANIFEST, write_json


class Asks(Protocol):
    """A model as synchronous code asks it, from several threads; `worldgen.llm.Blocking` is one."""

    def complete(self, request: Request) -> Reply:
        """Answer a request, or raise `ModelError`."""


@dataclass(frozen=True, slots=True)
class _Task:
    """Some sentences of a page, and what is asked of them."""

    place: int
    wanted: tuple[Wanted, ...]
    request: Request


def rewrite(
    pages: Sequence[Page],
    facts: Facts,
    told: Prose,
    asks: Asks,
    *,
    folder: Path,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Page], Counts]:
    """Pages in a model's words, as far as those may stand.

    Args:
        pages: The pages in the grammar's words.
        facts: The world.
        told: How the model is asked.
        asks: The model.
        folder: Where a scratch copy may lie while this goes on.
        progress: Called with how many replies there are, and how many there will be.

    Returns:
        The pages in their order, and what came of their sentences.

    Raises:
        ModelError: The model did not answer; what it has answered is in its cache.
    """
    with _scratch(pages, facts, folder) as files:
        judges = _judges(files, facts, pages)
        tasks = list(_tasks(pages, told, judges))
        counts = Counts()
        texts: list[dict[Passage, str]] = [{} for _ in pages]
        for number, (task, reply) in enumerate(_asked(tasks, asks, told.jobs), 1):
            page = pages[task.place]
            said = read(reply, len(task.wanted))
            outcomes = ["reply"] * len(task.wanted)
            if said is not None:
                judged = [
                    (each.passage, *judges[page.language].judge(page, each.passage, text))
                    for each, text in zip(task.wanted, said, strict=True)
                ]
                outcomes = [outcome for _, outcome, _ in judged]
                texts[task.place] |= {passage: text for passage, outcome, text in judged if outcome == "rewritten"}
            counts.add(outcomes, stored=reply.stored)
            if progress is not None:
                progress(number, len(tasks))
    done = [rewritten(page, new) if new else page for page, new in zip(pages, texts, strict=True)]
    for page in done:
        check_spans(page)
    return done, counts


def _judges(files: Files, facts: Facts, pages: Sequence[Page]) -> dict[str, Judge]:
    reader = Reader(files)
    languages: dict[str, Language] = {"en": "en", "zh": "zh"}
    return {
        used: Judge(Lexicon.read(files.database, facts.schema, languages[used]), reader)
        for used in sorted({page.language for page in pages})
    }


def _tasks(pages: Sequence[Page], told: Prose, judges: dict[str, Judge]) -> Iterator[_Task]:
    sampling = Sampling(temperature=told.temperature, max_tokens=told.max_tokens, seed=told.seed)
    for place, page in enumerate(pages):
        wanted = [judges[page.language].wanted(passage) for passage in passages(page)]
        for at in range(0, len(wanted), MOST):
            some = tuple(wanted[at : at + MOST])
            yield _Task(place, some, request(page, some, sampling))


def _asked(tasks: Sequence[_Task], asks: Asks, jobs: int) -> Iterator[tuple[_Task, Reply]]:
    """Every task with its reply, in their order."""
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="worldgen-prose")
    try:
        yield from zip(tasks, pool.map(asks.complete, [task.request for task in tasks]), strict=True)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _scratch(pages: Sequence[Page], facts: Facts, folder: Path) -> Iterator[Files]:
    """The files of a world in the grammar's words, as far as its audit and the proofs' reader need them."""
    with TemporaryDirectory(prefix=".prose-", dir=folder) as name:
        world = Path(name)
        writer = DatabaseWriter(world / "world.db", facts.schema)
        try:
            writer.write_facts(facts)
            writer.write_pages(list(pages))
        finally:
            writer.close()
        (world / "schema.json").write_text(canonical(facts.schema), "utf-8")
        write_json(world / MANIFEST, {})
        with closing(Files(world)) as files:
            yield files
