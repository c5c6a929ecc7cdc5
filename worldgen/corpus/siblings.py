"""The sibling worlds of a haystack, written one after another or by several processes, in one order either way.

A worker is an interpreter of its own that reads one request and writes its siblings one by one. It does not go through
`multiprocessing`, whose workers run the caller's main module again. Where a worker fails, its siblings are written
here instead: they come out the same, and a mistake shows itself where it can be seen.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import BinaryIO

from worldgen.corpus.writer import compose_corpus
from worldgen.facts.generate import generate
from worldgen.records import Page
from worldgen.schema.model import Schema
from worldgen.seeds import key_of

_PROGRAM = "from worldgen.corpus.siblings import serve; serve()"
_MOST_WORKERS = 8


@dataclass(frozen=True, slots=True)
class Sibling:
    """A world beside the main one: the name of its setting and its pages, without statements and not yet settled."""

    scope: str
    pages: list[Page]


@dataclass(frozen=True, slots=True)
class Family:
    """What all siblings share; the n-th follows from it and n alone."""

    schema: Schema
    seed: int
    languages: tuple[str, ...]
    avoid: frozenset[str]

    def sibling(self, number: int) -> Sibling:
        """The sibling of that number."""
        facts = generate(self.schema, key_of(self.seed, "haystack", number) >> 66, avoid=self.avoid)
        pages = [replace(page, kind="haystack", statements=()) for page in compose_corpus(facts, self.languages)]
        return Sibling(facts.scope.en, pages)


def siblings(family: Family, count: int, *, workers: int = 1) -> Generator[Sibling, None, None]:
    """The first ``count`` siblings in order; with more than one worker, in processes that run ahead by one each."""
    if workers <= 1:
        yield from (family.sibling(number) for number in range(count))
        return
    hands = [_Hand(family, range(first, count, workers)) for first in range(workers)]
    try:
        for number in range(count):
            found = hands[number % workers].next()
            yield family.sibling(number) if found is None else found
    finally:
        for hand in hands:
            hand.stop()


def processors() -> int:
    """How many processes may usefully run at once."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, _MOST_WORKERS)


class _Hand:
    """A worker seen from this side."""

    def __init__(self, family: Family, numbers: range) -> None:
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert self._process.stdin is not None
        with suppress(BrokenPipeError), self._process.stdin as stream:
            pickle.dump((family, numbers), stream)

    def next(self) -> Sibling | None:
        """The worker's next sibling; None where it has failed."""
        assert self._process.stdout is not None
        try:
            found = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            return None
        return found if isinstance(found, Sibling) else None

    def stop(self) -> None:
        """End the worker, whatever it is at."""
        self._process.kill()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process.wait()


def serve(source: BinaryIO | None = None, sink: BinaryIO | None = None) -> None:
    """Be a worker: read a request from standard input, write its siblings to standard output."""
    # A Ctrl-C is the parent's to answer; it ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    family, numbers = pickle.load(source or sys.stdin.buffer)
    out = sink or sys.stdout.buffer
    with suppress(BrokenPipeError):
        for number in numbers:
            pickle.dump(family.sibling(number), out, protocol=pickle.HIGHEST_PROTOCOL)
            out.flush()
