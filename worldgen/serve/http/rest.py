"""The typed tools as REST, and SQL: routes made from each world's tables, with an OpenAPI file of their own.

What reaches a tool's route is a call of the tool, whatever its parameters: the tool itself says what is wrong with
them, so that in an episode a mistaken request meets faults, is recorded, and is no longer taken after the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Response

from worldgen.serve.http.desk import Desk
from worldgen.serve.http.errors import RequestError, error_json, status_of
from worldgen.serve.http.fields import read_json
from worldgen.serve.http.hot import bound_call, said
from worldgen.serve.http.openapi import describe
from worldgen.serve.http.status import VISIT
from worldgen.serve.http.visit import Reply, Visit
from worldgen.tools import MalformedCall, Observation, SqlTool
from worldgen.tools.sql import MAX_QUERY
from worldgen.tools.typed import TableTool
from worldgen.world import World

Routes = Mapping[tuple[str, ...], TableTool]
ROW = "{ordinal}"
_ROOT = "api"
_MOST_ORDINAL = 30


def rest_routes(desk: Desk) -> APIRouter:
    """``/api/…`` and ``/sql``."""
    router = APIRouter(tags=["data"])
    rest = Rest(desk)

    @router.get("/api/openapi.json")
    async def openapi(visit: Visit = VISIT) -> Response:
        """The OpenAPI file of the world's typed routes below ``/api``."""
        return (await rest.openapi(visit)).response()

    @router.get("/api/{path:path}", include_in_schema=False)
    async def table(path: str, visit: Visit = VISIT) -> Response:
        return (await rest.answer(visit, path)).response()

    @router.post("/sql", openapi_extra=_SQL_BODY)
    async def sql(visit: Visit = VISIT) -> Response:
        """Run one SELECT over the world's tables, where the profile sql or open is served or is the episode's."""
        bound_call(visit, desk.server.limits.call)
        return data(await desk.use(visit, "sql", SqlTool.name, read_json(visit.body))).response()

    return router


_SQL_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["query"],
                    "properties": {"query": {"type": "string", "maxLength": MAX_QUERY, "example": "SELECT 1"}},
                }
            }
        },
    }
}


class Rest:
    """Answers for the typed routes of all worlds."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._known: WeakKeyDictionary[World, Routes] = WeakKeyDictionary()

    async def answer(self, visit: Visit, path: str) -> Reply:
        """What the tool of a path says.

        Raises:
            CallerError: No profile that is open has typed tools; no such route or row; a parameter is wrong.
        """
        self._desk.require(visit, "typed")
        async with self._desk.world(self._desk.world_name(visit)) as world:
            tool, row = _resolve(await self._routes(world), path.split("/"))
            seen = await self._desk.use(visit, "typed", tool.name, _arguments(tool, row, visit.query))
            if seen.status == 400 and row is not None and await self._desk.apart(lambda: _lacks(world, *row)):
                raise RequestError("serve.no-row", f"{row[0]} has no such row", got=row[1][:_MOST_ORDINAL])
            return data(seen)

    async def openapi(self, visit: Visit) -> Reply:
        """The description of a world's typed routes."""
        self._desk.require(visit, "typed")
        name = self._desk.world_name(visit)
        async with self._desk.world(name) as world:
            routes = await self._routes(world)
        title = self._desk.server.pool.manifests[name].title
        paths = {f"/{'/'.join((_ROOT, *parts))}": tool for parts, tool in routes.items()}
        return Reply.json(describe(title, visit.prefix, paths))

    async def _routes(self, world: World) -> Routes:
        if world not in self._known:
            tools = await self._desk.apart(lambda: world.tools)
            self._known[world] = dict(_paths(tools.values()))
        return self._known[world]


def data(seen: Observation) -> Reply:
    """What a tool that speaks JSON said, as the body itself; a malformed call is 400."""
    if seen.status == 200:
        reply = Reply.json(None)
        reply.body = seen.text.encode("utf-8", "replace")
        return reply
    if seen.status == 400:
        error = MalformedCall(seen.text.removeprefix("Error: "))
        return Reply.json(error_json(error), status_of(error))
    return said(seen)


def _paths(tools: Iterable[TableTool]) -> Iterator[tuple[tuple[str, ...], TableTool]]:
    """The path of each tool: a table, its count, a row of it, what hangs on a row."""
    for tool in tools:
        table = tool.table.name
        if tool.action == "list":
            yield (table,), tool
        elif tool.action == "count":
            yield (table, "count"), tool
        elif tool.action == "get":
            yield (table, ROW), tool
        else:
            owner = tool.parameters["id"].column
            assert owner is not None
            assert owner.target is not None
            last = table if tool.action == "range" else tool.name.removeprefix(f"{owner.target}_to_")
            yield (owner.target, ROW, last), tool


def _resolve(routes: Routes, parts: list[str]) -> tuple[TableTool, tuple[str, str] | None]:
    """The tool of a path, and the table and ordinal of the row in it."""
    row = None
    if len(parts) > 1 and parts[1].isascii() and parts[1].isdigit():
        row = (parts[0], parts[1])
        parts = [parts[0], ROW, *parts[2:]]
    tool = routes.get(tuple(parts))
    if tool is None:
        raise RequestError("serve.no-tool", "there is no such route", expected="one of /api/openapi.json")
    return tool, row


def _lacks(world: World, table: str, ordinal: str) -> bool:
    """Whether a row is not there."""
    try:
        world.tables.find(table, _id(table, ordinal))
    except MalformedCall:
        return True
    return False


def _id(table: str, ordinal: str) -> str:
    return f"{table}/{ordinal[:_MOST_ORDINAL]}"


def _arguments(tool: TableTool, row: tuple[str, str] | None, query: bytes) -> dict[str, Any]:
    """What a tool is called with: each parameter as it wants it, or else as it came; one given twice as a list."""
    given: dict[str, list[Any]] = {} if row is None else {"id": [_id(*row)]}
    for name, text in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        kind = str(tool.parameters[name].schema["type"]) if name in tool.parameters else "string"
        given.setdefault(name, []).append(_value(text, kind))
    return {name: values[0] if len(values) == 1 else values for name, values in given.items()}


def _value(text: str, kind: str) -> str | int | float | bool:
    """A parameter's text as the JSON type that its tool wants; the text itself where it is none of that type."""
    if kind == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if kind not in ("integer", "number"):
        return text
    try:
        if kind == "integer":
            return int(text)
        return float(text) if isfinite(float(text)) else text  # what is not finite is no JSON
    except ValueError:
        return text
