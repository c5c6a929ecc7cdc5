"""The reward: an F1 over keys and cells that cannot be talked up.

Against the holes of the official score: rows are matched to the gold one to one, by keys that are aligned and folded
first; a key given twice earns a cell only where all its rows agree with the gold, and each of them weighs in the
precision; an empty cell earns nothing, whatever the gold says; columns nobody asked for are ignored. With ``tp`` right
things among ``p`` given and ``g`` wanted, each number is ``2 tp / (p + g)``, so another wrong row can only lower it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from worldgen.scoring.agreement import Agreement, is_empty
from worldgen.scoring.evalspec import EvalSpec
from worldgen.scoring.fold import plain
from worldgen.scoring.judge import Judge, JudgeError
from worldgen.scoring.markdown import read_markdown_table
from worldgen.scoring.metric import LLM_JUDGE
from worldgen.scoring.score import alignment, grades
from worldgen.scoring.table import Table

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorldgenF1:
    """A reward and its parts, each in [0, 1]; None in all of them means unscored (the judge failed).

    ``key_f1``: rows found. ``cell_f1``: cells outside the key. ``row_f1``: rows right in every cell. ``value``: keys
    and other cells together, a key weighing as one cell. Without columns outside the key all four are one number.
    """

    value: float | None
    key_f1: float | None
    cell_f1: float | None
    row_f1: float | None
    explanation: str


class _Row(NamedTuple):
    key: Key
    cells: tuple[str, ...]


class _Tally(NamedTuple):
    """Right, given and wanted things of one kind."""

    right: float
    given: int
    wanted: int

    def f1(self) -> float:
        both = self.given + self.wanted
        return 2 * self.right / both if both else 0.0


def worldgen_f1(
    answer: str | Table, gold: Table, spec: EvalSpec, *, judge: Judge, undisclosed: Iterable[str] = ()
) -> WorldgenF1:
    """Score one answer for a reward.

    Args:
        answer: The response's text (the first Markdown table in it counts), or a table.
        gold: The gold table.
        spec: The task's rules.
        judge: Aligns columns and keys and grades ``llm_judge`` cells. The bounds hold for any judge; that decoration
            does not matter holds for one that does not mind it, as `AliasJudge`.
        undisclosed: Words that say "not disclosed", each as good as the other where the gold says one of them.
    """
    table = read_markdown_table(answer) if isinstance(answer, str) else answer
    if table is None:
        return WorldgenF1(0.0, 0.0, 0.0, 0.0, "no Markdown table in the answer")
    try:
        return _score(table, gold, spec, judge, Agreement(undisclosed))
    except JudgeError as failure:
        return WorldgenF1(None, None, None, None, f"unscored: {failure}")


def _score(table: Table, gold: Table, spec: EvalSpec, judge: Judge, agreement: Agreement) -> WorldgenF1:
    wanted: dict[Key, _Row] = {}
    for row in _rows(gold, gold.names, spec, agreement):
        if all(row.key):
            wanted.setdefault(row.key, row)
    given = _given(table, gold, spec, judge, agreement)
    found: dict[Key, list[_Row]] = {}
    for row in given:
        if row.key in wanted:
            found.setdefault(row.key, []).append(row)
    right = _right_cells(found, wanted, spec, judge, agreement)
    asked = {key: [not is_empty(cell) for cell in row.cells] for key, row in wanted.items()}
    width = len(spec.other_columns)
    unasked = sum(asked[row.key].count(False) for row in given if row.key in asked)
    keys = _Tally(len(found), len(given), len(wanted))
    cells = _Tally(
        sum(map(sum, right.values())), len(given) * width - unasked, sum(flags.count(True) for flags in asked.values())
    )
    full = sum(all(ok or not want for ok, want in zip(right[key], asked[key], strict=True)) for key in found)
    rows = keys._replace(right=full)
    if not width:
        cells = keys
    value = (keys.f1() + width * cells.f1()) / (1 + width)
    explanation = (
        f"{len(found)} of {len(wanted)} keys in {len(given)} rows, "
        f"{cells.right:g} of {cells.wanted} cells, {full} full rows"
    )
    return WorldgenF1(value, keys.f1(), cells.f1(), rows.f1(), explanation)


def _given(table: Table, gold: Table, spec: EvalSpec, judge: Judge, agreement: Agreement) -> list[_Row]:
    """The answer's rows with keys aligned; rows that say nothing in any required column are no rows."""
    names = _aligned_names(table, spec, judge)
    every = _rows(table, names, spec, agreement, raw=True)
    rows = [row for row in every if not all(map(is_empty, (*row.key, *row.cells)))]
    columns = []
    for place, name in enumerate(spec.unique_columns):
        mine = [row.key[place] for row in rows]
        theirs = [plain(cell) for cell in _column(gold, gold.names, name)]
        mapping = alignment(f"the keys of {name!r}", partial(judge.align_keys, name, mine, theirs))
        columns.append([agreement.canonical(mapping.get(cell, cell), spec.rule(name)) for cell in mine])
    return [_Row(key, row.cells) for key, row in zip(zip(*columns, strict=True), rows, strict=True)]


