"""The outermost layer: reads who asks for what, bounds the request, serves the hot routes, catches what went wrong.

The hot routes are answered here, before FastAPI's own layers; everything else passes on to them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
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
            visit = read_visit(scope, self._server.keys)
            path = visit.path
            if path not in _PUBLIC:
                visit.require_agent()
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
        message = await receive()
        if not message.get("more_body"):
            body = message.get("body", b"")
            if len(body) > most:
                raise _too_large(most)
            return bytes(body)
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                return await _rest(message, receive, most)
        except TimeoutError:
            raise RequestError("serve.slow-body", "the body did not arrive in time") from None


async def _rest(message: Message, receive: Receive, most: int) -> bytes:
    parts = [message.get("body", b"")]
    size = len(parts[0])
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            break
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise _too_large(most)
    return b"".join(parts)


def _too_large(most: int) -> RequestError:
    return RequestError("serve.body-too-large", "the body is too large", expected=f"{most} bytes at most")
