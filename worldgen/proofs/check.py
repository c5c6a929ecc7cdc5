"""Runs all proofs on a world."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter

from worldgen.errors import WorldFormatError, WorldgenError, expect, expect_path
from worldgen.interrupts import deaf_children
from worldgen.proofs import artefacts, constraints, guessing, integrity, leaks, naming, questions, solving, statements
from worldgen.proofs.files import Files
from worldgen.proofs.report import CheckReport, ProofResult
from worldgen.world import World

FILE_PROOFS: dict[str, Callable[[Files], ProofResult]] = {
    "integrity.digests": integrity.prove_digests,
    "integrity.references": integrity.prove_references,
    "integrity.names": integrity.prove_names,
    "integrity.corpus": artefacts.prove_corpus,
    "integrity.links": artefacts.prove_links,
    "integrity.graph": artefacts.prove_graph,
    "integrity.counts": artefacts.prove_counts,
    "constraints.checks": constraints.prove_checks,
    "constraints.checks-can-fail": constraints.prove_checks_can_fail,
    "constraints.attributes": constraints.prove_attributes,
    "constraints.relations": constraints.prove_relations,
    "statements.spans": statements.prove_spans,
    "statements.values": statements.prove_values,
    "statements.subjects": statements.prove_subjects,
    "statements.labels": naming.prove_labels,
    "statements.coverage": statements.prove_coverage,
    "statements.conflicts": statements.prove_conflicts,
    "statements.dates": statements.prove_dates,
    "statements.forms": statements.prove_forms,
    "questions.gold": questions.prove_gold,
    "questions.layout": questions.prove_layout,
    "questions.keys-hidden": questions.prove_hidden_keys,
    "questions.evidence": questions.prove_evidence,
    "questions.spreading": questions.prove_spreading,
    "questions.difference": questions.prove_difference,
}
"""Proofs that read the world's files and nothing else, by the name that their results bear."""


CAP = "search.fact-cap"
# The part of the cap's queries that the process asks which runs the other proofs; a second one asks the rest.
_OWN_PART = 6


def check(world: str | os.PathLike[str], *, processes: int = 2) -> CheckReport:
    """Prove a built world.

    Args:
        world: Its folder.
        processes: With 2 or more, most of the thousand queries of the fact cap are asked in a process of their own.

    Returns:
        A result for each proof; a world so damaged that a proof cannot be run fails that proof.

    Raises:
        CallerError: Not a path.
        WorldFormatError: There is no readable world at that path.
    """
    start = perf_counter()
    expect_path(world, "world")
    expect(processes, int, "processes")
    folder = Path(world)
    with World.load(folder) as opened, closing(Files(folder)) as files:
        try:
            results = _prove_all(opened, files, apart=processes > 1)
        except sqlite3.DatabaseError as error:
            raise WorldFormatError(
                "world.damaged-database",
                f"the world's database cannot be read: {error}",
                path=folder,
                fix="build it again",
            ) from error
    return CheckReport(tuple(results), perf_counter() - start)


def _prove_all(world: World, files: Files, *, apart: bool) -> list[ProofResult]:
    world.engine.search("")  # a lost or stale index is rebuilt once, before two processes look for it
    child = _cap_apart(files.world) if apart else None
    try:
        results = [prove(name, files) for name in FILE_PROOFS]
        results += _run("search.guessed-urls", lambda: [guessing.prove_guessed(files, world)])
        solved = _run("agents.oracle", lambda: solving.prove_solving(files, world))
        results += _run(CAP, lambda: [_prove_cap(files, world, child)])
        return results + solved
    finally:
        if child is not None:
            child.kill()
            child.wait()
            if child.stdout is not None:
                child.stdout.close()


def _cap_apart(folder: Path) -> subprocess.Popen[str]:
    """Start an interpreter that asks its part of the fact cap's queries and prints what they showed."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    program = f"from {__name__} import ask_apart; ask_apart()"
    command = [sys.executable, "-c", program, str(folder.resolve())]
    with deaf_children():
        return subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )


def _prove_cap(files: Files, world: World, child: subprocess.Popen[str] | None) -> ProofResult:
    if child is None:
        return leaks.prove_cap(files, world)
    queries = leaks.fishing(files)
    theirs = _theirs(queries)
    own = leaks.ask(files, world, queries[theirs:])
    printed, _ = child.communicate()
    # What a child stumbled over shows itself here, where it becomes a finding.
    shown = leaks.ask(files, world, queries[:theirs]) if child.returncode else leaks.Shown(*json.loads(printed))
    return leaks.judged([shown, own])


def _theirs(queries: list[str]) -> int:
    """How many of the queries the second process asks, from the first on."""
    return len(queries) - len(queries) // _OWN_PART


def ask_apart() -> None:
    """Be that process: the world is the last argument, what its queries showed goes to standard output as JSON."""
    folder = Path(sys.argv[-1])
    with World.load(folder) as opened, closing(Files(folder)) as files:
        queries = leaks.fishing(files)
        shown = leaks.ask(files, opened, queries[: _theirs(queries)])
    json.dump(shown, sys.stdout)


def prove(name: str, files: Files) -> ProofResult:
    """Run one of `FILE_PROOFS`."""
    return _run(name, lambda: [FILE_PROOFS[name](files)])[0]


def _run(name: str, proof: Callable[[], list[ProofResult]]) -> list[ProofResult]:
    """A proof that stumbles over damage has failed: what it stumbled over is the finding."""
    try:
        return proof()
    except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError, WorldgenError) as error:
        detail = f"cannot be run: {type(error).__name__}: {error}"
        return [ProofResult(name, passed=False, checked=0, detail=detail)]
