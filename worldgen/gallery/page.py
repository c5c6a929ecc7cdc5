"""The Markdown of the gallery: one page a schema, and their index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from textwrap import wrap

import numpy as np

from worldgen.facts.tables import Column, Facts, Table
from worldgen.gallery.panels import Panels
from worldgen.gallery.quantities import Quantity, unit_of
from worldgen.records import Page, Task
from worldgen.world import World

GOLD_ROWS = 5
PAGE_LINES = 40
_WIDTH = 110


def page(facts: Facts, world: World, panels: Panels) -> str:
    """The page of one schema.

    Args:
        facts: The facts of the world.
        world: The world itself, for a question and a page.
        panels: What its figure shows.
    """
    name = facts.schema.world
    parts = chain(
        _head(facts, world),
        _tables(facts),
        _plots(panels, name),
        _question(_typical_task(world.tasks)),
        _excerpt(_typical_page(world.pages.values())),
        _rules(facts),
        [f"\n<!-- {world.manifest.canary} -->\n"],
    )
    return "".join(parts)


def index(worlds: Iterable[Facts]) -> str:
    """The list of all pages."""
    rows = [
        (
            f"[{facts.schema.world}]({facts.schema.world}.md)",
            _title(facts),
            _words(facts.schema.strategy),
            str(len(facts.tables)),
            f"{sum(table.size for table in facts):,}",
        )
        for facts in worlds
    ]
    told = (
        "# Shipped worlds\n\nEach schema that comes with worldgen, built with seed 7: its tables, what its numbers look"
        " like, a question, a page, and what always holds. Other seeds give other names and numbers. The pages are"
        " written by `python -m worldgen.gallery docs/worlds`, which needs `worldgen[plots]`.\n\n"
    )
    return told + _table(["schema", "world", "strategy", "tables", "rows"], rows)


def stated_columns(table: Table) -> list[str]:
    """What a table's row says: the key that tells it apart or its name, and all attributes that are not hidden."""
    key = [name for name in table.key if name in table.columns]
    return [*(key or ["name"]), *(name for name in table.stated() if name not in key)]


def _title(facts: Facts) -> str:
    title = facts.schema.title
    return title.get("en") or next(iter(title.values()))


def _words(key: str) -> str:
    return key.replace("_", " ")


def _head(facts: Facts, world: World) -> Iterator[str]:
    schema, counts = facts.schema, world.manifest.counts
    yield f"# {_title(facts)}\n\n"
    yield f"`worldgen build {schema.world} --seed {facts.seed}` · strategy: {_words(schema.strategy)} · "
    yield f"it is {schema.as_of.isoformat()} · set in {facts.scope.en}, which is invented · "
    yield f"{counts['entities']:,} entities, {counts['facts']:,} facts, {counts['pages']:,} pages, "
    yield f"{counts['tasks']} questions\n\n{' '.join(schema.premise.split())}\n"


def _tables(facts: Facts) -> Iterator[str]:
    yield "\n## Tables\n\n"
    rows = [(f"`{table.name}`", f"{table.size:,}", ", ".join(_columns(table))) for table in facts]
    yield _table(["table", "rows", "columns"], rows)


def _columns(table: Table) -> Iterator[str]:
    for name in stated_columns(table):
        column = table.columns.get(name)
        yield f"`{name}`{_sort(column)}" if column is not None else f"`{name}`"


def _sort(column: Column) -> str:
    """Behind a column: what it refers to, or its unit."""
    if column.target is not None:
        return f" → `{column.target}`" if column.target != column.name else " →"
    unit = unit_of(column)
    return f" ({unit})" if unit else ""


def _plots(panels: Panels, name: str) -> Iterator[str]:
    yield "\n## Distributions and correlations\n\n"
    yield f"![Plots of {name}; what they show stands below in numbers]({name}.png)\n\n"
    yield "Dashed lines are medians; axes are logarithmic where the numbers are skewed.\n\n"
    shown = [*panels.histograms, *([panels.course.observed] if panels.course is not None else [])]
    rows = [
        (one.rows, one.axis, str(one.known.size), *(_number(one, value) for value in _spread(one))) for one in shown
    ]
    yield _table(["of", "what", "values", "least", "median", "greatest"], rows)
    for pair in panels.scatters:
        yield f"\nRank correlation of {pair.x.label} and {pair.y.label} ({pair.x.rows}): {pair.correlation:.2f}.\n"
    if panels.bars is not None:
        counts = ", ".join(f"{value} {count}" for value, count in panels.bars.counts.items())
        yield f"\n{panels.bars.label.capitalize()} ({panels.bars.rows}): {counts}.\n"


def _spread(shown: Quantity) -> tuple[float, float, float]:
    values = shown.known
    return float(values.min()), float(np.median(values)), float(values.max())


def _number(shown: Quantity, value: float) -> str:
    """A number with at most three digits after the point, thousands apart except in years."""
    text = f"{value:.3f}" if shown.is_year else f"{value:,.3f}"
    return text.rstrip("0").rstrip(".")


def _typical_task(tasks: Sequence[Task]) -> Task | None:
    """Of the questions that are not easy on purpose, the middle one by its number of gold cells."""
    found = [task for task in tasks if not task.difficulty.get("easy")] or list(tasks)
    found.sort(key=lambda task: (len(task.rows) * len(task.columns), task.instance_id))
    return found[len(found) // 2] if found else None


def _question(task: Task | None) -> Iterator[str]:
    if task is None:
        return
    yield "\n## A question\n\n"
    yield "".join(f"> {line}".rstrip() + "\n" for line in task.question.splitlines())
    shown = task.rows[:GOLD_ROWS]
    yield f"\nIts gold table has {len(task.rows)} rows" + ("" if len(shown) == len(task.rows) else ", here the first")
    yield f":\n\n{_table(task.columns, shown)}"


def _typical_page(pages: Iterable[Page]) -> Page | None:
    """Of the sound pages of reference works that say what an entity is, the middle one by length."""
    sound = [one for one in pages if one.kind == "sound"]
    found = [one for one in sound if one.genre == "encyclopedia" and one.subject] or sound
    found.sort(key=lambda one: (len(one.body), one.url))
    return found[len(found) // 2] if found else None


def _excerpt(shown: Page | None) -> Iterator[str]:
    if shown is None:
        return
    lines = list(_wrapped(shown.body))
    yield f"\n## A page\n\n{shown.title}, on {shown.site}, {shown.date or 'undated'}, trust {shown.trust}"
    yield f" (`{shown.url}`), as an agent opens it, wrapped for reading:\n\n````markdown\n"
    yield "".join(f"{line}\n" for line in lines[:PAGE_LINES])
    yield "…\n````\n" if len(lines) > PAGE_LINES else "````\n"


def _wrapped(body: str) -> Iterator[str]:
    for line in body.strip().splitlines():
        kept = line.startswith("|") or "](" in line or not line.strip()
        yield from [line] if kept else wrap(line, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _rules(facts: Facts) -> Iterator[str]:
    checks = facts.schema.checks
    yield "\n## What always holds\n\n"
    for name, check in checks.items():
        yield f"- {(check.why or _words(name)).strip()}\n"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
