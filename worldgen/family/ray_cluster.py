"""The engine `ray`: the machines of a Ray cluster (https://www.ray.io), which see the worlds' folder under one path.

Ray itself retries an errand whose process or machine died. The cluster is the one that `RAY_ADDRESS` names; without
it, Ray starts one on this machine for as long as the family is built.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from worldgen.errors import CallerError, ServiceError
from worldgen.family.errands import Errand, Outcome

_RETRIES = 3


def on_ray(errands: Sequence[Errand], jobs: int, place: Path) -> Iterator[Outcome]:
    """Carry out errands on a cluster, at most so many at a time."""
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, OSError, RuntimeError, TimeoutError, ValueError) as error:
            raise ServiceError("family.ray", f"no Ray cluster: {error}", fix="see RAY_ADDRESS") from error
    try:
        yield from _spread(ray, errands, jobs)
    finally:
        if ours:
            ray.shutdown()


def _spread(ray: Any, errands: Sequence[Errand], jobs: int) -> Iterator[Outcome]:
    carry_out = ray.remote(num_cpus=1, max_retries=_RETRIES)(Errand.run)
    waiting = list(reversed(errands))
    running: dict[Any, Errand] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            errand = waiting.pop()
            running[carry_out.options(name=f"seed {errand.options.get('seed')}").remote(errand)] = errand
        done, _ = ray.wait(list(running), num_returns=1)
        for reference in done:
            errand = running.pop(reference)
            try:
                yield ray.get(reference)
            except ray.exceptions.RayError as error:
                name = f"seed {errand.options.get('seed')}"
                yield ServiceError("family.worker-died", f"{name}: {str(error).splitlines()[0]}")


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise CallerError(
            "family.no-ray", "the engine ray needs Ray", expected="the extra worldgen[ray]",
            fix="pip install 'worldgen[ray]'",
        ) from error  # fmt: skip
    return ray
