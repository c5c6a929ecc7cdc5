"""EvalScope's own ``wide_search`` reads our tasks, calls our tools over MCP and scores the answer.

It wants ``mcp<2``, so it lives in an environment of its own; ``WORLDGEN_EVALSCOPE`` names that environment's Python:

    python -m venv evalscope && evalscope/bin/pip install 'evalscope[mcp]==1.14.*' dateparser
    WORLDGEN_EVALSCOPE=evalscope/bin/python python -m pytest tests/serve/test_mcp_evalscope.py -n 0
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette

from worldgen.scoring import ScoringTask, read_tasks
from worldgen.serve.keys import Keys
from worldgen.serve.mcp import mount_mcp
from worldgen.serve.server import Server

HERE = Path(__file__).parent
PYTHON = os.environ.get("WORLDGEN_EVALSCOPE", "")

pytestmark = pytest.mark.skipif(not PYTHON, reason="WORLDGEN_EVALSCOPE names no Python that has evalscope")


@contextmanager
def tools_of(world: Path) -> Iterator[str]:
    """The address of the MCP endpoint of a world."""
    server = Server([world], keys=Keys.make(None, None))
    app = Starlette()
    mount_mcp(app, server)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # a client that comes early waits
        runner = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="warning"))
        thread = threading.Thread(target=runner.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp/{world.name}/search"
        finally:
            runner.should_exit = True
            thread.join(20)
            server.close()


@contextmanager
def model(answer: Path, log: Path) -> Iterator[str]:
    """The address of a model that calls two tools and gives that answer; what it was asked stands in the log."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as out:
        command = [sys.executable, str(HERE / "model_server.py"), str(port), str(answer)]
        running = subprocess.Popen(command, stdout=out)
    try:
        for _ in range(200):
            with socket.socket() as trying:
                if trying.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        running.kill()
        running.wait()


def table(task: ScoringTask, *, without: int = 0) -> str:
    """The gold of a task as an answer, short of that many rows."""
    rows = [task.gold.columns, ["---"] * len(task.gold.columns), *task.gold.rows[: len(task.gold.rows) - without]]
    return "```markdown\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n```\n"


@pytest.mark.parametrize("missing", [0, 1])
def test_wide_search_runs_on_a_world(tiny_world: Path, tmp_path: Path, missing: int) -> None:
    task = read_tasks(tiny_world / "tasks")[0]
    answer, log, out = tmp_path / "answer.md", tmp_path / "log.jsonl", tmp_path / "out"
    answer.write_text(table(task, without=missing), encoding="utf-8")
    with tools_of(tiny_world) as tools, model(answer, log) as model_url:
        command = [PYTHON, str(HERE / "evalscope_wide_search.py")]
        command += [str(tiny_world / "tasks"), tools, model_url, str(out)]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(command, capture_output=True, timeout=300, check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr.decode()[-2_000:]

    asked = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert {"web_search", "web_extractor"} <= set(asked[0]["tools"])
    assert "dict_memory" not in asked[0]["tools"]
    observed = asked[2]["observed"]
    assert observed[0].startswith("[1] https://")
    assert observed[1].startswith("# ")
    scores = reported(out)
    assert scores["success_rate"] == float(missing == 0)
    assert scores["precision"] == 1.0
    assert scores["recall"] == pytest.approx((len(task.gold.rows) - missing) / len(task.gold.rows), abs=1e-3)


def reported(out: Path) -> dict[str, Any]:
    """The scores of rows, and of the whole, as EvalScope reports them."""
    (path,) = out.rglob("reports/mock/wide_search.json")
    found = {}
    for metric in json.loads(path.read_text("utf-8"))["metrics"]:
        identity = metric["identity"]
        dimensions = identity["dimensions"]
        if identity["aggregation"] == "mean" and dimensions["scope"] == "all" and dimensions.get("target") != "item":
            found[identity["name"]] = metric["score"]
    return found
