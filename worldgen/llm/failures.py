"""What goes wrong between a client and a model's server: which error it is, whether to try again, and when."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from random import random
from time import time

import openai

from worldgen.errors import CallerError, WorldgenError
from worldgen.llm.model import ModelError, whole
from worldgen.llm.wire import NO_KEY, malformed

# Seconds. A server that asks for longer is told of at once, rather than waited for.
RETRY_AFTER_MOST = 60.0
_FIRST, _MOST = 0.5, 20.0
_CUT = 300
_AGAIN = frozenset(("model.unreachable", "model.timeout", "model.overloaded"))


def explain(error: BaseException, url: str, key: str) -> WorldgenError:
    """The error of ours for one of the library's; it never holds the key."""
    # What we raise while a body is read comes wrapped by the library.
    for ours in (error, error.__cause__):
        if isinstance(ours, WorldgenError):
            return ours
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return ModelError("model.timeout", f"the model at {url} did not answer in time", fix="allow a longer timeout")
    if isinstance(error, openai.APIStatusError):
        return _status(error, url, key)
    if isinstance(error, UnicodeEncodeError):
        return CallerError("model.unsendable", "a message holds half a character, which cannot be sent")
    if isinstance(error, openai.APIResponseValidationError | json.JSONDecodeError | UnicodeDecodeError):
        return malformed("what is not of the protocol")
    if isinstance(error, openai.APIConnectionError):
        return ModelError("model.unreachable", f"no model answers at {url}", fix="is the server up, the address right?")
    if isinstance(error, openai.APIError):  # an error sent amid a stream
        said = said_by(error.body if error.body is not None else error.message, key)
        return ModelError("model.overloaded", f"the model at {url} failed amid its reply", got=said)
    # What the HTTP library below raises amid a body: the connection is gone.
    return ModelError("model.unreachable", f"the connection to the model at {url} was lost", got=type(error).__name__)


def _status(error: openai.APIStatusError, url: str, key: str) -> ModelError:
    status, said = error.status_code, said_by(error.body, key)
    got = f"HTTP {status}" + (f": {said}" if said else "")
    if status == 408:
        return ModelError("model.timeout", f"the model at {url} did not answer in time", got=got)
    if status == 429 or status >= 500:
        return ModelError("model.overloaded", f"the model at {url} cannot answer now", got=got)
    fix = {
        401: "give the key as WORLDGEN_MODEL_KEY",
        403: "give the key as WORLDGEN_MODEL_KEY",
        404: "does the address end in /v1, and is the model's name one that the server lists?",
    }
    return ModelError("model.refused", f"the model at {url} refused the request", got=got, fix=fix.get(status))


def said_by(said: object, key: str) -> str:
    """A server's own words, cut short, on one line, without the key."""
    if isinstance(said, Mapping):
        inner = said.get("error")
        said = (inner.get("message") if isinstance(inner, Mapping) else inner) or said.get("message") or dict(said)
    text = whole(" ".join(str(said or "").split()))
    if key != NO_KEY:
        text = text.replace(key, "…")
    return text if len(text) <= _CUT else text[:_CUT] + "…"


def pause(error: WorldgenError, cause: BaseException, attempt: int) -> float | None:
    """Seconds to wait before attempt ``attempt + 1``, counted from 0; None where another would not help.

    Waits double from half a second to twenty, shortened by up to a half by chance so that clients part; a server's
    ``Retry-After`` is kept to, up to a minute.
    """
    if error.code not in _AGAIN:
        return None
    asked = _retry_after(cause)
    if asked is not None:
        return asked if asked <= RETRY_AFTER_MOST else None
    longest: float = min(_MOST, _FIRST * 2.0 ** min(attempt, 16))
    return longest * (1 - random() / 2)


def _retry_after(cause: BaseException) -> float | None:
    if not isinstance(cause, openai.APIStatusError):
        return None
    return asked_wait(cause.response.headers.get("retry-after", ""), time())


def asked_wait(header: str, now: float) -> float | None:
    """Seconds that a ``Retry-After`` asks for, as a number or as a date; None where it says neither.

    >>> asked_wait("3", 0.0), asked_wait("1e400", 0.0), asked_wait("Thu, 01 Jan 1970 00:00:09 GMT", 2.0)
    (3.0, inf, 7.0)
    """
    try:
        seconds = float(header)
    except ValueError:
        return _until(header, now)
    if math.isnan(seconds):
        return math.inf
    return seconds if seconds >= 0 else None


def _until(date: str, now: float) -> float | None:
    try:
        then = parsedate_to_datetime(date)
        # A date of no zone is of Greenwich, as all dates of HTTP are.
        return max(0.0, (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def is_failure(error: BaseException) -> bool:
    """Whether an exception is one of an exchange with a server, not a cancellation or a mistake of ours."""
    if isinstance(error, asyncio.CancelledError):
        return False
    kinds = (WorldgenError, openai.OpenAIError, OSError, ValueError)
    return isinstance(error, kinds) or type(error).__module__.partition(".")[0] in {"httpx", "httpx2", "httpcore"}
