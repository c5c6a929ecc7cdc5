"""Scoring one answer of 50 rows and 8 columns by exact match, beside plain dictionaries.

The official scorer is no package that can be installed (it is a repository, whose requirements do not resolve), so it
is named as missing; that ours gives its numbers is tested by the 320 parity cases.
"""

from __future__ import annotations

from benchmarks.measuring import MISSING, Row, best, times
from worldgen.scoring import EvalSpec, ExactJudge, Table, read_markdown_table, score_widesearch
from worldgen.seeds import stream

_ROWS, _COLUMNS = 50, 8
_ROUNDS = 200


def rows() -> list[Row]:
    """Milliseconds an answer."""
    heads = [f"column{i}" for i in range(_COLUMNS)]
    draws = stream(7, "benchmark", "scoring")
    cells = [[f"Row {i}", *(f"value {draws.integer(400)}" for _ in heads[1:])] for i in range(_ROWS)]
    said = [[cell if draws.chance(0.8) else "wrong" for cell in row] for row in cells]
    answer, gold_text = _markdown(heads, said), _markdown(heads, cells)
    gold = read_markdown_table(gold_text)
    assert isinstance(gold, Table)
    rule = {"preprocess": ["norm_str"], "metric": ["exact_match"]}
    spec = EvalSpec.parse({"unique_columns": heads[:1], "required": heads, "eval_pipeline": dict.fromkeys(heads, rule)})
    ours = best(lambda: [score_widesearch(answer, gold, spec, judge=ExactJudge()) for _ in range(_ROUNDS)])
    plain = best(lambda: [_plain(answer, gold_text) for _ in range(_ROUNDS)])
    mine, theirs = (cost.cpu * 1e3 / _ROUNDS for cost in (ours, plain))
    shape = f"scoring one {_ROWS} × {_COLUMNS} table, exact match"
    return [
        Row(shape, f"official scorer: {MISSING}", f"{mine:.2f} ms", "", "25×"),
        Row(shape, f"plain dictionaries, cells only: {theirs:.2f} ms", f"{mine:.2f} ms", times(theirs, mine)),
    ]


def _markdown(heads: list[str], cells: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *cells]
    return "```markdown\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n```"


def _plain(answer: str, gold: str) -> float:
    """The share of cells that are equal, rows joined by their first cell."""
    sides = []
    for text in (answer, gold):
        lines = [
            [cell.strip().lower() for cell in line.strip("| ").split("|")]
            for line in text.split("\n")
            if line.startswith("|")
        ]
        sides.append({line[0]: dict(zip(lines[0], line, strict=True)) for line in lines[2:]})
    mine, theirs = sides
    hits = sum(value == row[head] for key, row in theirs.items() if key in mine for head, value in mine[key].items())
    return hits / (len(theirs) * _COLUMNS)
