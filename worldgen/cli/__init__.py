"""The command line: one Typer app; each command parses, calls one library function, prints.

`main` is the one boundary where errors become messages and exit codes: 0 done, 1 a check failed, 2 the caller's
mistake, 70 ours, 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback

from worldgen.errors import WorldgenError

INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit."""
    from worldgen.cli.commands import app

    for channel in (sys.stdout, sys.stderr):
        # A locale that cannot show a name must not end a build: what it lacks is shown escaped.
        reconfigure = getattr(channel, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    try:
        app()
    except WorldgenError as error:
        print(f"worldgen: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:  # Typer has answered a Ctrl-C, without a word
            print("worldgen: interrupted", file=sys.stderr)
        raise
    except KeyboardInterrupt:
        print("worldgen: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception:
        traceback.print_exc()
        print("worldgen: a defect of worldgen, not of your input; please report the lines above", file=sys.stderr)
        sys.exit(70)
