"""Reads a schema with every word checked that it borrows from the rest of worldgen.

`worldgen.schema` stands below the languages and the processes and cannot ask them; this is the first place that can.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

from worldgen.facts.plan import check_plan
from worldgen.facts.processes.process import process_names
from worldgen.language import cultures, kinds, units
from worldgen.schema.checks import Check
from worldgen.schema.loader import load_schema
from worldgen.schema.model import Schema
from worldgen.schema.vocabulary import Vocabulary


@cache
def vocabulary() -> Vocabulary:
    """All units, cultures, kinds of names and processes that there are."""
    return Vocabulary(
        units=frozenset(units()),
        cultures=frozenset(cultures()),
        kinds=frozenset(kinds()),
        processes=frozenset(process_names()),
    )


def read_schema(source: str | os.PathLike[str], *, further: Sequence[Check] = ()) -> Schema:
    """Read and check a schema, the order of work included.

    Args:
        source: Name of a shipped schema, or path of a `.yaml` or `.yml` file.
        further: See `worldgen.schema.checks.check_schema`.

    Raises:
        SchemaErrors: What is wrong with the schema, each problem with file, line, what was expected and what came.
        CallerError: There is no such schema, or its file cannot be read.
    """
    return load_schema(source, vocabulary=vocabulary(), further=(check_plan, *further))
