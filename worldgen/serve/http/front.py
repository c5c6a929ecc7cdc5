"""The outermost layer: reads who asks for what, bounds the request, serves the hot routes, catches what went wrong.

The hot routes are answered here, before FastAPI's own layers; everything else passes on to them.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from time import perf_counter
from typing import Any

from worldgen.errors import WorldgenError
from worldgen.serve.http.errors import RequestError
from worldgen.serve.http.visit import STATE, Reply, Visit, read_visit
from worldgen.serve.metrics import Metrics
from worldgen.serve.server import Server

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]
Hot = Callable[[Visit], Awaitable[Reply]]

_PUBLIC = frozenset({"/health", "/ready", "/docs", "/openapi.json"})
_BODY_SECONDS = 30.0
_PORT = re.compile(r":[0-9]+\Z")
_MCP = "/mcp"
_RESTORE = "/episodes/restore"
_log = logging.getLogger("worldgen.serve")


class Front:
    """An ASGI layer around an application.

    Args:
        app: What answers everything but the hot routes.
        server: Keys and limits.
        hot: Answers by path.
        metrics: Where requests are counted.
    """

    def __init__(self, app: App, server: Server, hot: Mapping[str, Hot], metrics: Metrics) -> None:
        self._app = app
        self._server = server
        self._hot = hot
        self._metrics = metrics

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = perf_counter()
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        path = scope["path"]
        try:
            if self._server.hosts is not None:
                _check_host(scope, self._server.hosts)
            visit = read_visit(scope, self._server.keys)
            path = visit.path
            if path not in _PUBLIC:
                visit.require_agent()
                self._require_place(visit)
            hot = self._hot.get(path)
            if visit.method not in ("GET", "HEAD"):
                visit.body = await self._read(visit, scope, receive)
            if hot is not None:
                reply = await hot(visit)
                status = reply.status
                await reply.send(send)
            else:
                await self._pass_on(visit, scope, receive, sending)
        except Exception as error:  # the one boundary of the server: attributed, logged where it is ours, told
            if not isinstance(error, WorldgenError) or error.exit_code == 70:
                _log.exception("%s %s", scope["method"], path)
            if status:
                raise  # the response has begun
            reply = Reply.error(error)
            status = reply.status
            await reply.send(send)
        finally:
            self._metrics.request(path, scope["method"], status, perf_counter() - begun)

    def _require_place(self, visit: Visit) -> None:
        """Raise `CallerError` where the visit names a world or an episode that is not here, whatever it asks of it."""
        if visit.world is not None:
            self._server.pool.require(visit.world)
        if visit.episode is not None:
            self._server.episodes.get(visit.episode)

    async def _pass_on(self, visit: Visit, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        scope[STATE] = visit
        scope["root_path"] = scope.get("root_path", "") + visit.prefix
        if visit.method in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        if not visit.path.startswith(_MCP):
            # Every body here is JSON, whatever its sender calls it: `curl -d` says that it is a form.
            kept = [(name, value) for name, value in scope["headers"] if name != b"content-type"]
            scope["headers"] = [*kept, (b"content-type", b"application/json")]
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": visit.body, "more_body": False}

        await self._app(scope, replay, send)

    async def _read(self, visit: Visit, scope: Mapping[str, Any], receive: Receive) -> bytes:
        """The body, bounded in size and time; a record to restore may be as long as an episode."""
        most = self._server.limits.body
        if visit.path == _RESTORE:
            visit.require_trainer()
            most = self._server.limits.record
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value[:20]) > most:
                raise _too_large(most)
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                return await _whole(receive, most)
        except TimeoutError:
            raise RequestError("serve.slow-body", "the body did not arrive in time") from None


async def _whole(receive: Receive, most: int) -> bytes:
    parts = []
    size = 0
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise _too_large(most)
        if not message.get("more_body"):  # nor does a client that has gone send more
            return b"".join(parts)


def _check_host(scope: Mapping[str, Any], allowed: Collection[str]) -> None:
    """Raise `RequestError` where a request is for a server of another name.

    A page of the open web may make a browser call a loopback address under a name of its own (DNS rebinding).
    """
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    if len(hosts) != 1 or _PORT.sub("", hosts[0].lower()) not in allowed:
        raise RequestError(
            "serve.other-host", "this server is not called so", expected=f"Host: {' or '.join(sorted(allowed))}"
        )


def _too_large(most: int) -> RequestError:
    return RequestError("serve.body-too-large", "the body is too large", expected=f"{most} bytes at most")
