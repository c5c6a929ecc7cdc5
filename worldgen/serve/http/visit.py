"""What a request is before any route sees it: who asks, of which world or episode, with which body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from worldgen.errors import WorldgenError
from worldgen.serve.http.errors import (
    JSON_TYPE,
    Headers,
    RequestError,
    encode,
    error_json,
    headers_of,
    plain_error,
    status_of,
)
from worldgen.serve.keys import Keys, bearer

STATE = "worldgen.visit"
"""Under this name a visit stands in an ASGI scope."""
_PREFIXES = {"w": "world", "e": "episode"}
_MOST_HEADERS = 16_384


@dataclass(slots=True)
class Visit:
    """One request.

    Attributes:
        path: Its path without the prefix.
        trainer: Whether it bears the trainer's key.
        agent: Whether it may use the tools.
        world: The world that it names, if it names one.
        episode: The episode that it names, if it names one.
        prefix: What stands before its path, to be put before links.
    """

    path: str
    trainer: bool
    agent: bool
    world: str | None = None
    episode: str | None = None
    prefix: str = ""
    raw_path: str = ""
    query: bytes = b""
    method: str = "GET"
    body: bytes = field(default=b"", repr=False)

    def require_trainer(self) -> None:
        """Raise `RequestError` unless it bears the trainer's key."""
        if not self.trainer:
            raise RequestError(
                "serve.forbidden", "this route is the trainer's", expected="Authorization: Bearer <the trainer's key>"
            )

    def require_agent(self) -> None:
        """Raise `RequestError` unless it may use the tools."""
        if not self.agent:
            raise RequestError(
                "serve.no-key", "a key is needed", expected="Authorization: Bearer <the agent's or the trainer's key>"
            )


@dataclass(slots=True)
class Reply:
    """A whole response."""

    status: int
    body: bytes
    headers: Headers

    @classmethod
    def json(cls, value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
        """A JSON response."""
        more = [(name.lower().encode(), text.encode()) for name, text in (headers or {}).items()]
        return cls(status, encode(value), [JSON_TYPE, *more])

    @classmethod
    def error(cls, error: Exception) -> Reply:
        """The response to an error; of any that is not the caller's, only that it happened."""
        if not isinstance(error, WorldgenError):
            return cls.json(plain_error(HTTPStatus.INTERNAL_SERVER_ERROR), 500)
        return cls.json(error_json(error), status_of(error), headers_of(error))

    def response(self) -> Response:
        """The same as Starlette has it."""
        headers = {name.decode(): value.decode() for name, value in self.headers}
        return Response(self.body, self.status, headers)

    async def send(self, send: Any) -> None:
        """Send it as ASGI does."""
        size = (b"content-length", str(len(self.body)).encode())
        await send({"type": "http.response.start", "status": self.status, "headers": [*self.headers, size]})
        await send({"type": "http.response.body", "body": self.body})


def read_visit(scope: Mapping[str, Any], keys: Keys) -> Visit:
    """The visit of an ASGI scope.

    A path may begin with ``/w/<world>`` or ``/e/<episode>``; the headers ``X-World`` and ``X-Episode`` say the same.

    Raises:
        RequestError: The headers are too long, or path and header name different things.
    """
    key = ""
    named: dict[str, str] = {}
    length = 0
    for name, value in scope["headers"]:
        length += len(name) + len(value)
        if name == b"authorization":
            key = bearer(value.decode("latin-1"))
        elif name in (b"x-world", b"x-episode"):
            named[name[2:].decode()] = value.decode("latin-1")
    if length > _MOST_HEADERS:
        raise RequestError("serve.headers-too-large", "the headers are too long", expected=f"{_MOST_HEADERS} bytes")
    path: str = scope["path"]
    raw = (scope.get("raw_path") or path.encode()).decode("latin-1")
    prefix = ""
    if path[:3] in ("/w/", "/e/"):
        _, kind, name, *rest = path.split("/", 3)
        what = _PREFIXES[kind]
        if named.get(what, name) != name:
            raise RequestError("serve.two-names", f"path and header name different {what}s")
        named[what] = name
        prefix = f"/{kind}/{name}"
        path = "/" + "".join(rest)
        raw = "/" + "".join(raw.split("/", 3)[3:])
    trainer = bool(key) and keys.is_trainer(key)
    return Visit(
        path,
        trainer,
        trainer or keys.is_agent(key),
        named.get("world"),
        named.get("episode"),
        prefix,
        raw,
        scope["query_string"],
        scope["method"],
    )
