"""What the docs show is what happens; the page about faults is the one that the models give."""

from __future__ import annotations

import doctest
import json
import re
import tomllib
from pathlib import Path

import pytest

from worldgen.records import Statement
from worldgen.tools import profiles
from worldgen.tools.perturbation import FAULTS, parse_plan
from worldgen.tools.perturbation.reference import markdown

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "name", ["tools.md", "environment.md", "world-model-prompts.md", "world-model.md", "lwm-data.md", "reskin.md"]
)
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


def test_the_fields_of_the_corpus_file_are_those_it_has(tiny_world):
    text = (DOCS / "world-format.md").read_text("utf-8")
    section = text.split("## The corpus file\n")[1].split("\n## ")[0]
    fields, positions = (part.split("\n|---|")[1] for part in section.split("\n\n| ")[1:])
    with (tiny_world / "corpus.jsonl").open(encoding="utf-8") as file:
        pages = [json.loads(line) for line in file]
    told = [name for row in fields.splitlines()[1:] for name in re.findall(r"`(\w+)`", row.split(" | ")[0])]
    assert sorted(told) == sorted(pages[0])
    assert [page["url"] for page in pages] == sorted(page["url"] for page in pages)
    named = [
        name for row in positions.splitlines()[1:] for name in re.findall(r"`(\w+)`", "".join(row.split(" | ")[1:2]))
    ]
    assert tuple(named) == Statement._fields
    example = Statement(*json.loads(re.search(r"`(\[\"ferry.*?\])`", section)[1]))
    sentence, value = (" ".join(found.split()) for found in re.findall(r"“(.*?)”", section, re.DOTALL))
    assert (len(sentence), len(value)) == (example.end - example.start, example.value_end - example.value_start)
    assert sentence.index(value) == example.value_start - example.start
    assert {len(statement) for page in pages for statement in page["statements"]} == {len(example)}


def test_every_dependency_has_its_reason():
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = [
        *project["dependencies"],
        *extras["serve"],
        *extras["mcp"],
        *extras["model"],
        *extras["gazetteers"],
        "jsonschema",
    ]
    told = (DOCS / "decisions.md").read_text("utf-8").lower()
    wanted = {re.split(r"[<>=\[]", name)[0].lower() for name in names}
    assert {name for name in wanted if not re.search(rf"\b{re.escape(name)}\b", told)} == set()


def test_every_profile_stands_in_the_table():
    page = (DOCS / "tools.md").read_text("utf-8")
    assert all(f"| `{name}` |" in page for name in profiles())
