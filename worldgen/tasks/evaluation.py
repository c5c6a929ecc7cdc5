"""The benchmark's evaluation object for a query: one metric a column, none that a model must judge.

Column names are the headings as the benchmark's loader writes them: lower case, without spaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worldgen.tasks.meaning import NUMBERS, Meaning
from worldgen.tasks.query import Agg, TableQuery, Term
from worldgen.tasks.wording import normal_heading

NEAR = 0.01
"""Relative tolerance of measured quantities, so that a slip in the last digit of a mean or a sum is no miss."""


def evaluation(query: TableQuery, meanings: Sequence[Meaning], headings: Sequence[str]) -> dict[str, Any]:
    """The `evaluation` object: `unique_columns`, `required`, `eval_pipeline`."""
    names = [normal_heading(text) for text in headings]
    keys = len(query.keys)
    pipeline = {
        name: _rule(term, found, key=number < keys)
        for number, (name, term, found) in enumerate(zip(names, query.terms, meanings, strict=True))
    }
    return {"unique_columns": names[:keys], "required": names, "eval_pipeline": pipeline}


def _rule(term: Term, found: Meaning, *, key: bool) -> dict[str, Any]:
    if key:
        return {"preprocess": ["norm_str"], "metric": ["exact_match"]}
    if found.type in NUMBERS:
        exact = found.type == "integer" and not (isinstance(term, Agg) and term.how in ("mean", "sum"))
        return {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0 if exact else NEAR}
    if found.type == "date":
        return {"preprocess": ["norm_date"], "metric": ["exact_match"]}
    return {"preprocess": ["norm_str"], "metric": ["exact_match"]}
