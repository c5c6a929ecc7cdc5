"""Runs all proofs on a world."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from worldgen.errors import WorldFormatError, WorldgenError
from worldgen.proofs import artefacts, constraints, integrity, leaks, naming, questions, solving, statements
from worldgen.proofs.files import Files
from worldgen.proofs.report import CheckReport, ProofResult
from worldgen.store import read_manifest
from worldgen.world import World

_FILE_PROOFS: tuple[Callable[[Files], ProofResult], ...] = (
    integrity.prove_digests,
    integrity.prove_references,
    integrity.prove_names,
    artefacts.prove_corpus,
    artefacts.prove_links,
    artefacts.prove_graph,
    artefacts.prove_counts,
    constraints.prove_checks,
    constraints.prove_checks_can_fail,
    constraints.prove_attributes,
    constraints.prove_relations,
    statements.prove_spans,
    statements.prove_values,
    statements.prove_subjects,
    naming.prove_labels,
    statements.prove_coverage,
    statements.prove_conflicts,
    statements.prove_dates,
    statements.prove_forms,
    questions.prove_gold,
    questions.prove_layout,
    questions.prove_hidden_keys,
    questions.prove_evidence,
    questions.prove_spreading,
    questions.prove_difference,
)


def check(world: str | os.PathLike[str]) -> CheckReport:
    """Prove a built world.

    Args:
        world: Its folder.

    Returns:
        A result for each proof; a world so damaged that a proof cannot be run fails that proof.

    Raises:
        WorldFormatError: There is no readable world at that path.
    """
    start = perf_counter()
    folder = Path(world)
    read_manifest(folder)
    files = Files(folder)
    results: list[ProofResult] = []
    try:
        for proof in _FILE_PROOFS:
            results += _run(proof.__name__, lambda proof=proof: [proof(files)])  # type: ignore[misc]
        with World.load(folder) as opened:
            results += _run("prove_cap", lambda: [leaks.prove_cap(files, opened)])
            results += _run("prove_solving", lambda: solving.prove_solving(files, opened))
    except sqlite3.DatabaseError as error:
        raise WorldFormatError(
            "world.damaged-database", f"the world's database cannot be read: {error}", path=folder, fix="build it again"
        ) from error
    finally:
        files.close()
    return CheckReport(tuple(results), perf_counter() - start)


def _run(name: str, proof: Callable[[], list[ProofResult]]) -> list[ProofResult]:
    """A proof that stumbles over damage has failed: what it stumbled over is the finding."""
    try:
        return proof()
    except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError, WorldgenError) as error:
        detail = f"cannot be run: {type(error).__name__}: {error}"
        return [ProofResult(name.removeprefix("prove_"), passed=False, checked=0, detail=detail)]
