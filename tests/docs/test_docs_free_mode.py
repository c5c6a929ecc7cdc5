"""The page about free mode shows what happens."""

import doctest
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_examples_run(monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    text = (DOCS / "free-mode.md").read_text("utf-8")
    test = doctest.DocTestParser().get_doctest(text, {}, "free-mode.md", "free-mode.md", 0)
    assert len(test.examples) > 10
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert told == []
