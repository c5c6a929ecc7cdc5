"""An ideal reader: given what an agent was shown, the cells that it could have written.

It reads better than any model, so its score is an upper bound of what an agent with the same observations can reach.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from worldgen.agents.session import Answer, Entry
from worldgen.records import Page, Task


class Reader:
    """Reads cells of one task out of observations.

    Args:
        task: The question with its gold and evidence.
        pages: All pages of the world by URL, for the words in which each states its facts.
    """

    def __init__(self, task: Task, pages: Mapping[str, Page]) -> None:
        self.task = task
        self._pages = pages
        self._needs: dict[tuple[int, str], set[str]] = {}
        for e in task.evidence:
            self._needs.setdefault((e.row, e.column), set()).add(e.fact)
        self._conditions = {row: set(facts) for row, facts in task.plan["conditions"]}
        self._wanted = {fact for facts in [*self._needs.values(), *self._conditions.values()] for fact in facts}

    def facts_on(self, url: str, text: str) -> set[str]:
        """Facts of the task whose stating sentence on that page stands in a text."""
        page = self._pages.get(url)
        if page is None:
            return set()
        return {
            s.fact
            for s in page.statements
            if s.fact in self._wanted and s.label in ("sound", "undisclosed") and page.body[s.start : s.end] in text
        }

    def facts_in_entry(self, entry: Entry) -> set[str]:
        """Facts of the task whose value stands, as whole words, in the title or snippet of a result."""
        page = self._pages.get(entry.url)
        if page is None:
            return set()
        text = f"{entry.title}\n{entry.snippet}"
        return {
            s.fact
            for s in page.statements
            if s.fact in self._wanted
            and s.label in ("sound", "undisclosed")
            and _stands_in(page.body[s.value_start : s.value_end], text)
        }

    def answer(self, facts: Iterable[str], shown: str) -> Answer:
        """The table of all cells whose facts are known, in rows whose key was shown and whose conditions are known."""
        known = set(facts)
        rows = []
        keys = set(self.task.evaluation["unique_columns"])
        for number, row in enumerate(self.task.rows):
            if not self._conditions.get(number, set()) <= known:
                continue
            cells = []
            for column, value in zip(self.task.columns, row, strict=True):
                needed = self._needs.get((number, column))
                if column.replace(" ", "").lower() in keys:
                    cells.append(value if value in shown or (needed and needed <= known) else "")
                else:
                    cells.append(value if needed and needed <= known else "")
            if all(cells[i] for i, c in enumerate(self.task.columns) if c.replace(" ", "").lower() in keys):
                rows.append(tuple(cells))
        return Answer(self.task.columns, tuple(rows))


def _stands_in(value: str, text: str) -> bool:
    if not value:
        return False
    return re.search(rf"(?<![0-9A-Za-z.,]){re.escape(value)}(?![0-9A-Za-z])", text) is not None
