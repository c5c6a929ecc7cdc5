"""The page about free mode shows what happens, in Python and on the command line."""

import doctest
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "free-mode.md").read_text("utf-8")


def test_the_examples_run(monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    test = doctest.DocTestParser().get_doctest(PAGE, {}, "free-mode.md", "free-mode.md", 0)
    assert len(test.examples) > 10
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert told == []


def test_the_commands_bring_what_the_page_shows(brings):
    """Serve, search, open, save the ledger, adopt it, prove the world: without any model."""
    section = PAGE.split("## Try it without a model\n")[1].split("\n## ")[0]
    started = re.search(r"```\n(export .*?\n)```", section, re.DOTALL)[1]
    shown = re.search(r"```console\n(.*?)```", section, re.DOTALL)[1]
    assert shown.count("\n$ ") > 6
    assert timeless(brings(started, shown)) == timeless(shown)


def timeless(text: str) -> str:
    return re.sub(r"\d+\.\d s\b", "_ s", text.replace("python -m worldgen", "worldgen"))
