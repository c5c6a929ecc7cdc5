"""The catalogue's rows, made from facts, pages and tasks, in the order of the catalogue's columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import repeat

from worldgen.facts.tables import Facts
from worldgen.records import Page, Task

Row = tuple[object, ...]


def compact(value: object) -> str:
    """JSON in one line with a fixed form, for columns that hold nested records."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def entity_rows(facts: Facts) -> Iterator[Row]:
    """Rows of `wg_entity`; a series has no rows of its own."""
    for table in facts:
        if table.kind == "series":
            continue
        named = int(table.named)
        for row, text in enumerate(table.names):
            yield (table.id(row), table.name, row, text.en, text.zh, named)


def alias_rows(facts: Facts) -> Iterator[Row]:
    """Rows of `wg_alias`; an alias is ambiguous where two entities have it."""
    found: list[tuple[str, str, str]] = []
    for table in facts:
        for row in sorted(table.aliases):
            for text in table.aliases[row]:
                found.extend((table.id(row), language, text.say(language)) for language in ("en", "zh"))
    owners: dict[tuple[str, str], int] = {}
    for _, language, said in found:
        owners[language, said.casefold()] = owners.get((language, said.casefold()), 0) + 1
    for number, (entity, language, said) in enumerate(found):
        yield (number, entity, language, said, int(owners[language, said.casefold()] > 1))


def fact_rows(facts: Facts) -> Iterator[Row]:
    """Rows of `wg_fact`: every value of every column that pages state."""
    for table in facts:
        if table.kind == "series":
            of, period = (table.columns[key] for key in table.key)
            subjects, times = of.canonicals(), period.canonicals()
            marks = [f"@{time}" for time in times]
        else:
            subjects, times, marks = [table.id(row) for row in range(table.size)], [""] * table.size, [""] * table.size
        for name in table.stated():
            column = table.columns[name]
            given = column.given.astype(int).tolist()
            yield from zip(
                [f"{subject}/{name}{time}" for subject, time in zip(subjects, marks, strict=True)],
                subjects, repeat(name), times, repeat(column.type), column.canonicals(), given,
            )  # fmt: skip


def page_rows(pages: Sequence[Page]) -> Iterator[Row]:
    """Rows of `wg_page`."""
    for p in pages:
        yield (p.url, p.site, p.genre, p.language, p.title, p.date, p.author, p.trust, p.kind, p.subject, p.body)


def statement_rows(pages: Sequence[Page]) -> Iterator[Row]:
    """Rows of `wg_statement`, in page order."""
    number = 0
    for page in pages:
        url = page.url
        for s in page.statements:
            yield (number, url, *s)
            number += 1


def link_rows(pages: Sequence[Page]) -> Iterator[Row]:
    """Rows of `wg_link`, in page order."""
    number = 0
    for page in pages:
        for link in page.links:
            yield (number, page.url, link.url, link.text)
            number += 1


def years_rows(pages: Sequence[Page]) -> Iterator[Row]:
    """Rows of `wg_years`, of the pages that tell any."""
    for page in pages:
        if page.years:
            yield (page.url, " ".join(map(str, page.years)))


def task_rows(tasks: Sequence[Task]) -> Iterator[Row]:
    """Rows of `wg_task`."""
    for t in tasks:
        yield (
            t.instance_id,
            t.language,
            t.question,
            compact(t.columns),
            compact(t.rows),
            compact(t.evaluation),
            compact(t.query),
            compact(t.plan),
            compact(t.difficulty),
        )


def evidence_rows(tasks: Sequence[Task]) -> Iterator[Row]:
    """Rows of `wg_evidence`."""
    number = 0
    for task in tasks:
        for e in task.evidence:
            yield (number, task.instance_id, e.row, e.column, e.fact, e.url, e.start, e.end)
            number += 1
