"""`fidelity`."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from worldgen.cli import INTERRUPTS
from worldgen.cli.backend import wait_for
from worldgen.cli.console import print_json, print_table
from worldgen.errors import CallerError, ServiceError
from worldgen.eval.fidelity.benchmark import Sample, digest_of, limited, read_benchmark
from worldgen.eval.fidelity.expected import Expected, read_expected
from worldgen.eval.fidelity.report import FidelityReport, Share, report_of
from worldgen.eval.fidelity.run import Options, judge_of, run_fidelity
from worldgen.eval.fidelity.testset import make_testset
from worldgen.llm import Blocking, ModelClient, Sampling
from worldgen.scoring.evaluation_block import DIMENSIONS
from worldgen.scoring.rubric import Estimate, RubricReport
from worldgen.settings import Settings
from worldgen.world import World

REPORT = "report.json"
_OUT = Path("fidelity")
_STEPS = 20
_TEMPERATURE = 0.6
_PATIENCE = 1_800.0
_NO_KEY = "EMPTY"


@dataclass(frozen=True, slots=True)
class Asked:
    """What `worldgen fidelity` was told: a model and a judge are an address and a name each, the cache is for both."""

    world: Path | None
    bench: Path | None
    model: tuple[str, str]
    judge: tuple[str | None, str | None]
    out: Path | None
    limit: int | None
    jobs: int
    max_tokens: int
    retry_failed: bool
    cache: Path | None


@dataclass(frozen=True, slots=True)
class _TestSet:
    name: str
    samples: Sequence[Sample]
    expected: Mapping[str, Expected]
    about: dict[str, Any]


def fidelity(asked: Asked, *, as_json: bool) -> None:
    """Predict, judge, score and tell; exit 1 where nothing could be predicted."""
    _check_judge(*asked.judge)
    found = _test_set(asked)
    _check_servers(asked)
    samples = limited(found.samples, asked.limit)
    out = asked.out or _OUT / re.sub(r"[^\w.-]+", "-", f"{found.name}-{asked.model[1]}").strip("-.")
    asyncio.run(_run(asked, samples, out, found.about))
    report = report_of(samples, found.expected, out)
    # Without a judge now, what one gave in an earlier run still stands in its name.
    judge = asked.judge[1] or (judge_of(out) if report.rubric else None)
    whole = {**found.about, "model": asked.model[1], "judge": judge, **report.to_dict()}
    _write(out / REPORT, whole)
    if as_json:
        print_json({**whole, "out": str(out)})
    else:
        _print(report, f"{asked.model[1]} on {len(samples)} turns of {found.name}", judge)
        print(f"\nEvery prediction and judgement is in {out}")
    if not report.scored:
        print("worldgen: nothing was predicted; see the reasons above", file=sys.stderr)
        raise typer.Exit(1)


def _check_judge(url: str | None, name: str | None) -> None:
    """A judge needs an address and a name; no judge has neither."""
    if (url is None and name is None) or (url and name):
        return
    given, missing = ("--judge-url", "--judge-model") if url else ("--judge-model", "--judge-url")
    what = "the name of a model on that server" if url else "its server's address, as http://host:port/v1"
    raise CallerError(
        "fidelity.judge",
        "half of a judge is given: one has an address and a name",
        expected="both --judge-url and --judge-model, or neither",
        got=f"{given} {url or name}" if url or name else "an empty one",
        fix=f"add {missing}, {what}, or leave {given} out and have rules alone decide",
    )


def _test_set(asked: Asked) -> _TestSet:
    """The benchmark's samples, or those made of the world."""
    if asked.bench is not None and asked.world is None:
        samples = read_benchmark(asked.bench)
        name = asked.bench.resolve().name
        return _TestSet(name, samples, read_expected(asked.bench), {"world": None, "test_set": digest_of(samples)})
    if asked.world is None or asked.bench is not None:
        neither = asked.world is None
        raise CallerError(
            "fidelity.test-set",
            "a model is measured on the turns of one test set",
            expected="the folder of a built world, or --bench with a folder of *_test.jsonl",
            got="neither" if neither else f"{asked.world} and --bench {asked.bench}",
            fix="name a world that `worldgen build` has made" if neither else "leave one of the two out",
        )
    with World.load(asked.world) as world:
        made = make_testset(world)
        about = {"world": world.manifest.digest, "test_set": digest_of(made.samples)}
    expected = {each.key: each for each in made.expected}
    return _TestSet(asked.world.resolve().name, made.samples, expected, about)


