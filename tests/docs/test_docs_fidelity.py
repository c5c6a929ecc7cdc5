"""What the page about fidelity shows is what happens, and it names every verifier."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

import pytest

from worldgen.cli import main
from worldgen.eval.fidelity.comparer import compares
from worldgen.llm import FakeServer
from worldgen.scoring.verifiers import VERIFIERS
from worldgen.search.world_model.rememberer import remembers

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


def test_a_fake_model_and_a_fake_judge_bring_what_the_page_shows(tiny_world, tmp_path, monkeypatch, capsys):
    section = PAGE.read_text("utf-8").split("## Try it without a model\n")[1].split("\n## ")[0]
    commands, shown = re.findall(r"```\n(.*?)\n```", section, re.DOTALL)
    fakes = [words.split()[4] for words in commands.splitlines() if words.startswith("worldgen model fake")]
    assert fakes == ["remembers", "compares"]
    with FakeServer(remembers, model="fake-remembers") as model, FakeServer(compares, model="fake-compares") as judge:
        command = commands[commands.index("worldgen fidelity") :].replace("\\\n", "")
        for told, there in (
            ("worlds/river-ferries-1", str(tiny_world)),
            ("http://127.0.0.1:8000/v1", model.url),
            ("http://127.0.0.1:8001/v1", judge.url),
        ):
            assert told in command
            command = command.replace(told, there)
        monkeypatch.setattr(sys, "argv", [*command.split(), "--out", str(tmp_path), "--no-model-cache"])
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code
    assert capsys.readouterr().out.split("\n\nEvery prediction")[0] == shown


def test_what_the_command_prints_is_what_the_page_shows(tiny_world, tmp_path, monkeypatch, capsys):
    shown = PAGE.read_text("utf-8").split('could not be reached.":\n\n```\n')[1].split("\n```")[0]
    with FakeServer(lambda request: "Error: the page could not be reached.", model="always-down") as server:
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
