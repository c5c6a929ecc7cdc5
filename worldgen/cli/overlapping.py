"""`overlap`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import typer

from worldgen.audit.overlap import Overlap, between, runs
from worldgen.cli.console import print_json, print_table, stages
from worldgen.errors import CallerError
from worldgen.world import World


def overlap(paths: Sequence[Path], ceiling: float | None, *, as_json: bool) -> None:
    """Compare each world with each other; exit 1 where a pair shares the ceiling or more."""
    if len(paths) < 2:
        raise CallerError("overlap.worlds", "worlds are compared", expected="two or more", got=str(len(paths)))
    read = []
    with stages([str(path) for path in paths]) as report:
        for path in paths:
            report(str(path))
            with World.load(path) as world:
                name = f"{world.manifest.world}-{world.manifest.seed}"
                read.append((name, world.manifest.world, runs(world.pages.values(), world.names())))
    found = [
        (one[0], other[0], one[1] == other[1], shared)
        for one, other in combinations(read, 2)
        for shared in between(one[2], other[2])
    ]
    if not found:
        raise CallerError(
            "overlap.language", "no two of these worlds are written in one language", got=", ".join(map(str, paths)),
            fix="build them with the same --language",
        )  # fmt: skip
    if as_json:
        print_json([_told(*each) for each in found])
    else:
        headings = ["world", "world", "schema", "language", "judged", "there", "back", "different there", "back"]
        print_table("", headings, [_row(*each) for each in found])
    if ceiling is not None and any(shared.judged >= ceiling for *_, shared in found):
        raise typer.Exit(1)


def _told(first: str, second: str, same: bool, shared: Overlap) -> dict[str, object]:
    return {"first": first, "second": second, "same_schema": same, "judged": shared.judged, **asdict(shared)}


def _row(first: str, second: str, same: bool, shared: Overlap) -> list[object]:
    there, back = shared.there, shared.back
    shares = [shared.judged, there.occurrences, back.occurrences, there.distinct, back.distinct]
    return [first, second, "same" if same else "other", shared.language, *(f"{share:.1%}" for share in shares)]
