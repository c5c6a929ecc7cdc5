"""One episode: a world, a question, the tools of a profile, and one answer that is scored once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, cast

from worldgen.env.reward import Reward, reward_of
from worldgen.env.trajectory import Start, Step, Trajectory
from worldgen.errors import CallerError, did_you_mean, expect
from worldgen.llm.model import Reply, Request
from worldgen.records import Task
from worldgen.reskin import reskin
from worldgen.search.engine import WITHHOLDINGS
from worldgen.search.wording import encodable
from worldgen.search.world_model.backend import Backend, read_simulation
from worldgen.search.world_model.session import Asks
from worldgen.tools import MalformedCall, Observation, Perturbation
from worldgen.tools.perturbation import parse_plan, plan_named
from worldgen.tools.profile import profile as find_profile
from worldgen.tools.tool import MAX_ARGUMENTS, sendable
from worldgen.world import Withholding, World

_SEEDS = 2**63
_LONGEST = 4 * MAX_ARGUMENTS  # of JSON, in which a character may take six
_LONGEST_NAME = 1_000


class EpisodeEnded(CallerError):
    """The episode takes no more calls: its answer is in, or its limits are used up."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far an episode may go.

    Attributes:
        calls: Tool calls at most, malformed and refused ones included.
        characters: Characters of all arguments and observations together at most; the call that passes it is the last.
        answer: Characters of the answer at most.
    """

    calls: int = 1_000
    characters: int = 20_000_000
    answer: int = 500_000


class Episode:
    """An agent's stay in a world; made by `start` or `replay`. Safe to use from several threads, one call at a time.

    Attributes:
        origin: How it began.
        task: Its question with gold, or None.
        tools: The function schemas of what may be called.
    """

    def __init__(
        self, world: World, start: Start, task: Task | None, limits: Limits, *, asks: Asks | None = None
    ) -> None:
        self.origin = start
        self.task = task
        self.limits = limits
        plan = parse_plan(start.perturbation) if start.perturbation else None
        perturbation = None if plan is None else Perturbation(plan, start.seed)
        self._world = world
        self._simulator = (
            world.simulator(read_simulation(start.backend), asks, seed=start.seed) if start.backend else None
        )
        self._toolbox = world.toolbox(
            start.profile,
            withholding=WITHHOLDINGS[start.withholding],
            perturbation=perturbation,
            engine=self._simulator,
        )
        self.tools = self._toolbox.specs()
        self._steps: list[Step] = []
        self._characters = 0
        self._answer: str | None = None
        self._reward: Reward | None = None
        self._lock = Lock()

    @classmethod
    def start(
        cls,
        world: World,
        task: str | None = None,
        *,
        seed: int = 0,
        profile: str = "search",
        withholding: Withholding = "strict",
        perturbation: str = "",
        backend: Backend | None = None,
        limits: Limits | None = None,
        epoch: int = 0,
    ) -> Episode:
        """Begin an episode.

        Args:
            world: Where.
            task: Instance id of a question of the world; None for an episode without one, which earns nothing.
            seed: Decides which calls meet faults, which turns a world model is told its instructions with, and in free
                mode which web it invents.
            profile: The tools: see `worldgen.tools.profiles`.
            withholding: How many facts a result page may state.
            perturbation: A plan of faults as YAML text, or the name of a shipped one; empty for none.
            backend: The world model that answers in the index's place; None for the index.
            limits: How far it may go.
            epoch: Under which names: see `worldgen.reskin`; 0 for those that the world was built with.

        Raises:
            CallerError: No such task, profile, degree of withholding or epoch; a plan that is wrong; a question with a
                world model in free mode, which invents another world than the one that has the answer; an epoch with
                a world model, or with tools that know the built names alone.
        """
        expect(world, World, "world")
        expect("" if task is None else task, str, "task")
        expect(perturbation, str, "perturbation")
        expect(withholding, str, "withholding")
        if withholding not in WITHHOLDINGS:
            raise CallerError(
                "env.unknown-withholding",
                f"unknown degree of withholding {withholding!r}",
                expected=" or ".join(WITHHOLDINGS),
            )
        if type(seed) is not int or not 0 <= seed < _SEEDS:
            raise CallerError("env.wrong-seed", "the seed is wrong", expected="a whole number from 0 to 2**63 - 1")
        played = reskin(world, epoch)
        found = None if task is None else _task_of(played, task)
        simulation = "" if backend is None else _simulation(backend, found, profile)
        plan = plan_named(perturbation)
        begun = Start(world.manifest.digest, task or "", seed, profile, withholding, plan, simulation, played.epoch)
        return cls(played, begun, found, limits or Limits(), asks=None if backend is None else backend.asks)

    @classmethod
    def replay(
        cls, world: World, record: Trajectory, *, backend: Backend | None = None, limits: Limits | None = None
    ) -> Episode:
        """Play a record again: the same calls bring the same observations, after a crash or on another machine.

        What a world model wrote is taken from the record and judged again; only calls beyond it ask the model.

        Args:
            world: Where it was made.
            record: What happened.
            backend: The model with which an episode that has one goes on; without, it can only be played.
            limits: How far it may go.

        Raises:
            CallerError: The record is of another world, longer than the limits, or a call brings something else now.
        """
        start = record.start
        if start.world != world.manifest.digest:
            raise CallerError(
                "env.other-world",
                "the record is of another world",
                expected=f"digest {world.manifest.digest[:12]}",
                got=start.world[:12],
            )
        recorded = Backend(read_simulation(start.backend)) if start.backend else None
        later = _Later(backend.asks) if backend is not None and backend.asks is not None else None
        episode = cls.start(
            world,
            start.task or None,
            seed=start.seed,
            profile=start.profile,
            withholding=cast("Withholding", start.withholding),  # start knows the degrees
            perturbation=start.perturbation,
            backend=_going_on(recorded, backend, later),
            limits=limits,
            epoch=start.epoch,
        )
        if len(record.steps) > episode.limits.calls or len(record.answer or "") > episode.limits.answer:
            raise CallerError("env.record-too-long", "the record is longer than an episode may be")
        for number, step in enumerate(record.steps):
            episode._again(number, step)
        if later is not None:
            later.asked = True
        if record.answer is not None:
            episode.submit(record.answer)
        return episode

    def _again(self, number: int, step: Step) -> None:
        """Play a step of a record, and see that it brings what the record has."""
        simulator = self._simulator
        if simulator is not None:
            simulator.session.expect(step.written)
        try:
            seen = self.call(step.name, step.arguments)
        except CallerError as error:
            if error.code != "world-model.no-model":
                raise
            raise _differs(number, "more replies asked for than the record has") from error
        if (simulator is not None and simulator.session.expecting) or seen.written != step.written:
            told = [(answer.action, answer.outcome, answer.reasons) for answer in seen.written]
            raise _differs(number, f"what the model wrote is judged {told}"[:300])
        if (seen.text, seen.status, seen.faults) != (step.observation, step.status, step.faults):
            raise _differs(number, seen.text[:200])

    @property
    def question(self) -> str:
        """The question, as an agent reads it; empty where there is none."""
        return "" if self.task is None else self.task.question

    @property
    def busy(self) -> bool:
        """Whether a call or the scoring of the answer is under way in another thread, so that a call would wait."""
        return self._lock.locked()

    def called(self, usual: str) -> str | None:
        """See `worldgen.tools.Toolbox.called`."""
        return self._toolbox.called(usual)

    @property
    def ledger(self) -> str:
        """What the model has asserted in free mode, as the lines of a ledger's file; empty in any other episode."""
        from worldgen.search.world_model.free import FreeEngine

        return self._simulator.ledger.to_lines() if isinstance(self._simulator, FreeEngine) else ""

    @property
    def ended(self) -> bool:
        """Whether the answer is in."""
        return self._answer is not None

    @property
    def reward(self) -> Reward | None:
        """What the answer earned; None until it is in. For the trainer, not for the agent."""
        return self._reward

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Observation:
        """Call a tool.

        Raises:
            EpisodeEnded: The answer is in, or the limits are used up.
        """
        with self._lock:
            if self._answer is not None:
                raise EpisodeEnded("env.ended", "the episode has ended: its answer is in")
            if len(self._steps) >= self.limits.calls or self._characters >= self.limits.characters:
                raise EpisodeEnded(
                    "env.limit",
                    "the episode has used up its calls",
                    expected=f"at most {self.limits.calls} calls and {self.limits.characters} characters",
                    fix="submit an answer",
                )
            name, arguments = encodable(str(name))[:_LONGEST_NAME], _recorded(arguments)
            seen = self._toolbox.observe(name, arguments)
            self._characters += len(seen.text) + len(json.dumps(arguments))
            self._steps.append(Step(name, arguments, seen.text, seen.status, seen.faults, seen.written))
            return seen

    def submit(self, answer: str) -> None:
        """Hand in the answer, once: a text with a Markdown table.

        Raises:
            EpisodeEnded: One is in already.
            CallerError: It is too long, or no text.
        """
        if not isinstance(answer, str):
            raise CallerError("env.answer-no-text", "the answer is no text", expected="a text with a Markdown table")
        with self._lock:
            if self._answer is not None:
                raise EpisodeEnded("env.ended", "the episode has ended: its answer is in")
            if len(answer) > self.limits.answer:
                raise CallerError(
                    "env.answer-too-long", "the answer is too long", expected=f"{self.limits.answer} characters at most"
                )
            self._answer = encodable(answer)
            if self.task is not None:
                self._reward = reward_of(self._world, self.task, self._answer)

    def trajectory(self) -> Trajectory:
        """The record so far."""
        return Trajectory(self.origin, tuple(self._steps), self._answer)


