"""The page about drafting shows what happens, in Python and on the command line, and names every reason and player."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

import pytest

from worldgen.cli import main
from worldgen.draft.players import drafts
from worldgen.llm import FakeServer
from worldgen.prose.judge import REASONS
from worldgen.prose.players import PLAYERS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "drafting.md").read_text("utf-8")


def test_the_examples_run(monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    test = doctest.DocTestParser().get_doctest(PAGE.replace("\n```", "\n\n"), {}, "drafting.md", "drafting.md", 0)
    assert len(test.examples) > 15
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert told == []


def test_the_command_brings_what_the_page_shows(tmp_path, monkeypatch, capsys):
    """With the build on trial: a drafted schema's world passes all proofs."""
    commands, shown = re.findall(r"```\n(.*?)\n```", PAGE, re.DOTALL)[:2]
    monkeypatch.chdir(tmp_path)
    with FakeServer(drafts, model="fake-drafts") as server:
        command = commands.splitlines()[1]
        assert commands.splitlines()[0] == "worldgen model fake --player drafts --port 8000 &"
        premise = re.search(r'"(.*?)"', command)[1]
        words = command.replace(f'"{premise}"', "PREMISE").replace("http://127.0.0.1:8000/v1", server.url).split()
        words = [premise if word == "PREMISE" else word for word in words]
        monkeypatch.setattr(sys, "argv", [*words, "--no-model-cache"])
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code
    assert capsys.readouterr().out.strip() == shown
    assert [path.name for path in tmp_path.iterdir()] == ["mars.yaml"]


def test_every_reason_and_every_player_is_named():
    assert [name for name in REASONS if f"| `{name}` |" not in PAGE] == []
    assert [name for name in (*PLAYERS, "drafts") if f"`{name}`" not in PAGE] == []
