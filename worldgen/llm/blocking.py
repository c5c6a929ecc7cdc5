"""A model asked from synchronous code: one event loop in a thread of its own, shared by all callers."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, TypeVar

from worldgen.errors import CallerError
from worldgen.llm.model import Model, Reply, Request

if TYPE_CHECKING:
    from worldgen.llm.usage import Usage

T = TypeVar("T")


class Blocking:
    """A model for synchronous callers: `complete` may be called from any thread, and waits.

    The loop starts with the first call; a process that was forked makes its own. `close` ends it and closes the model.

    >>> from worldgen.llm import Message, Request, ScriptedModel
    >>> with Blocking(ScriptedModel(["Eight."])) as model:
    ...     model.complete(Request((Message("user", "How many?"),))).text
    'Eight.'
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._closed = False
        # By process: what a parent held when it forked is of no use to its child.
        self._locks: dict[int, threading.Lock] = {}
        self._loops: dict[int, tuple[asyncio.AbstractEventLoop, threading.Thread]] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def usage(self) -> Usage | None:
        """What the model has cost so far; None where it does not count."""
        counted: Usage | None = getattr(self.model, "usage", None)
        return counted

    def complete(self, request: Request) -> Reply:
        """Answer a request.

        Raises:
            ModelError: The model did not, after all retries.
            CallerError: This was closed, or is called from inside its own loop.
        """
        return self._wait(self.model.complete(request))

    def models(self) -> list[str]:
        """The models that the server lists; none where the model has no server.

        Raises:
            ModelError: The server does not answer.
        """
        ask: Callable[[], Coroutine[Any, Any, list[str]]] | None = getattr(self.model, "models", None)
        return [] if ask is None else self._wait(ask())

    def close(self) -> None:
        """Cancel what is asked, close the model and end the loop; twice is once."""
        with self._lock():
            self._closed = True
            held = self._loops.pop(os.getpid(), None)
        if held is None:
            return
        loop, thread = held
        asyncio.run_coroutine_threadsafe(self._end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def __enter__(self) -> Blocking:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            with self._lock():
                future = asyncio.run_coroutine_threadsafe(work, self._loop())
        except BaseException:
            work.close()
            raise
        try:
            return future.result()
        except CancelledError:
            raise _closed() from None
        except BaseException:
            future.cancel()
            raise

    def _lock(self) -> threading.Lock:
        return self._locks.setdefault(os.getpid(), threading.Lock())

    def _loop(self) -> asyncio.AbstractEventLoop:
        if self._closed:
            raise _closed()
        held = self._loops.get(os.getpid())
        if held is None:
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="worldgen-model", daemon=True)
            thread.start()
            held = self._loops[os.getpid()] = (loop, thread)
        if held[1] is threading.current_thread():
            raise CallerError(
                "model.inside-loop", "a blocking call from inside the model's own loop", fix="await the model"
            )
        return held[0]

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        close = getattr(self.model, "aclose", None)
        if close is not None:
            await close()
        await asyncio.get_running_loop().shutdown_asyncgens()


def _closed() -> CallerError:
    return CallerError("model.closed", "this model was closed")
