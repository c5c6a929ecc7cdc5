"""MCP over streamable HTTP: one endpoint a world and profile, ``/mcp/<world>/<profile>``, none of them an object.

A single world is also reached as ``/mcp/<profile>``, and so is one that the request names as it does for every route:
``/w/<world>/…``, ``/e/<episode>/…``, the headers ``X-World`` and ``X-Episode``, here also the query ``?episode=``. An
episode seats its client; without one it gets what needs no memory, under the profiles that the server opens.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote

from mcp.server.streamable_http import check_accept_headers
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from worldgen.errors import CallerError
from worldgen.serve.episodes import Running
from worldgen.serve.http.errors import status_of
from worldgen.serve.http.visit import STATE, Visit, read_visit
from worldgen.serve.mcp.exchange import Reply, exchange
from worldgen.serve.mcp.handlers import Context, make_protocol
from worldgen.serve.mcp.seat import EpisodeSeat, OpenSeat, Seat
from worldgen.serve.server import Server
from worldgen.tools.profile import Profile, profiles

PATH = "/mcp"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_TEXT = (b"content-type", b"text/plain; charset=utf-8")


def mount_mcp(app: Starlette, server: Server) -> None:
    """Serve a server's worlds over MCP under ``/mcp`` of an application."""
    endpoints = McpEndpoints(server)
    # The path itself is nothing either, and must not be redirected to its own subtree.
    app.router.routes[:0] = [Route(PATH, endpoints, include_in_schema=False), Mount(PATH, app=endpoints)]


class McpEndpoints:
    """All MCP endpoints of a server, as one ASGI application."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._most = min(server.limits.body, server.limits.call)
        self._with_pages = make_protocol(_seat_of, pages=True)
        self._tools_only = make_protocol(_seat_of, pages=False)
        # A page of the open web may make a browser call a loopback address under a name of its own (DNS rebinding).
        self._on_loopback = TransportSecurityMiddleware(
            TransportSecuritySettings(
                allowed_hosts=[host + port for host in _LOOPBACK for port in ("", ":*")],
                allowed_origins=[f"http://{host}{port}" for host in _LOOPBACK for port in ("", ":*")],
            )
        )
        self._elsewhere = TransportSecurityMiddleware()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request as ASGI does it; websockets are turned away."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        try:
            reply = await self._reply(scope, receive)
        except _Refused as refused:
            reply = refused.reply
        except ClientDisconnect:
            return
        length = (b"content-length", str(len(reply.body)).encode())
        await send({"type": "http.response.start", "status": reply.status, "headers": [*reply.headers, length]})
        await send({"type": "http.response.body", "body": reply.body})

    async def _reply(self, scope: Scope, receive: Receive) -> Reply:
        post = scope["method"] == "POST"
        local = scope.get("server")
        security = self._on_loopback if local and local[0] in ("127.0.0.1", "::1") else self._elsewhere
        unsafe = await security.validate_request(Request(scope), is_post=post)
        if unsafe is not None:
            raise _Refused(unsafe.status_code, bytes(unsafe.body))
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        named = dict(headers)
        visit = self._visit(scope)
        if not visit.agent:
            raise _Refused(401, b"a key is needed: Authorization: Bearer <key>", (b"www-authenticate", b"Bearer"))
        seat = self._seat(scope, visit)
        if not post:
            raise _Refused(405, b"POST one JSON-RPC message", (b"allow", b"POST"))
        if "application/json" not in named.get("accept", "") and not check_accept_headers(Request(scope))[0]:
            raise _Refused(406, b"answers are application/json")
        body = await _body(named.get("content-length", ""), receive, self._most)
        protocol = self._with_pages if profiles()[seat.profile].pages else self._tools_only
        return await exchange(protocol, seat, headers, body)

    def _visit(self, scope: Scope) -> Visit:
        """Who asks, and what the request names: as the server's front has read it, where there is one."""
        visit = scope.get(STATE)
        if isinstance(visit, Visit):
            return visit
        try:
            return read_visit(scope, self._server.keys)
        except CallerError as error:
            raise _Refused(status_of(error), str(error).encode()) from None

    def _seat(self, scope: Scope, visit: Visit) -> Seat:
        """The place that the request names; what is not there, and what is elsewhere, is 404 alike."""
        running = self._episode(scope, visit)
        world, profile = self._endpoint(scope, visit, running)
        if running is not None:
            if (running.world, running.episode.origin.profile) != (world, profile.name):
                raise _Refused(404, b"the episode is not at this endpoint: see its world and profile")
            return EpisodeSeat(self._server, running)
        try:
            self._server.open_profile(profile.name)
        except CallerError as error:
            raise _Refused(403, str(error).encode()) from None
        return OpenSeat(self._server, world, profile.name)

    def _episode(self, scope: Scope, visit: Visit) -> Running | None:
        queried = _episode_in(scope["query_string"])
        if queried and visit.episode not in (None, queried):
            raise _Refused(404, b"the request names two episodes")
        id = queried or visit.episode
        if id is None:
            return None
        try:
            return self._server.episodes.get(id)
        except CallerError as error:
            raise _Refused(404, str(error).encode()) from None

    def _endpoint(self, scope: Scope, visit: Visit, running: Running | None) -> tuple[str, Profile]:
        # The path as sent: an encoded slash is part of a name here, and no world or profile has one in its.
        root = scope.get("root_path", "").removesuffix(PATH).removesuffix(visit.prefix)
        prefix, _, below = visit.raw_path.partition(f"{PATH}/")
        parts = [unquote(part) for part in below.split("/")]
        named = visit.world if visit.world is not None or running is None else running.world
        names = self._server.pool.names() if named is None else [named]
        if len(parts) == 1 and len(names) == 1:
            parts = [names[0], *parts]
        if prefix != root or len(parts) != 2:
            raise _Refused(404, b"endpoints are /mcp/<world>/<profile>")
        world, name = parts
        if world not in self._server.pool.manifests or named not in (None, world) or name not in profiles():
            raise _Refused(404, b"endpoints are /mcp/<world>/<profile>")
        return world, profiles()[name]


class _Refused(Exception):
    """A request that is turned away before the protocol."""

    def __init__(self, status: int, why: bytes, *headers: tuple[bytes, bytes]) -> None:
        self.reply = Reply(status, why, (_TEXT, *headers))


def _episode_in(query: bytes) -> str:
    return parse_qs(query.decode("latin-1")).get("episode", [""])[0] if query else ""


async def _body(declared: str, receive: Receive, most: int) -> bytes:
    if declared.isdecimal() and (len(declared) > 15 or int(declared) > most):
        raise _Refused(413, b"the body is too large")
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > most:
            raise _Refused(413, b"the body is too large")
        if not message.get("more_body", False):
            return bytes(body)


def _seat_of(context: Context) -> Seat:
    seat: Any = context.request
    return seat  # type: ignore[no-any-return]
