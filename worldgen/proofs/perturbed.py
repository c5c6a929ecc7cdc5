"""Does a plan of faults leave every question solvable, every page as it was, and its own labels out of sight?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from worldgen.agents.oracle import solve
from worldgen.agents.session import Answer, Session
from worldgen.proofs.report import CheckReport, result
from worldgen.proofs.solving import breaches, missing
from worldgen.records import Task
from worldgen.scoring import ExactJudge, ScoringTask, Table, worldgen_f1
from worldgen.tools import Observation, Perturbation, PerturbationPlan, Toolbox
from worldgen.tools.perturbation import FAULTS
from worldgen.world import World

_ENTRY = re.compile(r"^\[\d+\] (\S+)\nTitle: (.*)(?:\nSnippet: (.*))?", re.MULTILINE)
_LABELS = re.compile(r"\b(?:" + "|".join(FAULTS.names()) + r")\b")


class _Watched:
    """The tools of an episode, with a record of what each call brought."""

    def __init__(self, tools: Toolbox) -> None:
        self._tools = tools
        self.seen: list[Observation] = []

    def specs(self) -> list[dict[str, Any]]:
        return self._tools.specs()

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> str:
        self.seen.append(self._tools.observe(name, arguments))
        return self.seen[-1].text


def check_perturbed(world: World, plan: PerturbationPlan, *, seed: int = 0) -> CheckReport:
    """Prove that a plan of faults preserves the oracle, in an episode for each task.

    Args:
        world: A built world.
        plan: What goes wrong.
        seed: Of the episodes; task number n has ``seed + n``.
    """
    start = perf_counter()
    pages = dict(world.pages)
    unsolved: list[str] = []
    unfair: list[str] = []
    changed: list[str] = []
    labelled: list[str] = []
    met: Counter[str] = Counter()
    calls = 0
    for number, task in enumerate(world.tasks):
        tools = _Watched(world.toolbox(perturbation=Perturbation(plan, seed + number)))
        session = Session(tools, task.question)
        answer = solve(task, session, pages)
        unsolved += _unsolved(task, answer)
        unfair += [f"{task.instance_id}: {what}" for what in breaches(task, session.calls, answer, pages)]
        changed += [f"{task.instance_id}: {what}" for what in _changed(world, session)]
        for seen in tools.seen:
            met.update(seen.faults)
            labelled += [f"{task.instance_id}: {label}" for label in _LABELS.findall(seen.text)]
        calls += len(tools.seen)
    n = len(world.tasks)
    told = ", ".join(f"{kind} {count}" for kind, count in sorted(met.items())) or "none"
    kinds = {fault.kind for fault in plan.faults if getattr(fault, "rate", 1) > 0}
    idle = [f"no call met {kind}" for kind in sorted(kinds)] if not met and kinds and calls else []
    results = (
        result(f"perturbed.{plan.name}.oracle", n, unsolved, f"solves all {n} tasks in {calls / max(1, n):.0f} calls"),
        result(f"perturbed.{plan.name}.fair-play", calls, unfair, "asks and opens only what it was shown"),
        result(f"perturbed.{plan.name}.content", calls, changed, "pages and snippets are those of the world"),
        result(f"perturbed.{plan.name}.labels", calls, labelled, "no observation names a fault"),
        result(f"perturbed.{plan.name}.faults", calls, idle, f"met: {told}"),
    )
    return CheckReport(results, perf_counter() - start)


def _unsolved(task: Task, answer: Answer) -> list[str]:
    scored = ScoringTask.of(task)
    reward = worldgen_f1(Table(answer.columns, answer.rows), scored.gold, scored.spec, judge=ExactJudge())
    return [] if reward.value == 1.0 else [f"{task.instance_id}: reward {reward.value}, {missing(task, answer)}"]


def _changed(world: World, session: Session) -> list[str]:
    """Pages whose text, put together from its parts, and results whose title or snippet are not those of the world."""
    calm = world.toolbox()
    problems = [
        f"{url} reads otherwise"
        for url, text in session.read.items()
        if text.split() != calm.call("web_extractor", {"url": url}).split()
    ]
    for call in session.calls:
        if call.tool != "web_search":
            continue
        usual = {hit.url: hit for hit in calm.search([str(call.arguments["query"])])[0]}
        for url, title, snippet in _ENTRY.findall(call.observation):
            hit = usual.get(url)
            if hit is None and world.engine.open(url) is not None:
                problems.append(f"{url} is no result of {call.arguments['query']!r}")
            elif hit is not None and (title != hit.title or (snippet and snippet != hit.snippet)):
                problems.append(f"{url} is shown otherwise among the results")
    return problems
