"""Are the questions right? Gold computed again, the benchmark's layout, evidence, spread over pages, overlap."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from worldgen.proofs.files import Files
from worldgen.proofs.gold import Evaluator, same_number
from worldgen.proofs.parsing import words
from worldgen.proofs.report import ProofResult, result

_METRICS = {"exact_match", "number_near", "date_near", "url_match"}
_MOST_CELLS, _MOST_KEYS, _EASY = 0.25, 0.60, 0.10
_MOST_OVERLAP = 0.5


def tasks_of(files: Files) -> list[dict[str, Any]]:
    """The catalogue's tasks with nested records as JSON values."""
    names = ("instance_id", "language", "question", "columns", "rows", "evaluation", "query", "plan", "difficulty")
    found = []
    for row in files.rows(f"SELECT {', '.join(names)} FROM wg_task ORDER BY rowid"):
        record = dict(zip(names, row, strict=True))
        for name in names[3:]:
            record[name] = json.loads(record[name])
        found.append(record)
    return found


def prove_gold(files: Files) -> ProofResult:
    """Each gold table is what its query gives when it is computed again, cell by cell."""
    evaluator = Evaluator(files)
    failures: list[str] = []
    cells = 0
    for task in tasks_of(files):
        query = task["query"]
        rows = evaluator.rows(query)
        wanted = _wanted(files, evaluator, rows, task)
        if len(task["rows"]) != len(rows) or len(wanted) != len(rows):
            failures.append(f"{task['instance_id']}: {len(task['rows'])} gold rows, the query gives {len(rows)}")
        if len({tuple(row[: len(query["keys"])]) for row in task["rows"]}) != len(rows):
            failures.append(f"{task['instance_id']}: its rows have not as many keys as the query gives")
        for row in task["rows"]:
            cells += len(row)
            meant = wanted.get(tuple(row[: len(query["keys"])]))
            if meant is None:
                failures.append(f"{task['instance_id']}: {row[0]!r} is no answer to the query")
                continue
            for heading, cell, (value, nothing) in zip(task["columns"], row, meant, strict=True):
                if nothing or not _right(files, cell, value, task["language"]):
                    failures.append(f"{task['instance_id']}: {row[0]!r}, {heading}: {cell!r}, but it is {value!r}")
    return result("questions.gold", cells, failures, "every gold cell is computed to the same value again")


def _wanted(
    files: Files, evaluator: Evaluator, rows: list[dict[str, Any]], task: dict[str, Any]
) -> dict[tuple[str, ...], list[tuple[str | None, bool]]]:
    """Key → each value of the row, and whether it is missing without being withheld, so that no cell is right."""
    query = task["query"]
    wanted = {}
    for row in rows:
        values = []
        for term in (*query["keys"], *query["columns"]):
            value = evaluator.term(term, row, query["subject"])
            values.append((value, value is None and not evaluator.withheld(term, row, query["subject"])))
        wanted[tuple(_said(files, value, task["language"]) for value, _ in values[: len(query["keys"])])] = values
    return wanted


def _said(files: Files, value: str | None, language: str) -> str:
    """How a key is written: an entity's name, else the value itself."""
    if value is not None and value in files.names:
        return files.names[value][language == "zh"]
    return value or ""


def _right(files: Files, cell: str, value: str | None, language: str) -> bool:
    said = words()["answers"][language]
    if value is None:
        return bool(cell == said["undisclosed"])
    if value in files.names:
        return cell == files.names[value][language == "zh"]
    if cell == value or same_number(cell, value):
        return True
    if value in ("yes", "no"):
        return bool(cell == said[value])
    return cell in _wordings(files, value, language)


def _wordings(files: Files, key: str, language: str) -> set[str]:
    """What the schema says for a category's key, and the Chinese form of a coined part."""
    found: set[str] = set()
    for kind in ("entities", "relations"):
        for table, node in files.schema.get(kind, {}).items():
            for name, spec in node.get("attributes", {}).items():
                value = (spec.get("values") or {}).get(key)
                if isinstance(value, dict):
                    found.update(value.get(language) or [])
                if "name" in spec and language == "zh" and table in files.tables:
                    sql = f'SELECT "{name}_zh" FROM "{table}" WHERE "{name}" = ?'
                    found.update(row[0] for row in files.database.execute(sql, (key,)))
    return found


def prove_layout(files: Files) -> ProofResult:
    """The task files are in the benchmark's layout and say what the catalogue says; one metric a column."""
    failures: list[str] = []
    tasks = {task["instance_id"]: task for task in tasks_of(files)}
    lines = {line.get("instance_id"): line for line in files.task_lines}
    if set(tasks) != set(lines):
        failures.append(f"widesearch.jsonl and the catalogue differ in {sorted(set(tasks) ^ set(lines), key=str)}")
    for name in sorted(set(tasks) & set(lines)):
        failures += [f"{name}: {problem}" for problem in _layout(files, tasks[name], lines[name])]
    return result("questions.layout", len(tasks), failures, "files are in the benchmark's layout")


