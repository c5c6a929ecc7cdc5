"""What the page about fidelity shows is what happens, and it names every verifier."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import pytest

from worldgen.cli import main
from worldgen.llm import FakeServer
from worldgen.scoring.verifiers import VERIFIERS

PAGE = Path(__file__).parents[2] / "docs" / "fidelity.md"


def test_the_examples_of_the_page_run(tiny_world):
    text = PAGE.read_text("utf-8").replace('"worlds/river-ferries-1"', repr(str(tiny_world)))
    # A fence ends the output before it.
    test = doctest.DocTestParser().get_doctest(text.replace("\n```", "\n\n"), {}, PAGE.name, PAGE.name, 0)
    assert len(test.examples) > 20
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append, clear_globs=False)
    test.globs["world"].close()
    assert told == []


def test_every_verifier_stands_in_the_table_on_its_axis():
    rows = PAGE.read_text("utf-8").split("## Rule verifiers")[1].splitlines()
    axis, told = "", {}
    for row in rows:
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        if len(cells) == 3 and cells[1].startswith("`"):
            axis = cells[0] or axis
            told[cells[1].strip("`")] = axis.replace(" ", "-")
    assert told == {name: VERIFIERS.get(name).axis for name in VERIFIERS}


def test_what_the_command_prints_is_what_the_page_shows(tiny_world, tmp_path, monkeypatch, capsys):
    shown = PAGE.read_text("utf-8").split('could not be reached.":\n\n```\n')[1].split("\n```")[0]
    with FakeServer(lambda request: "Error: the page could not be reached.") as server:
        words = [
            "fidelity",
            str(tiny_world),
            "--model-url",
            server.url,
            "--model",
            "always-down",
            "--out",
            str(tmp_path),
            "--no-model-cache",
        ]
        monkeypatch.setattr(sys, "argv", ["worldgen", *words])
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code
    assert capsys.readouterr().out.split("\n\nEvery prediction")[0] == shown
