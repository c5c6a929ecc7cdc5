"""The pipeline: a schema and a seed become a proven world on disk, stage by stage.

A world is built in a folder beside its place and renamed when it is whole, so that a killed build leaves nothing that
looks like a world, and the next one gives the same bytes.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TypedDict, Unpack

from worldgen.corpus import write_corpus
from worldgen.corpus.haystack import haystack_pages
from worldgen.corpus.years import marked_title
from worldgen.errors import CallerError, ProofError, expect, expect_path
from worldgen.facts.generate import generate
from worldgen.facts.given import Given
from worldgen.facts.reading import read_schema
from worldgen.facts.tables import Facts
from worldgen.proofs import CheckReport, check
from worldgen.prose import Counts, Prose
from worldgen.prose.rewriting import rewrite
from worldgen.records import Page, Task
from worldgen.schema import Schema, canonical
from worldgen.scoring import write_tasks
from worldgen.search import build_index
from worldgen.settings import Settings
from worldgen.store import FORMAT_VERSION, Manifest, build_key, canary_of
from worldgen.store.artefacts import write_corpus_file
from worldgen.store.database import DatabaseWriter
from worldgen.store.graph import write_graphml
from worldgen.store.manifest import MANIFEST, file_digest, world_digest, write_json
from worldgen.store.place import disk_errors, put, staging, standing
from worldgen.tasks import Overlap, make_tasks
from worldgen.version import __version__
from worldgen.world import World

LEDGER = "ledger.jsonl"
STAGES = ("facts", "haystack", "corpus", "questions", "graph", "index", "proofs")
PROSE = "prose"
"""A further stage, within that of the corpus, where a model rewrites sentences."""
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build came to.

    Attributes:
        path: Where the world lies.
        manifest: Its manifest.
        seconds: Wall time of this call.
        existed: True where the same build stood there already and nothing was done.
        stages: Seconds by stage; empty where it existed.
        checked: The proofs' report, or None where they were not asked for or the world existed.
        prose: What came of the sentences that a model was asked to rewrite; None where none was, or the world existed.
    """

    path: Path
    manifest: Manifest
    seconds: float
    existed: bool = False
    stages: dict[str, float] = field(default_factory=dict)
    checked: CheckReport | None = None
    prose: Counts | None = None


@dataclass(frozen=True, slots=True)
class Adopted:
    """What a world takes from a ledger: facts that are not drawn, and the ledger's own text, which is kept with it."""

    given: Given
    text: str

    @property
    def digest(self) -> str:
        """The sha256 of the ledger's text."""
        return sha256(self.text.encode()).hexdigest()


class BuildOptions(TypedDict, total=False):
    """What a build may be told beside its schema.

    Attributes:
        seed: Any integer from 0, of the first world where there are several; by default `Settings.seed`.
        out: Folder in which the world's folder is made; by default `Settings.worlds_dir`.
        languages: ``en``, ``zh``; by default the schema's.
        haystack: Pages of sibling worlds in each language that are searched along; by default `Settings.haystack`.
        force: Build again where the same build stands already, or replace another world at that place.
        proofs: Run `worldgen.proofs.check` on the world before it is put in its place; by default yes.
        adopted: A ledger's facts, which are kept; see `worldgen.adoption`.
        prose: A model that rewrites the sentences of pages; see `worldgen.prose`.
    """

    seed: int | None
    out: str | os.PathLike[str] | None
    languages: Sequence[str] | None
    haystack: int | None
    force: bool
    proofs: bool
    adopted: Adopted | None
    prose: Prose | None


@dataclass(frozen=True, slots=True)
class _Order:
    """A build with everything settled."""

    schema: Schema
    seed: int
    languages: tuple[str, ...]
    haystack: int
    place: Path
    key: str
    force: bool
    proofs: bool
    adopted: Adopted | None = None
    prose: Prose | None = None


