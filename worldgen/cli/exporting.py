"""`export`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from worldgen.cli.console import print_json, print_table, stages
from worldgen.store import read_manifest
from worldgen.train import Options, Source
from worldgen.train import export as export_worlds


def export(worlds: list[Path], to: str, out: Path, options: Options, *, force: bool, as_json: bool) -> None:
    """Export worlds and say what was written."""
    names = [Source(path, read_manifest(path)).name for path in worlds]
    with stages(sorted(names)) as report:
        made = export_worlds(worlds, out, to=to, options=options, force=force, report=report)
    if as_json:
        print_json({"path": str(out), "manifest": made})
        return
    _print_counts(made["counts"])
    if set(made["counts"]) == {"train"}:
        print("\nNothing was split: fewer than 3 worlds of different schema or seed are all for training.")
    print(f"{len(made['worlds'])} worlds, {len(made['files'])} files, in {out}; README.md is the card")


def _print_counts(counts: Mapping[str, Mapping[str, int]]) -> None:
    """Rows of each file and turns by domain, a line a split; then what is learned, a line a category."""
    names = sorted({name for of in counts.values() for name in of})
    files = [name for name in names if " " not in name]
    domains = [name for name in names if name.startswith("domain ")]
    categories = [name.partition(" ")[2] for name in names if name.startswith("category ")]
    print_table(
        "Rows",
        ["split", *files, *domains, "all turns"],
        [[split, *(of.get(name, 0) for name in (*files, *domains, "all turns"))] for split, of in counts.items()],
    )
    print_table(
        "\nTurns",
        ["split", "category", "turns", "learned"],
        [
            [split, name, of[f"category {name}"], of.get(f"kept {name}", 0)]
            for split, of in counts.items()
            for name in categories
            if f"category {name}" in of
        ],
    )
