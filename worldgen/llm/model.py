"""What a language model is to the rest of worldgen: a request in, a reply out; its makers are siblings of this file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from worldgen.errors import ServiceError

_HALF = re.compile("[\ud800-\udfff]")
Role = Literal["system", "user", "assistant"]


class Message(NamedTuple):
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a reply is drawn.

    Attributes:
        temperature: 0 for the likeliest token; world models are run at 0.6.
        top_p: Share of the probability that is drawn from.
        max_tokens: Length of the reply at most, thinking included.
        seed: Passed to servers that take one; recorded with every reply.
        stop: Texts that end the reply.
    """

    temperature: float = 0.6
    top_p: float = 1.0
    max_tokens: int = 4_096
    seed: int | None = 0
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """What a reply must look like: a JSON Schema, which every server takes, or a regular expression or EBNF grammar."""

    kind: Literal["json_schema", "regex", "ebnf"]
    value: Mapping[str, Any] | str
    name: str = "reply"


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked.

    Attributes:
        messages: The conversation, the rules first and what changes last, so that servers find its beginning cached.
        sampling: How the reply is drawn.
        shape: What the reply must look like; one at most.
        thinking: Whether the model is to think first, where its template knows that; None leaves it to the server.
    """

    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    shape: Shape | None = None
    thinking: bool | None = None


class Tokens(NamedTuple):
    """Tokens of a reply: read, of those found in the server's prefix cache, and written."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0


def whole(text: str) -> str:
    r"""The text without half characters (lone surrogates): two that belong together are joined, others are U+FFFD.

    >>> whole("a\ud83d\ude00"), whole("a\ud83db")
    ('a😀', 'a�b')
    """
    if text.isascii() or _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said; no text of it holds half a character, whatever made it.

    Attributes:
        text: The reply without its thinking.
        thinking: What it thought, where it did so aloud.
        finish: Why it ended: ``stop``, or ``length`` where it was cut off.
        model: The name the server gives itself.
        tokens: What it cost.
        stored: Whether it came from the cache on disk, and cost nothing.
    """

    text: str
    thinking: str = ""
    finish: str = "stop"
    model: str = ""
    tokens: Tokens = field(default_factory=Tokens)
    stored: bool = False

    def __post_init__(self) -> None:
        """Mend the texts: JSON can say half a character, and nothing that sends a text on as UTF-8 can."""
        for name in ("text", "thinking", "finish", "model"):
            object.__setattr__(self, name, whole(getattr(self, name)))


class ModelError(ServiceError):
    """A model did not answer.

    Codes: ``model.unreachable``, ``model.timeout``, ``model.overloaded``, ``model.refused`` (the server says that the
    request is wrong), ``model.malformed`` (what it sent is not of the protocol, or goes on beyond what was asked for),
    ``model.down`` (it was not asked, see `worldgen.llm.breaker`).
    """


class Model(Protocol):
    """A language model.

    Attributes:
        name: What it is asked for by.
    """

    name: str

    async def complete(self, request: Request) -> Reply:
        """Answer a request.

        Raises:
            ModelError: It did not, after all retries.
        """