def _order(
    schema: str | os.PathLike[str] | Schema,
    *,
    seed: int | None = None,
    out: str | os.PathLike[str] | None = None,
    languages: Sequence[str] | None = None,
    haystack: int | None = None,
    force: bool = False,
    proofs: bool = True,
    adopted: Adopted | None = None,
    prose: Prose | None = None,
) -> _Order:
    settings = Settings()
    if out is not None:
        expect_path(out, "out")
    loaded = schema if isinstance(schema, Schema) else read_schema(schema)
    chosen = _languages(languages or loaded.languages)
    number = _natural("seed", settings.seed if seed is None else seed)
    pages = _natural("haystack", settings.haystack if haystack is None else haystack)
    made = [word for word, told in (("adopted", adopted), ("prose", prose)) if told is not None]
    place = Path(out or settings.worlds_dir) / "-".join([loaded.world, *made, str(number)])
    ledger = "" if adopted is None else adopted.digest
    key = build_key(loaded, number, chosen, pages, ledger, None if prose is None else prose.identity)
    return _Order(loaded, number, chosen, pages, place, key, force, proofs, adopted, prose)


def build(
    schema: str | os.PathLike[str] | Schema, *, report: Report | None = None, **options: Unpack[BuildOptions]
) -> World:
    """Build a world and open it; see `build_world` for the arguments."""
    return World.load(build_world(schema, report=report, **options).path)


def build_world(
    schema: str | os.PathLike[str] | Schema,
    *,
    report: Report | None = None,
    processes: int = 2,
    **options: Unpack[BuildOptions],
) -> BuildResult:
    """Build one world into ``<out>/<name>-<seed>``.

    Args:
        schema: A shipped schema's name, a path, or a loaded schema.
        report: Called with the name of each stage (`STAGES`) as it starts.
        processes: How many the build may use; what comes out is the same.
        options: See `BuildOptions`.

    Raises:
        SchemaError: The schema is wrong.
        CallerError: A wrong argument, or another world stands at that place.
        GenerationError: The schema's rules could not be satisfied.
        ProofError: A proof failed; the world is not kept.
        ServiceError: The disk is full or cannot be written.
    """
    start = perf_counter()
    expect(processes, int, "processes")
    order = _order(schema, **options)
    with disk_errors(order.place):
        found = standing(order.place, order.key, force=order.force)
        if found is not None:
            return BuildResult(order.place, found, perf_counter() - start, existed=True)
        with staging(order.place) as folder:
            work = _Work(order, folder, report or (lambda stage: None), processes)
            manifest = work.run()
            checked = work.prove() if order.proofs else None
            write_json(folder / "build.json", _provenance(work.seconds, work.prose))
            put(folder, order.place, key=order.key, force=order.force)
    seconds = perf_counter() - start
    return BuildResult(order.place, manifest, seconds, stages=work.seconds, checked=checked, prose=work.prose)


