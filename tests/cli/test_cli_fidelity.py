"""`worldgen fidelity` measures a model behind an address, goes on with a run, and says what is wrong with a call."""

from __future__ import annotations

import json

import pytest

from worldgen.cli import backend
from worldgen.eval.fidelity.benchmark import DOMAINS, Sample, write_benchmark
from worldgen.llm import FakeServer
from worldgen.search.world_model.players import PLAYERS

SCORES = dict.fromkeys(("format", "factuality", "consistency", "realism", "quality"), 4)
VERDICT = f"<final_evaluation>{json.dumps({'scores': SCORES})}</final_evaluation>"


@pytest.fixture(autouse=True)
def replies(monkeypatch, tmp_path):
    """Replies of models are kept with the test, not with the user."""
    monkeypatch.setenv("WORLDGEN_MODEL_CACHE", str(tmp_path / "replies"))


@pytest.fixture
def bench(tmp_path):
    """Two turns of each domain."""
    folder = tmp_path / "bench"
    samples = [
        Sample(domain, f"e{n}", 1, 1, "s", (f"do {domain} {n}",), (f"seen {domain} {n}",), f"do {domain} {n}")
        for domain in DOMAINS
        for n in (1, 2)
    ]
    write_benchmark(folder, samples)
    return folder


def predicting(request) -> str:
    """What the environment of `bench` says."""
    return request["messages"][-1]["content"].replace("do ", "<think>so</think>seen ")


def test_a_benchmark_is_predicted_judged_and_told_by_domain(run, bench, tmp_path):
    out = tmp_path / "out"
    with FakeServer(predicting, model="wm") as model, FakeServer(lambda request: VERDICT, model="jm") as judge:
        words = ["fidelity", "--bench", str(bench), "--model-url", model.url, "--model", "wm", "--out", str(out)]
        judged = ["--judge-url", judge.url, "--judge-model", "jm"]
        code, shown, told = run(*words, *judged)
        assert code == 0
        assert (len(model.requests), len(judge.requests)) == (14, 14)
        code, again, _ = run(*words, *judged, "--json")
        assert (len(model.requests), len(judge.requests)) == (14, 14), "all of it was done"
    assert [row.split()[:4] for row in shown.splitlines() if row.startswith("android")] == [
        ["android", "2", "2", "2"],
        ["android", "75.00", "75.00", "75.00"],
    ]
    assert "mean over domains" in shown
    assert "judged by jm; scores of different judges are not comparable" in shown
    assert "14 of 14 turns" in told
    report = json.loads(again)
    assert report == {**json.loads((out / "report.json").read_text()), "out": str(out)}
    assert report["rubric"]["sample_mean"] == {"mean": 75.0, "low": 75.0, "high": 75.0}
    assert report["domains"]["os"]["exact"] == {"count": 2, "of": 2}
    assert "so</think>" not in json.dumps(judge.requests)


def test_without_a_judge_rules_alone_are_told_and_a_judge_may_come_later(run, bench, tmp_path):
    words = ["fidelity", "--bench", str(bench), "--model", "wm", "--out", str(tmp_path / "out"), "--limit", "7"]
    with FakeServer(predicting, model="wm") as model, FakeServer(lambda request: VERDICT, model="jm") as judge:
        code, shown, _ = run(*words, "--model-url", model.url)
        assert code == 0
        assert "No judge was asked" in shown
        assert "factuality" not in shown
        assert {row.split()[0] for row in shown.splitlines() if " 1 " in row} >= set(DOMAINS)
        _, shown, _ = run(*words, "--model-url", model.url, "--judge-url", judge.url, "--judge-model", "jm")
        assert len(model.requests) == len(judge.requests) == 7
        assert "factuality" in shown
        _, shown, _ = run(*words, "--model-url", model.url)
    assert "judged by jm; scores" in shown
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert (report["judge"], report["rubric"]["judged"]) == ("jm", 7)


