"""A real server on a free loopback port for the tests here, ended by its process id."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

# Lets the tests here import the module beside them.
sys.path.insert(0, str(Path(__file__).parent))

TRAINER_KEY = "trainer-key-of-tests"
AGENT_KEY = "agent-key-of-tests"


@dataclass(frozen=True)
class Served:
    """A running server: its process and a client for each who may ask."""

    process: subprocess.Popen[str]
    url: str
    nobody: httpx.Client
    agent: httpx.Client
    trainer: httpx.Client

    def start(self, **settings: object) -> dict:
        """Begin an episode."""
        reply = self.trainer.post("/episodes", json=settings)
        assert reply.status_code == 201, reply.text
        return reply.json()

    def task(self) -> str:
        """A question's id."""
        return self.trainer.get("/tasks").json()["tasks"][0]["task"]


@contextmanager
def serving(*words: str, agent_key: str | None = None, **settings: str) -> Iterator[Served]:
    """`worldgen serve WORDS` until the block ends; ``settings`` are variables of its environment."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("WORLDGEN_")}
    environment |= {"WORLDGEN_TRAINER_KEY": TRAINER_KEY, **settings}
    if agent_key is not None:
        environment["WORLDGEN_AGENT_KEY"] = agent_key
    command = [sys.executable, "-m", "worldgen", "serve", *words, "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        lines = []
        while not lines or lines[-1] != "}\n":
            lines.append(process.stdout.readline())
            assert lines[-1], "the server ended before it served"
        url = json.loads("".join(lines))["url"]
        with _client(url, None) as nobody, _client(url, AGENT_KEY) as agent, _client(url, TRAINER_KEY) as trainer:
            yield Served(process, url, nobody, agent, trainer)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _client(url: str, key: str | None) -> httpx.Client:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False)


@pytest.fixture(scope="session")
def open_server(tiny_world: Path) -> Iterator[Served]:
    """One world, everything open, no agent's key."""
    with serving(str(tiny_world), "--profile", "open") as served:
        yield served


@pytest.fixture(scope="session")
def guarded_server(tiny_world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Two worlds, only the search profile open, an agent's key."""
    other = tmp_path_factory.mktemp("served") / "river-ferries-copy"
    shutil.copytree(tiny_world, other)
    with serving(str(tiny_world), str(other), agent_key=AGENT_KEY) as served:
        yield served


@pytest.fixture(scope="session")
def serve():
    """`serving`, for tests that start servers of their own."""
    return serving
