"""What one node of a schema cannot show: do its parts fit together?

Most checks trust that references hold (SQL is compiled over tables that they make), so that one mistake is told once;
all others run in any case, so that independent mistakes are told together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from worldgen.schema.context import Context
from worldgen.schema.dependencies import check_order
from worldgen.schema.knowing import check_knowing
from worldgen.schema.links import check_links
from worldgen.schema.model import Schema
from worldgen.schema.problems import Lines, Report
from worldgen.schema.publishing import check_publishing
from worldgen.schema.queries import check_queries
from worldgen.schema.ranges import check_ranges
from worldgen.schema.texts import check_texts
from worldgen.schema.vocabulary import Vocabulary, check_vocabulary
from worldgen.schema.wording import check_wording

Check = Callable[[Context], None]

_TRUSTING: tuple[Check, ...] = (
    check_order, check_ranges, check_knowing, check_wording, check_publishing, check_queries,
)  # fmt: skip


def check_schema(
    schema: Schema,
    *,
    vocabulary: Vocabulary | None = None,
    lines: Lines | None = None,
    file: str | None = None,
    further: Sequence[Check] = (),
) -> None:
    """Check a schema as a whole.

    Args:
        schema: A schema whose nodes are valid by themselves.
        vocabulary: Units, cultures, kinds of names and processes that exist; None leaves them unchecked.
        lines: Where the nodes stand in their file.
        file: The file's name, for messages.
        further: Checks of stages above this one, each run where the ones before it found nothing.

    Raises:
        SchemaErrors: Every problem found by the checks that could be run.
    """
    report = Report(file, lines)
    context = Context.of(schema, report)
    check_links(context)
    trusting = () if report.problems else _TRUSTING
    check_texts(context)
    if vocabulary is not None:
        check_vocabulary(schema, vocabulary, report)
    for check in trusting:
        check(context)
    report.raise_if_any()
    for check in further:
        check(context)
        report.raise_if_any()
