"""How much is read of one answer: a server that goes on beyond what it was asked for is cut off.

The bounds follow from the tokens that were asked for, and hold for all that comes over the wire: whole replies, the
pieces of a stream, errors. They are generous: an answer that passes them is not long but wrong.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import openai

from worldgen.llm.model import ModelError
from worldgen.llm.wire import malformed

MOST = 32 * 2**20
"""Bytes of any answer at most, also of one that is no reply."""
_AROUND = 2**16  # a reply, or an error's message: names, counts, headings
_TOKEN = 64  # bytes; in JSON most tokens have four letters, or two signs of six bytes each
_FRAME = 2**10  # bytes; a stream sends one around each token
_limit: ContextVar[int] = ContextVar("worldgen-bytes-of-an-answer", default=MOST)
_client = next(kind for kind in openai.DefaultAsyncHttpxClient.__mro__ if kind.__name__ == "AsyncClient")
HTTP: Any = import_module(_client.__module__.partition(".")[0])
"""The library under openai: httpx, and from its third version on httpx2. A body's stream must be of the same one."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the answer to one request may take.

    Attributes:
        tokens: Of the reply, as it was asked for.
    """

    tokens: int

    @property
    def whole(self) -> int:
        """Bytes of an answer in one piece."""
        return min(MOST, _AROUND + _TOKEN * self.tokens)

    @property
    def streamed(self) -> int:
        """Bytes of all frames of a stream."""
        return min(MOST, _AROUND + _FRAME * self.tokens)

    def check(self, *texts: str) -> None:
        """Raise `ModelError` where the texts together are longer than a reply."""
        if sum(map(len, texts)) > self.whole:
            raise _endless(self.whole, "characters")


@contextmanager
def reading(most: int) -> Iterator[None]:
    """Bound the answers to requests that are sent in this block."""
    before = _limit.set(most)
    try:
        yield
    finally:
        _limit.reset(before)


async def bound(response: Any) -> None:
    """Bound what is read of a response; a hook of the HTTP library, called before its body is read.

    Raises:
        ModelError: The body is packed: it could be beyond all measure once it is unpacked.
    """
    packed = response.headers.get("content-encoding", "identity").lower()
    if packed != "identity":
        raise malformed("a packed answer, which it was told not to", packed)
    response.stream = _Bounded(response.stream, _limit.get())


class _Bounded(HTTP.AsyncByteStream):  # type: ignore[misc]  # known only when it runs
    """The stream of a body that ends with an error once it is too long."""

    def __init__(self, stream: Any, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._most
        async for part in self._stream:
            left -= len(part)
            if left < 0:
                raise _endless(self._most, "bytes")
            yield part

    async def aclose(self) -> None:
        """End the connection where the body was not read to its end."""
        await self._stream.aclose()


def _endless(most: int, of: str) -> ModelError:
    return ModelError(
        "model.malformed",
        "the model's server sent more than it was asked for",
        expected=f"at most {most:,} {of} for this request",
        fix="does the server keep to max_tokens?",
    )
