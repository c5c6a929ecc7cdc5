"""What a built world lets a text say, in one language: its names, attributes, pages with the facts they state."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType

from benchmarks.guards.values import NUMBERS, Spec
from worldgen.records import Language, Page, Statement
from worldgen.schema.model import Attribute, Labels
from worldgen.search.snippets import JOIN
from worldgen.seeds import Stream
from worldgen.store import read_only
from worldgen.store.reader import FactRow
from worldgen.world import World

_LINK = re.compile(r"\[([^\]\n]*)\]\([^)]*\)")
_MARK = re.compile(r"^(?:[-*>]|\d+\.)\s+|\*\*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Known:
    """A fact that can be told: of whom, what, its canonical value (empty: not disclosed) and the words for a name."""

    fact: str
    subject: str
    spec: Spec
    time: str
    value: str
    shown: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What one text stands for: the page, the statements it may make, the index's own words, the facts in them."""

    shape: str
    page: Page
    statements: tuple[Statement, ...]
    text: str
    known: tuple[Known, ...]


class Material:
    """A world as one language tells it."""

    def __init__(self, path: Path, language: Language) -> None:
        self.path = path
        self.language = language
        self.world = World.load(path)
        self._connection = read_only(path / "world.db", guarded=False)
        column = "name_zh" if language == "zh" else "name"
        rows = self._connection.execute(f"SELECT id, type, {column}, named FROM wg_entity ORDER BY id").fetchall()
        self.names: dict[str, str] = {id_: name for id_, _, name, _ in rows}
        self.named: dict[str, list[str]] = {}
        for id_, type_, _, named in rows:
            if named:
                self.named.setdefault(type_, []).append(id_)
        self.specs = dict(self._read_specs())

    def close(self) -> None:
        """Close the world's files."""
        self._connection.close()
        self.world.close()

    def __enter__(self) -> Material:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def nouns(self) -> dict[str, tuple[str, str]]:
        """One and many of each type of thing."""
        schema = self.world.schema
        found = {}
        for tables in (schema.entities, schema.relations):
            for name, table in tables.items():
                words = table.label.get(self.language) or [name]
                one, _, many = words[0].partition("/")
                found[name] = one, many or one
        return found

    @cached_property
    def persons(self) -> set[str]:
        """Types whose things are people."""
        return {n for n, entity in self.world.schema.entities.items() if entity.name and entity.name.kind == "person"}

    @cached_property
    def pages(self) -> list[tuple[Page, tuple[tuple[Statement, Known], ...]]]:
        """The sound pages that state something tellable, by URL."""
        found = []
        for page in self.world.pages.values():
            if page.language != self.language or page.kind != "sound":
                continue
            told = [(statement, self._stated(page, statement)) for statement in page.statements]
            kept = tuple((statement, known) for statement, known in told if known is not None)
            if kept:
                found.append((page, kept))
        return sorted(found, key=lambda pair: pair[0].url)

    @cached_property
    def facts(self) -> dict[str, tuple[Known, ...]]:
        """Every tellable, disclosed fact by its subject."""
        found: dict[str, list[Known]] = {}
        for row in self.world.facts.values():
            known = self._known(row, row.value or "")
            if known is not None and known.value and known.spec.type != "name":
                found.setdefault(row.subject, []).append(known)
        return {subject: tuple(sorted(facts, key=lambda f: f.fact)) for subject, facts in sorted(found.items())}

    def excerpt(self, rng: Stream, *, whole: bool) -> Excerpt:
        """A page, or a snippet of one to three sentences of it, drawn."""
        page, kept = rng.choice(self.pages)
        if whole:
            return Excerpt("page", page, page.statements, page.body, _once(known for _, known in kept))
        spans = sorted({(s.start, s.end) for s, _ in kept if page.body[s.start : s.end].count("|") <= 3})
        if not spans:
            return self.excerpt(rng, whole=True)
        chosen = sorted(rng.sample(spans, 1 + rng.integer(3)))
        inside = tuple(s for s in page.statements if (s.start, s.end) in chosen)
        text = JOIN.join(_bare(page.body[start:end]) for start, end in chosen)
        return Excerpt("snippet", page, inside, text, _once(k for s, k in kept if (s.start, s.end) in chosen))

    def table(self, subject: str) -> str:
        """The type of a thing."""
        return subject.partition("/")[0]

    def _stated(self, page: Page, statement: Statement) -> Known | None:
        if statement.form not in ("plain", "unit") or statement.label not in ("sound", "undisclosed"):
            return None
        known = self._known(self.world.facts[statement.fact], statement.claimed)
        if known is not None and known.spec.type == "name":
            return Known(
                known.fact, known.subject, known.spec, known.time, known.value,
                page.body[statement.value_start : statement.value_end],
            )  # fmt: skip
        return known

    def _known(self, row: FactRow, value: str) -> Known | None:
        spec = self.specs.get(f"{self.table(row.subject)}.{row.attribute}")
        name = self.names.get(row.subject)
        if spec is None or name is None:
            return None
        shown = self.names.get(value, "") if spec.type == "ref" else value
        if (spec.type in ("ref", "year") and shown in name) or (not value and row.disclosed):
            return None
        return Known(row.id, row.subject, spec, row.time, value, shown)

    def _read_specs(self) -> list[tuple[str, Spec]]:
        schema, found = self.world.schema, []
        for tables in (schema.entities, schema.relations):
            for table, entry in tables.items():
                for name, attribute in entry.attributes.items():
                    if not attribute.hidden and attribute.label.get(self.language):
                        found.append((f"{table}.{name}", self._spec(f"{table}.{name}", attribute)))
        for name, series in schema.series.items():
            key = f"{series.of}.{name}"
            spec = Spec(
                key, series.type, self._labels(series.label), series.unit or "", series.currency or "", period=True
            )
            found.append((key, spec))
        return found

    def _spec(self, key: str, attribute: Attribute) -> Spec:
        values = [
            (name, tuple((value.zh if self.language == "zh" else value.en) or [name]))
            for name, value in (attribute.values or {}).items()
        ]
        return Spec(
            key, attribute.kind, self._labels(attribute.label), attribute.unit or "", attribute.currency or "",
            tuple(values), attribute.ref or "",
        )  # fmt: skip

    def _labels(self, labels: Labels) -> tuple[str, ...]:
        return tuple(labels[self.language])


def is_number(known: Known) -> bool:
    """Whether it is a disclosed number."""
    return bool(known.value) and known.spec.type in NUMBERS


def _once(known: object) -> tuple[Known, ...]:
    return tuple({fact.fact: fact for fact in known}.values())  # type: ignore[attr-defined]


def _bare(text: str) -> str:
    """Markdown away, as a snippet shows it."""
    return " ".join(_MARK.sub("", _LINK.sub(r"\1", text)).replace("|", " ").split())
