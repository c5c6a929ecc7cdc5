"""Facts with their constraints checked, and the memory an entity takes."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.large import market
from benchmarks.measuring import MISSING, Row, Runner, measured, peak_mb, times
from benchmarks.peers import PyGraft
from worldgen.facts.generate import generate
from worldgen.store.database import DatabaseWriter


@dataclass(frozen=True, slots=True)
class Checked:
    """Facts made and checked: counts, seconds, memory above that of a small world."""

    entities: int
    facts: int
    generated: float
    stored: float
    wall: float
    bytes_an_entity: float


def checked(entities: int) -> Checked:
    """Generate so many entities, write them to a database and run the schema's checks over it."""
    generate(market(100), 1)
    before = peak_mb()
    schema = market(entities)
    facts = measured(lambda: generate(schema, 7))
    grown = peak_mb() - before
    with tempfile.TemporaryDirectory() as folder:
        writer = DatabaseWriter(Path(folder) / "world.db", schema)

        def stored() -> None:
            writer.write_facts(facts.value)
            writer.run_checks()
            writer.close()

        database = measured(stored)
    count = sum(table.size for table in facts.value)
    return Checked(
        count, facts.value.count(), facts.cpu, database.cpu, facts.wall + database.wall, grown * 2**20 / count
    )


def rows(entities: int, peer: PyGraft | None, run: Runner) -> list[Row]:
    """Facts a second, checks included, and bytes an entity."""
    ours: Checked = run(checked, entities)
    theirs = peer.generate(entities, ours.facts) if peer is not None else None
    rate = ours.facts / (ours.generated + ours.stored)
    their_rate = theirs.value / theirs.cpu if theirs else 0.0
    return [
        Row(
            f"facts a second with constraints checked, {ours.entities:,} entities, {ours.facts:,} facts",
            f"pygraft-gen, no reasoner: {their_rate:,.0f}/s, {theirs.peak_mb:,.0f} MB" if theirs else MISSING,
            f"{rate:,.0f}/s (drawing them {ours.facts / ours.generated:,.0f}/s; wall {ours.wall:.1f} s)",
            times(rate, their_rate) if theirs else "",
            "10×",
        ),
        Row("peak memory an entity while drawing", "", f"{ours.bytes_an_entity:,.0f} bytes", "", "at most 2 KB"),
    ]
