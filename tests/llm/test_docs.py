from __future__ import annotations

import doctest
from pathlib import Path

from worldgen.llm.fake import BEHAVIOURS

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def test_the_examples_of_the_page_run():
    text = PAGE.read_text("utf-8").replace("\n```", "\n\n")
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, PAGE.name, 0)
    assert len(test.examples) > 10
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert told == []


def test_every_behaviour_stands_on_the_page():
    text = PAGE.read_text("utf-8")
    assert all(f"`{name}`" in text for name in BEHAVIOURS)
