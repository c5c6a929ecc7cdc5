"""The whole schema reference: the models' tables, a small example, and the words that a schema borrows.

python -m worldgen.reference > docs/schema-reference.md

The words belong to `worldgen.language` and `worldgen.facts`, which `worldgen.schema.reference` stands below.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import get_args

from worldgen.facts.distributions import distributions
from worldgen.facts.processes.process import process_names, process_of
from worldgen.language import cultures, currencies, kinds, units
from worldgen.schema.model import Genre
from worldgen.schema.reference import markdown

EXAMPLE = Path("docs") / "small-schema.yaml"


def page(example: str) -> str:
    """The reference as Markdown.

    Args:
        example: Text of a small complete schema.
    """
    sections = [markdown(), "\n## A small complete schema\n\n", f"```yaml\n{example}```\n", *_words(), *_processes()]
    return "".join(sections)


def _words() -> Iterator[str]:
    yield "\n## Words that exist\n\n"
    yield f"Cultures of coined names: {_listed(cultures())}.\n\n"
    yield f"Kinds of names: {_listed(kinds())}.\n\n"
    yield f"Distributions, as sources of an attribute: {_listed(distributions.names())}.\n\n"
    yield f"Genres of pages: {_listed(get_args(Genre))}.\n\n"
    known = "; ".join(f"`{each.code}` {each.one}" for each in currencies().values())
    yield f"Currencies: {known}. A schema may write any other text as a currency.\n\n"
    yield "Units, by what they measure:\n\n"
    for dimension, found in groupby(sorted(units().values(), key=lambda u: u.dimension), key=lambda u: u.dimension):
        yield f"- {dimension}: {_listed(sorted(unit.id for unit in found))}\n"


def _processes() -> Iterator[str]:
    yield "\n## Processes\n"
    for name in process_names():
        process = process_of(name)
        yield f"\n### `{name}`\n\n{' '.join((process.__doc__ or '').split())}\n\n"
        yield "| parameter (`given`) | meaning |\n|---|---|\n"
        for key, field in process.parameters.model_fields.items():
            needed = " **Needed.**" if field.is_required() else ""
            yield f"| `{key}` | {field.description or ''}{needed} |\n"
        yield "\nTables it can fill (`fills`):\n\n"
        for table, columns in process.tables.items():
            typed = (f"`{name}` ({kind.replace('ref:', 'ref: ')})" for name, kind in columns.items())
            yield f"- `{table}`: {', '.join(typed)}\n"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


if __name__ == "__main__":
    sys.stdout.write(page(EXAMPLE.read_text("utf-8")))
