"""The official WideSearch score of an answer: the same seven numbers, without pandas and without a model.

For reports and comparisons only. It can be gamed (a true row repeated with stray asterisks counts twice), so rewards
use `worldgen.scoring.worldgen_f1` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import NamedTuple, TypeVar

from worldgen.errors import WorldgenError
from worldgen.scoring.answer import read_answer
from worldgen.scoring.evalspec import EvalSpec
from worldgen.scoring.judge import Judge, JudgeError
from worldgen.scoring.metric import LLM_JUDGE, METRICS, MetricError
from worldgen.scoring.preprocess import PREPROCESS
from worldgen.scoring.table import Table, TableError

T = TypeVar("T")
Cells = Sequence[str]
_ALIGNED_METRICS = ("llm_judge", "exact_match")
_LEAST_SUM = 1e-9


@dataclass(frozen=True, slots=True)
class WideSearchScore:
    """The official seven numbers; None in all of them means unscored (the judge failed), which is not zero."""

    score: float | None
    precision_by_row: float | None
    recall_by_row: float | None
    f1_by_row: float | None
    precision_by_item: float | None
    recall_by_item: float | None
    f1_by_item: float | None
    explanation: str

    @property
    def scored(self) -> bool:
        """Whether the numbers are there."""
        return self.score is not None


MEASURES = tuple(entry.name for entry in fields(WideSearchScore) if entry.name != "explanation")


class ZeroError(WorldgenError):
    """The official scorer gives zeros here; the message says why."""


class _Sides(NamedTuple):
    """Cells by column on both sides; columns in one order on each, or not."""

    answer: dict[str, Cells]
    gold: dict[str, Cells]
    same_order: bool


def score_widesearch(answer: str | Table, gold: Table, spec: EvalSpec, *, judge: Judge) -> WideSearchScore:
    """Score one answer.

    Args:
        answer: The response's text, or its table where it is parsed already.
        gold: The gold table; columns beyond the required ones are ignored.
        spec: The task's rules.
        judge: Decides what means the same; see `Judge`.
    """
    try:
        return _score(answer, gold, spec, judge)
    except (ZeroError, MetricError, TableError) as reason:
        return zeros(str(reason))
    except JudgeError as failure:
        return _uniform(None, f"unscored: {failure}")


def zeros(explanation: str) -> WideSearchScore:
    """The score of an answer that earns nothing, and why."""
    return _uniform(0.0, explanation)


def _uniform(number: float | None, explanation: str) -> WideSearchScore:
    return WideSearchScore(number, number, number, number, number, number, number, explanation)


def ask(question: str, call: Callable[[], T]) -> T:
    """The one boundary to a judge: whatever it raises is its failure, and the sample goes unscored."""
    try:
        return call()
    except Exception as failure:
        raise JudgeError("scoring.judge", f"the judge failed to {question}: {failure!r}") from failure


def alignment(what: str, call: Callable[[], Mapping[str, str]]) -> dict[str, str]:
    """A judge's alignment of names, as a dict of its own."""
    return ask(f"align {what}", lambda: dict(call()))


def grades(judge: Judge, column: str, pairs: Sequence[tuple[str, str]], criterion: object) -> list[float]:
    """The judge's grades of a column, checked: one a pair, each within [0, 1]."""
    text = "" if criterion is None else str(criterion)
    found = ask(f"grade column {column!r}", lambda: [float(x) for x in judge.judge_cells(column, pairs, text)])
    if len(found) != len(pairs) or not all(0.0 <= grade <= 1.0 for grade in found):
        raise JudgeError(
            "scoring.judge-grades",
            f"the judge's grades of column {column!r} are unusable",
            expected=f"{len(pairs)} numbers in [0, 1]",
            got=repr(found)[:80],
        )
    return found


def _score(answer: str | Table, gold: Table, spec: EvalSpec, judge: Judge) -> WideSearchScore:
    table = read_answer(answer) if isinstance(answer, str) else answer
    if table is None:
        raise ZeroError("scoring.no-table", "no table in the answer")
    names = _aligned_names(table, spec, judge)
    sides = _distinct(_typed_sides(table, names, gold, spec), spec)
    mapped = _align_keys(sides, spec, judge)
    _preprocess(sides, spec)
    same = not mapped and sides.same_order and _same_rows(sides, spec)
    pairs = _joined(sides, spec)
    return _measured(sides, pairs, spec, judge, same=same)


def _aligned_names(table: Table, spec: EvalSpec, judge: Judge) -> tuple[str, ...]:
    names = table.names
    if set(names) != set(spec.required):
        mapping = alignment("the columns", partial(judge.align_columns, names, spec.required))
        names = tuple(mapping.get(name, name) for name in names)
    if set(names) != set(spec.required):
        raise ZeroError(
            "scoring.columns",
            "the answer's columns are not the required ones",
            expected=", ".join(spec.required),
            got=", ".join(names) or "none",
        )
    if len(set(names)) < len(names):
        raise ZeroError("scoring.repeated-column", "two columns of the answer have one name", got=", ".join(names))
    return names