def _layout(files: Files, task: dict[str, Any], line: dict[str, Any]) -> Iterator[str]:
    if line["query"] != task["question"] or line["language"] != task["language"]:
        yield "the question differs between file and catalogue"
    evaluation = json.loads(line["evaluation"])
    if evaluation.pop("canary", None) != files.manifest["canary"]:
        yield "its evaluation does not carry the world's canary"
    if evaluation != task["evaluation"]:
        yield "the evaluation differs between file and catalogue"
    gold = files.gold(task["instance_id"])
    if gold is None:
        yield "its gold file is missing"
        return
    if gold[0] != task["columns"] or gold[1:] != task["rows"]:
        yield "the gold file differs from the catalogue"
    normal = [column.strip().lower().replace(" ", "") for column in gold[0]]
    if normal != evaluation["required"] or len(set(normal)) != len(normal):
        yield f"the columns {normal} are not those required, {evaluation['required']}"
    keys = evaluation["unique_columns"]
    at = [normal.index(key) for key in keys if key in normal]
    folded = Counter(tuple("".join(row[i].lower().split()).replace("*", "") for i in at) for row in gold[1:])
    if len(at) != len(keys) or any(n > 1 for n in folded.values()):
        yield "its keys are not unique after normalisation"
    for column, spec in evaluation["eval_pipeline"].items():
        if len(spec["metric"]) != 1 or spec["metric"][0] not in _METRICS:
            yield f"column {column} has the metrics {spec['metric']}"
    if set(evaluation["eval_pipeline"]) != set(evaluation["required"]):
        yield "a column has no metric"
    if any(not cell for row in gold[1:] for cell in row):
        yield "a gold cell is empty"


def prove_hidden_keys(files: Files) -> ProofResult:
    """No question gives away the coined names that are the key of a row of its answer."""
    failures = []
    coined = {text for pair in files.names.values() for text in pair}
    counted = 0
    for task in tasks_of(files):
        keys = task["evaluation"]["unique_columns"]
        normal = [column.strip().lower().replace(" ", "") for column in task["columns"]]
        named = [i for i, column in enumerate(normal) if column in keys]
        for row in task["rows"]:
            counted += 1
            given = [row[i] for i in named if row[i] in coined and row[i] in task["question"]]
            if named and len(given) == len([i for i in named if row[i] in coined]):
                failures.append(f"{task['instance_id']}: the question names {given}")
    return result("questions.keys-hidden", counted, failures, "no question gives a key away")


def prove_evidence(files: Files) -> ProofResult:
    """Each gold cell rests on facts, and each of these is stated by a sound sentence where the evidence points."""
    stated = {(s.url, s.fact, s.start, s.end): s.label for s in files.statements}
    evidence: dict[tuple[str, int, str], list[tuple[str, str, int, int]]] = defaultdict(list)
    for task, row, column, *where in files.rows(
        'SELECT instance_id, row, "column", fact, url, start, "end" FROM wg_evidence'
    ):
        evidence[task, row, column].append((where[0], where[1], where[2], where[3]))
    failures = []
    checked = 0
    for task in tasks_of(files):
        names = set(task["evaluation"]["unique_columns"])
        for number, row in enumerate(task["rows"]):
            for column, cell in zip(task["columns"], row, strict=True):
                found = evidence.pop((task["instance_id"], number, column), [])
                checked += 1
                key = column.strip().lower().replace(" ", "") in names
                if not found and not key and not same_number(cell, "0"):
                    failures.append(f"{task['instance_id']}: row {number}, {column} ({cell!r}) has no evidence")
                for fact, url, start, end in found:
                    label = stated.get((url, fact, start, end))
                    if label not in ("sound", "undisclosed"):
                        problem = f"{url} does not state {fact} at {start}-{end} ({label})"
                        failures.append(f"{task['instance_id']}: {problem}")
                    elif files.pages[url].language != task["language"]:
                        failures.append(f"{task['instance_id']}: {url} is not in {task['language']}")
    failures += [f"{key}: evidence for a cell that does not exist" for key in evidence]
    return result("questions.evidence", checked, failures, "every gold cell has evidence that states it")


