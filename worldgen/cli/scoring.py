"""`score`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer

from worldgen.cli.console import print_json, print_table
from worldgen.scoring import AliasJudge, Report, read_answers, read_tasks, score_answers
from worldgen.store.manifest import MANIFEST
from worldgen.world import World

_SHORT = {
    "score": "success",
    "precision_by_item": "item P",
    "recall_by_item": "item R",
    "f1_by_item": "item F1",
    "precision_by_row": "row P",
    "recall_by_row": "row R",
    "f1_by_row": "row F1",
}


def score(tasks: Path, answers: Path, world: Path | None, *, as_json: bool) -> None:
    """Score a file of answers against a folder of tasks; exit 1 where none of them answers any of the tasks."""
    home = world or (tasks.parent if (tasks.parent / MANIFEST).is_file() else None)
    report = score_answers(read_tasks(tasks), read_answers(answers), AliasJudge(_aliases(home)))
    nothing = not report.answers
    if as_json:
        print_json(report.to_dict())
    elif not nothing:
        _print(report)
    if nothing:
        unknown = len(report.total["unknown"])
        why = f"its {unknown} ids are of other tasks" if unknown else "the file is empty"
        print(f"worldgen: {answers}: no answer to any of the {report.total['tasks']} tasks: {why}", file=sys.stderr)
        raise typer.Exit(1)


def _aliases(world: Path | None) -> dict[str, str]:
    """Both languages' aliases of the world that the tasks belong to; none for tasks from elsewhere."""
    if world is None:
        return {}
    with World.load(world) as opened:
        return {**opened.aliases("en"), **opened.aliases("zh")}


def _print(report: Report) -> None:
    rows: list[list[Any]] = []
    for answer in report.answers:
        line = answer.to_dict()
        rows.append([line["instance_id"], str(line["trial_idx"]), *(line[name] for name in _SHORT)])
    print_table("Per task and trial", ["task", "trial", *_SHORT.values()], rows)
    total = report.total
    print_table("\nTotal", ["over trials", *_SHORT.values()], _totals(total["overall"]))
    for language, numbers in total["by_language"].items():
        print_table(f"\nTotal, {language}", ["over trials", *_SHORT.values()], _totals(numbers))
    for name, why in (("missing", "counted as zeros"), ("unscored", "not counted"), ("unknown", "no such task")):
        if total[name]:
            print(f"{name} ({why}): {', '.join(_which(item) for item in total[name])}")


def _which(item: str | dict[str, Any]) -> str:
    return item if isinstance(item, str) else f"{item['instance_id']} trial {item['trial_idx']}"


def _totals(numbers: dict[str, Any]) -> list[list[Any]]:
    return [[kind, *(numbers[name][kind] for name in _SHORT)] for kind in ("avg", "max", "min")]
