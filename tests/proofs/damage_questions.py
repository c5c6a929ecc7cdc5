"""Damage to the questions: gold, layout, evidence, spreading, and what agents can or cannot do."""

from __future__ import annotations

import json

from damage import Copy, found_by

from worldgen.records import Task


def simple(copy: Copy) -> Task:
    """A task with a key of one column."""
    return next(task for task in copy.tasks if len(task.evaluation["unique_columns"]) == 1)


def is_key(task: Task, column: str) -> bool:
    return column.replace(" ", "").lower() in task.evaluation["unique_columns"]


def numbers(task: Task) -> int:
    """A column of numbers that is no key."""
    return next(
        i for i, c in enumerate(task.columns) if not is_key(task, c) and task.rows[0][i].replace(".", "").isdigit()
    )


@found_by("questions.gold")
def a_gold_cell_edited(copy):
    task = simple(copy)
    at = numbers(task)
    rows = [list(row) for row in task.rows]
    rows[1][at] = str(float(rows[1][at]) + 1)
    copy.change_task(task.instance_id, rows=rows)


@found_by("questions.gold")
def a_gold_row_removed(copy):
    task = simple(copy)
    copy.change_task(task.instance_id, rows=task.rows[:-1])
    copy.run("DELETE FROM wg_evidence WHERE instance_id = ? AND row = ?", task.instance_id, len(task.rows) - 1)


@found_by("questions.gold")
def a_gold_row_added(copy):
    task = simple(copy)
    row = ["Ship of Nobody" if is_key(task, c) else cell for c, cell in zip(task.columns, task.rows[0], strict=True)]
    copy.change_task(task.instance_id, rows=[*task.rows, row])


@found_by("questions.gold")
def a_cell_for_a_value_that_there_is_not(copy):
    """A value that the schema never withholds is gone, as is an average of no rows, and the cell calls it withheld."""
    task = simple(copy)
    at = numbers(task)
    fact = next(e.fact for e in task.evidence if e.row == 0 and e.column == task.columns[at])
    row, _, attribute = fact.rpartition("/")
    copy.run("UPDATE wg_fact SET value = NULL, disclosed = 0 WHERE id = ?", fact)
    copy.run(f'UPDATE "{row.split("/")[0]}" SET "{attribute}" = NULL WHERE id = ?', row)
    rows = [list(r) for r in task.rows]
    rows[0][at] = "Not disclosed"
    copy.change_task(task.instance_id, rows=rows)


@found_by("questions.gold")
def a_row_that_stands_twice(copy):
    task = simple(copy)
    copy.change_task(task.instance_id, rows=[*task.rows[:-1], task.rows[0]])


@found_by("questions.gold")
def a_condition_turned_round(copy):
    task = next(t for t in copy.tasks if "where" in t.query)
    copy.change_task(task.instance_id, query=task.query | {"where": {"not": task.query["where"]}})


@found_by("questions.layout", settled=False)
def a_gold_file_edited(copy):
    name = f"tasks/widesearch_gold/{copy.tasks[0].instance_id}.csv"
    head, first, rest = copy.text(name).split("\n", 2)
    copy.write(name, "\n".join([head, first[:-2] + "9\r", rest]))


@found_by("questions.layout", settled=False)
def a_gold_file_gone(copy):
    (copy.folder / "tasks" / "widesearch_gold" / f"{copy.tasks[0].instance_id}.csv").unlink()


@found_by("questions.layout", settled=False)
def a_question_reworded_in_its_file(copy):
    copy.write(
        "tasks/widesearch.jsonl", copy.text("tasks/widesearch.jsonl").replace('"query": "', '"query": "Please. ', 1)
    )


@found_by("questions.layout", settled=False)
def a_canary_lost(copy):
    text = copy.text("tasks/widesearch.jsonl")
    copy.write("tasks/widesearch.jsonl", text.replace(copy.manifest["canary"], "none", 1))


@found_by("questions.layout")
def a_metric_that_can_be_gamed(copy):
    task = copy.tasks[0]
    column = task.evaluation["required"][-1]
    pipeline = task.evaluation["eval_pipeline"]
    changed = pipeline | {column: pipeline[column] | {"metric": ["in_match"]}}
    copy.change_task(task.instance_id, evaluation=task.evaluation | {"eval_pipeline": changed})


@found_by("questions.layout")
def two_rows_of_one_key(copy):
    task = simple(copy)
    at = next(i for i, column in enumerate(task.columns) if is_key(task, column))
    rows = [list(row) for row in task.rows]
    rows[1][at] = f" {rows[0][at].upper()}*"
    copy.change_task(task.instance_id, rows=rows)


