"""The door to a built world: its facts, pages, questions, search, graph and SQL."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, get_args

from worldgen.errors import WorldFormatError
from worldgen.records import Hit, Language, Page, Task
from worldgen.schema import Schema, from_canonical
from worldgen.search import IndexEngine, open_index
from worldgen.store import Manifest, read_manifest, read_only
from worldgen.store.database import select
from worldgen.store.graph import build_graph
from worldgen.store.reader import FactView, PageView, read_tasks
from worldgen.tools import Perturbation, SqlTool, Tool, Toolbox
from worldgen.tools.profile import profile as find_profile
from worldgen.tools.typed import TableReader, seen_tables, table_tools

if TYPE_CHECKING:
    import networkx as nx

Withholding = Literal["none", "light", "strict"]


class World:
    """A built world, read only; open it with `World.load`.

    Attributes:
        path: Its folder.
        manifest: What it is: digests, counts, canary.
        facts: Fact id → `FactRow`.
        pages: URL → `Page`, without the haystack.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._connection = read_only(path / "world.db")
        self.facts = FactView(self._connection)
        self.pages: Mapping[str, Page] = PageView(self._connection, haystack=False)
        self._searched = PageView(self._connection)
        self._tasks: list[Task] | None = None
        self._engine: IndexEngine | None = None
        self._tables: TableReader | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> World:
        """Open the world in that folder.

        Raises:
            WorldFormatError: No world there, a damaged one, or one of a newer format.
        """
        folder = Path(path)
        return cls(folder, read_manifest(folder))

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
        if self._tasks is None:
            self._tasks = read_tasks(self._connection)
        return self._tasks

    @property
    def engine(self) -> IndexEngine:
        """The search engine over all pages, haystack included; a missing or stale index is rebuilt."""
        if self._engine is None:
            self._engine = open_index(self.path / "index", self.manifest.digest, self._searched)
        return self._engine

    @property
    def tables(self) -> TableReader:
        """The typed tables, as the tools of the ``api`` profile show them."""
        if self._tables is None:
            built: list[Language] = [language for language in get_args(Language) if language in self.manifest.languages]
            self._tables = TableReader(self._connection, seen_tables(self.schema, built))
        return self._tables

    def is_warm(self, profile: str) -> bool:
        """Whether what the tools of a profile need is open, so that none of them has to wait for it."""
        wanted = find_profile(profile)
        needs = (self._engine, wanted.web), (self._tables, wanted.typed or wanted.sql)
        return all(part is not None for part, needed in needs if needed)

    def toolbox(
        self,
        profile: str = "search",
        *,
        withholding: Withholding = "strict",
        perturbation: Perturbation | None = None,
    ) -> Toolbox:
        """The tools of one episode over this world.

        Args:
            profile: One of `worldgen.tools.profiles`; by default the three tools of the web.
            withholding: How many facts a result page may state.
            perturbation: Faults of the episode.
        """
        wanted = find_profile(profile)
        extra: list[Tool] = []
        if wanted.typed:
            extra += table_tools(self.tables)
        if wanted.sql:
            extra.append(SqlTool(self.path / "world.db", self.tables.tables))
        engine = self.engine if wanted.web else None
        return Toolbox(engine, withholding=withholding, extra=extra, perturbation=perturbation)

    def search(self, query: str, k: int = 10, *, withholding: Withholding = "none") -> list[Hit]:
        """The best ``k`` pages for a query, any string."""
        return self.engine.search(query, k, withholding=withholding)

    def open(self, url: str) -> Page:
        """The page at a URL, haystack included; `KeyError` where there is none."""
        return self._searched[url]

    def addresses(self, *, after: str = "", limit: int = 100) -> list[tuple[str, str]]:
        """URL and title of the pages that come next by URL, haystack included."""
        return self._searched.listed(after=after, limit=limit)

    def sql(self, query: str, *, seconds: float = 10, limit: int = 100_000) -> list[tuple[object, ...]]:
        """Run one SELECT; see `worldgen.store.database.select` for bounds and errors."""
        return select(self._connection, query, seconds=seconds, limit=limit)[1]

    def graph(self) -> nx.MultiDiGraph:
        """The facts as a networkx graph."""
        return build_graph(self._connection)

    def aliases(self, language: str) -> dict[str, str]:
        """Surface → canonical name, unambiguous ones only: what a judge without a model may take as equal."""
        column = "name_zh" if language == "zh" else "name"
        rows = self._connection.execute(
            f"SELECT a.text, e.{column} FROM wg_alias a JOIN wg_entity e ON e.id = a.entity"
            " WHERE a.language = ? AND a.ambiguous = 0 ORDER BY a.id",
            (language,),
        )
        return {text: name for text, name in rows}

    def names(self) -> list[str]:
        """Every name that occurs in the world: entities, aliases, coined parts, sites, the setting."""
        connection = self._connection
        found = {text for row in connection.execute("SELECT name, name_zh FROM wg_entity") for text in row}
        found.update(text for (text,) in connection.execute("SELECT text FROM wg_alias"))
        found.update(text for (text,) in connection.execute("SELECT value FROM wg_fact WHERE type = 'name'") if text)
        found.update(text for (text,) in connection.execute("SELECT DISTINCT site FROM wg_page"))
        return sorted(found | set(self.manifest.setting.values()))

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def __enter__(self) -> World:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"World({str(self.path)!r}, {self.manifest.counts})"