def _aligned_names(table: Table, spec: EvalSpec, judge: Judge) -> list[str]:
    """A required name for each column that claims it; a name claimed twice counts for nobody."""
    # Both sides are folded, since a required name may itself hold a sign that folding rewrites, as full-width brackets.
    required = {plain(name).lower().replace(" ", ""): name for name in spec.required}
    heads = [plain(name).lower().replace(" ", "") for name in table.columns]
    mapping = alignment("the columns", partial(judge.align_columns, heads, list(required)))
    names = [required.get(mapping.get(name, name), name) for name in heads]
    return [name if names.count(name) == 1 else "" for name in names]


def _column(table: Table, names: Sequence[str], name: str) -> list[str]:
    if name not in names:
        return [""] * len(table.rows)
    place = list(names).index(name)
    return [row[place] for row in table.rows]


def _rows(table: Table, names: Sequence[str], spec: EvalSpec, agreement: Agreement, *, raw: bool = False) -> list[_Row]:
    keys = []
    for name in spec.unique_columns:
        cells = [plain(cell) for cell in _column(table, names, name)]
        keys.append(cells if raw else [agreement.canonical(cell, spec.rule(name)) for cell in cells])
    others = [_column(table, names, name) for name in spec.other_columns]
    flat = zip(*others, strict=True) if others else [()] * len(table.rows)
    return [_Row(key, cells) for key, cells in zip(zip(*keys, strict=True), flat, strict=True)]


def _right_cells(
    found: dict[Key, list[_Row]], wanted: dict[Key, _Row], spec: EvalSpec, judge: Judge, agreement: Agreement
) -> dict[Key, list[float]]:
    """Per key found, what each cell earns: the least over the key's rows."""
    earned: dict[Key, list[float]] = {key: [] for key in found}
    for place, name in enumerate(spec.other_columns):
        rule = spec.rule(name)
        pairs = [(row.cells[place], wanted[key].cells[place]) for key, rows in found.items() for row in rows]
        scores = [agreement.agrees(mine, theirs, rule) for mine, theirs in pairs]
        if rule is not None and rule.metric == (LLM_JUDGE,):
            settled = [score > 0 or agreement.settled(*pair) for score, pair in zip(scores, pairs, strict=True)]
            _ask_about_rest(name, pairs, scores, settled, judge, rule.criterion)
        following = iter(scores)
        for key, rows in found.items():
            earned[key].append(min([float(next(following)) for _ in rows]))
    return earned


def _ask_about_rest(
    name: str,
    pairs: list[tuple[str, str]],
    scores: list[float],
    settled: list[bool],
    judge: Judge,
    criterion: object,
) -> None:
    """Let the judge grade the pairs that no rule of ours has settled."""
    places = [place for place, done in enumerate(settled) if not done]
    if places:
        asked = [(plain(pairs[place][0]), plain(pairs[place][1])) for place in places]
        for place, grade in zip(places, grades(judge, name, asked, criterion), strict=True):
            scores[place] = grade
