"""What the docs show is what happens; the page about faults is the one that the models give."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from worldgen.tools import profiles
from worldgen.tools.perturbation import FAULTS, parse_plan
from worldgen.tools.perturbation.reference import markdown

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["tools.md", "environment.md"])
def test_the_examples_of_a_page_run(name, tiny_world):
    text = (DOCS / name).read_text("utf-8").replace('"worlds/river-ferries-1"', repr(str(tiny_world)))
    # A fence ends the output before it.
    test = doctest.DocTestParser().get_doctest(text.replace("\n```", "\n\n"), {}, name, name, 0)
    assert len(test.examples) > 5
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append, clear_globs=False)
    test.globs["world"].close()
    assert told == []


def test_the_page_about_faults_is_made_from_the_models():
    page = (DOCS / "perturbations.md").read_text("utf-8")
    assert page == markdown(), "run python -m worldgen.tools.perturbation.reference > docs/perturbations.md"
    assert [line for line in page.splitlines() if line.startswith("### ")] == [f"### `{k}`" for k in FAULTS.names()]
    example = page.split("```yaml\n")[1].split("```")[0]
    assert parse_plan(example).name == "busy"


def test_every_profile_stands_in_the_table():
    page = (DOCS / "tools.md").read_text("utf-8")
    assert all(f"| `{name}` |" in page for name in profiles())
