"""README and quickstart show what a world model as the search engine brings, played without a model."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = {
    "README.md": "A world model as the search engine",
    "docs/quickstart.md": "A language model as the search engine",
}


@pytest.mark.parametrize(("page", "heading"), PAGES.items(), ids=list(PAGES))
def test_the_commands_bring_what_the_page_shows(brings, page, heading):
    section = (ROOT / page).read_text("utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    started, shown = re.findall(r"```(?:console)?\n(.*?)```", section, re.DOTALL)
    assert shown.count("$ ") == 2
    assert brings(started.replace(".venv/bin/", ""), shown) == shown
