"""The routes that agents call most: search, open, retrieve, tools, call; described to OpenAPI by ``hot.yaml``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml

from worldgen.records import Hit
from worldgen.search.shown import display_date, show_document
from worldgen.serve.http.desk import Desk
from worldgen.serve.http.errors import RequestError, WrongMethod, plain_error
from worldgen.serve.http.fields import Fields
from worldgen.serve.http.front import Hot
from worldgen.serve.http.visit import Reply, Visit
from worldgen.tools import Observation
from worldgen.tools.tool import echo
from worldgen.world import World

_TOP = 3


def hot_routes(desk: Desk) -> dict[str, Hot]:
    """Answers by path."""
    hot = HotRoutes(desk)
    return {
        "/search": hot.search,
        "/batch_search": hot.batch_search,
        "/retrieve": hot.retrieve,
        "/open": hot.open,
        "/tools": hot.tools,
        "/call": hot.call,
    }


@cache
def openapi_fragment() -> dict[str, Any]:
    """``paths`` and ``components`` of these routes."""
    return cast("dict[str, Any]", yaml.safe_load(Path(__file__).with_name("hot.yaml").read_text("utf-8")))


class HotRoutes:
    """The routes, each from a visit to a reply."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._limits = desk.server.limits

    async def search(self, visit: Visit) -> Reply:
        """``{query, k?}`` or ``?q=`` to results."""
        _methods(visit, "GET", "POST")
        self._desk.open_to(visit, "web")
        fields = Fields.of(visit, ("query", "k"), also="q")
        query = fields.text("query", self._limits.query)
        k = fields.number("k", self._limits.results, self._limits.results)
        async with self._desk.world(self._desk.server.world_name(visit.world)) as world:
            hits = await self._hits(world, query, k)
        return Reply.json({"query": query, "results": _results(hits)})

    async def batch_search(self, visit: Visit) -> Reply:
        """``{queries, k?}`` to the results of each query."""
        _methods(visit, "POST")
        self._desk.open_to(visit, "web")
        fields = Fields.of(visit, ("queries", "k"))
        queries = fields.texts("queries", self._limits.batch, self._limits.query)
        found = await self._all(visit, queries, fields.number("k", self._limits.results, self._limits.results))
        pages = zip(queries, found, strict=True)
        return Reply.json({"results": [{"query": query, "results": _results(hits)} for query, hits in pages]})

    async def retrieve(self, visit: Visit) -> Reply:
        """Search-R1's route: ``{query | queries, topk?, return_scores?}`` to documents whose ``contents`` are snippets.

        Clients of that family send fields of their own; those are passed over.
        """
        _methods(visit, "POST")
        self._desk.open_to(visit, "web")
        fields = Fields.of(visit, ("query", "queries", "topk", "return_scores"), strict=False)
        if fields.any("queries") is not None:
            queries = fields.texts("queries", self._limits.batch, self._limits.query)
        elif isinstance(fields.any("query"), list):
            queries = fields.texts("query", self._limits.batch, self._limits.query)
        else:
            queries = [fields.text("query", self._limits.query)]
        found = await self._all(visit, queries, fields.number("topk", _TOP, self._limits.results))
        scored = fields.any("return_scores")
        return Reply.json({"result": [[_document(hit, scored=bool(scored)) for hit in hits] for hits in found]})

    async def open(self, visit: Visit) -> Reply:
        """``{url}`` or ``?url=`` to a page."""
        _methods(visit, "GET", "POST")
        self._desk.open_to(visit, "web")
        url = Fields.of(visit, ("url",)).text("url", self._limits.query)
        async with self._desk.world(self._desk.server.world_name(visit.world)) as world:
            page = await self._desk.ask_engine(world, lambda engine: engine.open(url))
        if page is None:
            raise RequestError("page.unknown", f"{echo(url)} could not be reached")
        about = {"url": page.url, "title": page.title, "site": page.site, "author": page.author or None}
        return Reply.json({**about, "date": page.date or None, "text": show_document(page)})

    async def tools(self, visit: Visit) -> Reply:
        """The tools of the visit's episode, or of a profile, as OpenAI function schemas."""
        _methods(visit, "GET")
        fields = Fields.of(visit, ("profile", "episode"))
        _name_episode(visit, fields)
        running = self._desk.episode(visit)
        if running is not None:
            return Reply.json({"profile": running.episode.origin.profile, "tools": running.episode.tools})
        server = self._desk.server
        profile = self._profile(fields)
        async with self._desk.world(server.world_name(visit.world)) as world:
            specs = await self._desk.apart(lambda: server.toolbox(world, profile).specs())
        return Reply.json({"profile": profile, "tools": specs})

    async def call(self, visit: Visit) -> Reply:
        """``{name, arguments, episode?}`` to what the tool says."""
        _methods(visit, "POST")
        bound_call(visit, self._limits.call)
        fields = Fields.of(visit, ("name", "arguments", "episode", "profile"))
        _name_episode(visit, fields)
        name, arguments = fields.text("name", 200), fields.any("arguments")
        if isinstance(arguments, (bool, int, float, list)):
            arguments = str(arguments)  # which no tool takes, and it says so
        running = self._desk.episode(visit)
        if running is not None:
            return said(await self._desk.call_in(running, name, arguments))
        return said(await self._desk.call_openly(visit, self._profile(fields), name, arguments))

    def _profile(self, fields: Fields) -> str:
        server = self._desk.server
        asked = fields.optional("profile", 100)
        if asked is None and not server.profiles:
            raise RequestError("serve.closed-profile", "tools belong to episodes here", fix="name an episode")
        return server.open_profile(asked or server.profiles[0])

    async def _all(self, visit: Visit, queries: Sequence[str], k: int) -> list[list[Hit]]:
        found = []
        async with self._desk.world(self._desk.server.world_name(visit.world)) as world:
            for query in queries:
                found.append(await self._hits(world, query, k))
                await asyncio.sleep(0)  # others have their turn
        return found

    async def _hits(self, world: World, query: str, k: int) -> list[Hit]:
        withholding = self._desk.server.withholding
        return await self._desk.ask_engine(world, lambda engine: engine.search(query, k, withholding=withholding))


