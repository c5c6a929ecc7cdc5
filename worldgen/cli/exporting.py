"""`export`."""

from __future__ import annotations

from pathlib import Path

from worldgen.cli.console import print_json, print_table, stages
from worldgen.store import read_manifest
from worldgen.train import Options
from worldgen.train import export as export_worlds


def export(worlds: list[Path], to: str, out: Path, options: Options, *, force: bool, as_json: bool) -> None:
    """Export worlds and say what was written."""
    names = [f"{found.world}-{found.seed}" for found in map(read_manifest, worlds)]
    with stages(sorted(names)) as report:
        made = export_worlds(worlds, out, to=to, options=options, force=force, report=report)
    if as_json:
        print_json({"path": str(out), "manifest": made})
        return
    rows = [[split, name, count] for split, counts in made["counts"].items() for name, count in counts.items()]
    print_table("", ["split", "of", "count"], rows)
    print(f"{len(made['worlds'])} worlds, {len(made['files'])} files, in {out}; README.md is the card")
