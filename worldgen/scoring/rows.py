"""Scores for tables that never were text: an agent inside the process hands over its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from worldgen.scoring.evalspec import EvalSpec
from worldgen.scoring.judge import Judge
from worldgen.scoring.score import WideSearchScore, score_widesearch
from worldgen.scoring.table import Table, table_of
from worldgen.scoring.worldgen_f1 import WorldgenF1, worldgen_f1


class RowScores(NamedTuple):
    """Both scores of one table; they never share a name."""

    widesearch: WideSearchScore
    worldgen_f1: WorldgenF1


def score_rows(
    rows: Sequence[Mapping[str, object]], gold: Table, spec: EvalSpec, *, judge: Judge, undisclosed: Iterable[str] = ()
) -> RowScores:
    """Score records, keyed by column, as if they had been written out as a table."""
    table = table_of(rows)
    return RowScores(
        score_widesearch(table, gold, spec, judge=judge),
        worldgen_f1(table, gold, spec, judge=judge, undisclosed=undisclosed),
    )
