"""Scoring of answers: pure functions over texts and tables, no world, no model, no network.

`score_widesearch` gives the official WideSearch numbers, for reports; `worldgen_f1` is for rewards and cannot
be talked up. `read_tasks` and `write_tasks` speak the benchmark's layout, `score_answers` reports over a set.

World models are scored beside agents: `rubric` reads what a judge says, `verifiers` are rules, `lwm_reward` mixes them.
"""

from worldgen.scoring.evalspec import ColumnSpec, EvalSpec, EvalSpecError
from worldgen.scoring.fold import fold
from worldgen.scoring.judge import AliasJudge, ExactJudge, Judge, JudgeError
from worldgen.scoring.markdown import read_markdown_table
from worldgen.scoring.metric import METRICS
from worldgen.scoring.preprocess import PREPROCESS
from worldgen.scoring.report import Answer, Report, ScoredAnswer, read_answers, score_answers
from worldgen.scoring.rows import RowScores, score_rows
from worldgen.scoring.score import MEASURES, WideSearchScore, score_widesearch
from worldgen.scoring.table import Table, normal_name, read_delimited, table_of
from worldgen.scoring.widesearch import ScoringTask, TaskFileError, read_tasks, write_tasks
from worldgen.scoring.worldgen_f1 import WorldgenF1, worldgen_f1

__all__ = [
    "MEASURES",
    "METRICS",
    "PREPROCESS",
    "AliasJudge",
    "Answer",
    "ColumnSpec",
    "EvalSpec",
    "EvalSpecError",
    "ExactJudge",
    "Judge",
    "JudgeError",
    "Report",
    "RowScores",
    "ScoredAnswer",
    "ScoringTask",
    "Table",
    "TaskFileError",
    "WideSearchScore",
    "WorldgenF1",
    "fold",
    "normal_name",
    "read_answers",
    "read_delimited",
    "read_markdown_table",
    "read_tasks",
    "score_answers",
    "score_rows",
    "score_widesearch",
    "table_of",
    "worldgen_f1",
    "write_tasks",
]
