"""Runs what `worldgen.llm.engines` planned: starts it, waits until it serves, and ends it.

Each process stands behind a keeper (``keeper.py``), so that none outlives this one, whatever it dies of; and where a
keeper dies, this one ends what it kept.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

from worldgen.address import listen
from worldgen.errors import CallerError, ServiceError
from worldgen.llm.engines import Command, Plan

Say = Callable[[str], None]

_GRACE = 10.0
_KEEPER = Path(__file__).with_name("keeper.py")
_STEP = 0.25
_ANSWER = 20.0
_LINES = 20
_NUMBER = 32
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
_FINDS = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"


class EngineError(ServiceError):
    """A server ended by itself, ``model.engine-ended``, or did not serve in time, ``model.not-ready``."""

    exit_code = 1


class Process:
    """A command that runs behind its keeper.

    Attributes:
        command: What it is.
    """

    def __init__(self, command: Command, key: str | None, say: Say, *, grace: float = _GRACE) -> None:
        self.command = command
        words, variables = command.filled(key)
        self._last: deque[str] = deque(maxlen=_LINES)
        self._grace = grace
        self._group, told = os.pipe()
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", str(_KEEPER), str(grace), str(told), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **variables},
            start_new_session=True,
            pass_fds=(told,),
        )
        os.close(told)
        self._reader = Thread(target=self._read, args=(say,), daemon=True)
        self._reader.start()

    @property
    def code(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._keeper.poll()

    def last_lines(self) -> list[str]:
        """What it said last."""
        if self.code is not None:
            self._reader.join(_STEP)
        return list(self._last)

    def release(self) -> None:
        """Ask it to end."""
        with suppress(OSError):
            self._pipes()[0].close()

    def end(self, *, at_once: bool = False) -> None:
        """Wait until it has ended; what does not end in time is killed."""
        self.release()
        if at_once:
            self._keeper.terminate()
        try:
            self._keeper.wait(self._grace + _GRACE)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
        self._end_group()
        self._reader.join(_STEP)
        self._pipes()[1].close()

    def _end_group(self) -> None:
        """Kill what a keeper that was killed has left; one that ended has done so itself."""
        if self._group < 0:
            return
        told = os.read(self._group, _NUMBER)
        os.close(self._group)
        self._group = -1
        if self._keeper.returncode < 0 and told:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(int(told), signal.SIGKILL)

    def _pipes(self) -> tuple[Any, Any]:
        return self._keeper.stdin, self._keeper.stdout

    def _read(self, say: Say) -> None:
        with suppress(ValueError, OSError):
            for line in self._pipes()[1]:
                text = line.decode("utf-8", "replace").rstrip()
                self._last.append(text)
                say(text)


def check(plan: Plan) -> None:
    """Raise where the plan could not start: no interpreter, no engine in it, a port that is taken.

    Raises:
        CallerError: ``model.no-python``, ``model.no-engine`` or ``model.address``.
    """
    python = plan.servers[0].words[0]
    if shutil.which(python) is None:
        raise CallerError("model.no-python", "there is no such interpreter", got=python, fix="see --python")
    for engine in {command.engine.package: command.engine for command in plan.commands}.values():
        found = subprocess.run([python, "-c", _FINDS, engine.package], stdin=subprocess.DEVNULL, capture_output=True)
        if found.returncode != 0:
            raise CallerError(
                "model.no-engine",
                f"{python} has no package {engine.package!r}",
                fix=f"{python} -m pip install '{engine.install}', or name the interpreter that has it by --python",
            )
    for command in plan.commands:
        listen(command.host, command.port, code="model.address").close()


@contextmanager
def running(plan: Plan, say: Say, *, timeout: float) -> Iterator[Sequence[Process]]:
    """The plan's processes, once they serve; they end with the block.

    Args:
        plan: From `worldgen.llm.engines.plan`.
        say: Takes the lines that they print, from other threads.
        timeout: Seconds they may need until they serve.

    Raises:
        EngineError: One ended before, or they did not serve in time.
        CallerError: See `check`.
    """
    check(plan)
    started: list[Process] = []
    until = monotonic() + timeout
    try:
        for server in plan.servers:
            started.append(Process(server, plan.key, say))
        for process in tuple(started):
            _await(process, started, plan, until)
        if plan.router is not None:
            started.append(Process(plan.router, plan.key, say))
            _await(started[-1], started, plan, until)
        yield started
    finally:
        _end(started)


def follow(processes: Sequence[Process]) -> None:
    """Wait until one ends, which is an error.

    Raises:
        EngineError: When it has.
    """
    while True:
        _still_run(processes)
        sleep(_STEP)


def _end(processes: Sequence[Process]) -> None:
    for process in reversed(processes):
        process.release()
    try:
        for process in processes:
            process.end()
    except KeyboardInterrupt:
        for process in processes:
            process.end(at_once=True)
        raise


def _await(process: Process, started: Sequence[Process], plan: Plan, until: float) -> None:
    while not _serves(process.command, plan, until):
        _still_run(started)
        if monotonic() > until:
            raise EngineError(
                "model.not-ready",
                _with_last_lines(f"{process.command.engine.package} does not serve the model yet", process),
                fix="--ready-timeout gives it more time",
            )
        sleep(_STEP)


def _still_run(processes: Sequence[Process]) -> None:
    for process in processes:
        code = process.code
        if code is not None:
            raise EngineError(
                "model.engine-ended",
                _with_last_lines(f"{process.command.engine.package} ended with exit code {code}", process),
            )


def _with_last_lines(message: str, process: Process) -> str:
    lines = process.last_lines()
    return "\n  ".join([f"{message}; its last lines:", *lines, ""]) if lines else f"{message} and said nothing"


def _serves(command: Command, plan: Plan, until: float) -> bool:
    """Whether it answers, all its workers with it, and knows the model by its name."""
    status, told = _get(command, command.engine.ready, plan.key, until)
    if status != http.HTTPStatus.OK:
        return False
    if command is plan.router:
        workers = told.get("workers") if isinstance(told, dict) else None
        healthy = [one for one in workers or () if isinstance(one, dict) and one.get("is_healthy")]
        if len(healthy) < len(plan.servers):
            return False
    status, told = _get(command, "/v1/models", plan.key, until)
    models = told.get("data") if status == http.HTTPStatus.OK and isinstance(told, dict) else None
    return any(isinstance(one, dict) and one.get("id") == plan.name for one in models or ())


def _get(command: Command, path: str, key: str | None, until: float) -> tuple[int, Any]:
    # Not by urllib, which would ask a proxy for the machine's own addresses.
    patience = max(_STEP, min(_ANSWER, until - monotonic()))
    connection = http.client.HTTPConnection(_EVERYWHERE.get(command.host, command.host), command.port, timeout=patience)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        answer = connection.getresponse()
        body = answer.read()
        return answer.status, json.loads(body) if body.strip()[:1] == b"{" else None
    except (OSError, http.client.HTTPException, ValueError):
        return 0, None
    finally:
        connection.close()
