"""The text artefacts of a world: files for people and for other programs, the same bytes at every build."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from worldgen.records import Page
from worldgen.store.rows import compact


def write_corpus_file(pages: Iterable[Page], path: Path, canary: str) -> None:
    """Write ``corpus.jsonl``: one page a line with its links and statements, in the order given."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for page in pages:
            file.write(compact(page_record(page, canary)))
            file.write("\n")


def page_record(page: Page, canary: str) -> dict[str, object]:
    """A page as ``corpus.jsonl`` holds it; statements are arrays in the order of `worldgen.records.Statement`."""
    return {
        "url": page.url,
        "site": page.site,
        "genre": page.genre,
        "language": page.language,
        "title": page.title,
        "date": page.date,
        "author": page.author,
        "trust": page.trust,
        "kind": page.kind,
        "subject": page.subject,
        "body": page.body,
        "links": [list(link) for link in page.links],
        "statements": [list(statement) for statement in page.statements],
        "canary": canary,
    }


def read_corpus_file(path: Path) -> Iterable[dict[str, object]]:
    """The records of a ``corpus.jsonl``, one by one."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
