"""Builds a family with one of the engines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from worldgen.errors import CallerError, did_you_mean, expect
from worldgen.family.errands import Errand, Outcome, errands
from worldgen.family.processes import in_processes
from worldgen.family.ray_cluster import on_ray
from worldgen.schema import Schema
from worldgen.settings import Settings
from worldgen.store.place import disk_errors, home

Engine = Callable[[Sequence[Errand], int, Path], Iterator[Outcome]]
ENGINES: dict[str, Engine] = {"local": in_processes, "ray": on_ray}


def build_family(
    schema: str | os.PathLike[str] | Schema | None = None,
    *,
    count: int = 1,
    jobs: int = 1,
    vary: bool = False,
    prove_every: int = 1,
    engine: str = "local",
    **options: Any,
) -> Iterator[Outcome]:
    """Build the worlds of seeds ``seed … seed + count - 1``; yields each as it ends.

    A world that stands complete is skipped; one that fails is yielded as its error and does not stop the others. A
    process or machine that dies is replaced, and what it had begun is built again.

    Args:
        schema: A shipped schema's name, a path, a loaded schema; None means every shipped schema in turn, by seed.
        count: How many worlds, at least 1.
        jobs: How many are built at a time, at least 1.
        vary: Build the world of seed S from its schema's variant S; see `worldgen.variation`.
        prove_every: Prove every so-manieth world; 1 proves each.
        engine: ``local`` for processes of this machine, ``ray`` for a Ray cluster, whose machines share the folder.
        options: See `worldgen.pipeline.BuildOptions`.

    Raises:
        SchemaError: A schema is wrong.
        CallerError: A wrong argument.
        ServiceError: The disk is full or cannot be written, or the cluster cannot be reached.
    """
    expect(jobs, int, "jobs")
    if jobs < 1:
        raise CallerError("family.jobs", "jobs start at 1", got=str(jobs))
    if engine not in ENGINES:
        fix = did_you_mean(engine, ENGINES)
        raise CallerError("family.engine", "unknown engine", expected=" or ".join(ENGINES), got=repr(engine), fix=fix)
    found = errands(schema, count=count, vary=vary, prove_every=prove_every, **options)
    place = Path(options.get("out") or Settings().worlds_dir)
    with disk_errors(place), home(place):
        yield from ENGINES[engine](found, min(jobs, count), place)
