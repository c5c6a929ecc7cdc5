"""`show`, `search`, `open`, `schemas` and `validate`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TypeVar

from worldgen.audit.variety import overlap, type_token_ratio
from worldgen.cli.console import print_json, print_table
from worldgen.cli.telling import Teller
from worldgen.facts.generate import generate
from worldgen.facts.reading import read_schema
from worldgen.records import Page, Task
from worldgen.rehearsal import rehearse
from worldgen.schema import shipped, sql_columns
from worldgen.search.shown import show_page
from worldgen.settings import Settings
from worldgen.world import Withholding, World

T = TypeVar("T")


def show(path: Path, samples: int, *, as_json: bool) -> None:
    """Tables, and samples of facts, pages and questions."""
    with World.load(path) as world:
        tables, teller = _tables(world), Teller(world)
        facts = _spread(list(islice(world.facts.values(), 5_000)), samples)
        pages = _spread(list(world.pages.values()), samples)
        tasks = _spread(world.tasks, samples)
        if as_json:
            print_json(
                {
                    "manifest": world.manifest.model_dump(),
                    "tables": [{"table": name, "rows": rows, "columns": columns} for name, rows, columns in tables],
                    "facts": [{**asdict(fact), "said": teller.fact(fact)} for fact in facts],
                    "pages": [{"url": p.url, "title": p.title, "genre": p.genre, "body": p.body} for p in pages],
                    "tasks": [{"instance_id": t.instance_id, "question": t.question} for t in tasks],
                }
            )
            return
        m = world.manifest
        print(f"{m.title} ({m.strategy}): seed {m.seed}, digest {m.digest[:12]}\n")
        columns = teller.columns()
        print_table(
            f"Tables: {m.counts['entities']:,} entities, {m.counts['rows']:,} rows with those of relations and series",
            ["table", "rows", "columns"],
            [[name, rows, columns[name]] for name, rows, _ in tables],
        )
        print_table("\nFacts", ["fact", "value", "in words"], [[f.id, f.value or "-", teller.fact(f)] for f in facts])
        for page in pages:
            _print_page(page)
        for task in tasks:
            _print_task(task)


def variety(path: Path, *, as_json: bool) -> None:
    """How alike the pages of each genre and language read, names and values taken out."""
    with World.load(path) as world:
        pages, names = list(world.pages.values()), world.names()
    shared, ratio = overlap(pages, names), type_token_ratio(pages, names)
    counted = Counter((page.genre, page.language) for page in pages)
    rows = [
        {
            "genre": genre,
            "language": language,
            "pages": counted[genre, language],
            "type_token_ratio": round(ratio[genre, language], 4),
            "shared_sequences": round(share, 4),
        }
        for (genre, language), share in shared.items()
    ]
    if as_json:
        print_json(rows)
    else:
        headings = ["genre", "language", "pages", "type-token ratio", "share of 8-word (zh: 12-character) runs shared"]
        print_table("", headings, [list(row.values()) for row in rows])


def _tables(world: World) -> list[tuple[str, int, str]]:
    found = []
    for name, columns in sql_columns(world.schema).items():
        size = world.sql(f'SELECT count(*) FROM "{name}"')[0][0]
        assert isinstance(size, int)
        found.append((name, size, ", ".join(columns)))
    return found


def _spread(items: list[T], k: int) -> list[T]:
    """``k`` items, evenly over the list."""
    step = max(1, len(items) // k)
    return items[::step][:k]


def _print_page(page: Page) -> None:
    print(f"\n--- {page.title}\n{page.url} ({page.genre}, {page.date or 'undated'})\n")
    print(page.body if len(page.body) < 1_500 else f"{page.body[:1_500]} …")


def _print_task(task: Task) -> None:
    size = f"{len(task.rows)} rows x {len(task.columns)} columns"
    print(f"\n--- question {task.instance_id} ({size})\n{task.question}")
    print_table("", task.columns, task.rows[:3])


def search(path: Path, query: str, k: int, withholding: Withholding, *, as_json: bool) -> None:
    """Search results in the tool's own format."""
    with World.load(path) as world:
        hits = world.search(query, k, withholding=withholding)
        if as_json:
            print_json([{"url": h.url, "title": h.title, "snippet": h.snippet, "date": h.date} for h in hits])
        else:
            print(show_page(hits) or "No results.")


def open_page(path: Path, url: str) -> None:
    """A page, or an error for an unknown URL."""
    with World.load(path) as world:
        world.open(url)
        print(world.toolbox().call("web_extractor", {"url": url}))


def schemas(*, as_json: bool) -> None:
    """The shipped schemas, with the size of the world of the default seed."""
    seed = Settings().seed
    rows = []
    for name, path in shipped().items():
        schema = read_schema(path)
        facts = generate(schema, seed)
        rows.append(
            {
                "name": name,
                "strategy": schema.strategy,
                "tables": len(facts.tables),
                "rows": sum(table.size for table in facts),
                "facts": facts.count(),
                "title": schema.title.get("en") or next(iter(schema.title.values())),
            }
        )
    if as_json:
        print_json(rows)
    else:
        print_table("", ["schema", *list(rows[0])[1:]], [list(row.values()) for row in rows])


def validate(source: str) -> None:
    """Try a schema out; problems come as the error."""
    schema = rehearse(source)
    print(
        f"{schema.world}: valid; {len(schema.entities)} entities, {len(schema.relations)} relations, "
        f"{len(schema.series)} series, {len(schema.checks)} checks",
    )
