"""The measurements of the server run, at sizes that measure nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")


def table(*arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("| ")][1:]


def test_search_beside_a_raw_app(tiny_world: Path) -> None:
    lines = table("benchmarks.http_search", str(tiny_world), "--requests", "40", "--rounds", "1")
    assert len(lines) == 4
    assert all("raw ASGI: " in line and "×" in line for line in lines)


def test_load_and_many_worlds(tiny_world: Path, tmp_path: Path) -> None:
    world = tmp_path / "copy"
    shutil.copytree(tiny_world, world)
    lines = table("benchmarks.http_load", str(world), "--seconds", "3", "--episodes", "4", "--worlds", "3")
    assert any("errors" in line and "| 0 in " in line for line in lines)
    assert any("3 worlds behind one server: memory" in line for line in lines)
