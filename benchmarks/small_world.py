"""A world of the paper's size, built and proven the way a user builds one: seconds and peak memory in all."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass

from benchmarks.measuring import Row, Runner, measured
from worldgen.errors import GenerationError
from worldgen.pipeline import BuildResult, build_world


@dataclass(frozen=True, slots=True)
class Small:
    """What one build took, and came to."""

    cpu: float
    wall: float
    peak_mb: float
    stages: dict[str, float]
    counts: dict[str, int]
    failed: str


def built(schema: str, haystack: int, wanted: bool) -> Small:  # noqa: FBT001
    """Build it, with proofs where wanted; where one fails, without them, and say so."""
    failed = "" if wanted else "not asked for"

    def build(folder: str, *, proofs: bool) -> BuildResult:
        return build_world(schema, seed=7, out=folder, haystack=haystack, proofs=proofs)

    with tempfile.TemporaryDirectory() as folder:
        try:
            cost = measured(lambda: build(folder, proofs=wanted))
        except GenerationError as error:
            failed = error.message
            cost = measured(lambda: build(folder, proofs=False))
    result = cost.value
    return Small(cost.cpu, cost.wall, cost.peak_mb, result.stages, dict(result.manifest.counts), failed)


def rows(schema: str, haystacks: tuple[int, ...], run: Runner, *, proofs: bool = True) -> list[Row]:
    """A row a size of haystack."""
    out = []
    for haystack in haystacks:
        small: Small = run(built, schema, haystack, proofs)
        stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in small.stages.items())
        counts = small.counts
        proven = f"; WITHOUT proofs: {small.failed}" if small.failed else "; proofs included"
        out.append(
            Row(
                f"{schema}: {counts['rows']:,} rows, {counts['pages']:,} pages, haystack of {haystack:,}, "
                f"{counts['tasks']} tasks",
                "",
                f"{small.cpu:.1f} s (wall {small.wall:.1f} s: {stages}), peak {small.peak_mb:,.0f} MB{proven}",
                "",
                "under 20 s" if haystack >= 20_000 else "under 10 s, under 300 MB",
            )
        )
    return out
