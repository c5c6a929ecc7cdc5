"""The door to a built world: its facts, pages, questions, search, graph and SQL."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Literal, get_args

from worldgen.audit.claims import Lexicon
from worldgen.errors import CallerError, UnknownPage, WorldFormatError, expect, expect_path
from worldgen.records import Hit, Language, Page, Task
from worldgen.schema import Schema, from_canonical
from worldgen.search import IndexEngine, SearchEngine, canonical_url, open_index
from worldgen.search.world_model.backend import Simulation, Simulator, open_session
from worldgen.search.world_model.session import Asks
from worldgen.store import Manifest, read_manifest, read_only
from worldgen.store.connection import select
from worldgen.store.reader import FactRow, FactView, PageView, read_tasks
from worldgen.tools import Perturbation, SqlTool, Tool, Toolbox, WebExtractor, WebSearch
from worldgen.tools.profile import profile as find_profile
from worldgen.tools.tool import read_spec
from worldgen.tools.typed import TableReader, TableTool, seen_tables, table_tools

if TYPE_CHECKING:
    import networkx as nx

Withholding = Literal["none", "light", "strict"]


def _withholding(given: Withholding) -> Withholding:
    words = get_args(Withholding)
    if given not in words:
        raise CallerError("call.withholding", "unknown withholding", expected=" or ".join(words), got=repr(given))
    return given


class _Files:
    """What one process holds open of a world.

    Args:
        path: The world's folder.
        before: What the parent of a forked process holds open, kept from being closed here.
    """

    def __init__(self, path: Path, before: _Files | None = None) -> None:
        self.process = os.getpid()
        self.connection = read_only(path / "world.db", guarded=False)
        self.asked = read_only(path / "world.db")
        self.facts = FactView(self.connection)
        self.pages = PageView(self.connection, haystack=False)
        self.searched = PageView(self.connection)
        self.tasks: list[Task] | None = None
        self.engine: IndexEngine | None = None
        self.tables: TableReader | None = None
        self.tools: dict[str, TableTool] | None = None
        self.lexicons: dict[str, Lexicon] = {}
        self._before = before

    def close(self) -> None:
        self.connection.close()
        self.asked.close()


class World:
    """A built world, read only; open it with `World.load`, best in a ``with`` block.

    Safe to use from several threads. A process forked from this one, and one that gets the world pickled, opens the
    files for itself.

    Attributes:
        path: Its folder.
        manifest: What it is: digests, counts, canary.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = RLock()
        self._files: _Files | None = _Files(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> World:
        """Open the world in that folder.

        Raises:
            CallerError: Not a path.
            WorldFormatError: No world there, a damaged one, or one of a newer format.
        """
        expect_path(path, "path")
        folder = Path(path)
        return cls(folder, read_manifest(folder))

    @property
    def _opened(self) -> _Files:
        with self._lock:
            if self._files is None:
                raise CallerError("world.closed", "the world is closed", path=self.path, fix="load it again")
            if self._files.process != os.getpid():
                self._files = _Files(self.path, before=self._files)
            return self._files

    @property
    def epoch(self) -> int:
        """Under which names it is told; 0 for those that it was built with, see `worldgen.reskin`."""
        return 0

    @property
    def facts(self) -> Mapping[str, FactRow]:
        """Fact id → `FactRow`."""
        return self._opened.facts

    @property
    def pages(self) -> Mapping[str, Page]:
        """URL → `Page`, without the haystack."""
        return self._opened.pages

    @property
    def schema(self) -> Schema:
        """The schema the world was built from."""
        path = self.path / "schema.json"
        try:
            return from_canonical(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise WorldFormatError(
                "world.damaged-schema", f"the world's schema cannot be read: {error}", path=path, fix="build it again"
            ) from error

    @property
    def tasks(self) -> list[Task]:
        """The questions with gold, evidence and plans."""
        files = self._opened
        with self._lock:
            if files.tasks is None:
                files.tasks = read_tasks(files.connection)
            return files.tasks

    @property
    def engine(self) -> IndexEngine:
        """The search engine over all pages, haystack included; a missing or stale index is rebuilt."""
        files = self._opened
        with self._lock:
            if files.engine is None:
                files.engine = open_index(self.path / "index", self.manifest.digest, files.searched)
            return files.engine

    @property
    def tables(self) -> TableReader:
        """The typed tables, as the tools of the ``api`` profile show them."""
        files = self._opened
        with self._lock:
            if files.tables is None:
                built: list[Language] = [word for word in get_args(Language) if word in self.manifest.languages]
                files.tables = TableReader(files.connection, seen_tables(self.schema, built))
            return files.tables

    @property
    def tools(self) -> Mapping[str, TableTool]:
        """The typed tools by name; each is called with keyword arguments and gives plain Python values.

        Example:
            ``world.tools["phone_list"](price_min=300, sort="-price")["items"]``
        """
        files = self._opened
        with self._lock:
            if files.tools is None:
                files.tools = {tool.name: tool for tool in table_tools(self.tables)}
            return files.tools

    def is_warm(self, profile: str) -> bool:
        """Whether what the tools of a profile need is open, so that none of them has to wait for it."""
        wanted = find_profile(profile)
        files = self._opened
        needs = (files.engine, wanted.web), (files.tables, wanted.typed or wanted.sql)
        return all(part is not None for part, needed in needs if needed)

    def toolbox(
        self,
        profile: str = "search",
        *,
        memory: bool = True,
        withholding: Withholding = "strict",
        perturbation: Perturbation | None = None,
        engine: SearchEngine | None = None,
    ) -> Toolbox:
        """The tools of one episode over this world.

        Args:
            profile: One of `worldgen.tools.profiles`; by default the three tools of the web.
            memory: Whether the notebook is among the tools of the web.
            withholding: How many facts a result page may state.
            perturbation: Faults of the episode.
            engine: What searches, by default the index; see `simulator`.
        """
        if perturbation is not None:
            expect(perturbation, Perturbation, "perturbation")
        wanted = find_profile(profile)
        extra: list[Tool] = []
        if wanted.typed:
            extra += self.tools.values()
        if wanted.sql:
            extra.append(SqlTool(self.path / "world.db", self.tables.tables))
        searched = (engine or self.engine) if wanted.web else None
        return Toolbox(
            searched, memory=memory, withholding=_withholding(withholding), extra=extra, perturbation=perturbation
        )

    def lexicon(self, language: Language) -> Lexicon:
        """The world's names, facts and labels in a language, by which what a model writes is judged."""
        files = self._opened
        with self._lock:
            if language not in files.lexicons:
                files.lexicons[language] = Lexicon.read(files.connection, self.schema, language)
            return files.lexicons[language]

    def simulator(self, simulation: Simulation, asks: Asks | None, *, seed: int = 0) -> Simulator:
        """A world model in the place of the search engine, for one session.

        Args:
            simulation: The mode, and how the model is asked.
            asks: The model, for instance a `worldgen.llm.Blocking`; None where only a record is played.
            seed: Of the episode; see `worldgen.search.world_model.backend.open_session`.
        """
        from worldgen.search.world_model.free import FreeEngine
        from worldgen.search.world_model.grounded import GroundedEngine

        tools = [read_spec(name) for name in (WebSearch.name, WebExtractor.name)]
        session = open_session(simulation, asks, manifest=self.manifest, schema=self.schema, tools=tools, seed=seed)
        if simulation.mode == "free":
            return FreeEngine(session, self.schema)
        return GroundedEngine(self.engine, self.lexicon, session, strict=simulation.audit == "strict")

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "strict") -> list[Hit]:
        """The best ``k`` pages for a query, any string, with the snippets that an agent is shown by default.

        Args:
            query: What is looked for.
            k: How many pages at most.
            withholding: How many facts the snippets may state; ``none`` shows what the pages say best.
        """
        expect(query, str, "query")
        expect(k, int, "k")
        return self.engine.search(query, k, withholding=_withholding(withholding))

    def open(self, url: str) -> Page:
        """The page at a URL, haystack included.

        Raises:
            UnknownPage: There is none; also a `KeyError`.
            CallerError: Not a string.
        """
        expect(url, str, "url")
        page = self._opened.searched.get(canonical_url(url) or url)
        if page is None:
            raise UnknownPage(url)
        return page

    def addresses(self, *, after: str = "", limit: int = 100) -> list[tuple[str, str]]:
        """URL and title of the pages that come next by URL, haystack included."""
        expect(after, str, "after")
        expect(limit, int, "limit")
        return self._opened.searched.listed(after=after, limit=limit)

    def sql(self, query: str, *, seconds: float = 10, limit: int = 100_000) -> list[tuple[object, ...]]:
        """Run one SELECT; see `worldgen.store.connection.select` for bounds and errors."""
        expect(query, str, "query")
        expect(seconds, float, "seconds")
        expect(limit, int, "limit")
        files = self._opened
        with self._lock:  # the bound of time belongs to the connection, which nothing else uses
            return select(files.asked, query, seconds=seconds, limit=limit)[1]

    def graph(self) -> nx.MultiDiGraph:
        """The facts as a networkx graph."""
        from worldgen.store.graph import build_graph

        return build_graph(self._opened.connection)

    def aliases(self, language: str) -> dict[str, str]:
        """Surface → canonical name, unambiguous ones only: what a judge without a model may take as equal."""
        if language not in get_args(Language):
            expected = " or ".join(get_args(Language))
            raise CallerError("call.language", "unknown language", expected=expected, got=repr(language))
        column = "name_zh" if language == "zh" else "name"
        rows = self._opened.connection.execute(
            f"SELECT a.text, e.{column} FROM wg_alias a JOIN wg_entity e ON e.id = a.entity"
            " WHERE a.language = ? AND a.ambiguous = 0 ORDER BY a.id",
            (language,),
        )
        return {text: name for text, name in rows}

    def names(self) -> list[str]:
        """Every name that occurs in the world: entities, aliases, coined parts, sites, the setting."""
        connection = self._opened.connection
        found = {text for row in connection.execute("SELECT name, name_zh FROM wg_entity") for text in row}
        found.update(text for (text,) in connection.execute("SELECT text FROM wg_alias"))
        found.update(text for (text,) in connection.execute("SELECT value FROM wg_fact WHERE type = 'name'") if text)
        found.update(text for (text,) in connection.execute("SELECT DISTINCT site FROM wg_page"))
        return sorted(found | set(self.manifest.setting.values()))

    def close(self) -> None:
        """Close the files; closing again does nothing."""
        with self._lock:
            if self._files is not None:
                self._files.close()
                self._files = None

    def __reduce__(self) -> tuple[object, ...]:
        """A world is pickled as its place, and loaded there anew."""
        return (World.load, (self.path.resolve(),))

    def __enter__(self) -> World:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"World({str(self.path)!r}, {self.manifest.counts})"