@dataclass(slots=True)
class _Work:
    """One build in its staging folder."""

    order: _Order
    folder: Path
    report: Report
    processes: int
    seconds: dict[str, float] = field(default_factory=dict)
    prose: Counts | None = None

    def run(self) -> Manifest:
        """All stages up to the manifest."""
        canary = canary_of(self.order.key)
        writer = DatabaseWriter(self.folder / "world.db", self.order.schema)
        try:
            with self._stage("facts"):
                adopted = self.order.adopted
                facts = generate(self.order.schema, self.order.seed, given=adopted.given if adopted else None)
                writer.write_facts(facts)
                writer.run_checks()
            with self._stage("haystack"):
                straw = self._haystack(facts)
            with self._stage("corpus"):
                related = [(page.url, marked_title(page), page.language) for page in straw]
                pages = self._rewritten(write_corpus(facts, self.order.languages, related=related), facts)
                everything = sorted([*pages, *straw], key=lambda page: page.url)
                if self.order.prose is not None:  # what a model wrote does not tell where its years stand
                    everything = [replace(page, years=()) for page in everything]
                writer.write_pages(everything)
                write_corpus_file(pages, self.folder / "corpus.jsonl", canary)
            with self._stage("questions"):
                tasks = self._tasks(facts, writer, pages)
                writer.write_tasks(tasks)
                write_tasks(self.folder / "tasks", tasks, canary=canary)
            with self._stage("graph"):
                write_graphml(writer.connection, self.folder / "graph.graphml", canary)
                (self.folder / "schema.json").write_bytes(canonical(self.order.schema).encode() + b"\n")
                if adopted:
                    (self.folder / LEDGER).write_bytes(adopted.text.encode())
        finally:
            writer.close()
        manifest = self._manifest(facts, pages, tasks, canary, writer.digests)
        with self._stage("index"):
            build_index(everything, self.folder / "index", key=manifest.digest)
        write_json(self.folder / MANIFEST, manifest.model_dump(exclude_none=True))
        return manifest

    def _rewritten(self, pages: list[Page], facts: Facts) -> list[Page]:
        """The pages as they are, or in the words of a model."""
        told = self.order.prose
        if told is None:
            return pages
        with self._stage(PROSE), told.open() as asks:
            pages, self.prose = rewrite(pages, facts, told, asks, folder=self.folder)
        return pages

    def _haystack(self, facts: Facts) -> list[Page]:
        workers = 1 if self.processes == 1 else None
        return [
            page
            for language in self.order.languages
            for page in haystack_pages(facts, [language], self.order.haystack, workers=workers)
        ]

    def prove(self) -> CheckReport:
        """The proofs, on the world as it will stand."""
        with self._stage("proofs"):
            found = check(self.folder, processes=self.processes)
        if not found.passed:
            broken = [result for result in found.results if not result.passed]
            raise ProofError(
                "build.proof-failed",
                f"seed {self.order.seed}: {len(broken)} of {len(found.results)} proofs failed on the world just built",
                expected="every proof to pass",
                got="; ".join(f"{result.name}: {result.detail}" for result in broken),
                fix="try another seed, or build with --no-proofs and look at it with `worldgen check`",
            )
        return found

    def _tasks(self, facts: Facts, writer: DatabaseWriter, pages: list[Page]) -> list[Task]:
        found: list[Task] = []
        overlap = Overlap()
        count = self.order.schema.tasks.count // len(self.order.languages)
        for language in self.order.languages:
            found += make_tasks(facts, writer.connection, pages, language, count=count, overlap=overlap)
        return found

    def _manifest(
        self, facts: Facts, pages: list[Page], tasks: list[Task], canary: str, tables: dict[str, str]
    ) -> Manifest:
        names = [path for path in self.folder.rglob("*") if path.is_file() and path.suffix != ".db"]
        artefacts = {path.relative_to(self.folder).as_posix(): file_digest(path) for path in sorted(names)}
        return Manifest(
            format=FORMAT_VERSION,
            worldgen=__version__,
            world=self.order.schema.world,
            title=self._title(),
            strategy=self.order.schema.strategy,
            setting={"en": facts.scope.en, "zh": facts.scope.zh},
            seed=self.order.seed,
            languages=list(self.order.languages),
            haystack=self.order.haystack,
            build_key=self.order.key,
            digest=world_digest(tables, artefacts),
            tables=tables,
            artefacts=artefacts,
            counts={
                "tables": len(facts.tables),
                "rows": sum(table.size for table in facts),
                "entities": sum(table.size for table in facts if table.kind == "entity"),
                "facts": facts.count(),
                "pages": len(pages),
                "statements": sum(len(page.statements) for page in pages),
                "haystack": self.order.haystack * len(self.order.languages),
                "tasks": len(tasks),
            },
            adopted=self._adopted(),
            prose=None if self.order.prose is None else self.order.prose.identity,
            canary=canary,
        )

    def _adopted(self) -> dict[str, str | int] | None:
        adopted = self.order.adopted
        return None if adopted is None else {"ledger": adopted.digest, "facts": adopted.given.count()}

    def _title(self) -> str:
        """The schema's title in the first of the world's languages that has one."""
        titles = self.order.schema.title
        return next((titles[one] for one in self.order.languages if one in titles), next(iter(titles.values())))

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        self.report(name)
        start = perf_counter()
        yield
        self.seconds[name] = round(perf_counter() - start, 3)


def _languages(given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise CallerError("build.language", "languages are a list", expected='such as ["en"]', got=repr(given))
    for language in given:
        if language not in ("en", "zh"):
            raise CallerError("build.language", "unknown language", expected="en or zh", got=repr(language))
    return tuple(dict.fromkeys(given))


def _natural(name: str, value: int) -> int:
    expect(value, int, name)
    if not 0 <= value < 2**63:
        raise CallerError(f"build.{name}", f"{name} out of range", expected="0 to 2**63 - 1", got=str(value))
    return value


def _provenance(seconds: dict[str, float], prose: Counts | None) -> dict[str, object]:
    return {
        **({} if prose is None else {"prose": prose.to_json()}),
        "seconds": seconds,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "worldgen": __version__,
    }
