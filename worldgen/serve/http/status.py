"""What is served and how it fares: worlds, health, metrics."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from worldgen.serve.http.desk import Desk
from worldgen.serve.http.visit import STATE, Visit
from worldgen.tools import profiles


def visit_of(request: Request) -> Visit:
    """The visit that a request is."""
    visit = request.scope[STATE]
    assert isinstance(visit, Visit)
    return visit


def trainer(request: Request) -> Visit:
    """The visit, which must bear the trainer's key."""
    visit = visit_of(request)
    visit.require_trainer()
    return visit


VISIT = Depends(visit_of)
TRAINER = Depends(trainer)


def status_routes(desk: Desk) -> APIRouter:
    """``/health``, ``/ready``, ``/worlds``, ``/tasks``, ``/metrics``."""
    router = APIRouter(tags=["server"])
    pool = desk.server.pool

    @router.get("/health")
    async def health() -> dict[str, str]:
        """Whether the process answers."""
        return {"status": "ok"}

    @router.get("/ready")
    async def ready(response: Response) -> dict[str, Any]:
        """Whether the worlds are there to be opened; 503 where one is not."""
        lost = await desk.apart(lambda: [n for n in pool.names() if not (pool.folder(n) / "manifest.json").is_file()])
        if lost:
            response.status_code = 503
        return {"status": "lacking" if lost else "ready", "worlds": len(pool.names()) - len(lost)}

    @router.get("/worlds")
    async def worlds(visit: Visit = VISIT) -> dict[str, Any]:
        """The worlds; with the trainer's key also their digests and counts."""
        return {
            "worlds": [_world(desk, name, trainer=visit.trainer) for name in pool.names()],
            "profiles": {name: profiles()[name].about for name in desk.server.profiles},
            "withholding": desk.server.withholding,
        }

    @router.get("/tasks")
    async def tasks(visit: Visit = TRAINER) -> dict[str, Any]:
        """Trainer: the questions of a world, without their answers."""
        async with desk.world(desk.server.world_name(visit.world)) as world:
            found = await desk.apart(lambda: world.tasks)
        return {
            "tasks": [
                {
                    "task": task.instance_id,
                    "language": task.language,
                    "question": task.question,
                    "columns": list(task.columns),
                    "rows": len(task.rows),
                    "difficulty": task.difficulty,
                }
                for task in found
            ]
        }

    @router.get("/metrics")
    async def metrics(visit: Visit = TRAINER) -> Response:
        """Trainer: counters for Prometheus."""
        return Response(desk.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return router


def _world(desk: Desk, name: str, *, trainer: bool) -> dict[str, Any]:
    manifest = desk.server.pool.manifests[name]
    shown: dict[str, Any] = {"world": name, "title": manifest.title, "languages": list(manifest.languages)}
    if trainer:
        shown |= {"digest": manifest.digest, "counts": manifest.counts, "open": desk.server.pool.is_open(name)}
    return shown
