"""SGLang itself, served by `worldgen model serve` from an environment of its own with a tiny model made on the spot.

``WORLDGEN_SGLANG_PYTHON`` names that environment's interpreter (``.ci/sglang`` makes one); without it these tests are
skipped. One thread: with two, and anything else to do, the spinning of each costs the other many times its work.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PYTHON = os.environ.get("WORLDGEN_SGLANG_PYTHON")
NAME = "babbler"
# What a machine without a GPU needs, and memory for a few short conversations; JSON without blanks between its parts.
FLAGS = shlex.split("""
    --device cpu --attention-backend torch_native --sampling-backend pytorch --dtype float32 --max-total-tokens 65536
    --max-running-requests 8 --mem-fraction-static 0.2 --constrained-json-disable-any-whitespace --random-seed 0
""")
collect_ignore = ["stand_ins", "tiny_model.py", "offline.py"]


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WORLDGEN_")}
    own = {"SGLANG_USE_CPU_ENGINE": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    return {**kept, **own, "PYTHONPATH": str(HERE / "stand_ins")}


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the model that babbles."""
    if PYTHON is None:
        pytest.skip("WORLDGEN_SGLANG_PYTHON names no interpreter that has SGLang; .ci/sglang makes one")
    folder = tmp_path_factory.mktemp("tiny")
    subprocess.run([PYTHON, str(HERE / "tiny_model.py"), str(folder)], env=environment(), check=True, timeout=300)
    return folder


def below(pid: int) -> list[int]:
    """The processes that descend from this one."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def gone(pids: list[int]) -> bool:
    for _ in range(300):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False


@dataclass(frozen=True, slots=True)
class Served:
    """A `worldgen model serve` that is ready.

    Attributes:
        url: What it serves at, up to and with ``/v1``.
        process: The command.
        log: File that has what the engine says.
    """

    url: str
    process: subprocess.Popen
    log: Path


@pytest.fixture(scope="session")
def processes():
    """What tells the processes below one, and whether they are gone soon."""
    return below, gone


@pytest.fixture(scope="session")
def serve(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory):
    """Starts a server: a context manager of `worldgen model serve`'s options that gives a `Served`."""

    @contextmanager
    def start(*options: str) -> Iterator[Served]:
        log = tmp_path_factory.mktemp("log") / "engine.log"
        command = [sys.executable, str(ROOT / "cli.py"), "model", "serve", "--python", PYTHON, "--json", "--port", "0"]
        about = ["--model", str(tiny_model), "--served-name", NAME, "--ready-timeout", "600"]
        with log.open("w") as errors:
            process = subprocess.Popen(
                [*command, *about, *options, "--", *FLAGS],
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        try:
            told = ""
            for line in process.stdout:
                told += line
                if line == "}\n":
                    break
            assert told.endswith("}\n"), log.read_text()[-4000:]
            yield Served(json.loads(told)["url"], process, log)
        finally:
            left = below(process.pid)
            ended = process.poll()
            process.terminate()
            process.communicate(timeout=60)
            assert process.returncode == (143 if ended is None else ended)
            assert gone(left), log.read_text()[-4000:]

    return start


@pytest.fixture(scope="session")
def sglang(serve) -> Iterator[Served]:
    """One server for the session."""
    with serve() as served:
        yield served


@pytest.fixture(scope="session")
def sglang_url(sglang: Served) -> str:
    """Its address, up to and with ``/v1``; the model there is called ``babbler``."""
    return sglang.url
