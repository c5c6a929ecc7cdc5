"""The command line: one Typer app; each command parses, calls one library function, prints.

`run` is the one boundary where errors become messages and exit codes: 0 done, 1 a check failed, 2 the caller's
mistake, 70 ours, 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

from worldgen.interrupts import Interrupts

INTERRUPTS = Interrupts()
_ENDINGS = {130: "interrupted", 143: "terminated"}


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run())


def run() -> int:
    """Run the command line; the exit code."""
    with INTERRUPTS:
        try:
            code = _outcome()
        except KeyboardInterrupt:
            code = INTERRUPTS.code or 130
        # What a library made of an exception raised in its callbacks may be an error, or nothing at all.
        code = INTERRUPTS.code or code
        if code in _ENDINGS:
            gc.collect()  # a guard that the exception went past as it was entered cleans up when it goes
            print(f"worldgen: {_ENDINGS[code]}", file=sys.stderr)
        return code


def _outcome() -> int:
    from worldgen.errors import WorldgenError

    for channel in (sys.stdout, sys.stderr):
        # A locale that cannot show a name must not end a build: what it lacks is shown escaped.
        reconfigure = getattr(channel, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    try:
        from worldgen.cli.commands import app

        try:
            app()
        except SystemExit as ended:
            sys.stdout.flush()
            return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except Exception as error:
        INTERRUPTS.check()
        if isinstance(error, WorldgenError):
            print(f"worldgen: {error}", file=sys.stderr)
            return error.exit_code
        if isinstance(error, ModuleNotFoundError) and not (error.name or "worldgen").startswith("worldgen"):
            print(
                f"worldgen: the package {error.name!r} is not installed; install what worldgen needs:"
                " `pip install -e .` in its folder, or `pip install worldgen`",
                file=sys.stderr,
            )
            return 2
        if isinstance(error, OSError):
            return _unwritten(error)
        return _defect()
    return 0


def _unwritten(error: OSError) -> int:
    """What the system refused outside the library's own files, most often a standard output that takes no more."""
    # Python writes what is left to standard output as it ends, and would complain once more.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 1
    about = error.filename or "standard output"
    print(f"worldgen: {about}: {error.strerror or error} [cli.refused]", file=sys.stderr)
    return 2


def _defect() -> int:
    import traceback

    traceback.print_exc()
    print("worldgen: a defect of worldgen, not of your input; please report the lines above", file=sys.stderr)
    return 70
