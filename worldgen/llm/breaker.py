"""A circuit breaker: a model that has failed several times in a row is taken for down, and not waited for.

While it is, calls end at once. After a pause one call tries; where that fails as well, the pause doubles, and where it
does not, all is as before. A call counts once, with all its retries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

from worldgen.errors import CallerError
from worldgen.llm.arguments import at_least, positive
from worldgen.llm.model import ModelError

# What says that a server is down, or has too much to do; whoever refuses a request is well.
_FAILURES = frozenset(("model.unreachable", "model.timeout", "model.overloaded"))
DOWN = "model.down"


class Breaker:
    """Whether a model is asked at all; safe to use from several threads and event loops.

    Args:
        failures: Calls that fail in a row until the model is taken for down; 0 for never.
        pause: Seconds for which it is then not asked; doubled for each try that fails.
        longest: Seconds of a pause at most.
        clock: Tells the time in seconds.

    Attributes:
        trips: How often the model was taken for down.

    >>> breaker = Breaker(1, 60.0)
    >>> with breaker.call() as trial:
    ...     raise ModelError("model.timeout", "it hangs")
    Traceback (most recent call last):
    ...
    worldgen.llm.model.ModelError: it hangs [model.timeout]
    >>> breaker.down, breaker.trips
    (True, 1)
    """

    def __init__(
        self,
        failures: int = 3,
        pause: float = 2.0,
        longest: float = 60.0,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        at_least("failures", failures, 0)
        self._failures = failures
        self._first = positive("pause", pause)
        self._longest = positive("longest", longest)
        if longest < pause:
            raise CallerError(
                "model.argument", "longest is out of range", expected=f"{pause:g} or more", got=f"{longest:g}"
            )
        self._clock = clock
        self._lock = Lock()
        self._in_a_row = 0
        self._pause = self._first
        self._until: float | None = None
        self._trying = False
        self.trips = 0

    @property
    def down(self) -> bool:
        """Whether the model is taken for down."""
        return self._until is not None

    @contextmanager
    def call(self) -> Iterator[bool]:
        """Let a call through, and learn from how it ends; yields whether it is the one that tries a model that is down.

        Raises:
            ModelError: ``model.down``: it is not the time to ask.
        """
        trial = self._enter()
        failed: bool | None = None  # what ends in another way, such as a cancellation, says nothing of the server
        try:
            yield trial
            failed = False
        except ModelError as error:
            failed = None if error.code == DOWN else error.code in _FAILURES
            raise
        finally:
            self._leave(failed=failed, trial=trial)

    def check(self, *, trial: bool) -> None:
        """End a call that was let through before the model was taken for down.

        Raises:
            ModelError: ``model.down``.
        """
        until = self._until
        if until is not None and not trial:
            raise self._refusal(until)

    def _enter(self) -> bool:
        with self._lock:
            if self._until is None:
                return False
            if self._trying or self._clock() < self._until:
                raise self._refusal(self._until)
            self._trying = True
            return True

    def _leave(self, *, failed: bool | None, trial: bool) -> None:
        with self._lock:
            if trial:
                self._trying = False
            if failed is None:
                return
            if not failed:
                self._in_a_row, self._pause, self._until = 0, self._first, None
                return
            self._in_a_row += 1
            if trial:
                self._pause = min(2 * self._pause, self._longest)
                self._until = self._clock() + self._pause
            elif self._until is None and 0 < self._failures <= self._in_a_row:
                self.trips += 1
                self._until = self._clock() + self._pause

    def _refusal(self, until: float) -> ModelError:
        left = max(0.0, until - self._clock())
        return ModelError(
            DOWN,
            f"the model failed {self._in_a_row} times in a row, and is taken for down",
            fix=f"it is tried again in {left:.0f} s" if left else "it is being tried again",
        )
