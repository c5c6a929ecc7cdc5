"""The page about free mode shows what happens, in Python and on the command line."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from worldgen.address import listen
from worldgen.pipeline import build_world

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "free-mode.md").read_text("utf-8")
READY = "until curl -sf $URL/health > /dev/null; do kill -0 %1 %2 && sleep 0.1 || exit 9; done\n"


def test_the_examples_run(monkeypatch):
    monkeypatch.chdir(DOCS.parent)
    test = doctest.DocTestParser().get_doctest(PAGE, {}, "free-mode.md", "free-mode.md", 0)
    assert len(test.examples) > 10
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert told == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the world of the README lies."""
    made = tmp_path_factory.mktemp("free")
    build_world("smartphone-market", seed=7, languages=["en"], haystack=0, proofs=False, out=made / "worlds")
    return made


def test_the_commands_bring_what_the_page_shows(folder):
    """Serve, search, open, save the ledger, adopt it, prove the world: without any model."""
    section = PAGE.split("## Try it without a model\n")[1].split("\n## ")[0]
    started = re.search(r"```\n(export .*?\n)```", section, re.DOTALL)[1]
    shown = re.search(r"```console\n(.*?)```", section, re.DOTALL)[1]
    commands = re.findall(r"(?m)^\$ (.+)$", shown)
    assert len(commands) > 6
    run = "".join(f"echo {quoted(command)}\n{command}\n" for command in commands)
    out = bash(folder, f"{started}{READY}{run}kill %1 %2\n")
    assert timeless(out[out.index("$ EPISODE=") :]) == timeless(shown)


def quoted(command: str) -> str:
    return "'$ " + command.replace("'", "'\\''") + "'"


def timeless(text: str) -> str:
    return re.sub(r"\d+\.\d s\b", "_ s", text.replace("python -m worldgen", "worldgen"))


def bash(folder: Path, script: str) -> str:
    """What a script prints in a folder, on ports of its own."""
    for port in ("8000", "8848"):
        with listen("127.0.0.1", 0) as free:
            script = re.sub(rf"\b{port}\b", str(free.getsockname()[1]), script)
    script = re.sub(r"(serve .+) &\n", rf"\1 --no-model-cache --port {port_of(script)} &\n", script)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("WORLDGEN_")}
    environment |= {"PYTHON": sys.executable, "PYTHONPATH": str(DOCS.parent), "no_proxy": "127.0.0.1"}
    head = 'set -m\nworldgen() { "$PYTHON" -m worldgen "$@"; }\ntrap \'kill %1 %2 2> /dev/null\' EXIT\n'
    ran = subprocess.run(
        ["bash", "-c", head + script], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def port_of(script: str) -> str:
    return re.search(r"URL=http://127\.0\.0\.1:(\d+)", script)[1]
