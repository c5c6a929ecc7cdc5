"""What a client is told, checked before it is used; each mistake is a `CallerError` that says what is wanted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from worldgen.errors import CallerError, expect
from worldgen.llm.wire import NO_KEY, OWN


def positive(what: str, seconds: float) -> float:
    """Raise where seconds are none, or no span of time."""
    expect(seconds, float, what)
    if not 0 < seconds < float("inf"):
        raise CallerError("model.argument", f"{what} is out of range", expected="seconds above 0", got=str(seconds))
    return float(seconds)


def at_least(what: str, value: int, least: int) -> None:
    """Raise where a number is none, or too small."""
    expect(value, int, what)
    if value < least:
        raise CallerError("model.argument", f"{what} is out of range", expected=f"{least} or more", got=str(value))


def checked_url(url: str) -> str:
    """An address without a slash at its end; raise where it is none, or holds a secret."""
    expect(url, str, "base_url")
    try:
        parts = urlsplit(url)
        sound = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0 and url.isprintable()
    except ValueError:
        sound = False
    if not sound or " " in url:
        raise CallerError(
            "model.url", "the model's address is none", expected="http://host:port/v1 or https://…", got=f"{url!r:.100}"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise CallerError(
            "model.url",
            "the model's address holds more than an address",
            expected="no user, password, query or fragment",
            fix="give the key as WORLDGEN_MODEL_KEY",
        )
    return url.rstrip("/")


def checked_key(key: str | None) -> str:
    """What is sent as the key; raise where it cannot be."""
    if not key:
        return NO_KEY
    expect(key, str, "api_key")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise CallerError("model.key", "the model's key cannot be sent", expected="visible ASCII without blanks")
    return key


def checked_extra(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    """A copy; raise where it repeats a field of the protocol, or is not JSON."""
    found = dict(extra or {})
    doubled = sorted(OWN & found.keys())
    if doubled:
        raise CallerError(
            "model.extra-body",
            "extra_body repeats what the request says",
            got=", ".join(doubled),
            fix="say it in the request, or in the client's arguments",
        )
    try:
        json.dumps(found, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise CallerError("model.extra-body", "extra_body cannot be written as JSON", got=str(error)) from None
    return found
