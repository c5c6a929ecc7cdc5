"""`build` and `check`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from time import perf_counter

import typer

from worldgen.adoption import Counts as LedgerCounts
from worldgen.adoption import adopt
from worldgen.cli.console import print_json, print_table, program, stages
from worldgen.errors import WorldgenError
from worldgen.family import build_family
from worldgen.pipeline import PROSE, STAGES, BuildOptions, BuildResult, build_world
from worldgen.proofs import CheckReport
from worldgen.proofs import check as run_proofs
from worldgen.proofs.perturbed import check_perturbed
from worldgen.prose import Counts
from worldgen.store import Manifest
from worldgen.tools import read_plan
from worldgen.variation import sample
from worldgen.world import World

_LONGEST = 400


def one(schema: str, options: BuildOptions, variant: int, *, as_json: bool) -> None:
    """Build one world and say what came out."""
    at = STAGES.index("corpus") + 1
    names = STAGES if options.get("prose") is None else (*STAGES[:at], PROSE, *STAGES[at:])
    with stages(names) as report:
        source = sample(schema, variant).schema if variant else schema
        result = build_world(source, report=report, **options)
    if as_json:
        print_json(_record(result))
    else:
        _summary(result)


@dataclass(frozen=True, slots=True)
class Adopting:
    """What `worldgen adopt` was told beside the options of a build."""

    ledger: Path
    schema: str
    episode: int | None
    counts: LedgerCounts
    leave_computed: bool


def adopted(told: Adopting, options: BuildOptions, *, as_json: bool) -> None:
    """Make a world from a ledger and say what was taken from it."""
    with stages(STAGES) as report:
        found = adopt(
            told.ledger,
            told.schema,
            episode=told.episode,
            counts=told.counts,
            leave_computed=told.leave_computed,
            report=report,
            **options,
        )
    taken = {"adopted": found.adopted, "drawn": found.drawn, "left_out": found.left_out}
    if as_json:
        print_json({**_record(found.result), **taken})
        return
    _summary(found.result)
    left = f"; {found.left_out:,} left to the schema, which computes them" if found.left_out else ""
    print(f"Of its facts {found.adopted:,} are the ledger's and {found.drawn:,} drawn{left}.")


@dataclass(frozen=True, slots=True)
class Many:
    """What `worldgen build` was told about a family."""

    count: int
    jobs: int
    vary: bool
    prove_every: int
    engine: str


def family(schema: str | None, options: BuildOptions, many: Many, *, as_json: bool) -> None:
    """Build a family; one line a world, a total, exit 1 where one failed."""
    start = perf_counter()
    results: list[BuildResult] = []
    failures: list[WorldgenError] = []
    for result in build_family(schema, **asdict(many), **options):
        if isinstance(result, WorldgenError):
            failures.append(result)
            typer.echo(f"failed: {result}"[:_LONGEST], err=True)
            continue
        results.append(result)
        if not as_json:
            print(_line(result))
    seconds = perf_counter() - start
    total = {key: sum(r.manifest.counts[key] for r in results) for key in ("entities", "facts", "pages", "tasks")}
    if as_json:
        print_json({"worlds": [_record(r) for r in results], "failed": [str(f) for f in failures], "total": total})
    else:
        counts = ", ".join(f"{value:,} {key}" for key, value in total.items())
        stood = sum(r.existed for r in results)
        print(
            f"{len(results)} worlds ({stood} stood already, {len(failures)} failed): {counts}; {seconds:.1f} s",
        )
    if failures:
        raise typer.Exit(1)


def prove(world: Path, *, as_json: bool) -> None:
    """Run the proofs; exit 1 where one fails."""
    _report(run_proofs(world), as_json=as_json)


def prove_perturbed(world: Path, plans: list[str], *, as_json: bool) -> None:
    """Prove that plans of faults preserve the oracle; exit 1 where one does not."""
    read = [read_plan(plan) for plan in plans]
    with World.load(world) as opened:
        reports = [check_perturbed(opened, plan) for plan in read]
    results = tuple(found for report in reports for found in report.results)
    _report(CheckReport(results, sum(report.seconds for report in reports)), as_json=as_json)


def _report(report: CheckReport, *, as_json: bool) -> None:
    if as_json:
        print_json(report.to_json())
    else:
        _proof_table(report)
    if not report.passed:
        raise typer.Exit(1)


def _proof_table(report: CheckReport) -> None:
    rows = [["pass" if r.passed else "FAIL", r.name, r.checked, r.detail] for r in report.results]
    print_table("", ["", "proof", "checked", "found"], rows)
    failed = sum(not r.passed for r in report.results)
    verdict = "all proofs pass" if report.passed else f"{failed} of {len(report.results)} proofs FAIL"
    print(f"{verdict}; {report.seconds:.1f} s")


def _line(result: BuildResult) -> str:
    c = result.manifest.counts
    state = "stands already" if result.existed else f"{result.seconds:.1f} s"
    if result.checked is None and not result.existed:
        state += "; unproven"
    if result.prose is not None:
        state += f"; {result.prose.rewritten:,} of {result.prose.sentences:,} sentences rewritten"
    return (
        f"{result.path}  seed {result.manifest.seed}: {c['entities']:,} entities, {c['facts']:,} facts, "
        f"{c['pages']:,} pages, {c['tasks']:,} tasks; {state}; digest {result.manifest.digest[:12]}"
    )


def _summary(result: BuildResult) -> None:
    m, c = result.manifest, result.manifest.counts
    if result.existed:
        print(f"Already built: {result.path} (digest {m.digest[:12]}); --force builds it again.")
        return
    print(f"{m.title}: seed {m.seed}, {', '.join(m.languages)}, digest {m.digest[:12]}")
    print(
        f"  {c['entities']:,} entities, {c['facts']:,} facts in {c['rows']:,} rows of {c['tables']} tables; "
        f"{c['pages']:,} pages (+ {c['haystack']:,} of sibling worlds{_each(m)}); {c['tasks']} questions",
    )
    if result.prose is not None and m.prose is not None:
        print(f"  {_rewritten(result.prose, str(m.prose['model']))}")
    called, place = program(), quote(str(result.path))
    if result.checked is None:
        print(f"  UNPROVEN, as asked: `{called} check {place}` proves it")
    else:
        print(f"  {len(result.checked.results)} proofs passed")
    print(f"  {result.seconds:.1f} s, in {result.path}")
    print("Next:")
    print(f"  {called} show {place}")
    print(f"  {called} search {place} {quote(_worth_a_search(result.path))}")
    print(f"  {called} check {place}")


def _rewritten(counts: Counts, model: str) -> str:
    reasons = ", ".join(f"{reason} {many:,}" for reason, many in counts.most())
    parts = [
        f"{counts.rewritten:,} of {counts.sentences:,} sentences in the words of {model}",
        f"{counts.unchanged:,} as before",
        f"{counts.refused.total():,} refused{f' ({reasons})' if reasons else ''}",
    ]
    return f"{', '.join(parts)}; {counts.replies:,} replies, {counts.stored:,} of them from the cache"


def _worth_a_search(path: Path) -> str:
    """The name of what has most facts, in the world's first language; the world's title would find lists."""
    with World.load(path) as world:
        name = "name_zh" if world.manifest.languages[0] == "zh" else "name"
        found = world.sql(
            f"SELECT e.{name} FROM wg_fact f JOIN wg_entity e ON e.id = f.subject WHERE e.named = 1"
            " GROUP BY e.id ORDER BY count(*) DESC, e.type, e.ordinal LIMIT 1"
        )
        return str(found[0][0]) if found else world.manifest.title


def _each(manifest: Manifest) -> str:
    several = len(manifest.languages) > 1
    return f", {manifest.haystack:,} in each language" if several else ""


def _record(result: BuildResult) -> dict[str, object]:
    return {
        "path": str(result.path),
        "existed": result.existed,
        "seconds": round(result.seconds, 3),
        "stages": result.stages,
        "manifest": result.manifest.model_dump(exclude={"tables", "artefacts"}),
        "proofs": None if result.checked is None else result.checked.to_json(),
        **({} if result.prose is None else {"prose": result.prose.to_json()}),
    }
