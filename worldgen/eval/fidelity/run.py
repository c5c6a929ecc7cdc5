"""Predict, then judge: a world model over a test set, resumable at any moment.

A call that failed and a judgement that could not be read are recorded with their reason and never scored. A rerun into
the same folder does what is missing; what failed is tried again on demand.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from worldgen.errors import CallerError, ServiceError
from worldgen.eval.fidelity.benchmark import Sample
from worldgen.eval.fidelity.journal import Journal
from worldgen.eval.fidelity.judging import judge_digest, judge_messages
from worldgen.llm import Message, Model, ModelError, Request, Sampling
from worldgen.scoring.rubric import read_judgement
from worldgen.search.world_model.turns import MalformedReply, read_observation
from worldgen.version import __version__

MANIFEST, PREDICTIONS, JUDGEMENTS = "run.json", "predictions.jsonl", "judgements.jsonl"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Options:
    """How a run goes.

    Attributes:
        jobs: Samples under way at once.
        attempts: How often a judge is asked while its verdict cannot be read.
        retry_failed: Whether to try again what failed in a run before.
        sampling: How predictions are drawn.
        judging: How judgements are drawn; each further attempt takes the next seed.
    """

    jobs: int = 8
    attempts: int = 3
    retry_failed: bool = False
    sampling: Sampling = field(default_factory=lambda: Sampling(temperature=0.6, max_tokens=32_768))
    judging: Sampling = field(default_factory=lambda: Sampling(temperature=0.6, max_tokens=32_768))

    def __post_init__(self) -> None:
        for name in ("jobs", "attempts"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise CallerError(
                    "fidelity.options", f"{name} is wrong", expected="a whole number from 1", got=repr(value)
                )


async def run_fidelity(
    samples: Sequence[Sample],
    model: Model,
    judge: Model | None,
    out: Path,
    *,
    options: Options | None = None,
    about: dict[str, Any] | None = None,
    done: Callable[[str], None] = lambda key: None,
) -> None:
    """Predict and judge what is not done yet.

    Args:
        samples: What to predict.
        model: The world model.
        judge: Who judges; None leaves predictions unjudged, until a later run into the same folder.
        out: Folder of the run.
        options: How it goes.
        about: Told in the manifest; ``world`` and ``test_set``, digests, are those of a later run too.
        done: Told the key of each sample that is done.

    Raises:
        CallerError: The folder holds a run of other samples, another model, judge or sampling.
        ServiceError: The folder cannot be written.
    """
    chosen = options or Options()
    _claim(out, _manifest(samples, model, judge, chosen, about or {}))
    run = _Run(model, judge, *journals(out), chosen)
    waiting = iter(samples)

    async def work() -> None:
        for sample in waiting:
            await run.one(sample)
            done(sample.key)

    async with asyncio.TaskGroup() as group:
        for _ in range(chosen.jobs):
            group.create_task(work())


@dataclass(frozen=True, slots=True)
class _Run:
    model: Model
    judge: Model | None
    predictions: Journal
    judgements: Journal
    options: Options

    async def one(self, sample: Sample) -> None:
        before = self.predictions.get(sample.key)
        if before is None or (self.options.retry_failed and before["problem"]):
            self.predictions.add(await self._predict(sample))
        prediction = self.predictions.get(sample.key)
        if self.judge is None or prediction is None or prediction["problem"]:
            return
        judged = self.judgements.get(sample.key)
        stale = judged is not None and judged["prediction"] != prediction["number"]
        if judged is None or stale or (self.options.retry_failed and judged["problem"]):
            self.judgements.add(await self._judge(self.judge, sample, prediction))

    async def _predict(self, sample: Sample) -> dict[str, Any]:
        """A record of the prediction: the observation alone, never the thinking."""
        before = self.predictions.get(sample.key)
        number = 1 if before is None else before["number"] + 1
        record = {"key": sample.key, "number": number, "text": None}
        try:
            sampling = _next(self.options.sampling, number - 1)
            reply = await self.model.complete(Request(prompt_messages(sample), sampling))
        except ModelError as error:
            return {**record, "problem": f"{error.code}: {error.message}"}
        told = {"finish": reply.finish, "model": reply.model, "tokens": reply.tokens._asdict()}
        try:
            return {**record, **told, "text": read_observation(reply.text), "problem": ""}
        except MalformedReply as error:
            cut = "; the reply was cut off" if reply.finish == "length" else ""
            return {**record, **told, "problem": f"{error.code}: no observation{cut}"}

    async def _judge(self, judge: Model, sample: Sample, prediction: Mapping[str, Any]) -> dict[str, Any]:
        """A record of the judgement; ``asked`` counts the replies that were asked for, in this run and before."""
        messages = judge_messages(sample, prediction["text"])
        before = self.judgements.get(sample.key)
        asked = 0 if before is None else before["asked"]
        record = {"key": sample.key, "prediction": prediction["number"], "scores": None}
        problems: list[str] = []
        for attempt in range(asked, asked + self.options.attempts):
            record["asked"] = attempt + 1
            try:
                reply = await judge.complete(Request(messages, _next(self.options.judging, attempt)))
            except ModelError as error:
                problems.append(f"{error.code}: {error.message}")
                break
            found = read_judgement(reply.text)
            if found.scores is not None and reply.finish != "length":
                scores = found.scores.to_dict()
                return {**record, "reply": reply.text, "model": reply.model, "problem": "", "scores": scores}
            problems.append(found.problem or "the judgement was cut off")
        return {**record, "problem": "; ".join(problems)}


def journals(out: Path) -> tuple[Journal, Journal]:
    """The predictions and the judgements of a run.

    Raises:
        CallerError: A line is damaged, or has scores that are not those of its reply; names it.
    """
    return Journal(out / PREDICTIONS), Journal(out / JUDGEMENTS, _misfit)


def _misfit(record: Mapping[str, Any]) -> str:
    """What of a judgement's record does not follow from the reply that it holds."""
    problem, reply, scores = record.get("problem"), record.get("reply"), record.get("scores")
    if (
        not isinstance(problem, str)
        or type(record.get("prediction")) is not int
        or type(record.get("asked")) is not int
    ):
        return "it lacks what a judgement has"
    if problem:
        return "a judgement that failed has scores" if scores is not None or reply is not None else ""
    found = read_judgement(reply) if isinstance(reply, str) else None
    if found is None or found.scores is None:
        return f"its reply is no verdict ({'there is none' if found is None else found.problem})"
    right = found.scores.to_dict()
    return "" if right == scores else f"its scores are not those of its reply, {json.dumps(right)}"


