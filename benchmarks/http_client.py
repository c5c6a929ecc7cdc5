"""A small HTTP client and a server process to measure: no more work on the client's side than it takes."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TRAINER_KEY = "trainer-key-of-a-measurement"
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
ROOT = Path(__file__).parents[1]


class Connection:
    """One kept-alive connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: object = None, key: str = "") -> tuple[int, bytes]:
        """Status and body of one request."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        sent = b"" if body is None else json.dumps(body).encode()
        authorization = f"Authorization: Bearer {key}\r\n" if key else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{authorization}Content-Length: {len(sent)}\r\n\r\n"
        writer.write(head.encode() + sent)
        head_lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        length = next(int(line[15:]) for line in head_lines if line.lower().startswith(b"content-length:"))
        return int(head_lines[0].split()[1]), await reader.readexactly(length)

    def close(self) -> None:
        """End it."""
        if self._streams is not None:
            self._streams[1].close()


class Process:
    """A running server: what it has used so far."""

    def __init__(self, pid: int, port: int) -> None:
        self.pid = pid
        self.port = port

    def cpu(self) -> float:
        """Processor seconds so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    def rss_mb(self) -> float:
        """Resident memory now."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * _PAGE / 2**20

    def peak_mb(self) -> float:
        """The most resident memory so far."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10


@contextmanager
def started(words: Sequence[str], *, core: int | None = None) -> Iterator[Process]:
    """A process of ours that prints a JSON object with its ``url``, ended with the block; pinned to a core if asked."""
    environment = {**os.environ, "WORLDGEN_TRAINER_KEY": TRAINER_KEY, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        text = ""
        while not text.rstrip().endswith("}"):
            line = process.stdout.readline()
            if not line:
                raise RuntimeError("the server ended before it served")
            text += line
        if core is not None:
            os.sched_setaffinity(process.pid, {core})
            for thread in os.listdir(f"/proc/{process.pid}/task"):
                os.sched_setaffinity(int(thread), {core})
        told: dict[str, Any] = json.loads(text)
        yield Process(process.pid, int(told["url"].rpartition(":")[2]))
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def served(worlds: Sequence[Path], *options: str) -> list[str]:
    """The words that start `worldgen serve`."""
    return ["-m", "worldgen", "serve", *map(str, worlds), "--port", "0", "--json", *options]
