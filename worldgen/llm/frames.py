"""What a fake server says, and the frames of the protocol in which it goes over the wire."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class FakeReply:
    """What the fake server says, and how.

    Attributes:
        text: The reply.
        reasoning: What a reasoning parser took out of it.
        finish: Why it ended.
        status: HTTP status; above 399 the text is the error's message.
        headers: Sent along, e.g. ``Retry-After``.
        delay: Seconds before anything is sent.
        raw: Sent as the whole body in place of an answer of the protocol.
        drop: Whether the connection is closed in place of an answer.
        pieces: Pieces of a streamed reply, after which it ends early; None sends all of it.
        cached: Tokens said to come from the prefix cache.
    """

    text: str = ""
    reasoning: str = ""
    finish: str = "stop"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    raw: bytes | None = None
    drop: bool = False
    pieces: int | None = None
    cached: int = 0


def completion(said: FakeReply, request: dict[str, Any]) -> dict[str, Any]:
    """The whole reply to a request."""
    message = {"role": "assistant", "content": said.text}
    if said.reasoning:
        message["reasoning_content"] = said.reasoning
    choice = {"index": 0, "message": message, "finish_reason": said.finish}
    return _frame(request, "chat.completion") | {"choices": [choice], "usage": _usage(said, request)}


def chunks(said: FakeReply, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The reply piece by piece, as a stream sends it."""
    frame = _frame(request, "chat.completion.chunk")
    deltas: list[dict[str, Any]] = [{"reasoning_content": said.reasoning}] if said.reasoning else []
    deltas += [{"content": said.text[at : at + 16]} for at in range(0, len(said.text), 16)]
    for delta in deltas:
        yield frame | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield frame | {"choices": [{"index": 0, "delta": {}, "finish_reason": said.finish}]}
    if (request.get("stream_options") or {}).get("include_usage"):
        yield frame | {"choices": [], "usage": _usage(said, request)}


def _frame(request: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "fake", "object": kind, "created": int(time.time()), "model": request.get("model", "")}


def _usage(said: FakeReply, request: dict[str, Any]) -> dict[str, Any]:
    """Words stand for tokens."""
    prompt = sum(len(message["content"].split()) for message in request["messages"])
    completion = len(said.text.split()) + len(said.reasoning.split())
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": said.cached},
    }