@found_by("questions.layout")
def an_empty_gold_cell(copy):
    task = simple(copy)
    rows = [list(row) for row in task.rows]
    rows[2][numbers(task)] = ""
    copy.change_task(task.instance_id, rows=rows)


@found_by("questions.keys-hidden")
def a_question_that_names_its_answer(copy):
    task = simple(copy)
    at = next(i for i, column in enumerate(task.columns) if is_key(task, column))
    copy.change_task(task.instance_id, question=f"{task.question} One of them is {task.rows[0][at]}.")


@found_by("questions.evidence")
def evidence_that_points_beside(copy):
    copy.run('UPDATE wg_evidence SET start = start + 3, "end" = "end" + 3 WHERE id = 7')


@found_by("questions.evidence")
def evidence_lost(copy):
    task = simple(copy)
    column = task.columns[numbers(task)]
    copy.run('DELETE FROM wg_evidence WHERE instance_id = ? AND "column" = ? AND row = 0', task.instance_id, column)


@found_by("questions.evidence")
def evidence_that_is_out_of_date(copy):
    url, fact, start, end = copy.first(
        "SELECT url, fact, start, \"end\" FROM wg_statement WHERE label = 'stale' LIMIT 1"
    )
    copy.run('UPDATE wg_evidence SET url = ?, fact = ?, start = ?, "end" = ? WHERE id = 7', url, fact, start, end)


@found_by("questions.evidence")
def evidence_for_a_row_too_many(copy):
    copy.run("UPDATE wg_evidence SET row = row + 500 WHERE id = 7")


@found_by("questions.spreading")
def a_page_that_states_everything(copy):
    gather(copy, copy.tasks[:1])


@found_by("questions.spreading")
def a_page_that_shows_all_keys(copy):
    task = simple(copy)
    at = next(i for i, column in enumerate(task.columns) if is_key(task, column))
    url = copy.first("SELECT url FROM wg_page WHERE kind = 'sound' LIMIT 1")
    copy.run("UPDATE wg_page SET body = body || ? WHERE url = ?", "\n" + ", ".join(row[at] for row in task.rows), url)


@found_by("questions.spreading")
def easy_tasks_all_over(copy):
    for task in copy.tasks:
        copy.run("UPDATE wg_task SET difficulty = ? WHERE instance_id = ?",
                 json.dumps(task.difficulty | {"easy": True}), task.instance_id)  # fmt: skip


@found_by("questions.difference")
def a_question_asked_twice(copy):
    ask_again(copy, "language")
    cite_again(copy, "fact", "1")


@found_by("questions.difference")
def a_question_asked_in_two_languages(copy):
    ask_again(copy, "'zh'")
    cite_again(copy, "fact", "1")


@found_by("questions.difference")
def a_question_for_the_same_keys(copy):
    """Its other cells, of one row only, rest on facts of their own."""
    ask_again(copy, "language")
    cite_again(copy, "'other/' || fact", "row = 0")


def ask_again(copy, language):
    columns = f"{language}, question, columns, rows, evaluation, query, plan, difficulty"
    name = copy.tasks[0].instance_id
    copy.run(f"INSERT INTO wg_task SELECT 'again', {columns} FROM wg_task WHERE instance_id = ?", name)


def cite_again(copy, fact, where):
    copy.run(
        f'INSERT INTO wg_evidence SELECT id + 1000000, \'again\', row, "column", {fact}, url, start, "end"'
        f" FROM wg_evidence WHERE instance_id = ? AND {where}",
        copy.tasks[0].instance_id,
    )


@found_by("agents.oracle")
def a_way_to_the_answer_lost(copy):
    """The list pages of every plan have other addresses than the plan says, and so have the articles."""
    for task in copy.tasks:
        plan = json.loads(json.dumps(task.plan).replace("https://", "https://old."))
        copy.change_task(task.instance_id, plan=plan)


@found_by("agents.oracle")
def a_sentence_told_differently_on_the_page(copy):
    """The gold rests on a sentence that is stale: what an honest reader takes for the fact is stated nowhere."""
    task = copy.tasks[0]
    fact = next(e.fact for e in task.evidence if not is_key(task, e.column))
    copy.run("UPDATE wg_statement SET label = 'stale' WHERE fact = ?", fact)


@found_by("agents.fair-play")
def a_plan_that_knows_the_answer(copy):
    for task in copy.tasks:
        plan = task.plan | {"queries": ["xyzzyplugh " + task.rows[-1][0], *task.plan["queries"]]}
        copy.change_task(task.instance_id, plan=plan)


