"""The ASGI application of a server: hot routes in front, everything else FastAPI's, one shape of error for all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from worldgen.errors import WorldgenError
from worldgen.serve.http.desk import Desk
from worldgen.serve.http.episode_routes import episode_routes
from worldgen.serve.http.errors import plain_error
from worldgen.serve.http.front import Front
from worldgen.serve.http.hot import hot_routes, openapi_fragment
from worldgen.serve.http.rest import rest_routes
from worldgen.serve.http.site import site_routes
from worldgen.serve.http.status import status_routes
from worldgen.serve.http.visit import Reply
from worldgen.serve.metrics import Metrics
from worldgen.serve.server import Server
from worldgen.version import __version__

_ROUTES = ("health", "ready", "metrics", "worlds", "tasks", "episodes", "site", "api", "sql", "mcp", "docs")
_TIDY_SECONDS = 15.0
_ABOUT = (
    "A fictional world's search engine, pages and typed tools, and episodes in it. Where several worlds are served, the"
    " path `/w/<world>/…` or the header `X-World` chooses one; `/e/<episode>/…` or `X-Episode` names an episode. The"
    " typed routes have an OpenAPI file of their own for each world, at `/api/openapi.json`."
)
_log = logging.getLogger("worldgen.serve")


def make_app(server: Server) -> FastAPI:
    """The application that serves a server's worlds over HTTP; closing it closes the server."""
    metrics = Metrics(server, [f"/{name}" for name in (*_ROUTES, "openapi.json")] + list(openapi_fragment()["paths"]))
    server.on_observation = metrics.observation
    desk = Desk(server, metrics)
    app = FastAPI(
        title="worldgen",
        version=__version__,
        description=_ABOUT,
        docs_url="/docs",
        redoc_url=None,
        redirect_slashes=False,  # a redirect repeats whatever host the request names
        strict_content_type=False,  # as the hot routes have it: a body is JSON, whatever curl calls it
        lifespan=_lifespan(desk),
    )
    for routes in (status_routes(desk), episode_routes(desk), rest_routes(desk), site_routes(desk)):
        app.include_router(routes)
    app.add_exception_handler(WorldgenError, _told)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _plain)
    app.add_middleware(Front, server=server, hot=hot_routes(desk), metrics=metrics)
    _mount_mcp(app, server)
    app.openapi = lambda: _openapi(app, FastAPI.openapi)  # type: ignore[method-assign]
    return app


def _mount_mcp(app: FastAPI, server: Server) -> None:
    """Serve MCP too, where its extra is installed."""
    try:
        mcp = import_module("worldgen.serve.mcp")
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "worldgen.serve.mcp"):
            raise
    else:
        mcp.mount_mcp(app, server)


def _lifespan(desk: Desk) -> Any:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        tidying = asyncio.create_task(_tidy(desk))
        try:
            yield
        finally:
            tidying.cancel()
            with suppress(asyncio.CancelledError):
                await tidying
            desk.server.close()

    return lifespan


async def _tidy(desk: Desk) -> None:
    while True:
        await asyncio.sleep(_TIDY_SECONDS)
        await desk.apart(desk.server.tidy)


def _openapi(app: FastAPI, own: Any) -> dict[str, Any]:
    """FastAPI's description with that of the hot routes."""
    if app.openapi_schema is None:
        found = own(app)
        fragment = openapi_fragment()
        found["paths"] = {**fragment["paths"], **found["paths"]}
        for part, entries in fragment["components"].items():
            found.setdefault("components", {}).setdefault(part, {}).update(entries)
        for part in ("HTTPValidationError", "ValidationError"):
            found["components"]["schemas"].pop(part, None)
        wrong = fragment["paths"]["/search"]["get"]["responses"]["400"]
        for operation in (each for entry in found["paths"].values() for each in entry.values()):
            if "422" in operation["responses"]:
                operation["responses"]["422"] = wrong
        found["security"] = [{"key": []}, {}]
        app.openapi_schema = found
    return app.openapi_schema


async def _told(request: Request, error: Exception) -> Response:
    if isinstance(error, WorldgenError) and error.exit_code == 70:
        _log.error("%s %s", request.method, request.url.path, exc_info=error)
    return Reply.error(error).response()


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return Reply.json(plain_error(422, f"{where}: {first['msg']}", expected=first["type"]), 422).response()


async def _plain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return Reply.json(plain_error(error.status_code), error.status_code, error.headers).response()