def _typed_sides(table: Table, names: tuple[str, ...], gold: Table, spec: EvalSpec) -> _Sides:
    answer, wanted = dict(zip(names, table.typed, strict=True)), dict(zip(gold.names, gold.typed, strict=True))
    return _Sides(
        {name: answer[name] for name in spec.required},
        {name: wanted[name] for name in spec.required},
        names == spec.required,
    )


def _distinct(sides: _Sides, spec: EvalSpec) -> _Sides:
    return sides._replace(
        answer=_first_of_each(sides.answer, spec.unique_columns), gold=_first_of_each(sides.gold, spec.unique_columns)
    )


def _first_of_each(columns: dict[str, Cells], key: tuple[str, ...]) -> dict[str, Cells]:
    keys = list(zip(*(columns[name] for name in key), strict=True))
    if len(set(keys)) == len(keys):
        return columns
    first = {value: place for place, value in reversed(list(enumerate(keys)))}
    kept = sorted(first.values())
    return {name: [cells[place] for place in kept] for name, cells in columns.items()}


def _align_keys(sides: _Sides, spec: EvalSpec, judge: Judge) -> bool:
    """Replace the answer's key values by the gold's where the judge says so; whether any column was so treated."""
    mapped = False
    for name in spec.unique_columns:
        rule = spec.rule(name)
        if rule is None or not any(metric in rule.metric for metric in _ALIGNED_METRICS):
            continue
        mine, theirs = sides.answer[name], sides.gold[name]
        mapping = alignment(f"the keys of {name!r}", partial(judge.align_keys, name, mine, theirs))
        sides.answer[name] = [mapping.get(cell, cell) for cell in mine]
        mapped = True
    return mapped


def _preprocess(sides: _Sides, spec: EvalSpec) -> None:
    for name, rule in spec.pipeline:
        if not rule.preprocess:
            continue
        if name not in sides.gold:
            raise ZeroError("scoring.pipeline-column", f"the pipeline names a column {name!r} that is not required")
        for step in rule.preprocess:
            change = PREPROCESS.get(step)
            sides.answer[name] = [change(cell) for cell in sides.answer[name]]
            sides.gold[name] = [change(cell) for cell in sides.gold[name]]


def _same_rows(sides: _Sides, spec: EvalSpec) -> bool:
    rows = [sorted(zip(*(side[name] for name in spec.required), strict=True)) for side in (sides.answer, sides.gold)]
    return rows[0] == rows[1]


def _joined(sides: _Sides, spec: EvalSpec) -> list[tuple[int, int]]:
    """Pairs of row numbers (answer, gold) with equal keys; a key that repeats pairs with each."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place, key in enumerate(zip(*(sides.answer[name] for name in spec.unique_columns), strict=True)):
        places.setdefault(key, []).append(place)
    golds = enumerate(zip(*(sides.gold[name] for name in spec.unique_columns), strict=True))
    return [(mine, theirs) for theirs, key in golds for mine in places.get(key, ())]


def _measured(
    sides: _Sides, pairs: list[tuple[int, int]], spec: EvalSpec, judge: Judge, *, same: bool
) -> WideSearchScore:
    if not pairs:
        raise ZeroError("scoring.no-key", "no key of the answer is in the gold")
    columns = [[1.0] * len(pairs) for _ in spec.unique_columns]
    notes = []
    for name in spec.other_columns:
        for metric, column in _column_scores(name, sides, pairs, spec, judge):
            columns.append(column)
            notes.append(f"{name} {metric} {sum(column):g}/{len(pairs)}")
    by_row = float(sum(map(min, zip(*columns, strict=True))))
    by_item = float(sum(map(sum, columns)))
    width = len(spec.required)
    mine, theirs = (len(side[spec.required[0]]) for side in (sides.answer, sides.gold))
    rows, items = _rates(by_row, mine, theirs), _rates(by_item, mine * width, theirs * width)
    perfect = all(rate == 1.0 for rate in (*rows, *items))
    explanation = f"{len(pairs)} key matches, {mine} answer rows, {theirs} gold rows; " + ", ".join(notes)
    return WideSearchScore(float(perfect or same), *rows, *items, explanation=explanation)


def _column_scores(
    name: str, sides: _Sides, pairs: list[tuple[int, int]], spec: EvalSpec, judge: Judge
) -> list[tuple[str, list[float]]]:
    rule = spec.rule(name)
    if rule is None:
        raise ZeroError("scoring.no-rule", f"column {name!r} has no rule in the pipeline")
    mine, theirs = sides.answer[name], sides.gold[name]
    cells = [(mine[i], theirs[j]) for i, j in pairs]
    found = []
    for metric in rule.metric:
        if metric == LLM_JUDGE:
            scores = grades(judge, name, cells, rule.criterion)
        else:
            compare = METRICS.get(metric)
            scores = [compare(a, g, rule.criterion) for a, g in cells]
        found.append((metric, scores))
    return found


def _rates(hits: float, mine: int, theirs: int) -> tuple[float, float, float]:
    precision = hits / mine if mine else 0.0
    recall = hits / theirs if theirs else 0.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both > _LEAST_SUM else 0.0
