"""The record of an episode: how it began, each call with what came back, the answer; enough to play it again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from worldgen.errors import CallerError
from worldgen.llm.model import whole
from worldgen.records import Written

# Half characters, and what other programs take for the end of a line.
_UNFIT = re.compile("[\ud800-\udfff\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Start:
    """How an episode begins; with the calls it decides everything that an agent is shown.

    Attributes:
        world: Digest of the world.
        task: Instance id of the question; empty for an episode without one.
        seed: Decides the faults.
        profile: The tools it has.
        withholding: How many facts a result page may state.
        perturbation: Text of the plan of faults; empty for none.
        backend: Text of the simulation where a world model answers; empty where the index does.
        epoch: Under which names; 0 for those that the world was built with.
    """

    world: str
    task: str
    seed: int
    profile: str
    withholding: str
    perturbation: str
    backend: str = ""
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One call: what was asked, what the agent read, its status as of HTTP, and what the agent is not shown.

    That is the faults it met, and how what a world model wrote came about.
    """

    name: str
    arguments: Any
    observation: str
    status: int
    faults: tuple[str, ...]
    written: tuple[Written, ...] = ()


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A whole episode; ``answer`` is None where none was submitted."""

    start: Start
    steps: tuple[Step, ...]
    answer: str | None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)

    def to_line(self) -> str:
        """One line of JSON, as a file of trajectories holds it."""
        return json_line(self.to_json())


def json_line(value: Mapping[str, Any]) -> str:
    r"""JSON on one line, its keys sorted; what UTF-8 or a line cannot hold is escaped.

    >>> json_line({"b": "渡\u2028", "a": 1})
    '{"a": 1, "b": "渡\\u2028"}'
    """
    line = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return _UNFIT.sub(lambda match: f"\\u{ord(match.group()):04x}", line)


def read_trajectory(raw: object) -> Trajectory:
    """A trajectory from its plain JSON.

    Raises:
        CallerError: It is not one.

    >>> start = Start("d1", "t-001", 0, "search", "strict", "")
    >>> record = Trajectory(start, (Step("web_search", {"query": "a"}, "…", 200, ()),), None)
    >>> read_trajectory(json.loads(record.to_line())) == record
    True
    """
    try:
        return _read(raw)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise CallerError(
            "env.not-a-trajectory",
            "this is not the record of an episode",
            expected="start, steps and answer, as a trajectory's JSON has them",
            got=f"{type(error).__name__}: {error}"[:200],
        ) from error


def read_trajectories(path: Path) -> Iterator[tuple[int, Trajectory]]:
    """The trajectories of a file of JSON lines, each with the number of its line, from 1.

    Raises:
        CallerError: The file cannot be read, or a line is no trajectory.
    """
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, read_trajectory(json.loads(line))
    except (OSError, UnicodeDecodeError) as error:
        raise CallerError("env.file", f"the file cannot be read: {error}", path=path) from error
    except (CallerError, ValueError, RecursionError) as error:
        got = error.got if isinstance(error, CallerError) else str(error)
        raise CallerError(
            "env.not-a-trajectory", "this line is not the record of an episode", path=path, line=number,
            expected="start, steps and answer, as a trajectory's JSON has them", got=got,
        ) from error  # fmt: skip


def _read(raw: Any) -> Trajectory:
    start = Start(**raw["start"])
    words = (start.world, start.task, start.profile, start.withholding, start.perturbation, start.backend)
    if not all(isinstance(word, str) for word in words) or {type(start.seed), type(start.epoch)} != {int}:
        raise TypeError("a part of start has the wrong type")
    if not isinstance(raw["steps"], (list, tuple)):
        raise TypeError("steps is no list")
    steps = tuple(_step(step) for step in raw["steps"])
    answer = raw["answer"]
    if answer is not None and not isinstance(answer, str):
        raise TypeError("answer is no text")
    return Trajectory(start, steps, answer)


def _step(raw: Mapping[str, Any]) -> Step:
    faults = raw["faults"]
    if not isinstance(faults, (list, tuple)) or not all(isinstance(kind, str) for kind in faults):
        raise TypeError("the faults of a step are no list of kinds")
    written = tuple(_written(answer) for answer in raw.get("written", ()))
    step = Step(**{**raw, "faults": tuple(faults), "written": written})
    if not isinstance(step.name, str) or not isinstance(step.observation, str) or type(step.status) is not int:
        raise TypeError("a step has no name, no observation or no status")
    return step


def _written(raw: Mapping[str, Any]) -> Written:
    # A record of before half characters were mended in replies: it is served and played again all the same.
    replies = tuple(whole(reply) for reply in raw["replies"])
    answer = Written(**{**raw, "reasons": tuple(raw["reasons"]), "replies": replies})
    texts = (answer.action, answer.outcome, answer.failure, *answer.reasons, *answer.replies)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("what a model wrote is no text")
    return answer