def prove_spreading(files: Files) -> ProofResult:
    """No page states over 25 % of a task's non-key cells or shows over 60 % of its keys, save in a tenth of tasks."""
    stating: dict[str, set[str]] = defaultdict(set)
    for said in files.statements:
        if said.label in ("sound", "undisclosed"):
            stating[said.fact].add(said.url)
    showing = _Showing(files)
    tasks = tasks_of(files)
    over: dict[str, str] = {}
    most = 0.0
    for task in tasks:
        cells = [needed for row in _cell_facts(files, task) for needed in row]
        held: Counter[str] = Counter()
        for needed in cells:
            if needed:
                held.update(set.intersection(*(stating[fact] for fact in needed)))
        shown = showing.keys(task)
        for url, page in files.pages.items():
            if page.language != task["language"]:
                continue
            most = max(most, held[url] / len(cells) if cells else 0.0)
            if held[url] > _MOST_CELLS * len(cells):
                over[task["instance_id"]] = f"{url} states {held[url]} of {len(cells)} cells"
            if shown[url] > _MOST_KEYS * len(task["rows"]):
                over[task["instance_id"]] = f"{url} shows {shown[url]} of {len(task['rows'])} keys"
    easy = {task["instance_id"] for task in tasks if task["difficulty"].get("easy")}
    failures = [f"{name}: {why}" for name, why in over.items() if name not in easy]
    if len(easy) > max(1, _EASY * len(tasks)):
        failures.append(f"{len(easy)} of {len(tasks)} tasks are easy on purpose, more than a tenth")
    detail = f"{len(easy)} easy on purpose; a page states at most {most:.0%} of a task's cells"
    return result("questions.spreading", len(tasks), failures, detail)


class _Showing:
    """Which pages show a key: all its parts in one line, save what the title names; each name is looked for once."""

    def __init__(self, files: Files) -> None:
        self._titles = {url: page.title for url, page in files.pages.items()}
        self._bodies = {url: page.body for url, page in files.pages.items()}
        self._found: dict[str, set[str]] = {}

    def keys(self, task: dict[str, Any]) -> Counter[str]:
        """URL → how many of the task's keys that page shows."""
        names = set(task["evaluation"]["unique_columns"])
        at = [i for i, c in enumerate(task["columns"]) if c.strip().lower().replace(" ", "") in names]
        counted: Counter[str] = Counter()
        for row in task["rows"]:
            parts = [row[i] for i in at]
            urls = set.intersection(*(self._urls(part) for part in parts))
            counted.update(url for url in urls if len(at) == 1 or self._joined(url, parts))
        return counted

    def _joined(self, url: str, parts: list[str]) -> bool:
        rest = [part for part in parts if part not in self._titles[url]]
        return len(rest) < 2 or any(all(p in line for p in rest) for line in self._bodies[url].split("\n"))

    def _urls(self, name: str) -> set[str]:
        if name not in self._found:
            self._found[name] = {url for url, body in self._bodies.items() if name in body or name in self._titles[url]}
        return self._found[name]


def _cell_facts(files: Files, task: dict[str, Any]) -> list[list[set[str]]]:
    """Per row, the facts of each non-key cell."""
    names = set(task["evaluation"]["unique_columns"])
    index: dict[tuple[int, str], set[str]] = defaultdict(set)
    sql = 'SELECT row, "column", fact FROM wg_evidence WHERE instance_id = ?'
    for row, column, fact in files.database.execute(sql, (task["instance_id"],)):
        index[row, column].add(fact)
    columns = [c for c in task["columns"] if c.strip().lower().replace(" ", "") not in names]
    return [[index[number, column] for column in columns] for number in range(len(task["rows"]))]


def prove_difference(files: Files) -> ProofResult:
    """No task has the rows of another, or shares over half of its cells, keys counted and not counted.

    Tasks of all languages are compared.
    """
    evaluator = Evaluator(files)
    tasks = tasks_of(files)
    named, others, asked = [], [], []
    for task in tasks:
        keys = [key["attribute"] for key in task["query"]["keys"]]
        rows = {row["id"] for row in evaluator.rows(task["query"])}
        asked.append((task["query"]["subject"], rows))
        named.append({(row, key) for row in rows for key in keys})
        others.append({frozenset(needed) for row in _cell_facts(files, task) for needed in row if needed})
    failures = []
    for i, one in enumerate(tasks):
        for j in range(i):
            with_keys = _shared(named[i] | others[i], named[j] | others[j])
            shared = max(with_keys, _shared(others[i], others[j]))
            if asked[i] == asked[j]:
                failures.append(f"{one['instance_id']} has the rows of {tasks[j]['instance_id']}")
            if shared > _MOST_OVERLAP:
                failures.append(f"{one['instance_id']} shares {shared:.0%} of its cells with {tasks[j]['instance_id']}")
    return result("questions.difference", len(tasks), failures, "no two tasks share over half of their cells")


def _shared(one: set[Any], other: set[Any]) -> float:
    """What two sets have in common, as a share of the smaller."""
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
