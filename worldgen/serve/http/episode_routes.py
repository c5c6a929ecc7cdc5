"""``/episodes``: begun, restored and read by the trainer; answered by the agent, who never sees what that earned."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Body, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field

from worldgen.env import read_trajectory
from worldgen.search.wording import encodable
from worldgen.serve.episodes import Running
from worldgen.serve.http.desk import Desk
from worldgen.serve.http.errors import RequestError
from worldgen.serve.http.status import TRAINER, VISIT
from worldgen.serve.http.visit import Visit
from worldgen.tools.perturbation import plan_named
from worldgen.world import Withholding

_MOST_PLAN = 200_000


class NewEpisode(BaseModel):
    """How an episode is to begin."""

    model_config = ConfigDict(extra="forbid")

    world: str | None = Field(None, max_length=200, description="Needed where several are served.")
    task: str | None = Field(None, max_length=200, description="Instance id of a question; none earns nothing.")
    seed: int = Field(0, ge=0, lt=2**63, description="Decides which calls meet faults.")
    profile: str = Field("search", max_length=100, description="The tools: search, api, sql or open.")
    withholding: Withholding = Field("strict", description="How much result pages hold back.")
    epoch: int = Field(0, ge=0, lt=2**31, description="Under which names; 0 for those the world was built with.")
    perturbation: Annotated[str, Field(max_length=_MOST_PLAN)] | dict[str, Any] | None = Field(
        None, description="Name of a shipped plan, a plan as YAML text or as an object; null for no faults."
    )


class Answer(BaseModel):
    """An agent's answer."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(description="A text with a Markdown table.")


class StartedEpisode(BaseModel):
    """What is told of an episode that has begun; ``episode`` is the agent's way in, and its only one."""

    episode: str
    world: str
    task: str | None
    question: str
    profile: str
    tools: list[dict[str, Any]]


def episode_routes(desk: Desk) -> APIRouter:
    """All routes below ``/episodes``."""
    router = APIRouter(prefix="/episodes", tags=["episodes"])
    server = desk.server

    @router.post("", status_code=201)
    async def start(asked: NewEpisode, visit: Visit = TRAINER) -> StartedEpisode:
        """Trainer: begin an episode."""
        if visit.world is not None and asked.world not in (None, visit.world):
            raise RequestError("serve.two-names", "path or header and body name different worlds")
        world = server.world_name(asked.world or visit.world)
        settings = asked.model_dump(exclude={"world", "task", "perturbation"})
        given = "perturbation" in asked.model_fields_set
        plan = plan_text(asked.perturbation) if given else server.perturbation
        return _started(await desk.apart(lambda: server.start(world, asked.task, perturbation=plan, **settings)))

    @router.post("/restore", status_code=201)
    async def restore(record: Annotated[dict[str, Any], Body()], visit: Visit = TRAINER) -> StartedEpisode:
        """Trainer: begin an episode by playing the record of another again, e.g. after a crash; its id is new."""
        trajectory = read_trajectory(record)
        world = server.world_of_digest(trajectory.start.world)
        return _started(await desk.apart(lambda: server.restore(world, trajectory)))

    @router.get("/{id}")
    async def show(id: str, visit: Visit = TRAINER) -> dict[str, Any]:
        """Trainer: how an episode began and how far it is."""
        running = _running(desk, visit, id)
        begun = running.episode.origin
        return {
            **_started(running).model_dump(),
            "seed": begun.seed,
            "withholding": begun.withholding,
            "perturbation": begun.perturbation,
            "calls": len(running.episode.trajectory().steps),
            "ended": running.episode.ended,
        }

    @router.post("/{id}/submit")
    async def submit(id: str, said: Answer, visit: Visit = VISIT) -> dict[str, bool]:
        """Hand in the answer, once; the reply does not tell what it earned."""
        running = _running(desk, visit, id)
        async with desk.world(running.world):
            await desk.apart(lambda: running.episode.submit(said.answer))
        return {"submitted": True}

    @router.get("/{id}/reward")
    async def reward(id: str, visit: Visit = TRAINER) -> dict[str, Any]:
        """Trainer: what the answer earned; null before there is one, and where there is no question."""
        episode = _running(desk, visit, id).episode
        return {"submitted": episode.ended, "reward": None if episode.reward is None else episode.reward.to_json()}

    @router.get("/{id}/trajectory", response_model=dict[str, Any])
    async def trajectory(id: str, visit: Visit = TRAINER) -> Response:
        """Trainer: each call with what it brought and the faults it met; what ``/episodes/restore`` takes."""
        return Response(_running(desk, visit, id).episode.trajectory().to_line(), media_type="application/json")

    @router.get("/{id}/ledger", response_class=PlainTextResponse)
    async def ledger(id: str, visit: Visit = TRAINER) -> PlainTextResponse:
        """Trainer: what a model in free mode has asserted, as lines of JSON that ``worldgen adopt`` takes."""
        told = _running(desk, visit, id).episode.ledger
        if not told:
            raise RequestError("serve.no-ledger", "the episode has no ledger", expected="an episode in free mode")
        return PlainTextResponse(told, media_type="application/x-ndjson")

    @router.delete("/{id}")
    async def delete(id: str, visit: Visit = TRAINER) -> dict[str, bool]:
        """Trainer: forget an episode."""
        server.episodes.delete(_running(desk, visit, id).id)
        return {"deleted": True}

    return router


def plan_text(given: str | dict[str, Any] | None) -> str:
    """A plan's YAML text, from the name of a shipped one, a text, or an object; never from a path.

    >>> plan_text("flaky").startswith("name: flaky"), plan_text(None)
    (True, '')
    """
    if not given:
        return ""
    text = json.dumps(given, ensure_ascii=False) if isinstance(given, dict) else given
    if encodable(text) != text:
        raise RequestError("serve.wrong-field", "the plan has half a character", expected="text that UTF-8 can hold")
    return plan_named(text)


def _running(desk: Desk, visit: Visit, id: str) -> Running:
    if visit.episode is not None and visit.episode != id:
        raise RequestError("serve.two-names", "the request names two episodes")
    visit.episode = id
    running = desk.episode(visit)
    assert running is not None
    return running


def _started(running: Running) -> StartedEpisode:
    episode = running.episode
    return StartedEpisode(
        episode=running.id,
        world=running.world,
        task=episode.origin.task or None,
        question=episode.question,
        profile=episode.origin.profile,
        tools=episode.tools,
    )
