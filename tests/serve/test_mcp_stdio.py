"""`worldgen mcp`: a process of its own, its standard input and output the protocol's and nothing else's."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mcp
import pytest
from mcp.client.stdio import StdioServerParameters

from worldgen.env import Episode
from worldgen.llm.fake import FakeServer
from worldgen.search.world_model.players import babbles, copies
from worldgen.world import World

LAUNCH = [sys.executable, "-m", "worldgen", "mcp"]
GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def session(world: Path, era: str, act: Any, *options: str) -> Any:
    async def within() -> Any:
        command = [*LAUNCH, str(world), *options]
        async with mcp.Client(StdioServerParameters(command=command[0], args=command[1:]), mode=era) as client:
            return await act(client)

    return asyncio.run(asyncio.wait_for(within(), 180))


@contextmanager
def process(world: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has answered the greeting."""
    with subprocess.Popen(
        [*LAUNCH, str(world)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            running.stdin.write(json.dumps(GREETING).encode() + b"\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["id"] == 1
            yield running
        finally:
            running.kill()


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_one_process_is_one_session(tiny_world: Path, era: str) -> None:
    async def act(client: mcp.Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["web_search", "web_extractor", "dict_memory"]
        assert "Snippet:" in (await client.call_tool("web_search", {"query": "ferry"})).content[0].text
        await client.call_tool("dict_memory", {"operation": "add", "dict": {"a": "ü"}})
        kept = await client.call_tool("dict_memory", {"operation": "retrieve_all"})
        assert json.loads(kept.content[0].text) == {"a": "ü"}
        assert (await client.call_tool("sql_query", {"query": "SELECT 1"})).is_error

    session(tiny_world, era, act)


def test_a_task_makes_it_an_episode_with_its_faults(tiny_world: Path, tmp_path: Path) -> None:
    with World.load(tiny_world) as world:
        task = world.tasks[0]
    plan = tmp_path / "plan.yaml"
    plan.write_text("faults: [{kind: server_error, rate: 1.0, in_a_row: 1, statuses: [503]}]", encoding="utf-8")

    async def act(client: mcp.Client) -> None:
        assert client.instructions == task.question
        first = await client.call_tool("web_search", {"query": "ferry"})
        assert (first.is_error, first.content[0].text) == (True, "Error: 503 Service Unavailable. Try again.")
        assert not (await client.call_tool("web_search", {"query": "ferry"})).is_error

    session(tiny_world, "auto", act, "--task", task.instance_id, "--seed", "3", "--perturb", str(plan))


@pytest.mark.parametrize(("player", "requests"), [(copies, 1), (babbles, 2)])
def test_a_model_may_answer_in_the_place_of_the_index(tiny_world: Path, player: Any, requests: int) -> None:
    with World.load(tiny_world) as world:
        plain = Episode.start(world).call("web_search", {"query": "ferry"}).text

    async def act(client: mcp.Client) -> None:
        found = await client.call_tool("web_search", {"query": "ferry"})
        assert (found.is_error, found.content[0].text) == (False, plain)

    with FakeServer(player) as model:
        words = ["--backend", "world-model", "--model-url", model.url, "--model", "fake", "--no-model-cache"]
        session(tiny_world, "auto", act, *words, "--attempts", "2")
        assert len(model.requests) == requests


def test_it_ends_with_its_input(tiny_world: Path) -> None:
    with process(tiny_world) as running:
        out, errors = running.communicate(timeout=120)
        assert (running.returncode, out, errors) == (0, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_when_told(tiny_world: Path, number: signal.Signals) -> None:
    with process(tiny_world) as running:
        running.send_signal(number)
        assert running.wait(120) == 128 + number


def test_lines_that_are_no_protocol_do_not_end_it(tiny_world: Path) -> None:
    with process(tiny_world) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for line in (b"", b"{", b"\xff\xfe", b"[1]", b'{"jsonrpc":"2.0","id":3,"method":"no/such"}'):
            running.stdin.write(line + b"\n")
        running.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
        running.stdin.flush()
        seen = []
        while 2 not in seen:
            seen.append(json.loads(running.stdout.readline()).get("id"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--task", "no-such-task"], "no task 'no-such-task'"),
        (["--profile", "all"], "unknown tool profile 'all'"),
        (["--perturb", "no-such-plan"], "the plan cannot be read"),
        (["--backend", "world-model"], "[model.not-named]"),
        (["--mode", "free"], "[model.not-used]"),
        (["--backend", "world-model", "--model-url", "ftp://x", "--model", "m", "--no-model-cache"], "[model.url]"),
    ],
)
def test_mistakes_are_told_on_standard_error(tiny_world: Path, options: list[str], said: str) -> None:
    done = subprocess.run([*LAUNCH, str(tiny_world), *options], capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
