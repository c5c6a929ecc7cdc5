from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from worldgen.facts.tables import Facts
from worldgen.records import Statement
from worldgen.schema import load_schema
from worldgen.scoring import EvalSpec, ExactJudge, score_widesearch, table_of
from worldgen.tasks import Agg, Attr, Overlap, TableQuery, Tally, make_tasks
from worldgen.tasks.frame import Frame
from worldgen.tasks.meaning import NUMBERS, meaning
from worldgen.tasks.query import comparisons
from worldgen.tasks.wording import normal_heading


@pytest.fixture(scope="module", params=["en", "zh"])
def made(request, phones):
    return make_tasks(phones.facts, phones.connection, phones.pages, request.param, count=20)


def test_there_are_as_many_as_asked_for_and_of_all_shapes(made):
    assert len(made) == 20
    assert len({task.instance_id for task in made}) == 20
    shapes = Counter(task.difficulty["shape"] for task in made)
    assert set(shapes) >= {"filter", "join", "top", "or", "not", "series", "aggregate", "composite"}
    assert any(len(task.evaluation["unique_columns"]) > 1 for task in made)


def test_sizes(made):
    for task in made:
        assert 8 <= len(task.rows) <= 80
        assert 3 <= len(task.columns) <= 8
    rows = sorted(len(task.rows) for task in made)
    assert 20 <= rows[10] <= 50


def test_headings_are_told_apart_and_listed_in_order(made):
    for task in made:
        assert len({normal_heading(text) for text in task.columns}) == len(task.columns)
        places = [task.question.index(f"“{text}”") for text in task.columns]
        assert places == sorted(places)


def test_no_question_names_a_key(made, phones):
    for task in made:
        query = TableQuery.from_json(task.query)
        for place, key in enumerate(query.keys):
            if meaning(phones.facts, query.subject, key).type in ("name", "ref"):
                assert not [row[place] for row in task.rows if row[place].casefold() in task.question.casefold()]


def test_the_question_holds_the_words_of_the_first_search(made):
    for task in made:
        for query in task.plan["queries"]:
            words = query.split() if task.language == "en" else [query[:2], query[-2:]]
            assert all(word in task.question for word in words)


def test_keys_are_unique(made):
    for task in made:
        keys = len(task.evaluation["unique_columns"])
        plain = {tuple(cell.lower().replace(" ", "").replace("*", "") for cell in row[:keys]) for row in task.rows}
        assert len(plain) == len(task.rows)


def test_gold_scores_one(made):
    for task in made:
        table = "\n".join(
            "| " + " | ".join(row) + " |" for row in [task.columns, ["---"] * len(task.columns), *task.rows]
        )
        spec = EvalSpec.parse(json.dumps(task.evaluation))
        gold = table_of([dict(zip(task.columns, row, strict=True)) for row in task.rows])
        score = score_widesearch(f"```markdown\n{table}\n```", gold, spec, judge=ExactJudge())
        assert score.score == 1.0, (task.question, score)
        assert score.f1_by_item == score.f1_by_row == 1.0


def test_one_metric_a_column_and_none_that_is_lenient(made):
    for task in made:
        assert task.evaluation["required"] == [normal_heading(text) for text in task.columns]
        for rule in task.evaluation["eval_pipeline"].values():
            assert len(rule["metric"]) == 1
            assert rule["metric"][0] in ("exact_match", "number_near")


def test_evidence_is_sound_and_complete(made, phones):
    pages = {page.url: page for page in phones.pages}
    for task in made:
        stated = {(e.row, e.column, e.fact) for e in task.evidence}
        assert stated == {(row, column, fact) for row, column, needed in task.plan["cells"] for fact in needed}
        opened = {*task.plan["enumerate"], *(step["url"] for step in task.plan["open"])}
        for e in task.evidence:
            found = [s for s in pages[e.url].statements if (s.fact, s.start, s.end) == (e.fact, e.start, e.end)]
            assert found[0].label in ("sound", "undisclosed")
            assert pages[e.url].language == task.language
            assert e.url in opened
        on = {s.fact for url in opened for s in pages[url].statements}
        assert {fact for _, needed in task.plan["conditions"] for fact in needed} <= on


def test_no_two_share_their_rows_or_more_than_half_their_cells_in_any_language(phones):
    overlap = Overlap()
    made = [
        task
        for language in ("en", "zh")
        for task in make_tasks(phones.facts, phones.connection, phones.pages, language, count=10, overlap=overlap)
    ]
    assert len(made) == 20
    named, others, asked = [], [], []
    for task in made:
        query = TableQuery.from_json(task.query)
        ids = Frame(phones.facts).rows(query).tolist()
        asked.append((query.subject, set(ids)))
        keys = {c for c in task.columns if normal_heading(c) in task.evaluation["unique_columns"]}
        named.append({(query.subject, row, key) for row in ids for key in query.keys})
        others.append({frozenset(needed) for _, column, needed in task.plan["cells"] if needed and column not in keys})
    for one in range(len(made)):
        for other in range(one):
            assert asked[one] != asked[other]
            for ours, theirs in (others[one], others[other]), (named[one] | others[one], named[other] | others[other]):
                assert len(ours & theirs) <= 0.5 * min(len(ours), len(theirs))


