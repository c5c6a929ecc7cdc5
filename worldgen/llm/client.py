"""The client for a model behind an OpenAI-compatible address: SGLang, vLLM, llama.cpp, a vendor."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from worldgen.errors import CallerError, ServiceError, WorldgenError, expect
from worldgen.llm.cache import ReplyCache, cacheable, request_key
from worldgen.llm.model import ModelError, Reply, Request, Tokens
from worldgen.llm.probe import Capabilities, probe
from worldgen.llm.wire import OWN, Dialect, body, first_choice, make, malformed, read, reasoning
from worldgen.settings import Settings

try:
    import openai

    from worldgen.llm.failures import NO_KEY, explain, is_failure, pause
except ImportError as _error:
    raise ServiceError(
        "model.no-library", "a model's server is spoken to with the openai library", fix="pip install 'worldgen[model]'"
    ) from _error

T = TypeVar("T")


@dataclass(slots=True)
class Usage:
    """What a client has cost so far; probes are counted as requests.

    Attributes:
        requests: Requests sent, the repeated ones included.
        retries: Of those, repeated ones.
        stored: Replies that came from the cache on disk.
        failures: Calls that ended in an error.
        prompt: Tokens read.
        cached: Of those, tokens that the server's prefix cache held.
        completion: Tokens written.
    """

    requests: int = 0
    retries: int = 0
    stored: int = 0
    failures: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0

    def add(self, tokens: Tokens) -> None:
        """Count the tokens of a reply."""
        self.prompt += tokens.prompt
        self.cached += tokens.cached
        self.completion += tokens.completion


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
        cache: Folder of replies, where a repeated request costs nothing.
        concurrency: Requests at once, at most, in each event loop.
        timeout: Seconds that one attempt may take; amid a stream, the wait for all its pieces together.
        retries: Attempts beyond the first, after a lost connection, a timeout, HTTP 429 or 5xx.
        extra_body: Sent with every request, beside the fields of the protocol.

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
    ) -> None:
        expect(model, str, "model")
        _at_least("concurrency", concurrency, 1)
        _at_least("retries", retries, 0)
        expect(timeout, float, "timeout")
        if not 0 < timeout < float("inf"):
            raise CallerError("model.argument", "timeout is out of range", expected="seconds above 0", got=str(timeout))
        self.base_url = _checked_url(base_url)
        self.name = model
        self._key = _checked_key(Settings().model_key if api_key is None else api_key)
        self._cache = None if cache is None else ReplyCache(cache)
        self._concurrency = concurrency
        self._timeout = float(timeout)
        self._retries = retries
        self._extra = _checked_extra(extra_body)
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
        fields, beside = body(request, await self._dialect(request), self._extra)
        async with lane.places:
            reply = read(await self._counted(lambda: self._post(fields, beside), lane))
        lane.usage.add(reply.tokens)
        return await self._keep(request, reply)

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
        fields, beside = body(request, await self._dialect(request), self._extra)
        async with lane.places:
            opened = await self._counted(lambda: self._open(fields, beside), lane)
            try:
                async for piece in self._pieces(opened):
                    if isinstance(piece, Reply):
                        lane.usage.add(piece.tokens)
                        await self._keep(request, piece)
                    yield piece
            except BaseException as error:
                if not is_failure(error):
                    raise
                lane.usage.failures += 1
                raise explain(error, self.base_url, self._key) from None
            finally:
                await opened.source.close()

    async def capabilities(self) -> Capabilities:
        """What the server can do; asked once, at the first call.

        Raises:
            ModelError: The server does not answer.
        """
        lane = self._lane()
        async with lane.probing:
            if self._capabilities is None:

                async def ask(fields: dict[str, Any], beside: dict[str, Any]) -> Any:
                    async with lane.places:
                        return await self._attempts(lambda: self._post(fields, {**self._extra, **beside}), lane)

                self._capabilities = await probe(ask, lambda: self._attempts(self._models, lane))
        return self._capabilities

    async def models(self) -> list[str]:
        """The models that the server lists; none where it lists none.

        Raises:
            ModelError: The server does not answer.
        """
        lane = self._lane()
        try:
            listed = await self._attempts(self._models, lane)
            return [str(model["id"]) for model in listed["data"]]
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
                default_headers={"OpenAI-Organization": openai.Omit(), "OpenAI-Project": openai.Omit()},  # type: ignore[dict-item]
                http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False, timeout=self._timeout),
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

    async def _keep(self, request: Request, reply: Reply) -> Reply:
        if self._cache is None or not cacheable(request):
            return reply
        standing = await asyncio.to_thread(self._cache.put, self.name, request, reply, self._extra)
        return replace(standing, stored=False)

    async def _dialect(self, request: Request) -> Dialect:
        if request.shape is None:
            return self._capabilities.dialect if self._capabilities else Dialect()
        can = await self.capabilities()
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

    async def _counted(self, call: Callable[[], Awaitable[T]], lane: _Lane) -> T:
        try:
            return await self._attempts(call, lane)
        except WorldgenError:
            lane.usage.failures += 1
            raise

    async def _attempts(self, call: Callable[[], Awaitable[T]], lane: _Lane) -> T:
        attempt = 0
        while True:
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
            if wait is None or attempt >= self._retries:
                raise told
            attempt += 1
            await asyncio.sleep(wait)

    async def _post(self, fields: dict[str, Any], beside: dict[str, Any]) -> Any:
        library = self._lane().library
        raw = await library.chat.completions.with_raw_response.create(model=self.name, extra_body=beside, **fields)
        return json.loads(raw.content)

    async def _models(self) -> Any:
        return json.loads((await self._lane().library.models.with_raw_response.list()).content)

    async def _open(self, fields: dict[str, Any], beside: dict[str, Any]) -> _Opened:
        create: Callable[..., Awaitable[Any]] = self._lane().library.chat.completions.create
        options = {"include_usage": True}
        source = await create(model=self.name, stream=True, stream_options=options, extra_body=beside, **fields)
        pieces = aiter(source)
        return _Opened(source, pieces, await anext(pieces, None))

    async def _pieces(self, opened: _Opened) -> AsyncIterator[str | Reply]:
        text, thought, finish = "", "", None
        told: dict[str, Any] = {}
        left = self._timeout
        now = asyncio.get_running_loop().time
        chunk = opened.first
        while chunk is not None:
            payload = chunk.to_dict(warnings=False)
            told |= {key: payload[key] for key in ("model", "usage") if payload.get(key)}
            choice = first_choice(payload) or {}
            delta = choice.get("delta")
            delta = delta if isinstance(delta, dict) else {}
            finish = choice.get("finish_reason") or finish
            thought += reasoning(delta)
            piece = delta.get("content")
            if isinstance(piece, str) and piece:
                text += piece
                yield piece
            begun = now()
            async with asyncio.timeout(max(left, 0)):
                chunk = await anext(opened.pieces, None)
            left -= now() - begun
        if finish is None:
            raise malformed("a stream that ends amid its reply")
        yield make(text, thought, finish, told)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A stream whose first piece has come: until then, it is tried again."""

    source: Any
    pieces: AsyncIterator[Any]
    first: Any


def _at_least(what: str, value: int, least: int) -> None:
    expect(value, int, what)
    if value < least:
        raise CallerError("model.argument", f"{what} is out of range", expected=f"{least} or more", got=str(value))


def _checked_url(url: str) -> str:
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


def _checked_key(key: str | None) -> str:
    if not key:
        return NO_KEY
    expect(key, str, "api_key")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise CallerError("model.key", "the model's key cannot be sent", expected="visible ASCII without blanks")
    return key


def _checked_extra(extra: Mapping[str, Any] | None) -> dict[str, Any]:
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
