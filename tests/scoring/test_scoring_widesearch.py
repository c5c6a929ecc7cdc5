import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldgen.errors import CallerError
from worldgen.records import Task
from worldgen.scoring import (
    AliasJudge,
    Answer,
    EvalSpec,
    ExactJudge,
    ScoringTask,
    Table,
    read_answers,
    read_tasks,
    score_answers,
    score_rows,
    score_widesearch,
    write_tasks,
)

RULES = {
    "name": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
    "price": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.05},
    "motto": {"preprocess": ["norm_str"], "metric": ["llm_judge"], "criterion": "Same meaning."},
}
SPEC = EvalSpec.parse({"unique_columns": ["name"], "required": list(RULES), "eval_pipeline": RULES})
GOLD = Table(("Name", "Price", "Motto"), (("Foo", "100", "Onward"), ("Bar", "200", "Upward")))
GOOD = "```markdown\n| Name | Price | Motto |\n|---|---|---|\n| foo | $102 | onward |\n| BAR | 200 | upward |\n```"


class BrokenJudge(ExactJudge):
    def judge_cells(self, column, pairs, criterion):
        raise TimeoutError("no reply")


class ShortJudge(ExactJudge):
    def judge_cells(self, column, pairs, criterion):
        return [1.0]


def task(name="ws_en_001", language="en"):
    return ScoringTask(name, "List them.", language, SPEC, GOLD)


def test_a_good_answer_scores_one():
    score = score_widesearch(GOOD, GOLD, SPEC, judge=ExactJudge())
    assert (score.score, score.f1_by_row, score.f1_by_item) == (1.0, 1.0, 1.0)
    assert "price number_near 2/2" in score.explanation


def test_aliases_align_keys_columns_and_cells():
    text = GOOD.replace("foo", "The Foo Company").replace("| Price |", "| Cost |").replace("onward", "forward")
    judge = AliasJudge({"the foo company": "Foo", "Cost": "price", "Forward": "Onward"})
    assert score_widesearch(text, GOLD, SPEC, judge=judge).f1_by_item == 1.0
    assert score_widesearch(text, GOLD, SPEC, judge=ExactJudge()).f1_by_item == 0.0


@pytest.mark.parametrize("judge", [BrokenJudge(), ShortJudge()])
def test_a_judge_that_fails_leaves_the_answer_unscored(judge):
    score = score_widesearch(GOOD, GOLD, SPEC, judge=judge)
    assert not score.scored
    assert score.f1_by_item is None
    assert "unscored" in score.explanation


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("nothing", "no table"),
        ("```markdown\n|Name|Price|\n|a|1|\n```", "columns"),
        ("```markdown\n|Name|Price|Motto|**motto**|\n|a|1|x|y|\n```", "one name"),
        ("```markdown\n|Name|Price|Motto|\n|a|1|x|\n```", "no key"),
        ("```markdown\n|Name|Price|Motto|\n|a|1|x|\n|b|1|x|y|z|\n```", "more cells"),
    ],
)
def test_zeros_say_why(answer, reason):
    score = score_widesearch(answer, GOLD, SPEC, judge=ExactJudge())
    assert score.f1_by_item == 0.0
    assert reason in score.explanation


def test_scoring_leaves_the_gold_as_it_is():
    before = json.dumps([GOLD.columns, GOLD.rows])
    score_widesearch(GOOD, GOLD, SPEC, judge=ExactJudge())
    assert json.dumps([GOLD.columns, GOLD.rows]) == before


def test_rows_score_like_text():
    rows = [{"Name": "Foo", "Price": 100, "Motto": "Onward"}, {"Name": "Bar", "Price": "200", "Motto": "Upward"}]
    scores = score_rows(rows, GOLD, SPEC, judge=ExactJudge())
    assert (scores.widesearch.score, scores.worldgen_f1.value) == (1.0, 1.0)


@pytest.mark.parametrize(
    "broken",
    [
        "{",
        "[]",
        {"required": ["a"], "unique_columns": [], "eval_pipeline": {}},
        {"required": ["a", "a"], "unique_columns": ["a"], "eval_pipeline": {}},
        {"required": ["a"], "unique_columns": ["b"], "eval_pipeline": {}},
        {"required": ["a"], "unique_columns": ["a"]},
        {"required": ["a"], "unique_columns": ["a"], "eval_pipeline": {"a": {"metric": ["exact_mach"]}}},
        {"required": ["a"], "unique_columns": ["a"], "eval_pipeline": {"a": {"criterion": []}}},
    ],
)
def test_a_spec_that_cannot_be_used_is_refused(broken):
    with pytest.raises(CallerError):
        EvalSpec.parse(broken)


def test_a_spec_survives_the_round_trip():
    assert EvalSpec.parse(json.dumps(SPEC.to_dict())) == SPEC


def test_a_directory_reads_back_and_writes_the_same_bytes(tmp_path):
    record = Task("ws_zh_001", "zh", "请列出", GOLD.columns, GOLD.rows, SPEC.to_dict(), {}, {})
    write_tasks(tmp_path / "a", [task(), record], canary="tweet")
    tasks = read_tasks(tmp_path / "a")
    assert tasks == [task(), ScoringTask("ws_zh_001", "请列出", "zh", SPEC, GOLD)]
    write_tasks(tmp_path / "b", tasks, canary="tweet")
    for name in ("widesearch.jsonl", "widesearch_gold/ws_en_001.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    first = json.loads((tmp_path / "a" / "widesearch.jsonl").read_text("utf-8").split("\n")[0])
    assert sorted(first) == ["evaluation", "instance_id", "language", "query"]
    assert json.loads(first["evaluation"])["canary"] == "tweet"
    assert "请列出" in (tmp_path / "a" / "widesearch.jsonl").read_text("utf-8")
    assert b"\r" not in (tmp_path / "a" / "widesearch_gold" / "ws_en_001.csv").read_bytes()


@settings(max_examples=40, deadline=None)
@given(cell=st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).map("x".__add__))
def test_any_gold_cell_reads_back(tmp_path_factory, cell):
    where = tmp_path_factory.mktemp("tasks")
    gold = Table(GOLD.columns, ((cell, "1", 'say "hi", ok'),))
    write_tasks(where, [ScoringTask("t1", "q", "en", SPEC, gold)])
    assert read_tasks(where)[0].gold == gold