def said(seen: Observation) -> Reply:
    """What a call brought. A refusal has the status that a real service's would have.

    A malformed call is 200: its text is meant for the model like any other, and most loops treat an error's status as
    a failure of their own.
    """
    if seen.status in (200, 400):
        return Reply.json({"text": seen.text, "ok": seen.status == 200})
    wait = None if seen.retry_after is None else {"Retry-After": str(seen.retry_after)}
    body = {**plain_error(seen.status, seen.text), "text": seen.text, "ok": False}
    return Reply.json(body, seen.status, wait)


def bound_call(visit: Visit, most: int) -> None:
    """Raise `RequestError` where the body of a call is longer than that."""
    if len(visit.body) > most:
        raise RequestError("serve.body-too-large", "the call is too long", expected=f"{most} bytes at most")


def _name_episode(visit: Visit, fields: Fields) -> None:
    episode = fields.optional("episode", 100)
    if episode is not None and visit.episode not in (None, episode):
        raise RequestError("serve.two-names", "the request names two episodes")
    visit.episode = episode or visit.episode


def _methods(visit: Visit, *allowed: str) -> None:
    if visit.method not in allowed:
        raise WrongMethod(*allowed)


def _results(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    return [
        {"url": hit.url, "title": hit.title, "snippet": hit.snippet, "date": display_date(hit.date)} for hit in hits
    ]


def _document(hit: Hit, *, scored: bool) -> dict[str, Any]:
    document = {"id": hit.url, "contents": f'"{hit.title}"\n{hit.snippet}'}
    return {"document": document, "score": hit.score} if scored else document
