"""`worldgen draft`: what it prints, and how it ends."""

import json

import pytest

from worldgen.draft.players import drafts
from worldgen.llm import FakeServer

MARS = "In 2030, 430 people have moved to Mars"


@pytest.fixture
def words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with FakeServer(drafts, model="fake-drafts") as server:
        where = ["--model-url", server.url, "--model", "fake-drafts", "--no-model-cache"]
        yield ["draft", "--premise", MARS, "--no-proofs", *where]


def test_a_draft_says_where_it_lies_and_what_to_do_next(run, words, tmp_path):
    code, out, err = run(*words)
    assert code == 0
    assert out.splitlines()[:2] == [
        "The settlement on Mars: 3 kinds of things, 578 rows in 4 tables, in mars-settlement.yaml",
        "  8 replies of fake-drafts, mended in 2 rounds; rehearsed; no world was built on trial",
    ]
    assert "asking for rover again …" in err
    assert run("validate", "mars-settlement.yaml")[0] == 0


def test_a_draft_that_is_not_sound_exits_1_and_names_each_problem_with_its_line(run, words):
    code, out, _ = run(*words, "--rounds", "0", "--out", "mine.yaml")
    assert code == 1
    lines = out.splitlines()
    assert lines[0] == "Not a sound schema; 2 problems left, as it stands in mine.draft.yaml"
    assert [line.split(":")[0] for line in lines[2:4]] == ["  mine.draft.yaml"] * 2
    assert all(line.endswith("]") for line in lines[2:4])
    assert run("validate", "mine.draft.yaml")[0] == 2


def test_as_json_it_tells_what_decided_the_draft(run, words, tmp_path):
    (tmp_path / "mars.txt").write_text("Rovers and habitats.", "utf-8")
    code, out, _ = run(*words, "--from", "mars.txt", "--json", "--rounds", "1", "--seed", "9", "--temperature", "0.2")
    told = json.loads(out)
    assert code == 1
    assert (told["seed"], told["temperature"], told["model"], told["complete"]) == (9, 0.2, "fake-drafts", False)
    assert [each["name"] for each in told["documents"]] == ["mars.txt"]
    assert [(each["piece"], each["code"]) for each in told["problems"]] == [("rules", "schema.check-cannot-fail")]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--language", "fr"], "draft.language"),
        (["--from", "missing.txt"], "draft.document"),
        (["--premise", " "], "draft.nothing"),
        (["--model", "fake-draft"], "model.unknown-name"),
    ],
)
def test_a_mistake_is_one_line(run, words, more, code):
    ended, _, err = run(*words, *more)
    assert ended == 2
    assert err.strip().endswith(f"[{code}]")
    assert err.count("\n") == 1
