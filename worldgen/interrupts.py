"""Ctrl-C and SIGTERM: how a command ends on them at any moment, and how work started elsewhere does not outlive it.

The library leaves signals to its caller. The command line answers them within `Interrupts`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from threading import Thread
from time import monotonic
from types import FrameType, TracebackType
from typing import Any

_AGAIN = 0.02
_PATIENCE = 2.0


class Interrupts:
    """Turns the first Ctrl-C or SIGTERM into one `KeyboardInterrupt`, which surely arrives.

    Python drops an exception that is raised within a destructor or the callback of a weak reference, and importing is
    full of them: such a one is raised again a moment later. Others end up as an error of the library that called back,
    so whoever answers for the command asks `code` before it believes an error, or a success.

    Signals that come while the first one is being answered are left out, so that clearing up is not broken off.
    """

    def __init__(self) -> None:
        self._noted: int | None = None
        self._since = 0.0
        self._handlers: dict[int, Any] = {}
        self._hook = sys.unraisablehook

    def __enter__(self) -> Interrupts:
        self._noted = None
        self._hook = sys.unraisablehook
        sys.unraisablehook = self._dropped
        self._handlers[signal.SIGALRM] = signal.signal(signal.SIGALRM, _raise)
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:  # `nohup` and its like mean it
                self._handlers[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = self._hook

    @property
    def code(self) -> int | None:
        """The exit code that the signal which came asks for; None where none came."""
        return None if self._noted is None else 128 + self._noted

    def check(self) -> None:
        """Raise `KeyboardInterrupt` where one was noted and has got lost since."""
        if self._noted is not None:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        now = monotonic()
        if self._noted is None or now - self._since > _PATIENCE:
            self._noted, self._since = number, now
            raise KeyboardInterrupt

    def _dropped(self, lost: sys.UnraisableHookArgs) -> None:
        if self._noted is not None and isinstance(lost.exc_value, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        else:
            self._hook(lost)


def _raise(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes started in this block never hear a Ctrl-C, from their first moment on: their starter ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """Make this worker of `multiprocessing` end as soon as its parent has, however that ended."""
    Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