def _simulation(backend: Backend, task: Task | None, profile: str) -> str:
    expect(backend, Backend, "backend")
    tools = find_profile(profile)
    if backend.simulation.mode == "free" and (tools.typed or tools.sql):
        raise CallerError(
            "env.free-profile",
            "in free mode the model invents a world of its own, which the typed tools and SQL know nothing of",
            expected="the profile search, or the grounded mode",
            got=profile,
        )
    if backend.simulation.mode == "free" and task is not None:
        raise CallerError(
            "env.free-task",
            "in free mode the model invents a world of its own, which the question is not about",
            expected="no task, or the grounded mode",
            got=task.instance_id,
        )
    return backend.simulation.text()


class _Later:
    """The model with which a record is to go on: not to be asked before the record has been played.

    Attributes:
        asked: Whether it may be.
    """

    def __init__(self, asks: Asks) -> None:
        self._asks = asks
        self.asked = False

    def complete(self, request: Request) -> Reply:
        """See `Asks.complete`."""
        if not self.asked:
            raise CallerError("env.replay-differs", "more replies are asked for than the record has")
        return self._asks.complete(request)


def _differs(number: int, got: str) -> CallerError:
    return CallerError("env.replay-differs", f"call {number} of the record brings something else now", got=got)


def _going_on(recorded: Backend | None, backend: Backend | None, later: _Later | None) -> Backend | None:
    """The backend of a record that is played, with the model with which it is to go on."""
    if backend is None or recorded is None:
        return recorded
    if backend.simulation != recorded.simulation:
        raise CallerError(
            "env.other-backend",
            "the record was made with another world model, or it was asked in another way",
            expected=recorded.simulation.text(),
            got=backend.simulation.text(),
        )
    return Backend(backend.simulation, later)


def _recorded(arguments: Any) -> Any:
    """The arguments as the record holds them, a copy of their own; what it cannot hold is a text that no tool takes."""
    try:
        text = json.dumps(sendable(arguments))
        return f"more than {_LONGEST} characters" if len(text) > _LONGEST else json.loads(text)
    except (ValueError, TypeError, RecursionError, MalformedCall):
        return "not JSON, or nested too deep"


def _task_of(world: World, instance_id: str) -> Task:
    for task in world.tasks:
        if task.instance_id == instance_id:
            return task
    known = [task.instance_id for task in world.tasks]
    raise CallerError(
        "env.unknown-task",
        f"the world has no task {instance_id!r}",
        expected=", ".join(known[:5]) + (", …" if len(known) > 5 else ""),
        fix=did_you_mean(instance_id, known),
    )