def damaged(root, what):
    write_tasks(root, [task(), task("ws_en_002")])
    path, gold = root / "widesearch.jsonl", root / "widesearch_gold" / "ws_en_002.csv"
    lines = path.read_text("utf-8").split("\n")
    if what == "gold missing":
        gold.unlink()
    elif what == "gold column":
        gold.write_text("Name,Cost,Motto\na,1,x\n")
    elif what == "gold empty":
        gold.write_text("Name,Price,Motto\n")
    elif what == "gold ragged":
        gold.write_text("Name,Price,Motto\na,1,x\nb,1,x,y\n")
    elif what == "json":
        path.write_text(lines[0] + "\n{oops\n")
    elif what == "list":
        path.write_text(lines[0] + "\n[]\n")
    elif what == "duplicate":
        path.write_text(lines[0] + "\n" + lines[0])
    elif what == "unsafe id":
        path.write_text(lines[0] + "\n" + lines[1].replace("ws_en_002", "../ws"))
    elif what == "no query":
        path.write_text(lines[0] + "\n" + lines[1].replace('"query"', '"question"'))
    elif what == "evaluation":
        path.write_text(lines[0] + "\n" + lines[1].replace("number_near", "number_neer"))
    elif what == "empty":
        path.write_text("\n")
    elif what == "absent":
        path.unlink()
    return "widesearch.jsonl" if "gold " not in what or what == "gold missing" else "ws_en_002.csv"


@pytest.mark.parametrize(
    "what",
    [
        *("gold missing", "gold column", "gold empty", "gold ragged", "json", "list"),
        *("duplicate", "unsafe id", "no query", "evaluation", "empty", "absent"),
    ],
)
def test_a_damaged_directory_is_refused_by_file_and_line(tmp_path, what):
    named = damaged(tmp_path, what)
    with pytest.raises(CallerError) as caught:
        read_tasks(tmp_path)
    assert named in str(caught.value.path)
    if what not in ("empty", "absent"):
        assert caught.value.line == {"gold column": 1, "gold empty": 1, "gold ragged": 3}.get(what, 2)


@pytest.mark.parametrize(
    "tasks", [[task(), task()], [task("a/b")], [ScoringTask("t", "q", "en", SPEC, Table(("Name",), (("a",),)))]]
)
def test_writing_refuses_what_reading_would(tmp_path, tasks):
    with pytest.raises(CallerError):
        write_tasks(tmp_path, tasks)


def test_a_report_means_over_trials_then_tasks():
    tasks = [task("a"), task("b", "zh"), task("c")]
    answers = [
        {"instance_id": "a", "response": GOOD, "trial_idx": 1},
        {"instance_id": "a", "response": "nothing", "trial_idx": 0},
        Answer("b", GOOD),
        {"instance_id": "zzz", "response": "?"},
    ]
    report = score_answers(tasks, answers, ExactJudge()).to_dict()
    assert [(line["instance_id"], line["trial_idx"], line["score"]) for line in report["tasks"]] == [
        ("a", 0, 0.0),
        ("a", 1, 1.0),
        ("b", 0, 1.0),
    ]
    assert list(report["tasks"][0])[:3] == ["instance_id", "trial_idx", "score"]
    total = report["total"]
    assert (total["missing"], total["unknown"], total["unscored"]) == (["c"], ["zzz"], [])
    assert total["overall"]["f1_by_item"] == pytest.approx({"avg": 0.5, "max": 2 / 3, "min": 1 / 3})
    assert total["by_language"]["zh"]["score"] == {"avg": 1.0, "max": 1.0, "min": 1.0}
    assert json.loads(json.dumps(report)) == report


def test_unscored_trials_are_listed_and_not_counted():
    report = score_answers([task("a"), task("b")], [Answer("a", GOOD), Answer("b", "nothing")], BrokenJudge())
    assert report.total["unscored"] == [{"instance_id": "a", "trial_idx": 0}]
    assert report.total["overall"]["tasks"] == 1
    assert report.total["overall"]["score"]["avg"] == 0.0
    assert report.to_dict()["tasks"][0]["score"] is None


def test_the_same_trial_twice_is_an_error(tmp_path):
    with pytest.raises(CallerError):
        score_answers([task("a")], [Answer("a", GOOD), Answer("a", GOOD)], ExactJudge())
    path = tmp_path / "answers.jsonl"
    path.write_text('{"instance_id": "a", "response": "x"}\n\n{"instance_id": "a", "response": null}\n')
    with pytest.raises(CallerError) as caught:
        read_answers(path)
    assert caught.value.line == 3


@pytest.mark.parametrize(
    "line", ['{"response": "x"}', '{"instance_id": "a"}', '{"instance_id": "a", "response": "x", "trial_idx": "1"}']
)
def test_a_malformed_answer_is_an_error(tmp_path, line):
    path = tmp_path / "answers.jsonl"
    path.write_text(line)
    with pytest.raises(CallerError) as caught:
        read_answers(path)
    assert (caught.value.line, caught.value.path) == (1, str(path))