def test_no_page_gives_a_hard_task_away(made, phones):
    assert sum(task.difficulty["easy"] for task in made) <= 2
    for task in made:
        if task.difficulty["easy"]:
            continue
        keys = {c for c in task.columns if normal_heading(c) in task.evaluation["unique_columns"]}
        cells = [set(needed) for _, column, needed in task.plan["cells"] if column not in keys]
        for page in phones.pages:
            facts = {s.fact for s in page.statements}
            assert sum(bool(needed) and needed <= facts for needed in cells) <= 0.25 * len(cells)


def _thresholds(task, facts: Facts):
    query = TableQuery.from_json(task.query)
    for item in comparisons(query.where):
        found = meaning(facts, query.subject, item.term)
        if not isinstance(item.term, Agg) and found.column is not None:
            yield item, found


def test_conditions_are_decidable(made, phones):
    """No condition is on a value that is not disclosed, or cuts within the rounding of a value."""
    cut = 0
    for task in made:
        for item, found in _thresholds(task, phones.facts):
            assert found.column.given.all()
            if found.type in NUMBERS and found.step:
                threshold = round(float(item.value) * 10**found.decimals)
                assert min(abs(found.column.values - threshold)) > found.step
                cut += 1
    assert cut > 0


def test_top_k_has_no_tie(made, phones):
    tops = 0
    for task in made:
        query = TableQuery.from_json(task.query)
        if query.order is None:
            continue
        wider = dataclasses.replace(query, limit=phones.facts.tables[query.subject].size)
        term = query.order.term
        found = meaning(phones.facts, query.subject, term)
        frame = Frame(phones.facts)
        rows = frame.rows(wider)
        values = frame.values(query.subject, term).values[rows]
        assert abs(values[query.limit - 1] - values[query.limit]) > found.step
        tops += 1
    assert tops >= 1


def test_a_fact_that_only_a_losing_or_wrong_page_states_is_not_asked(phones, holding):
    """Where a wrong statement of a high-trust, later page wins, the fact drops out of all questions."""
    spoiled = []
    for page in phones.pages:
        if page.url.endswith("/phone/3"):
            wrong = tuple(s._replace(label="mistaken") for s in page.statements)
            spoiled.append(dataclasses.replace(page, url=f"{page.url}-x", date="2029-11-20", statements=wrong))
    contested = {s.fact for page in spoiled for s in page.statements}
    pages = [*phones.pages, *spoiled]
    tasks = make_tasks(phones.facts, holding(phones, pages), pages, "en", count=12)
    assert contested
    assert not {e.fact for task in tasks for e in task.evidence} & contested


def test_a_stale_statement_is_never_evidence(phones, holding):
    pages = []
    for page in phones.pages:
        if page.genre == "encyclopedia":
            first = Statement(page.statements[0].fact, 0, 1, 0, 1, "stale", "plain", "x")
            old = dataclasses.replace(page, url=f"{page.url}-old", date="2020-01-01", statements=(first,))
            pages.append(old)
        pages.append(page)
    tasks = make_tasks(phones.facts, holding(phones, pages), pages, "en", count=10)
    assert len(tasks) == 10
    assert not [e for task in tasks for e in task.evidence if e.url.endswith("-old")]


def test_nothing_is_asked_that_is_computed_from_no_rows(tiny_of):
    """A maker without phones has no mean price, whatever its pages say of it."""
    schema = load_schema("smartphone-market")
    sizes = {"maker": 60, "phone": 45}
    scaled = {name: schema.entities[name].model_copy(update={"count": count}) for name, count in sizes.items()}
    only = schema.tasks.model_copy(update={"subjects": {"maker": schema.tasks.subjects["maker"]}})
    world = tiny_of(schema.model_copy(update={"entities": schema.entities | scaled, "tasks": only}), 7)
    without = {
        number for number, given in enumerate(world.facts.tables["maker"].columns["mean_price"].given) if not given
    }
    assert without
    tally = Tally()
    asked = 0
    for task in make_tasks(world.facts, world.connection, world.pages, "en", count=20, tally=tally):
        query = TableQuery.from_json(task.query)
        assert query.subject == "maker"
        rows = set(Frame(world.facts).rows(query).tolist())
        asked += bool(rows & without)
        assert not (Attr("mean_price") in query.columns and rows & without)
    assert asked
    assert tally.rejected["an empty cell"]


def test_a_world_without_pages_has_no_tasks(phones, holding):
    tally = Tally()
    assert make_tasks(phones.facts, holding(phones, []), [], "en", count=3, tally=tally) == []
    assert tally.rejected["a fact that no page proves"] > 0


def test_the_same_tasks_in_another_process():
    script = (
        "import sys; sys.path.insert(0, 'tests/tasks');"
        "from conftest import tiny; from worldgen.tasks import make_tasks; import hashlib;"
        "w = tiny('smartphone-market', 11);"
        "t = make_tasks(w.facts, w.connection, w.pages, 'en', count=8);"
        "print(hashlib.sha256(repr(t).encode()).hexdigest())"
    )
    root = Path(__file__).parents[2]
    digests = set()
    for seed in ("0", "77"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=root, env=env, capture_output=True, text=True, check=True
        )
        digests.add(done.stdout)
    assert len(digests) == 1
