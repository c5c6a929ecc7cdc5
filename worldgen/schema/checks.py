"""What one node of a schema cannot show: do its parts fit together?

Checks run in groups. Later groups trust what earlier ones established (SQL is compiled only over tables whose
references hold), so that one mistake is told once.
"""

from __future__ import annotations

from worldgen.schema.context import Context
from worldgen.schema.dependencies import check_order
from worldgen.schema.links import check_links
from worldgen.schema.model import Schema
from worldgen.schema.problems import Lines, Report
from worldgen.schema.publishing import check_publishing
from worldgen.schema.queries import check_queries
from worldgen.schema.ranges import check_ranges
from worldgen.schema.texts import check_texts
from worldgen.schema.vocabulary import Vocabulary, check_vocabulary
from worldgen.schema.wording import check_wording

_GROUPS = (
    (check_links,),
    (check_order, check_ranges, check_wording, check_texts, check_publishing),
    (check_queries,),
)


def check_schema(
    schema: Schema,
    *,
    vocabulary: Vocabulary | None = None,
    lines: Lines | None = None,
    file: str | None = None,
) -> None:
    """Check a schema as a whole.

    Args:
        schema: A schema whose nodes are valid by themselves.
        vocabulary: Units, cultures, kinds of names and processes that exist; None leaves them unchecked.
        lines: Where the nodes stand in their file.
        file: The file's name, for messages.

    Raises:
        SchemaErrors: Every problem of the first group of checks that found any.
    """
    report = Report(file, lines)
    context = Context.of(schema, report)
    if vocabulary is not None:
        check_vocabulary(schema, vocabulary, report)
    for group in _GROUPS:
        for check in group:
            check(context)
        report.raise_if_any()