def judge_of(out: Path) -> str | None:
    """The name of the judge of a run, this time or before."""
    judge = json.loads((out / MANIFEST).read_text("utf-8")).get("judge")
    return str(judge["model"]) if judge else None


def prompt_messages(sample: Sample) -> tuple[Message, ...]:
    """What the world model is shown: the system prompt, the turns before as the environment answered them, the turn."""
    messages = [Message("system", sample.system)] if sample.system else []
    for done, seen in sample.history:
        messages += [Message("user", done), Message("assistant", seen)]
    return (*messages, Message("user", sample.current))


def _next(sampling: Sampling, attempt: int) -> Sampling:
    """Another draw: asked the same again, a model that is seeded, or a cache, would say the same again."""
    return replace(sampling, seed=(sampling.seed or 0) + attempt)


def _manifest(
    samples: Sequence[Sample], model: Model, judge: Model | None, options: Options, about: dict[str, Any]
) -> dict[str, Any]:
    domains = sorted({sample.domain for sample in samples})
    return {
        "format": _FORMAT,
        "worldgen": __version__,
        **about,
        "samples": len(samples),
        "model": model.name,
        "sampling": asdict(options.sampling),
        "judge": None
        if judge is None
        else {
            "model": judge.name,
            "sampling": asdict(options.judging),
            "attempts": options.attempts,
            "prompts": {domain: judge_digest(domain) for domain in domains},
        },
    }


def _claim(out: Path, manifest: dict[str, Any]) -> None:
    """Write what the run is, or see that it is the run that lies there."""
    path = out / MANIFEST
    # As JSON gives it back, in which a tuple is a list.
    manifest = json.loads(json.dumps(manifest))
    try:
        out.mkdir(parents=True, exist_ok=True)
        if path.exists():
            manifest = _joined(json.loads(path.read_text("utf-8")), manifest, path)
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        raise ServiceError("fidelity.out", f"cannot be written: {error.strerror}", path=path) from error
    except ValueError as error:
        raise CallerError("fidelity.manifest", f"the run's manifest is damaged: {error}", path=path) from error


def _joined(before: dict[str, Any], now: dict[str, Any], path: Path) -> dict[str, Any]:
    for name in ("format", "world", "test_set", "model", "sampling"):
        if before.get(name) != now.get(name):
            raise _other(name, before.get(name), now.get(name), path)
    if before.get("judge") and now["judge"]:
        for name in ("model", "sampling", "attempts"):
            if before["judge"].get(name) != now["judge"].get(name):
                raise _other(f"judge's {name}", before["judge"].get(name), now["judge"].get(name), path)
        old, new = before["judge"]["prompts"], now["judge"]["prompts"]
        for domain in set(old) & set(new):
            if old[domain] != new[domain]:
                raise _other(f"judge's prompt for {domain}", old[domain][:12], new[domain][:12], path)
        now = {**now, "judge": {**now["judge"], "prompts": {**old, **new}}}
    return {**now, "judge": now["judge"] or before.get("judge")}


def _other(what: str, before: object, now: object, path: Path) -> CallerError:
    return CallerError(
        "fidelity.other-run",
        f"the folder holds a run with another {what}",
        path=path,
        expected=repr(before)[:120],
        got=repr(now)[:120],
        fix="choose another folder with --out",
    )
