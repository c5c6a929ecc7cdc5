"""The protocol: what is sent for a request, and what is read out of an answer. Pure; the client sends it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from reprlib import Repr
from typing import Any

from worldgen.llm.model import ModelError, Reply, Request, Tokens, whole
from worldgen.thinking import split_thinking

# What the request itself says; `extra_body` may not say it again.
OWN = frozenset(
    ("model", "messages", "stream", "stream_options", "temperature", "top_p", "max_tokens", "seed", "stop", "n")
)
# What is sent as the key where there is none; the library sends no request without one.
NO_KEY = "none"
# An answer may be nested deeper than `repr` can follow.
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 200
_MOST_TOKENS = 2**53


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server wants to be asked.

    Attributes:
        regex: Field that takes a regular expression, ``a.b`` for a field within a field; None where it has none.
        ebnf: The same for a grammar.
        seed: Whether a seed may be sent.
        template: Whether ``chat_template_kwargs`` may be sent unasked.
    """

    regex: str | None = None
    ebnf: str | None = None
    seed: bool = True
    template: bool = False


def body(request: Request, dialect: Dialect, extra: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A request as the fields of the protocol, and the fields beside it."""
    sampling, shape = request.sampling, request.shape
    fields: dict[str, Any] = {
        "messages": [message._asdict() for message in request.messages],
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
    }
    if sampling.seed is not None and dialect.seed:
        fields["seed"] = sampling.seed
    if sampling.stop:
        fields["stop"] = list(sampling.stop)
    beside = dict(extra)
    if shape is not None and shape.kind == "json_schema":
        fields["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": shape.name, "schema": shape.value, "strict": True},
        }
    elif shape is not None:
        field = dialect.regex if shape.kind == "regex" else dialect.ebnf
        beside |= place(field or shape.kind, shape.value)
    # A reasoning parser holds a grammar back until the thinking is over; the thought is not wanted there.
    thinking = request.thinking
    if thinking is None and shape is not None and dialect.template:
        thinking = False
    if thinking is not None:
        beside["chat_template_kwargs"] = {**beside.get("chat_template_kwargs", {}), "enable_thinking": thinking}
    return fields, beside


def place(field: str, value: Any) -> dict[str, Any]:
    """A value under a field, or under a field within a field.

    >>> place("structured_outputs.regex", "a+")
    {'structured_outputs': {'regex': 'a+'}}
    """
    outer, _, inner = field.partition(".")
    return {outer: {inner: value} if inner else value}


def read(payload: Any) -> Reply:
    """The reply that an answer holds.

    Raises:
        ModelError: It is none of the protocol.
    """
    choice = first_choice(payload)
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        raise malformed("an answer without a message", payload)
    content, thought = message.get("content"), reasoning(message)
    if not (content is None or isinstance(content, str)):
        raise malformed("a message whose content is no text", payload)
    return make(content or "", thought, choice.get("finish_reason"), payload)


def make(text: str, thought: str, finish: object, payload: Mapping[str, Any]) -> Reply:
    """A reply out of its parts; thinking that stands in the text joins what came beside it."""
    inline, rest = split_thinking(text)
    model = payload.get("model")
    return Reply(
        text=rest,
        thinking="\n".join(part for part in (thought.strip(), inline) if part),
        finish=finish if isinstance(finish, str) else "stop",
        model=model if isinstance(model, str) else "",
        tokens=tokens(payload.get("usage")),
    )


def cut(piece: str) -> tuple[str, str]:
    r"""What of a piece of a stream can be given, and the half character at its end that waits for its other half.

    >>> cut("a\ud83d")
    ('a', '\ud83d')
    """
    at = len(piece) - ("\ud800" <= piece[-1:] <= "\udbff")
    return whole(piece[:at]), piece[at:]


def reasoning(message: Mapping[str, Any]) -> str:
    """What a server took for thinking: ``reasoning_content`` of SGLang and llama.cpp, ``reasoning`` of vLLM."""
    for field in ("reasoning_content", "reasoning"):
        if isinstance(found := message.get(field), str):
            return found
    return ""


def first_choice(payload: Any) -> dict[str, Any] | None:
    """The first choice of an answer or of a piece of one; None where there is none."""
    choices = payload.get("choices") if isinstance(payload, dict) else None
    found = choices[0] if isinstance(choices, list) and choices else None
    return found if isinstance(found, dict) else None


def tokens(usage: Any) -> Tokens:
    """The counts that a server gives; what it does not say is 0."""
    if not isinstance(usage, dict):
        return Tokens()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Tokens(*(_count(value) for value in (usage.get("prompt_tokens"), cached, usage.get("completion_tokens"))))


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        return 0
    return value if 0 <= value < _MOST_TOKENS else 0


def parse(content: bytes) -> Any:
    """The JSON of an answer.

    Raises:
        ModelError: It is none that can be read.
    """
    with parsing():
        return json.loads(content)


def event(chunk: Any) -> dict[str, Any]:
    """What one event of a stream says.

    Raises:
        ModelError: It is no object.
    """
    if not hasattr(chunk, "to_dict"):
        raise malformed("an event that is no object", chunk)
    with parsing():
        told: dict[str, Any] = chunk.to_dict(warnings=False)
    return told


@contextmanager
def parsing() -> Iterator[None]:
    """Where what a server sent is read: text that is no JSON, nested too deep, a number of too many digits."""
    try:
        yield
    except (ValueError, TypeError, RecursionError):
        raise malformed("what cannot be read") from None


def malformed(what: str, got: object = None) -> ModelError:
    """The error for an answer that is not of the protocol."""
    return ModelError(
        "model.malformed",
        f"the model's server sent {what}",
        expected="a chat completion of the OpenAI protocol",
        got=None if got is None else _SHORT.repr(got)[:200],
        fix="does the address end in /v1, and is it a model's server?",
    )
