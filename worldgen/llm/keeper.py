"""Stands between worldgen and an engine it started, so that the engine ends when worldgen does, however that ended.

Run as a program of its own, with nothing but the standard library: ``keeper.py GRACE TOLD COMMAND…``. Its standard
input is a pipe that worldgen holds: once that is closed, by worldgen or by its death, the engine's whole process group
is asked to end, and killed after GRACE seconds. SIGTERM kills it at once. It exits as the engine did. The group's
number goes to the file descriptor TOLD before the engine is there, so that worldgen can end what a keeper that was
killed has left. Where both are killed at once, the kernel ends the engine's first process, and nobody its children.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from time import monotonic
from types import FrameType

_STEP = 0.1
_PR_SET_PDEATHSIG = 1
_NOT_FOUND = 127


class _Hurry:
    """Whether SIGTERM came."""

    def __init__(self) -> None:
        self.told = False
        signal.signal(signal.SIGTERM, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.told = True


def keep(grace: float, told: int, command: list[str]) -> int:
    """Run the command until it ends or standard input does; its exit code, 128 and more where a signal ended it."""
    hurry = _Hurry()
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None

    def die_with_keeper() -> None:
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.write(told, b"%d" % os.getpid())

    try:
        engine = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0, preexec_fn=die_with_keeper)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return _NOT_FOUND
    os.close(told)
    while engine.poll() is None and not hurry.told:
        if select.select([0], [], [], _STEP)[0] and not os.read(0, 1):
            break
    if engine.returncode is None:
        _send(engine.pid, signal.SIGTERM)
        until = monotonic() + grace
        while not hurry.told and monotonic() < until:
            with suppress(subprocess.TimeoutExpired):
                engine.wait(_STEP)
                break
    _send(engine.pid, signal.SIGKILL)  # and whatever of its group outlived it
    code = engine.wait()
    return code if code >= 0 else 128 - code


def _send(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(keep(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