def test_without_a_judge_the_mean_reward_says_over_how_many_turns_it_is(run, tiny_world, tmp_path):
    words = ["fidelity", str(tiny_world), "--model", "fake-remembers", "--out", str(tmp_path / "out"), "--limit", "40"]
    with FakeServer(PLAYERS["remembers"], model="fake-remembers") as model:
        _, shown, _ = run(*words, "--model-url", model.url)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    scored = sum(domain["determined"]["of"] for domain in report["domains"].values())
    assert 0 < scored == report["rewarded"] < 40
    assert f"of the {scored} of 40 turns judged or determined: 25.00; the other {40 - scored} are unscored" in shown


@pytest.mark.parametrize(
    ("model_name", "judge_name", "wanted"),
    [
        ("vm", "jm", "the model's server has no model 'vm'; expected wm"),
        ("wm", "jn", "the judge's server has no model 'jn'; expected jm"),
    ],
)
def test_a_name_that_a_server_does_not_have_is_refused_before_anything_is_asked(
    run, bench, tmp_path, model_name, judge_name, wanted
):
    words = ["fidelity", "--bench", str(bench), "--model", model_name, "--judge-model", judge_name]
    with FakeServer(predicting, model="wm") as model, FakeServer(lambda request: VERDICT, model="jm") as judge:
        servers = ["--model-url", model.url, "--judge-url", judge.url]
        code, shown, told = run(*words, *servers, "--out", str(tmp_path / "out"))
        assert (code, shown, model.requests, judge.requests) == (2, "", [], [])
    assert wanted in told
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("what", ["model", "judge"])
def test_a_server_that_does_not_answer_is_told_before_anything_is_asked(run, bench, tmp_path, monkeypatch, what):
    monkeypatch.setattr(backend, "_PATIENCE", 0.0)
    words = ["fidelity", "--bench", str(bench), "--model", "wm", "--judge-model", "wm", "--out", str(tmp_path / "out")]
    with FakeServer(predicting, model="wm") as server:
        urls = {"model": server.url, "judge": server.url, what: "http://127.0.0.1:9/v1"}
        code, shown, told = run(*words, "--model-url", urls["model"], "--judge-url", urls["judge"])
        assert (code, shown, server.requests) == (2, "", [])
    assert f"the {what}'s server does not answer" in told


def test_a_world_is_measured_with_its_own_test_set(run, tiny_world, tmp_path):
    words = ["fidelity", str(tiny_world), "--model", "wm", "--out", str(tmp_path / "out"), "--limit", "40"]
    with FakeServer(lambda request: "Error: the page could not be reached.", model="wm") as model:
        code, shown, _ = run(*words, "--model-url", model.url)
    assert code == 0
    for axis in ("controllability", "error-handling", "consistency"):
        assert axis in shown
    assert "Mean reward" in shown


def test_what_failed_is_told_with_its_reason_and_where_nothing_is_left_the_exit_code_is_1(run, bench, tmp_path):
    words = ["fidelity", "--bench", str(bench), "--model", "wm", "--out", str(tmp_path / "out")]
    with FakeServer(lambda request: "<think>on and on", model="wm") as model:
        code, shown, told = run(*words, "--model-url", model.url)
    assert code == 1
    assert ["14", "reply.empty:", "no", "observation"] in [row.split() for row in shown.splitlines()]
    assert "nothing was predicted" in told
    with FakeServer(predicting, model="wm") as model:
        code, _, _ = run(*words, "--model-url", model.url)
        assert (code, len(model.requests)) == (1, 0)
        code, shown, _ = run(*words, "--model-url", model.url, "--retry-failed")
        assert (code, len(model.requests)) == (0, 14)
    assert "Failed" not in shown


