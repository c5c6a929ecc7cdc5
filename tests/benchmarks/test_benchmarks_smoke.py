"""Every part of the benchmarks runs, at sizes that measure nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_quick_run_fills_a_line_for_each_part(tmp_path: Path) -> None:
    out = tmp_path / "table.md"
    done = run("--quick", "--out", str(out))
    assert done.returncode == 0, done.stderr
    lines = [line for line in out.read_text("utf-8").splitlines() if line.startswith("| ")][1:]
    assert done.stdout.strip() == out.read_text("utf-8").strip()
    assert all(line.count(" | ") == 4 for line in lines)
    wanted = (
        "haystack", "world of", "questions with", "growth", "facts a second", "peak memory", "rows into",
        "pages written", "index build", "search and 10 snippets", "two threads", "scoring one", "MCP calls",
    )  # fmt: skip
    for part in wanted:
        assert any(part in line for line in lines), part
    # Peers that were not given are named, not filled in.
    assert sum("| missing |" in line for line in lines) == 4


def test_an_unknown_part_lists_the_known_ones() -> None:
    done = run("--quick", "--only", "nonsense")
    assert done.returncode == 1
    assert "small, worlds, triples, database, pages, search, scoring, mcp" in done.stderr
