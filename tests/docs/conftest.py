"""Commands of the pages, run as a reader would run them: in a shell, in a folder that has the world of the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from worldgen.address import listen
from worldgen.pipeline import build_world

ROOT = Path(__file__).parents[2]
_READY = "until curl -sf http://127.0.0.1:8848/health > /dev/null; do kill -0 %1 %2 && sleep 0.1 || exit 9; done\n"
_HEAD = 'set -m\nworldgen() { "$PYTHON" -m worldgen "$@"; }\ntrap \'kill %1 %2 2> /dev/null\' EXIT\n'


@pytest.fixture(scope="session")
def reader(tmp_path_factory):
    """A folder with the world that the README builds."""
    made = tmp_path_factory.mktemp("reader")
    build_world("smartphone-market", seed=7, languages=["en"], proofs=False, out=made / "worlds")
    return made


@pytest.fixture
def brings(reader):
    """What commands bring while a model on port 8000 and a server on port 8848 run: a console as a page shows it.

    Called with the commands that start the two and the console of the page; ports are others than those shown.
    """

    def run(started: str, shown: str) -> str:
        script = re.sub(r"(serve .+?)(?: &)?\n", r"\1 --no-model-cache --port 8848 &\n", started) + _READY
        for command in re.findall(r"(?m)^\$ (.+)$", shown):
            escaped = command.replace("'", "'\\''")
            script += f"echo '$ {escaped}'\n{command}\n"
        taken = {}
        for port in ("8000", "8848"):
            with listen("127.0.0.1", 0) as free:
                taken[port] = str(free.getsockname()[1])
            script = re.sub(rf"(?<=[: ]){port}\b", taken[port], script)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("WORLDGEN_")}
        environment |= {"PYTHON": sys.executable, "PYTHONPATH": str(ROOT), "no_proxy": "127.0.0.1"}
        ran = subprocess.run(
            ["bash", "-c", _HEAD + script], cwd=reader, env=environment, capture_output=True, text=True, timeout=300
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        said = ran.stdout[ran.stdout.index("\n$ ") + 1 :]
        return re.sub(rf"(?<=:){taken['8848']}\b", "8848", said)

    return run