def test_a_run_elsewhere_asks_for_no_reply_twice_unless_told_to(run, bench, tmp_path, monkeypatch):
    with FakeServer(predicting, model="wm") as model, FakeServer(lambda request: VERDICT, model="jm") as judge:
        monkeypatch.setenv("WORLDGEN_MODEL_URL", model.url)
        monkeypatch.setenv("WORLDGEN_MODEL_NAME", "wm")
        words = ["fidelity", "--bench", str(bench), "--judge-url", judge.url, "--judge-model", "jm", "--json"]
        reports = []
        for place, more, asked in (
            ("a", [], 14),
            ("b", [], 14),
            ("c", ["--no-model-cache"], 28),
            ("d", ["--model-cache", str(tmp_path / "other")], 42),
        ):
            code, shown, _ = run(*words, "--out", str(tmp_path / place), *more)
            assert (code, len(model.requests), len(judge.requests)) == (0, asked, asked)
            reports.append({**json.loads(shown), "out": None})
    assert all(report == reports[0] for report in reports)


def test_a_models_key_goes_to_no_other_server(run, bench, tmp_path, monkeypatch):
    monkeypatch.setenv("WORLDGEN_MODEL_KEY", "of-the-model")
    with FakeServer(predicting, model="wm") as model, FakeServer(lambda request: VERDICT, model="jm") as judge:
        words = ["fidelity", "--bench", str(bench), "--model-url", model.url, "--model", "wm", "--limit", "1"]
        judged = ["--judge-url", judge.url, "--judge-model", "jm", "--no-model-cache"]
        assert run(*words, *judged, "--out", str(tmp_path / "a"))[0] == 0
        monkeypatch.setenv("WORLDGEN_JUDGE_KEY", "of-the-judge")
        assert run(*words, *judged, "--out", str(tmp_path / "b"))[0] == 0
    assert {headers["authorization"] for headers in model.headers} == {"Bearer of-the-model"}
    assert [headers["authorization"] for headers in judge.headers][1:] == ["Bearer of-the-judge"]
    assert "of-the-model" not in json.dumps(judge.headers)
    assert "of-the-" not in "".join(path.read_text() for path in (tmp_path / "b").iterdir())


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--model-url", "http://127.0.0.1:9/v1", "--model", "m"], "got neither (name a world that"),
        (
            ["WORLD", "--bench", "x", "--model-url", "http://127.0.0.1:9/v1", "--model", "m"],
            "got WORLD and --bench x (leave one of the two out) [fidelity.test-set]",
        ),
        (
            ["--bench", "x", "--model-url", "http://127.0.0.1:9/v1", "--model", "m"],
            "there is no such folder; expected a folder with files named *_test.jsonl (--bench takes",
        ),
        (
            ["--bench", "x", "--model-url", "http://127.0.0.1:9/v1", "--model", "m", "--judge-model", "j"],
            "expected both --judge-url and --judge-model, or neither; got --judge-model j (add --judge-url, its server",
        ),
        (
            ["--bench", "x", "--model-url", "http://127.0.0.1:9/v1", "--model", "m", "--judge-url", "http://x/v1"],
            "got --judge-url http://x/v1 (add --judge-model, the name of a model on that server",
        ),
        (
            [
                "--bench",
                "BENCH",
                "--model-url",
                "http://127.0.0.1:9/v1",
                "--model",
                "m",
                "--judge-model",
                "j",
                "--judge-url",
                "127.0.0.1:9",
            ],
            "--judge-url: the model's address is none; expected http://host:port/v1",
        ),
        (["--bench", "BENCH", "--model-url", "file:///etc/passwd", "--model", "m"], "model."),
        (["--bench", "BENCH", "--model", "m"], "--model-url"),
        (["--bench", "BENCH"], "WORLDGEN_MODEL_NAME"),
    ],
)
def test_a_wrong_call_ends_in_one_line(run, bench, tmp_path, monkeypatch, words, wanted):
    monkeypatch.chdir(tmp_path)
    code, shown, told = run("fidelity", *[str(bench) if word == "BENCH" else word for word in words])
    assert (code, shown) == (2, "")
    assert wanted in told
    assert "Traceback" not in told
