"""Damage to a built world: what can be done to a copy of it, and which proof is there to find it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgen.records import Task
from worldgen.scoring import write_tasks
from worldgen.store.artefacts import write_corpus_file
from worldgen.store.connection import table_digests
from worldgen.store.graph import write_graphml
from worldgen.store.manifest import file_digest, world_digest, write_json
from worldgen.store.reader import PageView, read_tasks


class Copy:
    """A copy of a world that may be damaged.

    Its files follow the database again in `settle`, so that damage to the database is found by what it means rather
    than by a file that says otherwise.
    """

    def __init__(self, world: Path, place: Path, *, index: bool) -> None:
        shutil.copytree(world, place, ignore=None if index else shutil.ignore_patterns("index"))
        self.folder = place
        self.database = sqlite3.connect(place / "world.db", isolation_level=None)
        self.database.create_function("year", 1, lambda text: None if text is None else int(str(text)[:4]))

    def run(self, sql: str, *values: object) -> None:
        """Change rows; a statement that changes none is no damage."""
        changed = self.database.execute(sql, values).rowcount
        assert changed != 0, f"changes nothing: {sql} {values}"

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self.database.execute(sql, values).fetchall()

    def first(self, sql: str, *values: object) -> Any:
        """The only cell, or the first row, of a query that has one."""
        row = self.database.execute(sql, values).fetchone()
        assert row is not None, f"finds nothing: {sql}"
        return row[0] if len(row) == 1 else row

    def overwrite(self, url: str, start: int, new: str) -> None:
        """Write over a page's text from a place on, so that no other span moves."""
        body = self.first("SELECT body FROM wg_page WHERE url = ?", url)
        assert body[start : start + len(new)] != new
        self.run("UPDATE wg_page SET body = ? WHERE url = ?", body[:start] + new + body[start + len(new) :], url)

    def text(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")

    def write(self, name: str, text: str) -> None:
        assert self.text(name) != text, f"changes nothing in {name}"
        (self.folder / name).write_text(text, "utf-8", newline="\n")

    @property
    def manifest(self) -> dict[str, Any]:
        return json.loads(self.text("manifest.json"))

    @property
    def tasks(self) -> list[Task]:
        return read_tasks(self.database)

    def change_task(self, instance_id: str, **records: object) -> None:
        """Change records of a task; nested ones are written as JSON."""
        for name, value in records.items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            self.run(f'UPDATE wg_task SET "{name}" = ? WHERE instance_id = ?', text, instance_id)

    def settle(self) -> None:
        """Write the files anew from the database."""
        canary = self.manifest["canary"]
        view = PageView(self.database, haystack=False)
        write_corpus_file([view[url] for url in view], self.folder / "corpus.jsonl", canary)
        shutil.rmtree(self.folder / "tasks")
        write_tasks(self.folder / "tasks", self.tasks, canary=canary)
        write_graphml(self.database, self.folder / "graph.graphml", canary)

    def seal(self) -> None:
        """Give the manifest the digests of what is there now."""
        manifest = self.manifest
        files = [p for p in sorted(self.folder.rglob("*")) if p.is_file() and p.suffix != ".db"]
        kept = [p for p in files if p.parent.name != "index" and p.name not in ("manifest.json", "build.json")]
        manifest["artefacts"] = {p.relative_to(self.folder).as_posix(): file_digest(p) for p in kept}
        manifest["tables"] = table_digests(self.database)
        manifest["digest"] = world_digest(manifest["tables"], manifest["artefacts"])
        write_json(self.folder / "manifest.json", manifest)

    def close(self) -> None:
        self.database.close()


@dataclass(frozen=True)
class Damage:
    """One kind of damage.

    Attributes:
        proof: The proof that must find it.
        how: Does it.
        settled: Whether the files then follow the database.
        sealed: Whether the manifest then has the digests of the damaged parts.
    """

    proof: str
    how: Callable[[Copy], None]
    settled: bool
    sealed: bool

    @property
    def name(self) -> str:
        return self.how.__name__


DAMAGES: dict[str, Damage] = {}
"""By name: a module that is imported twice, as a test's neighbour and as a place of doctests, registers once."""


def found_by(
    proof: str, *, settled: bool = True, sealed: bool = True
) -> Callable[[Callable[[Copy], None]], Callable[[Copy], None]]:
    """Register a kind of damage with the proof that must find it."""

    def register(how: Callable[[Copy], None]) -> Callable[[Copy], None]:
        DAMAGES[how.__name__] = Damage(proof, how, settled, sealed)
        return how

    return register
