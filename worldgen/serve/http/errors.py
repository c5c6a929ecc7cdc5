"""Every error that a caller may see: one JSON shape, a status by code, never a traceback."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from worldgen.errors import CallerError, SchemaError, WorldgenError

_STATUS = {
    "env.ended": 409,
    "env.limit": 409,
    "env.other-world": 409,
    "env.replay-differs": 409,
    "env.unknown-task": 404,
    "page.unknown": 404,
    "serve.body-too-large": 413,
    "serve.closed-profile": 403,
    "serve.forbidden": 403,
    "serve.headers-too-large": 431,
    "serve.method": 405,
    "serve.no-key": 401,
    "serve.no-row": 404,
    "serve.no-tool": 404,
    "serve.other-host": 421,
    "serve.slow-body": 408,
    "serve.too-many-episodes": 503,
    "serve.unknown-episode": 404,
    "serve.unknown-world": 404,
}
JSON_TYPE = (b"content-type", b"application/json")

Headers = list[tuple[bytes, bytes]]


class RequestError(CallerError):
    """A request that no route can take; the code decides the status."""


class WrongMethod(RequestError):
    """A method that a route does not have; ``allowed`` are those that it has."""

    def __init__(self, *allowed: str) -> None:
        super().__init__("serve.method", "this route has no such method", expected=" or ".join(allowed))
        self.allowed = allowed


def headers_of(error: WorldgenError) -> dict[str, str]:
    """The headers of an error's reply: how to be let in, which methods there are."""
    if isinstance(error, WrongMethod):
        return {"Allow": ", ".join(error.allowed)}
    return {"WWW-Authenticate": "Bearer"} if status_of(error) == 401 else {}


def status_of(error: WorldgenError) -> int:
    """The HTTP status of an error: by its code, else 400 for the caller's and the author's, 500 for ours.

    >>> status_of(RequestError("serve.no-key", "no key"))
    401
    """
    return _STATUS.get(error.code, 400 if isinstance(error, CallerError | SchemaError) else 500)


def error_json(error: WorldgenError) -> dict[str, Any]:
    """The body of an error's reply; of one that is not the caller's only that it happened."""
    if status_of(error) == 500:
        return plain_error(500)
    fields = {"code": error.code, "message": error.message, "expected": error.expected, "got": error.got}
    return {"error": {**fields, "fix": error.fix}}


def plain_error(status: int, message: str | None = None, **fields: str | None) -> dict[str, Any]:
    """The body of a reply whose status says it all.

    >>> plain_error(404)["error"]["code"]
    'http.not-found'
    """
    phrase = HTTPStatus(status).phrase
    blank = {"expected": None, "got": None, "fix": None}
    code = "http." + phrase.lower().replace(" ", "-").replace("'", "")
    return {"error": {"code": code, "message": message or phrase, **blank, **fields}}


def encode(value: object) -> bytes:
    """JSON as UTF-8; half a character, which an agent may have sent, becomes a question mark."""
    return _ENCODER.encode(value).encode("utf-8", "replace")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
