"""The engine `local`: processes of this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from worldgen.errors import ServiceError, WorldgenError
from worldgen.family.errands import Errand, Outcome
from worldgen.interrupts import deaf_children, end_with_parent
from worldgen.store.place import sweep

_FRUITLESS = 3
"""Pools in a row that may die without having built anything."""


def in_processes(errands: Sequence[Errand], jobs: int, place: Path) -> Iterator[Outcome]:
    """Carry out errands, so many at a time; with one job, in this process."""
    if jobs == 1:
        for errand in errands:
            yield errand.run()
        return
    left = dict(enumerate(errands))
    fruitless = 0
    while left:
        before = len(left)
        yield from _pool(left, jobs, place)
        fruitless = fruitless + 1 if len(left) == before else 0
        if left and fruitless >= _FRUITLESS:
            for errand in left.values():
                yield _died(errand)
            return


def _pool(left: dict[int, Errand], jobs: int, place: Path) -> Iterator[Outcome]:
    """Carry out what is left until a process dies, or nothing is left; takes out what is done."""
    pool = ProcessPoolExecutor(min(jobs, len(left)), get_context("spawn"), initializer=end_with_parent)
    finished = False
    try:
        with deaf_children():
            futures: dict[Future[Outcome], int] = {pool.submit(errand.run): n for n, errand in left.items()}
        for future in as_completed(futures):
            try:
                outcome = future.result()
            except BrokenProcessPool:
                continue
            del left[futures[future]]
            yield outcome
        finished = True
    finally:
        if not finished:
            # Worlds under way are of no use to whoever broke off.
            for process in list(pool._processes.values()):
                process.kill()
        pool.shutdown(wait=True, cancel_futures=True)
        if not finished or left:
            sweep(place)


def _died(errand: Errand) -> WorldgenError:
    return ServiceError(
        "family.worker-died",
        f"seed {errand.options.get('seed')}: the process that built it died, {_FRUITLESS} times",
        expected="a process that lives until its world stands",
        fix="see whether memory runs out: build with fewer --jobs",
    )
