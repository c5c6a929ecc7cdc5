"""The report over a set of tasks: every trial's numbers; average, best and worst over trials in the mean over tasks.

What could distort a mean is said, not hidden: tasks without an answer count as zeros and are listed as missing,
trials that a judge failed on are left out and listed as unscored, answers to unknown tasks are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgen.errors import CallerError, expect_path
from worldgen.scoring.judge import Judge
from worldgen.scoring.score import MEASURES, WideSearchScore, score_widesearch, zeros
from worldgen.scoring.widesearch import ScoringTask, TaskFileError, read_json_lines, text_of


@dataclass(frozen=True, slots=True)
class Answer:
    """One trial's response to a task; ``response`` is None where the agent gave none."""

    instance_id: str
    response: str | None
    trial_idx: int = 0


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One line of a report."""

    instance_id: str
    trial_idx: int
    score: WideSearchScore

    def to_dict(self) -> dict[str, Any]:
        """The line as JSON: ids, the seven numbers (null where unscored), the explanation."""
        numbers = {name: getattr(self.score, name) for name in MEASURES}
        return {
            "instance_id": self.instance_id,
            "trial_idx": self.trial_idx,
            **numbers,
            "explanation": self.score.explanation,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Scores of answers to tasks. ``total`` is JSON: counts, lists of what is amiss, overall and by language."""

    answers: tuple[ScoredAnswer, ...]
    total: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """``{"tasks": [one entry a trial], "total": {…}}``."""
        return {"tasks": [answer.to_dict() for answer in self.answers], "total": self.total}


def read_answers(path: str | Path) -> list[Answer]:
    """Read ``{instance_id, response, trial_idx?}`` from a JSON-lines file.

    Raises:
        TaskFileError: Bad JSON, a key missing or of the wrong type, or a trial given twice; names the line.
    """
    expect_path(path, "path")
    answers = []
    seen: dict[tuple[str, int], int] = {}
    for number, item in read_json_lines(Path(path)):
        answer = _answer(item, Path(path), number)
        first = seen.setdefault((answer.instance_id, answer.trial_idx), number)
        if first != number:
            raise _twice(answer, path=path, line=number, first=f"line {first}")
        answers.append(answer)
    return answers


def score_answers(tasks: Sequence[ScoringTask], answers: Iterable[Answer | Mapping[str, Any]], judge: Judge) -> Report:
    """Score answers against tasks.

    A task without any answer is listed in ``total.missing`` and counts as zeros; a trial that the judge failed on is
    listed in ``total.unscored`` and does not count; answers to other ids are listed in ``total.unknown``.

    Raises:
        CallerError: The same trial of a task given twice, or an answer of the wrong shape.
    """
    trials: dict[str, dict[int, Answer]] = {}
    for number, item in enumerate(answers, 1):
        answer = item if isinstance(item, Answer) else _answer(dict(item), Path("answers"), number)
        of_task = trials.setdefault(answer.instance_id, {})
        if answer.trial_idx in of_task:
            raise _twice(answer)
        of_task[answer.trial_idx] = answer
    scored = [
        ScoredAnswer(task.instance_id, number, _scored(task, answer, judge))
        for task in tasks
        for number, answer in sorted(trials.get(task.instance_id, {}).items())
    ]
    known = {task.instance_id for task in tasks}
    unknown = [name for name in trials if name not in known]
    return Report(tuple(scored), _total(tasks, scored, unknown))


def _scored(task: ScoringTask, answer: Answer, judge: Judge) -> WideSearchScore:
    if answer.response is None:
        return zeros("no response")
    return score_widesearch(answer.response, task.gold, task.spec, judge=judge)


def _total(tasks: Sequence[ScoringTask], scored: Sequence[ScoredAnswer], unknown: list[str]) -> dict[str, Any]:
    by_task: dict[str, list[WideSearchScore]] = {task.instance_id: [] for task in tasks}
    for line in scored:
        by_task[line.instance_id].append(line.score)
    missing = [name for name, scores in by_task.items() if not scores]
    counted = {
        name: [score for score in scores if score.scored] if scores else [zeros("no answer")]
        for name, scores in by_task.items()
    }
    languages = sorted({task.language for task in tasks})
    unscored = [line for line in scored if not line.score.scored]
    return {
        "tasks": len(tasks),
        "answers": len(scored),
        "missing": missing,
        "missing_count": len(missing),
        "unknown": unknown,
        "unscored": [{"instance_id": line.instance_id, "trial_idx": line.trial_idx} for line in unscored],
        "overall": _means(list(counted.values())),
        "by_language": {
            language: _means([counted[task.instance_id] for task in tasks if task.language == language])
            for language in languages
        },
    }


def _means(tasks: list[list[WideSearchScore]]) -> dict[str, Any]:
    """Per measure, the mean over tasks of the average, the best and the worst over trials; null without any task."""
    used = [scores for scores in tasks if scores]
    means: dict[str, Any] = {"tasks": len(used)}
    for measure in MEASURES:
        columns = [[float(getattr(score, measure)) for score in scores] for scores in used]
        means[measure] = {
            "avg": _mean([sum(column) / len(column) for column in columns]),
            "max": _mean([max(column) for column in columns]),
            "min": _mean([min(column) for column in columns]),
        }
    return means


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _answer(item: dict[str, Any], path: Path, line: int) -> Answer:
    name = text_of(item, "instance_id", path, line)
    response = None if item.get("response") is None and "response" in item else text_of(item, "response", path, line)
    trial = item.get("trial_idx")
    if trial is not None and (not isinstance(trial, int) or isinstance(trial, bool) or trial < 0):
        raise TaskFileError(
            "scoring.trial", "trial_idx must be a whole number from 0", path=path, line=line, got=repr(trial)[:40]
        )
    return Answer(name, response, trial or 0)


def _twice(answer: Answer, *, path: object = None, line: int | None = None, first: str | None = None) -> CallerError:
    return TaskFileError(
        "scoring.duplicate-answer",
        f"trial {answer.trial_idx} of task {answer.instance_id!r} is given twice",
        path=path,
        line=line,
        got=None if first is None else f"the same trial in {first}",
        fix="number the trials of a task with trial_idx",
    )
