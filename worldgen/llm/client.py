"""The client for a model behind an OpenAI-compatible address: SGLang, vLLM, llama.cpp, a vendor."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from worldgen.errors import CallerError, ServiceError, WorldgenError, expect
from worldgen.llm.arguments import at_least, checked_extra, checked_key, checked_url, positive
from worldgen.llm.breaker import DOWN, Breaker
from worldgen.llm.cache import ReplyCache, cacheable, request_key
from worldgen.llm.model import ModelError, Reply, Request, whole
from worldgen.llm.probe import Capabilities, probe
from worldgen.llm.usage import Usage
from worldgen.llm.wire import Dialect, body, cut, event, first_choice, make, malformed, parse, parsing, read, reasoning
from worldgen.settings import Settings

try:
    import openai

    from worldgen.llm.bounds import Bounds, bound, reading
    from worldgen.llm.failures import explain, is_failure, pause
except ImportError as _error:
    raise ServiceError(
        "model.no-library", "a model's server is spoken to with the openai library", fix="pip install 'worldgen[model]'"
    ) from _error

T = TypeVar("T")
# A body that is packed could be small, and beyond all measure once it is read.
_HEADERS = {"Accept-Encoding": "identity"}

_END = object()
_log = logging.getLogger("worldgen.llm")


class _Lane:
    """What belongs to one event loop: connections, the bound on requests at once, and the counts."""

    def __init__(self, library: openai.AsyncOpenAI, concurrency: int) -> None:
        self.library = library
        self.places = asyncio.Semaphore(concurrency)
        self.probing = asyncio.Lock()
        self.usage = Usage()


class ModelClient:
    """A model behind an OpenAI-compatible address.

    Args:
        base_url: Address up to and with ``/v1``.
        model: What the model is asked for by.
        api_key: Key that the server asks for; else ``WORLDGEN_MODEL_KEY``.
        cache: Folder of replies, where a repeated request costs nothing. Where it cannot be written to, replies are
            used all the same, counted as unkept, and a warning is logged, once.
        concurrency: Requests at once, at most, in each event loop.
        timeout: Seconds that one attempt may take; amid a stream, the wait for all its pieces together.
        retries: Attempts beyond the first, after a lost connection, a timeout, HTTP 429 or 5xx.
        extra_body: Sent with every request, beside the fields of the protocol.
        breaker: Ends calls at once while the server is down; without one, each call tries for itself.

    Raises:
        CallerError: An argument is not what it should be.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        cache: str | os.PathLike[str] | None = None,
        concurrency: int = 8,
        timeout: float = 300.0,
        retries: int = 4,
        extra_body: Mapping[str, Any] | None = None,
        breaker: Breaker | None = None,
    ) -> None:
        expect(model, str, "model")
        at_least("concurrency", concurrency, 1)
        at_least("retries", retries, 0)
        self.base_url = checked_url(base_url)
        self.name = model
        self._key = checked_key(Settings().model_key if api_key is None else api_key)
        self._cache = None if cache is None else ReplyCache(cache)
        self._warned = False
        self._concurrency = concurrency
        self._timeout = positive("timeout", timeout)
        self._retries = retries
        self._extra = checked_extra(extra_body)
        self._breaker = breaker or Breaker(0)
        self._capabilities: Capabilities | None = None
        self._lanes: WeakKeyDictionary[asyncio.AbstractEventLoop, _Lane] = WeakKeyDictionary()
        self._counts: list[Usage] = []

    def __repr__(self) -> str:
        return f"ModelClient({self.base_url!r}, {self.name!r})"

    @property
    def usage(self) -> Usage:
        """What all calls have cost so far."""
        total = Usage()
        for counts in list(self._counts):
            for field in Usage.__slots__:
                setattr(total, field, getattr(total, field) + getattr(counts, field))
        total.trips = self._breaker.trips
        return total

    async def complete(self, request: Request) -> Reply:
        """Answer a request, from the cache where it has been answered before.

        Raises:
            ModelError: The server did not answer, after all retries.
            CallerError: The request asks for a shape that the server cannot keep to.
        """
        lane = self._lane()
        stored = await self._stored(request, lane)
        if stored is not None:
            return stored
        with self._counted(lane) as trial:
            fields, beside = body(request, await self._dialect(request, trial=trial), self._extra)
            async with lane.places:
                reply = read(await self._attempts(lambda: self._post(fields, beside), lane, trial=trial))
        lane.usage.add(reply.tokens)
        return await self._keep(request, reply, lane)

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """Answer a request piece by piece: the text as the server sends it, and at the end the reply.

        Thinking that stands in the text is in the pieces too; the reply has it apart. Once a piece has been given,
        nothing is tried again.

        Raises:
            ModelError: The server did not answer.
            CallerError: The request asks for a shape that the server cannot keep to.
        """
        lane = self._lane()
        stored = await self._stored(request, lane)
        if stored is not None:
            yield stored.text
            yield stored
            return
        with self._counted(lane) as trial:
            fields, beside = body(request, await self._dialect(request, trial=trial), self._extra)
            async with lane.places:
                opened = await self._attempts(lambda: self._open(fields, beside), lane, trial=trial)
                try:
                    async for piece in self._pieces(opened):
                        if isinstance(piece, Reply):
                            lane.usage.add(piece.tokens)
                            await self._keep(request, piece, lane)
                        yield piece
                except BaseException as error:
                    if not is_failure(error):
                        raise
                    raise explain(error, self.base_url, self._key) from None
                finally:
                    await opened.source.close()

    async def capabilities(self) -> Capabilities:
        """What the server can do; asked once, at the first call.

        Raises:
            ModelError: The server does not answer.
        """
        return await self._capable(trial=False)

    async def models(self) -> list[str]:
        """The models that the server lists; none where it lists none.

        Raises:
            ModelError: The server does not answer.
        """
        lane = self._lane()
        try:
            listed = await self._attempts(self._models, lane)
            return [whole(str(model["id"])) for model in listed["data"]]
        except ModelError as error:
            if error.code in ("model.refused", "model.malformed"):
                return []
            raise
        except (KeyError, TypeError):
            return []

    async def aclose(self) -> None:
        """Close the connections of this event loop; a later call opens them anew."""
        lane = self._lanes.pop(asyncio.get_running_loop(), None)
        if lane is not None:
            await lane.library.close()

    async def __aenter__(self) -> ModelClient:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def _lane(self) -> _Lane:
        loop = asyncio.get_running_loop()
        lane = self._lanes.get(loop)
        if lane is None:
            library = openai.AsyncOpenAI(
                api_key=self._key,
                base_url=self.base_url,
                max_retries=0,
                timeout=self._timeout,
                # What the environment says of OpenAI's own service is no business of another server's.
                default_headers={**_HEADERS, "OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()},  # type: ignore[dict-item]
                http_client=openai.DefaultAsyncHttpxClient(
                    follow_redirects=False, timeout=self._timeout, event_hooks={"response": [bound]}
                ),
            )
            lane = self._lanes[loop] = _Lane(library, self._concurrency)
            self._counts.append(lane.usage)
        return lane

    async def _stored(self, request: Request, lane: _Lane) -> Reply | None:
        if self._cache is None or not cacheable(request):
            return None
        found = await asyncio.to_thread(self._cache.get, request_key(self.name, request, self._extra))
        if found is not None:
            lane.usage.stored += 1
        return found

    async def _keep(self, request: Request, reply: Reply, lane: _Lane) -> Reply:
        if self._cache is None or not cacheable(request):
            return reply
        try:
            standing = await asyncio.to_thread(self._cache.put, self.name, request, reply, self._extra)
        except ServiceError as error:  # the reply is paid for, and as good as any other
            if not self._warned:
                self._warned = True
                _log.warning("%s: replies are used without being kept", error)
            lane.usage.unkept += 1
            return reply
        return replace(standing, stored=False)

    async def _dialect(self, request: Request, *, trial: bool) -> Dialect:
        if request.shape is None:
            return self._capabilities.dialect if self._capabilities else Dialect()
        can = await self._capable(trial=trial)
        kind = request.shape.kind
        if not getattr(can, kind):
            known = [name for name in ("json_schema", "regex", "ebnf") if getattr(can, name)]
            raise CallerError(
                "model.unsupported",
                f"the model at {self.base_url} cannot keep to a shape of this kind",
                expected=" or ".join(known) or "a request without a shape",
                got=kind,
            )
        return can.dialect

    async def _capable(self, *, trial: bool) -> Capabilities:
        lane = self._lane()

        async def ask(fields: dict[str, Any], beside: dict[str, Any]) -> Any:
            async with lane.places:
                return await self._attempts(lambda: self._post(fields, {**self._extra, **beside}), lane, trial=trial)

        async with lane.probing:
            if self._capabilities is None:
                self._capabilities = await probe(ask, lambda: self._attempts(self._models, lane, trial=trial))
        return self._capabilities

    @contextmanager
    def _counted(self, lane: _Lane) -> Iterator[bool]:
        """One call: how it ends is counted, and told to the breaker; yields whether it tries a server that is down."""
        try:
            with self._breaker.call() as trial:
                yield trial
        except WorldgenError as error:
            lane.usage.failures += 1
            lane.usage.skipped += error.code == DOWN
            raise

    async def _attempts(self, call: Callable[[], Awaitable[T]], lane: _Lane, *, trial: bool = False) -> T:
        attempt = 0
        while True:
            self._breaker.check(trial=trial)
            lane.usage.requests += 1
            lane.usage.retries += attempt > 0
            try:
                async with asyncio.timeout(self._timeout):
                    return await call()
            except BaseException as error:
                if not is_failure(error):
                    raise
                told = explain(error, self.base_url, self._key)
                wait = pause(told, error, attempt)
            if wait is None or attempt >= self._retries or self._breaker.down:
                raise told
            attempt += 1
            await asyncio.sleep(wait)

    async def _post(self, fields: dict[str, Any], beside: dict[str, Any]) -> Any:
        create = self._lane().library.chat.completions.with_raw_response.create
        with reading(Bounds(fields["max_tokens"]).whole):
            raw = await create(model=self.name, extra_body=beside, **fields)
        return parse(raw.content)

    async def _models(self) -> Any:
        return parse((await self._lane().library.models.with_raw_response.list()).content)

    async def _open(self, fields: dict[str, Any], beside: dict[str, Any]) -> _Opened:
        create: Callable[..., Awaitable[Any]] = self._lane().library.chat.completions.create
        options = {"include_usage": True}
        bounds = Bounds(fields["max_tokens"])
        with reading(bounds.streamed):
            source = await create(model=self.name, stream=True, stream_options=options, extra_body=beside, **fields)
        pieces = aiter(source)
        return _Opened(source, pieces, await _next(pieces), bounds)

    async def _pieces(self, opened: _Opened) -> AsyncIterator[str | Reply]:
        text, half, thought, finish = "", "", "", None
        told: dict[str, Any] = {}
        left = self._timeout
        now = asyncio.get_running_loop().time
        chunk = opened.first
        while chunk is not _END:
            payload = event(chunk)
            told |= {key: payload[key] for key in ("model", "usage") if payload.get(key)}
            choice = first_choice(payload) or {}
            delta = choice.get("delta")
            delta = delta if isinstance(delta, dict) else {}
            finish = choice.get("finish_reason") or finish
            thought += reasoning(delta)
            piece = delta.get("content")
            if isinstance(piece, str):
                text += piece
                ready, half = cut(half + piece)
                if ready:
                    yield ready
            opened.bounds.check(text, thought)
            begun = now()
            async with asyncio.timeout(max(left, 0)):
                chunk = await _next(opened.pieces)
            left -= now() - begun
        if finish is None:
            raise malformed("a stream that ends amid its reply")
        if half:
            yield whole(half)
        yield make(text, thought, finish, told)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A stream whose first piece has come: until then, it is tried again."""

    source: Any
    pieces: AsyncIterator[Any]
    first: Any
    bounds: Bounds


async def _next(pieces: AsyncIterator[Any]) -> Any:
    with parsing():
        return await anext(pieces, _END)
