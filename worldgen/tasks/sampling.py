"""Makes a world's tasks: proposes queries by seeded streams and keeps those that are fair questions.

A rejection has a reason, and reasons are counted. A world that has no more fair questions gets fewer tasks.
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from worldgen.errors import InternalError
from worldgen.facts.tables import Column, Facts
from worldgen.records import Page, Task
from worldgen.seeds import Stream, stream
from worldgen.tasks.askable import askables
from worldgen.tasks.cells import cell_writer
from worldgen.tasks.evaluation import evaluation
from worldgen.tasks.evidence import PageIndex
from worldgen.tasks.frame import Frame
from worldgen.tasks.gold import GoldRow, gold_rows
from worldgen.tasks.plan import Plan, make_plan
from worldgen.tasks.proposals import SHAPES, Proposal, Proposer, Shape
from worldgen.tasks.query import Agg, At, TableQuery
from worldgen.tasks.spread import MOST_KEYS, MOST_SHARED, Overlap, Spread, cells_held, keys_shown
from worldgen.tasks.wording import Wording, write_question

_TRIES = 40
_EASY_SHARE = 0.1
_MOST_OPENED = 0.2
"""Share of the pages that a plan may open: who opens three times as many at random should not find half the cells."""


@dataclass(slots=True)
class Tally:
    """Why proposals were turned down, and how many tasks of each shape there are."""

    rejected: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, int] = field(default_factory=dict)

    def reject(self, reason: str) -> None:
        """Count a rejection."""
        self.rejected[reason] = self.rejected.get(reason, 0) + 1


def make_tasks(
    facts: Facts,
    connection: sqlite3.Connection,
    pages: Sequence[Page],
    language: str,
    *,
    count: int,
    tally: Tally | None = None,
    overlap: Overlap | None = None,
) -> list[Task]:
    """Make up to ``count`` tasks in a language.

    Args:
        facts: The world in columns.
        connection: Its database, with its typed tables and its pages.
        pages: The same pages, of all languages.
        language: Of the questions; only pages of this language prove them.
        count: Most tasks made.
        tally: Where rejections are counted.
        overlap: The cells of the world's tasks in other languages; those made here are added.
    """
    # Nothing here makes cycles, and each collection would walk through all records of the world.
    collecting = gc.isenabled()
    try:
        gc.disable()
        return _Maker(facts, connection, pages, language, tally or Tally(), overlap or Overlap()).make(count)
    finally:
        if collecting:
            gc.enable()


class _Maker:
    def __init__(
        self,
        facts: Facts,
        connection: sqlite3.Connection,
        pages: Sequence[Page],
        language: str,
        tally: Tally,
        overlap: Overlap,
    ) -> None:
        self.facts = facts
        self.connection = connection
        self.language = language
        self.tally = tally
        self.frame = Frame(facts)
        self.index = PageIndex(pages, connection, language)
        self.proposer = Proposer(self.frame, askables(self.frame))
        self.overlap = overlap
        self.easy = 0

    def make(self, count: int) -> list[Task]:
        made: list[Task] = []
        spent: dict[Shape, int] = {}
        for slot in range(count):
            rng = stream(self.facts.seed, "tasks", self.language, slot)
            task = self._slot(slot, count, rng, spent)
            if task is not None:
                made.append(task)
        return self._numbered(self._trimmed(made))

    def _slot(self, slot: int, count: int, rng: Stream, spent: dict[Shape, int]) -> Task | None:
        first = SHAPES[slot % len(SHAPES)]
        others = [shape for shape in dict.fromkeys(rng.shuffled(SHAPES)) if shape not in (first, "all")]
        for shape in [first, *others]:
            # A shape that has failed two slots running has no more to give in this world.
            if spent.get(shape, 0) >= 2:
                continue
            for _ in range(_TRIES):
                proposal = self.proposer.propose(shape, rng)
                if proposal is None:
                    self.tally.reject("nothing drawn")
                    continue
                task = self._judge(proposal, shape, count, rng)
                if task is not None:
                    spent[shape] = 0
                    return task
            spent[shape] = spent.get(shape, 0) + 1
        return None

    def _judge(self, proposal: Proposal, shape: Shape, count: int, rng: Stream) -> Task | None:
        query = proposal.query
        table = self.facts.tables[query.subject]
        ids = [table.id(row) for row in proposal.rows.tolist()]
        if self.overlap.likely(query, ids):
            return self._no("overlaps an earlier task")
        if not self._complete(proposal):
            return self._no("an empty cell")
        full = self.easy + 1 > count * _EASY_SHARE
        shown = keys_shown(ids, self._keys(proposal), self.index, self.facts)
        if full and shown > MOST_KEYS:
            return self._no("one page shows too many keys")
        rows = gold_rows(query, self.connection, self.facts, self.language)
        if sorted(row.id for row in rows) != sorted(ids):
            raise InternalError(
                "tasks.two-answers", "SQL and columns disagree about a query", expected=str(ids), got=repr(query)
            )
        keys = len(query.keys)
        if self.overlap.share(query, rows) > MOST_SHARED:
            return self._no("overlaps an earlier task")
        if not _distinct(rows, keys):
            return self._no("keys alike")
        held = Spread(cells_held(rows, keys, self.index), shown)
        if held.easy and full:
            return self._no("one page states too many cells")
        wording = write_question(query, self.frame, self.language, rng)
        if wording is None:
            return self._no("headings alike")
        if self._leaks(rows, query, wording):
            return self._no("a key in the question")
        plan = make_plan(rows, wording, self.index, self.facts, keys)
        if plan is None:
            return self._no("a fact that no page proves")
        if plan.difficulty["opens"] > _MOST_OPENED * len(self.index.pages):
            return self._no("takes too much of the world")
        self.overlap.add(query, rows)
        self.easy += int(held.easy)
        self.tally.shapes[shape] = self.tally.shapes.get(shape, 0) + 1
        difficulty = {"shape": shape, "easy": held.easy, "hops": _hops(query), **plan.difficulty}
        difficulty |= {"most_cells_on_a_page": round(held.cells, 4), "most_keys_on_a_page": round(held.keys, 4)}
        return self._task(query, rows, wording, plan, difficulty)

    def _keys(self, proposal: Proposal) -> list[tuple[str, ...]]:
        """The key cells of each row."""
        columns = []
        for key in proposal.query.keys:
            values = self.frame.values(proposal.query.subject, key)
            write = cell_writer(values.meaning, self.facts, self.language)
            columns.append([write(row) for row in values.holders[proposal.rows].tolist()])
        return list(zip(*columns, strict=True))

    def _no(self, reason: str) -> Task | None:
        self.tally.reject(reason)
        return None

    def _complete(self, proposal: Proposal) -> bool:
        """Whether every cell has a value or is stated not to be disclosed.

        No ref on the way leads nowhere, and nothing is computed from no rows: there is no average price where there are
        no prices, and a page that says that it is not disclosed tells a reader little.
        """
        for term in proposal.query.columns:
            values = self.frame.values(proposal.query.subject, term)
            if isinstance(term, Agg):
                members = self.frame.values(proposal.query.subject, replace(term, how="count", of=None, decimals=0))
                if (members.values[proposal.rows] == 0).any():
                    return False
            bad = ~values.ok[proposal.rows]
            if not bad.any():
                continue
            column = values.meaning.column
            if isinstance(term, Agg) or column is None or _folds_nothing(column):
                return False
            holders = values.holders[proposal.rows][bad]
            if (holders < 0).any() or column.given[holders].any():
                return False
        return True

    def _leaks(self, rows: Sequence[GoldRow], query: TableQuery, wording: Wording) -> bool:
        said = wording.question.casefold()
        coined = [
            n for n, key in enumerate(query.keys) if self.frame.meaning(query.subject, key).type in ("name", "ref")
        ]
        return any(row.cells[number].text.casefold() in said for row in rows for number in coined)

    def _task(
        self, query: TableQuery, rows: Sequence[GoldRow], wording: Wording, plan: Plan, difficulty: dict[str, object]
    ) -> Task:
        meanings = [self.frame.meaning(query.subject, term) for term in query.terms]
        return Task(
            instance_id="",
            language=self.language,
            question=wording.question,
            columns=wording.headings,
            rows=tuple(tuple(cell.text for cell in row.cells) for row in rows),
            evaluation=evaluation(query, meanings, wording.headings),
            query=query.to_json(),
            plan=plan.data,
            evidence=plan.evidence,
            difficulty=difficulty,
        )

    def _trimmed(self, made: list[Task]) -> list[Task]:
        """Drop easy tasks until they are no more than a tenth."""
        easy = [task for task in made if task.difficulty["easy"]]
        while easy and len(easy) > len(made) * _EASY_SHARE:
            last = easy.pop()
            made = [task for task in made if task is not last]
            self.tally.reject("too many easy ones")
        return made

    def _numbered(self, made: list[Task]) -> list[Task]:
        start = f"{self.facts.schema.world}-{self.facts.seed}-{self.language}"
        return [replace(task, instance_id=f"{start}-{n:03d}") for n, task in enumerate(made, 1)]


def _folds_nothing(column: Column) -> bool:
    """Whether a value that is missing from the column is missing since there are no rows to compute it from."""
    return column.spec is not None and column.spec.aggregate is not None


def _distinct(rows: Sequence[GoldRow], keys: int) -> bool:
    """Whether no two rows have the same key once case, spaces and asterisks are gone."""
    seen = {tuple(_plain(cell.text) for cell in row.cells[:keys]) for row in rows}
    return len(seen) == len(rows)


def _plain(text: str) -> str:
    return text.lower().replace(" ", "").replace("*", "")


def _hops(query: TableQuery) -> int:
    """The longest way from a row of the answer to a value in it."""
    lengths = [2 if isinstance(term, Agg | At) else 1 for term in query.columns]
    lengths += [len(term.words) for term in query.columns if not isinstance(term, Agg)]
    return max(lengths, default=1)
