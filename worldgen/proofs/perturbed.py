"""Does a plan of faults leave every question solvable, every page as it was, and its own labels out of sight?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from time import perf_counter
from typing import Any

from worldgen.agents.oracle import solve
from worldgen.agents.session import ENTRY, Answer, Session
from worldgen.proofs.report import CheckReport, result
from worldgen.proofs.solving import breaches, missing
from worldgen.records import Hit, Task
from worldgen.scoring import ExactJudge, ScoringTask, Table, worldgen_f1
from worldgen.tools import Observation, Perturbation, PerturbationPlan, Toolbox
from worldgen.tools.perturbation import FAULTS
from worldgen.tools.tool import echo
from worldgen.world import World

_UNANSWERED = re.compile(r'^Error: no answer to "(.*)"\. Try again\.$', re.MULTILINE)
_HEADING = re.compile(r"^Results for: (.*)$", re.MULTILINE)
_BATCH = 4
_BATCHED = 8
_OFTEN = 30
"""Calls that a fault should have met by its rate, so that one which met none is idle, not unlucky."""


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
    labels = re.compile(r"\b(?:" + "|".join(map(re.escape, FAULTS.names())) + r")\b")
    unsolved: list[str] = []
    unfair: list[str] = []
    changed: list[str] = []
    labelled: list[str] = []
    met: Counter[str] = Counter()
    calls = 0
    for number, task in enumerate(world.tasks):
        tools = _Watched(world.toolbox(perturbation=Perturbation(plan, seed + number)))
        session = Session(tools, task.question)
        try:
            answer = solve(task, session, pages)
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            unsolved.append(f"{task.instance_id}: cannot be solved: {type(error).__name__}: {error}")
            continue
        finally:
            calls += len(tools.seen)
        unsolved += _unsolved(task, answer)
        unfair += [f"{task.instance_id}: {what}" for what in breaches(task, session.calls, answer, pages)]
        differing = [*_changed(world, session), *_changed_batches(world, session)]
        changed += [f"{task.instance_id}: {what}" for what in differing]
        for seen in tools.seen:
            met.update(seen.faults)
        labelled += [f"{task.instance_id}: shows {label}" for label in _labelled(world, session, labels)]
    n = len(world.tasks)
    told = ", ".join(f"{kind} {count}" for kind, count in sorted(met.items())) or "none"
    results = (
        result(f"perturbed.{plan.name}.oracle", n, unsolved, f"solves all {n} tasks in {calls / max(1, n):.0f} calls"),
        result(f"perturbed.{plan.name}.fair-play", calls, unfair, "asks and opens only what it was shown"),
        result(f"perturbed.{plan.name}.content", calls, changed, "pages and results are those of the world"),
        result(f"perturbed.{plan.name}.labels", calls, labelled, "no observation names a fault"),
        result(f"perturbed.{plan.name}.faults", calls, _idle(world, plan, met, calls), f"met: {told}"),
    )
    return CheckReport(results, perf_counter() - start)


def _idle(world: World, plan: PerturbationPlan, met: Counter[str], calls: int) -> list[str]:
    """Faults that no call met, though by their rates many should have; of a plan that nothing met, all."""
    rates: dict[str, float] = {}
    for fault in plan.faults:
        if fault.certain or not met:
            rates[fault.kind] = max(rates.get(fault.kind, 0), getattr(fault, "rate", 1))
    chances = {kind: _BATCHED * len(world.tasks) if kind == "partial_batch" else calls for kind in rates}
    return [
        f"no call met {kind}"
        for kind, rate in sorted(rates.items())
        if rate * chances[kind] >= _OFTEN and not met[kind]
    ]


def _unsolved(task: Task, answer: Answer) -> list[str]:
    scored = ScoringTask.of(task)
    reward = worldgen_f1(Table(answer.columns, answer.rows), scored.gold, scored.spec, judge=ExactJudge())
    return [] if reward.value == 1.0 else [f"{task.instance_id}: reward {reward.value}, {missing(task, answer)}"]


def _labelled(world: World, session: Session, labels: re.Pattern[str]) -> list[str]:
    """Labels of faults in what was shown, but for words that the world itself has there."""
    calm = world.toolbox()
    found = []
    for call in session.calls:
        shown = set(labels.findall(call.observation))
        usual = shown and set(labels.findall(calm.call(call.tool, _plain(call.arguments))))
        found += sorted(shown - usual) if usual is not None else []
    return found


def _plain(arguments: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in arguments.items() if name not in ("page", "part")}


def _changed(world: World, session: Session) -> list[str]:
    """Pages that read otherwise than the world's, put together from their parts; results that are other or fewer."""
    calm = world.toolbox()
    problems = [
        f"{url} reads otherwise"
        for url, text in session.read.items()
        if text != calm.call("web_extractor", {"url": url})
    ]
    shown: dict[str, str] = {}
    for call in session.calls:
        if call.tool == "web_search":
            query = str(call.arguments["query"])
            shown[query] = f"{shown.get(query, '')}\n\n{call.observation}"
    for query, text in shown.items():
        problems += _differing(world, query, text, calm.search([query])[0])
    return problems


def _differing(world: World, query: str, text: str, hits: Sequence[Hit]) -> list[str]:
    usual = {hit.url: hit for hit in hits}
    problems = []
    shown = set()
    for url, title, snippet, _ in ENTRY.findall(text):
        shown.add(url)
        hit = usual.get(url)
        if hit is None and world.engine.open(url) is not None:
            problems.append(f"{url} is no result of {query!r}")
        elif hit is not None and (title != hit.title or (snippet and snippet != hit.snippet)):
            problems.append(f"{url} is shown otherwise among the results")
    problems += [f"{url} is lost from the results of {query!r}" for url in usual if url not in shown]
    return problems


def _changed_batches(world: World, session: Session) -> list[str]:
    """The same for some of the queries, and some titles, asked in batches, those left out asked again."""
    asked = [str(call.arguments["query"]) for call in session.calls if call.tool == "web_search"]
    titles = [page.title for page in islice(world.pages.values(), _BATCHED)]
    queries = list(dict.fromkeys([*asked[: _BATCHED // 2], *titles]))[:_BATCHED]
    calm = world.toolbox()
    problems = []
    for start in range(0, len(queries), _BATCH):
        batch = queries[start : start + _BATCH]
        found: dict[str, str] = dict.fromkeys(map(echo, batch), "")
        left = batch
        for _ in range(len(batch) + 1):
            text = session.batch(left)
            parts = _HEADING.split(text)
            for query, block in (
                zip(parts[1::2], parts[2::2], strict=True) if len(parts) > 1 else [(echo(left[0]), text)]
            ):
                found[query] = f"{found.get(query, '')}\n\n{block}"
            unanswered = set(_UNANSWERED.findall(text))
            left = [query for query in left if echo(query) in unanswered]
            if not left:
                break
        problems += [f"{query!r} is not answered in a batch" for query in left]
        for query, hits in zip(batch, calm.search(batch), strict=True):
            problems += _differing(world, query, found[echo(query)], hits) if query not in left else []
    return problems
