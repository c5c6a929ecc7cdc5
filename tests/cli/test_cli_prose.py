"""`worldgen build --prose`: what it prints, and what is asked of its options."""

import json
import re
from pathlib import Path

import pytest

from worldgen.llm import FakeServer
from worldgen.prose.players import mumbles, paraphrases

SMALL = str(Path(__file__).parents[2] / "docs" / "small-schema.yaml")
WORDS = ["build", SMALL, "--haystack", "20", "--no-proofs"]


@pytest.fixture
def where(tmp_path, monkeypatch):
    monkeypatch.delenv("WORLDGEN_MODEL_URL", raising=False)
    with FakeServer(paraphrases, model="fake") as server:
        yield ["--out", str(tmp_path / "worlds"), "--model-cache", str(tmp_path / "replies"), "--model-url", server.url]


def test_a_build_tells_what_came_of_the_sentences_and_a_rebuild_that_it_was_free(run, where, tmp_path):
    code, out, err = run(*WORDS, *where, "--prose", "fake")
    assert code == 0
    told = out.splitlines()[2]
    assert told.endswith(" as before, 0 refused; " + told.split("; ")[1])
    assert told.endswith(" replies, 0 of them from the cache")
    new, all_of_them, as_before = map(int, re.findall(r"\d+", told)[:3])
    assert new + as_before == all_of_them < 2 * new
    assert "  prose …" in err
    replies = int(told.split("; ")[1].split()[0])
    code, out, _ = run(*WORDS, *where, "--prose", "fake", "--force", "--json")
    again = json.loads(out)
    assert (code, again["prose"]["replies"], again["prose"]["stored"]) == (0, replies, replies)
    assert Path(again["path"]).name == "lake-lighthouses-prose-7"


def test_the_reasons_stand_beside_what_was_refused(run, tmp_path):
    with FakeServer(mumbles, model="fake") as server:
        where = ["--out", str(tmp_path / "worlds"), "--model-cache", str(tmp_path), "--model-url", server.url]
        code, out, _ = run(*WORDS, *where, "--prose", "fake")
    assert code == 0
    assert re.search(r"  0 of (\d+) sentences in the words of fake, 0 as before, \1 refused \(reply \1\); ", out)


def test_a_family_is_written_in_processes_of_its_own(run, where):
    code, out, _ = run(*WORDS, *where, "--prose", "fake", "--count", "2", "--jobs", "2")
    assert code == 0
    assert out.count(" sentences rewritten; digest ") == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--model-url", "http://127.0.0.1:9/v1"], "model.not-used"),
        (["--prose", "fake"], "model.not-named"),
        (["--prose", "fake", "--model-url", "ftp://a"], "model.url"),
    ],
)
def test_a_mistake_in_its_options_is_one_line(run, tmp_path, monkeypatch, words, code):
    monkeypatch.delenv("WORLDGEN_MODEL_URL", raising=False)
    ended, _, err = run(*WORDS, *words, "--out", str(tmp_path))
    assert ended == 2
    assert err.strip().splitlines()[-1].endswith(f"[{code}]")
    assert list(tmp_path.iterdir()) == []