def _opened(asked: Asked) -> tuple[ModelClient, ModelClient | None]:
    """The model and the judge."""

    def client(url: str, name: str, key: str | None) -> ModelClient:
        return ModelClient(url, name, api_key=key, cache=asked.cache, concurrency=asked.jobs, timeout=_PATIENCE)

    settings = Settings()
    model, (url, name) = client(*asked.model, settings.model_key), asked.judge
    if url is None or name is None:
        return model, None
    # The key of one server is none of another's business.
    key = settings.judge_key or (settings.model_key if url == asked.model[0] else _NO_KEY)
    try:
        return model, client(url, name, key)
    except CallerError as error:
        message = f"--judge-url: {error.message}"
        raise CallerError("fidelity.judge", message, expected=error.expected, got=error.got, fix=error.fix) from error


def _check_servers(asked: Asked) -> None:
    """See that both servers answer and know the names, before anything is asked of either."""
    for client, what in zip(_opened(asked), ("model", "judge"), strict=True):
        if client is not None:
            with Blocking(client) as asks:
                wait_for(asks, what)


async def _run(asked: Asked, samples: Sequence[Sample], out: Path, about: dict[str, Any]) -> None:
    drawn = Sampling(temperature=_TEMPERATURE, max_tokens=asked.max_tokens)
    options = Options(jobs=asked.jobs, retry_failed=asked.retry_failed, sampling=drawn, judging=drawn)
    async with AsyncExitStack() as stack:
        model, judge = _opened(asked)
        for client in filter(None, (model, judge)):
            stack.push_async_callback(client.aclose)
        await run_fidelity(samples, model, judge, out, options=options, about=about, done=_teller(len(samples)))


def _teller(total: int) -> Callable[[str], None]:
    """Tells on standard error how far a run is, some twenty times."""
    count = 0

    def tell(key: str) -> None:
        nonlocal count
        INTERRUPTS.check()
        count += 1
        if count == total or count % max(1, total // _STEPS) == 0:
            print(f"  {count:,} of {total:,} turns", file=sys.stderr, flush=True)

    return tell


def _print(report: FidelityReport, title: str, judge: str | None) -> None:
    rows = [
        [name, c.samples, c.predicted, _share(c.exact), _share(c.determined), _share(c.format), c.praise]
        for name, c in report.domains.items()
    ]
    headings = ["domain", "turns", "predicted", "exact", "exact where determined", "format", "self-praise"]
    print_table(title, headings, rows)
    if report.rubric is not None:
        _print_rubric(report.rubric, judge)
    else:
        print("\nNo judge was asked: exact match, format and rules alone decide; --judge-url adds the rubric.")
    rules = [
        [axis, name, counts["passed"], counts["failed"], counts["nothing_to_go_by"]]
        for axis, verifiers in report.verifiers.items()
        for name, counts in verifiers.items()
    ]
    if rules:
        print_table("\nRule verifiers", ["axis", "verifier", "passed", "failed", "nothing to go by"], rules)
    if report.reward is not None:
        print(f"\n{_reward(report.reward, report.rewarded, sum(c.samples for c in report.domains.values()))}")
    for what, reasons in (("predictions", report.failed_predictions), ("judgements", report.failed_judgements)):
        if reasons:
            print_table(
                f"\nFailed {what}, never scored; --retry-failed tries again", ["count", "reason"], _counted(reasons)
            )


def _reward(mean: float, rewarded: int, turns: int) -> str:
    rest = f"; the other {turns - rewarded:,} are unscored" if rewarded < turns else ""
    return f"Mean reward, from 0 to 25, of the {rewarded:,} of {turns:,} turns judged or determined: {mean:.2f}{rest}"


def _counted(reasons: Mapping[str, int]) -> list[list[object]]:
    return [[count, reason] for reason, count in reasons.items()]


def _print_rubric(rubric: RubricReport, judge: str | None) -> None:
    rows: list[list[object]] = [
        [name, *(_points(d.dimensions.get(each)) for each in DIMENSIONS), *_interval(d.total), d.judged, d.failed]
        for name, d in rubric.domains.items()
    ]
    gaps = [""] * len(DIMENSIONS)
    counts = [rubric.judged, rubric.failed]
    rows.append(["mean over turns", *gaps, *_interval(rubric.sample_mean), *counts])
    rows.append(["mean over domains", *gaps, *_interval(rubric.domain_mean), *counts])
    title = f"\nRubric, 0 to 100, judged by {judge}; scores of different judges are not comparable"
    print_table(title, ["domain", *DIMENSIONS, "mean", "95 % interval", "judged", "failed"], rows)


def _share(share: Share) -> str:
    return f"{share.count} of {share.of}" if share.of else "-"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _interval(estimate: Estimate) -> list[str]:
    if estimate.low is None or estimate.high is None:
        return [_points(estimate.mean), "-"]
    return [_points(estimate.mean), f"{estimate.low:.2f} to {estimate.high:.2f}"]


def _write(path: Path, value: dict[str, Any]) -> None:
    """The report, beside its place and then there; last of the run's files."""
    try:
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        raise ServiceError("fidelity.out", f"cannot be written: {error.strerror}", path=path) from error
