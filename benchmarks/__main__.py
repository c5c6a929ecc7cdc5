"""Measures the design's table in one run and writes it as Markdown.

python -m benchmarks [--quick] [--only small,scoring] [--out docs/benchmarks.md]
                     [--phantom-wiki pw/bin] [--pygraft pg/bin] [--fastmcp fm/bin]
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import database, mcp_calls, pages, scoring, search, small_world, triples, worlds
from benchmarks.measuring import Row, apart, here, markdown
from benchmarks.peers import PhantomWiki, PyGraft
from worldgen.errors import WorldgenError


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How large everything is."""

    schema: str = "smartphone-market"
    haystacks: tuple[int, ...] = (300, 20_000)
    worlds: tuple[int, ...] = (500, 5_000, 50_000)
    triples: int = 100_000
    stored: int = 20_000
    written: int = 1_000
    searched: int = 100_000
    queries: int = 300
    calls: int = 5_000


_TINY = str(Path(__file__).parents[1] / "tests" / "data" / "river-ferries.yaml")
_QUICK = _Sizes(_TINY, (0,), (60, 120), 500, 100, 50, 300, 20, 40)


def main() -> None:
    """Measure what was asked for and print the table."""
    options = _options()
    sizes, run = (_QUICK, here) if options.quick else (_Sizes(), apart)
    entities = [size for size in sizes.worlds if size <= (options.largest or size)]
    phantom = PhantomWiki(options.phantom_wiki) if options.phantom_wiki else None
    graft = PyGraft(options.pygraft) if options.pygraft else None
    parts: dict[str, Callable[[], list[Row]]] = {
        "small": lambda: small_world.rows(sizes.schema, sizes.haystacks, run, proofs=not options.quick),
        "worlds": lambda: worlds.rows(entities, phantom, run),
        "triples": lambda: triples.rows(sizes.triples, graft, run),
        "database": lambda: database.rows(sizes.stored),
        "pages": lambda: pages.rows(sizes.written),
        "search": lambda: search.rows(sizes.searched, sizes.queries),
        "scoring": scoring.rows,
        "mcp": lambda: mcp_calls.rows(sizes.calls, options.fastmcp),
    }
    wanted = options.only.split(",") if options.only else list(parts)
    unknown = [name for name in wanted if name not in parts]
    if unknown:
        sys.exit(f"unknown part {unknown[0]!r}; choose from {', '.join(parts)}")
    found: list[Row] = []
    failed = False
    for name in wanted:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            found += parts[name]()
        except WorldgenError as error:
            # The other parts were measured all the same; the table says what is not in it.
            found.append(Row(name, "", f"failed: {error.message}"))
            failed = True
    text = _head() + markdown(found) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text)
    sys.exit(int(failed))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="tiny sizes: shows that everything runs, measures nothing")
    parser.add_argument("--only", default="", help="parts, joined by commas")
    parser.add_argument("--largest", type=int, default=0, help="leave out worlds of more entities")
    parser.add_argument("--out", type=Path, help="file the table is written to")
    parser.add_argument("--phantom-wiki", type=Path, help="bin folder of an environment with phantom-wiki")
    parser.add_argument("--pygraft", type=Path, help="bin folder of an environment with pygraft-gen")
    parser.add_argument("--fastmcp", type=Path, help="bin folder of an environment with fastmcp")
    return parser.parse_args()


def _head() -> str:
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        "# Benchmarks\n\n"
        "Made by `python -m benchmarks`; everything in one run on one machine. Seconds are those of the\n"
        "processor, the clock's stand beside them; a ratio is how many times faster ours is.\n\n"
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors, load average at the "
        f"end {load}.\n\n"
    )


if __name__ == "__main__":
    main()
