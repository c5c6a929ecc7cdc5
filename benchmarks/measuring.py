"""Measuring one thing: by the clock and by the processor, in this process or in one of its own; and the table's rows.

Ratios are taken of processor time wherever both sides are our own code in one process, because neighbours on the
machine disturb it less; where a peer runs in processes of its own, theirs and those they waited for are counted.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")
Runner = Callable[..., Any]
"""`apart` or `here`."""
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: what was measured, the peer's figure, ours, their ratio, what the design asks for."""

    what: str
    peer: str
    ours: str
    ratio: str = ""
    wanted: str = ""


class Spent(Protocol):
    """Seconds by the clock and of the processor."""

    @property
    def wall(self) -> float:
        """By the clock."""

    @property
    def cpu(self) -> float:
        """Of the processor."""


@dataclass(frozen=True, slots=True)
class Cost(Generic[T]):
    """What a call returned and took; ``peak_mb`` is that of the whole process so far."""

    value: T
    wall: float
    cpu: float
    peak_mb: float

    def text(self) -> str:
        """Processor and clock seconds."""
        return f"{self.cpu:.2f} s (wall {self.wall:.2f} s)"


def measured(act: Callable[[], T]) -> Cost[T]:
    """Call it once."""
    wall, cpu = time.perf_counter(), processor_time()
    value = act()
    return Cost(value, time.perf_counter() - wall, processor_time() - cpu, peak_mb(resource.RUSAGE_SELF))


def best(act: Callable[[], T], rounds: int = 3) -> Cost[T]:
    """Call it several times; the round that took the processor least."""
    return min((measured(act) for _ in range(rounds)), key=lambda cost: cost.cpu)


def apart(act: Callable[..., T], *arguments: object) -> T:
    """Call a function of a module in a fresh process, so that its peak memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(act, *arguments).result()


def here(act: Callable[..., T], *arguments: object) -> T:
    """Call it in this process: for a quick look, whose memory figures mean nothing."""
    return act(*arguments)


def command(arguments: Sequence[str], *, cwd: str, timeout: float) -> Cost[int]:
    """Run another program to its end, its output thrown away; ``value`` is its exit code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        list(arguments), cwd=cwd, timeout=timeout, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(done.returncode, time.perf_counter() - start, cpu, peak_mb(resource.RUSAGE_CHILDREN))


def processor_time() -> float:
    """Processor seconds of this process and of the children it has waited for."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system


def peak_mb(who: int = resource.RUSAGE_SELF) -> float:
    """The largest resident set so far, in MB."""
    size = resource.getrusage(who).ru_maxrss
    return size / (2**20 if sys.platform == "darwin" else 2**10)


def times(ours: float, theirs: float) -> str:
    """How many times ours is theirs."""
    ratio = ours / theirs if theirs else 0.0
    return f"{ratio:.2g}×" if ratio < 0.1 else f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.0f}×"


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | peer | worldgen | ratio | design |", "|---|---|---|---|---|"]
    lines += ["| " + " | ".join((r.what, r.peer, r.ours, r.ratio, r.wanted)) + " |" for r in rows]
    return "\n".join(lines)
