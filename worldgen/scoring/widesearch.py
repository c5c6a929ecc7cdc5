"""Tasks in the benchmark's own layout: ``widesearch.jsonl`` and one gold table a task in ``widesearch_gold/``.

Reads any directory so laid out, ours or not, and says which file and line is wrong: a task is never left out silently,
or a report would be about fewer tasks than it claims.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgen.errors import CallerError, ServiceError, expect_path
from worldgen.records import Task
from worldgen.scoring.evalspec import EvalSpec
from worldgen.scoring.table import Table, read_delimited

TASKS_FILE = "widesearch.jsonl"
GOLD_FOLDER = "widesearch_gold"
_SAFE_NAME = re.compile(r"\w[\w.\-]{0,199}\Z")


class TaskFileError(CallerError):
    """A directory of tasks that cannot be scored as it stands; names the file and the line."""


@dataclass(frozen=True, slots=True)
class ScoringTask:
    """What scoring needs of a task. ``gold`` holds the table as written, headings and all columns."""

    instance_id: str
    query: str
    language: str
    spec: EvalSpec
    gold: Table

    @classmethod
    def of(cls, task: Task) -> ScoringTask:
        """The scoring side of a world's task."""
        gold = Table(tuple(task.columns), tuple(tuple(row) for row in task.rows))
        return cls(task.instance_id, task.question, task.language, EvalSpec.parse(task.evaluation), gold)


def read_tasks(directory: str | Path) -> list[ScoringTask]:
    """Read every task of a directory, in the order of the file.

    Raises:
        TaskFileError: No such file, bad JSON, a key missing, an id repeated or unsafe as a file name, a gold table
            missing, unreadable, empty, or without a required column; an evaluation that no scorer can use.
    """
    expect_path(directory, "directory")
    path = Path(directory) / TASKS_FILE
    tasks: list[ScoringTask] = []
    lines: dict[str, int] = {}
    for number, item in read_json_lines(path):
        task = _task(Path(directory), path, number, item)
        if task.instance_id in lines:
            raise TaskFileError(
                "scoring.duplicate-task",
                f"task {task.instance_id!r} stands twice",
                path=path,
                line=number,
                got=f"the same id in line {lines[task.instance_id]}",
            )
        lines[task.instance_id] = number
        tasks.append(task)
    if not tasks:
        raise TaskFileError("scoring.no-tasks", "the file holds no task", path=path)
    return tasks


def write_tasks(directory: str | Path, tasks: Iterable[ScoringTask | Task], *, canary: str | None = None) -> None:
    """Write tasks in the benchmark's layout: the same tasks give the same bytes.

    A canary goes into each ``evaluation`` object, the one place where the official loader bears a key it does not know.

    Raises:
        TaskFileError: An id repeated or unsafe as a file name, or a gold table without a required column.
        ServiceError: The directory cannot be written.
    """
    root = Path(directory)
    files: dict[Path, str] = {}
    lines = []
    mark = {} if canary is None else {"canary": canary}
    for given in tasks:
        task = ScoringTask.of(given) if isinstance(given, Task) else given
        gold_path = root / GOLD_FOLDER / f"{_safe(task.instance_id, root / TASKS_FILE, None)}.csv"
        if gold_path in files:
            raise TaskFileError("scoring.duplicate-task", f"task {task.instance_id!r} stands twice", path=root)
        _check_gold(task.gold, task.spec, gold_path)
        files[gold_path] = _csv_text(task.gold)
        item = {
            "instance_id": task.instance_id,
            "query": task.query,
            "evaluation": json.dumps(task.spec.to_dict() | mark, ensure_ascii=False),
            "language": task.language,
        }
        lines.append(json.dumps(item, ensure_ascii=False) + "\n")
    files[root / TASKS_FILE] = "".join(lines)
    try:
        (root / GOLD_FOLDER).mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise ServiceError("scoring.write", f"cannot write the tasks: {error}", path=root) from error


def read_json_lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a JSON-lines file with their line numbers; blank lines are skipped."""
    items = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TaskFileError("scoring.bad-json", f"not JSON: {error}", path=path, line=number) from error
        if not isinstance(item, dict):
            raise TaskFileError(
                "scoring.bad-json", "not a JSON object", path=path, line=number, expected="an object", got=line[:60]
            )
        items.append((number, item))
    return items


def text_of(item: dict[str, Any], key: str, path: Path, line: int) -> str:
    """A text that an object must have under a key."""
    value = item.get(key)
    if not isinstance(value, str):
        raise TaskFileError(
            "scoring.missing-key", f"{key!r} is missing or no text", path=path, line=line, got=repr(value)[:60]
        )
    return value


def _task(root: Path, path: Path, line: int, item: dict[str, Any]) -> ScoringTask:
    name = _safe(text_of(item, "instance_id", path, line), path, line)
    query, language = text_of(item, "query", path, line), text_of(item, "language", path, line)
    if "evaluation" not in item:
        raise TaskFileError("scoring.missing-key", "'evaluation' is missing", path=path, line=line)
    try:
        spec = EvalSpec.parse(item["evaluation"])
    except CallerError as error:
        raise TaskFileError(
            error.code, error.message, path=path, line=line, expected=error.expected, got=error.got, fix=error.fix
        ) from error
    gold_path = root / GOLD_FOLDER / f"{name}.csv"
    if not gold_path.is_file():
        raise TaskFileError(
            "scoring.no-gold",
            f"task {name!r} has no gold table",
            path=path,
            line=line,
            expected=f"the file {gold_path}",
        )
    try:
        gold = read_delimited(_text(gold_path))
    except CallerError as error:
        raise TaskFileError(
            error.code, error.message, path=gold_path, line=error.line or 1, expected=error.expected, got=error.got
        ) from error
    _check_gold(gold, spec, gold_path)
    return ScoringTask(name, query, language, spec, gold)


def _check_gold(gold: Table, spec: EvalSpec, path: Path) -> None:
    absent = [name for name in spec.required if gold.names.count(name) != 1]
    if absent:
        raise TaskFileError(
            "scoring.gold-columns",
            f"the gold table lacks column {absent[0]!r} or has it twice",
            path=path,
            line=1,
            expected=", ".join(spec.required),
            got=", ".join(gold.names),
        )
    if not gold.rows:
        raise TaskFileError(
            "scoring.empty-gold", "the gold table has no rows; no answer could be scored", path=path, line=1
        )


def _safe(name: str, path: Path, line: int | None) -> str:
    if not _SAFE_NAME.match(name):
        raise TaskFileError(
            "scoring.unsafe-id",
            "an instance_id must be able to name a file",
            path=path,
            line=line,
            expected="letters, digits, '_', '-' and '.', not first",
            got=repr(name)[:80],
        )
    return name


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise TaskFileError("scoring.no-file", "no such file", path=path) from None
    except UnicodeDecodeError as error:
        raise TaskFileError("scoring.encoding", f"not UTF-8: {error}", path=path) from error
    except OSError as error:
        raise TaskFileError("scoring.unreadable", f"cannot be read: {error.strerror}", path=path) from error


def _csv_text(table: Table) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return buffer.getvalue()
