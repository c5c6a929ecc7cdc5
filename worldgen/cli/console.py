"""What the commands share in printing: tables, JSON, progress, and how the program was called."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from worldgen.cli import INTERRUPTS


def console() -> Console:
    """For tables: as wide as the terminal, 160 characters where there is none."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=160)


def print_json(value: object) -> None:
    """One JSON document on standard output."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table; cells are shown as they are, never read as markup."""
    table = Table(title=Text(title) if title else None, title_justify="left", box=None, pad_edge=False)
    for number, heading in enumerate(headings):
        numeric = bool(rows) and all(isinstance(row[number], int | float) for row in rows)
        table.add_column(heading, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    shown = console()
    with shown.capture() as drawn:
        shown.print(table)
    # Rich pads every line to the table's width, which only a terminal has a use for.
    print("\n".join(line.rstrip() for line in drawn.get().splitlines()))


def _cell(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def program() -> str:
    """How the program was called, so that the next command can be copied."""
    called = sys.argv[0]
    name = Path(called).name
    if name == "__main__.py":
        return "python -m worldgen"
    if name == "cli.py":
        return f"python {shlex.quote(called)}"
    return shlex.quote(name if shutil.which(name) == called else called)


@contextmanager
def stages(names: Sequence[str]) -> Iterator[Callable[[str], None]]:
    """A progress bar by stage on a terminal, a plain line a stage elsewhere; both on standard error."""
    if not sys.stderr.isatty():

        def say(stage: str) -> None:
            INTERRUPTS.check()
            print(f"  {stage} …", file=sys.stderr, flush=True)

        yield say
        return
    columns = (TextColumn("{task.description:<10}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("start", total=len(names))

        def report(stage: str) -> None:
            INTERRUPTS.check()
            bar.update(task, description=stage, completed=list(names).index(stage))

        yield report