@found_by("questions.official-score")
def a_metric_that_no_answer_satisfies(copy):
    for task in copy.tasks:
        column = task.columns[next(i for i, c in enumerate(task.columns) if is_key(task, c)) - 1 or -1]
        normal = column.replace(" ", "").lower()
        spec = {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": -1.0}
        pipeline = task.evaluation["eval_pipeline"] | {normal: spec}
        copy.change_task(task.instance_id, evaluation=task.evaluation | {"eval_pipeline": pipeline})


@found_by("agents.guess")
def questions_that_give_their_answers_away(copy):
    for task in copy.tasks:
        common = {
            c: max((row[i] for row in task.rows), key=[r[i] for r in task.rows].count)
            for i, c in enumerate(task.columns)
        }
        rows = [
            [cell if is_key(task, c) else common[c] for c, cell in zip(task.columns, row, strict=True)]
            for row in task.rows
        ]
        keys = [row[i] for row in task.rows for i, c in enumerate(task.columns) if is_key(task, c)]
        copy.change_task(task.instance_id, rows=rows, question=task.question + " " + "; ".join(keys))


@found_by("agents.best-page")
def a_page_that_answers_every_question(copy):
    url = gather(copy, copy.tasks)
    copy.run(
        'UPDATE wg_evidence SET url = s.url, start = s.start, "end" = s."end" FROM wg_statement s'
        " WHERE s.url = ? AND s.fact = wg_evidence.fact",
        url,
    )


@found_by("agents.newest-only")
def a_newest_page_that_answers_every_question(copy):
    gather(copy, copy.tasks, date="2028-10-31", title=" ".join(q for t in copy.tasks for q in t.plan["queries"]))
    copy.run("UPDATE wg_page SET date = '2028-01-01' WHERE date > '2028-01-01' AND title NOT LIKE ?", "%:all of it")


@found_by("agents.titles-only")
def a_title_that_answers(copy):
    tell_in_title(copy)


@found_by("agents.search-only")
def a_result_that_answers(copy):
    tell_in_title(copy)


@found_by("agents.crawl")
def a_front_page_of_everything(copy):
    gather(copy, copy.tasks, title=" ".join(q for t in copy.tasks for q in t.plan["queries"]))


def gather(copy: Copy, tasks: list[Task], *, date: str = "2028-10-01", title: str = "") -> str:
    """Write a page that states all facts of the tasks and names their keys."""
    host = copy.first("SELECT url FROM wg_page WHERE kind = 'sound' AND genre = 'list' LIMIT 1").split("/")[2]
    url = f"https://{host}/directory/all-of-it"
    facts = sorted({fact for task in tasks for fact in _facts(task)})
    body = "\n".join(cell for task in tasks for row in task.rows for cell in row) + "\n"
    number = copy.first("SELECT max(id) FROM wg_statement") + 1
    for fact in facts:
        found = copy.rows(
            'SELECT substr(p.body, s.start + 1, s."end" - s.start), s.value_start - s.start, s.value_end - s.start,'
            " s.label, s.form, s.claimed FROM wg_statement s JOIN wg_page p ON p.url = s.url"
            " WHERE s.fact = ? AND s.label IN ('sound', 'undisclosed') LIMIT 1",
            fact,
        )
        for sentence, start, end, label, form, claimed in found:
            at = len(body)
            copy.run(
                "INSERT INTO wg_statement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                number, url, fact, at, at + len(sentence), at + start, at + end, label, form, claimed,
            )  # fmt: skip
            number += 1
            body += sentence + "\n"
    copy.run(
        "INSERT INTO wg_page VALUES (?, 'Site', 'list', 'en', ?, ?, '', 'high', 'sound', '', ?)",
        url, f"{title}:all of it", date, body,
    )  # fmt: skip
    return url


def _facts(task: Task) -> set[str]:
    return {e.fact for e in task.evidence} | {fact for _, facts in task.plan["conditions"] for fact in facts}


def tell_in_title(copy: Copy) -> None:
    """Write a page whose title states all facts of the tasks, names their keys, and is what their words find."""
    url = gather(copy, copy.tasks)
    keys = [cell for t in copy.tasks for row in t.rows for c, cell in zip(t.columns, row, strict=True) if is_key(t, c)]
    words = copy.rows(
        "SELECT substr(p.body, s.value_start + 1, s.value_end - s.value_start) FROM wg_statement s"
        " JOIN wg_page p ON p.url = s.url WHERE s.url = ? ORDER BY s.id",
        url,
    )
    queries = [query for task in copy.tasks for query in task.plan["queries"]]
    title = " / ".join([*queries * 20, *keys, *(word for (word,) in words)])
    copy.run("UPDATE wg_page SET title = ? WHERE url = ?", title, url)
