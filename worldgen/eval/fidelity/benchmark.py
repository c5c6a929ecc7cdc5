"""A test set for world models as AgentWorldBench publishes it: a folder of ``*_test.jsonl``, a sample a line.

A sample is one turn of a recorded episode: the model is given the system prompt and the turns before, and what the
environment said at that turn is the reference.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from worldgen.errors import CallerError, did_you_mean, expect_path
from worldgen.scoring.verifiers import Call
from worldgen.scoring.widesearch import read_json_lines
from worldgen.search.world_model.turns import MARKER
from worldgen.train.lwm.rows import episode_row, turn_row

DOMAINS = ("mcp", "search", "terminal", "swe", "android", "web", "os")
FILES = "*_test.jsonl"
_ACTION = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sample:
    """One turn to be predicted.

    Attributes:
        domain: One of `DOMAINS`.
        id: The episode's, as text.
        turn: Which turn it is, from 1.
        total: Turns of the episode.
        system: The world model's system prompt.
        prompts: What was done at each turn, up to this one at least.
        responses: What the environment said at each turn, up to this one at least.
        current: What is done at this turn.
    """

    domain: str
    id: str
    turn: int
    total: int
    system: str
    prompts: tuple[str, ...]
    responses: tuple[str, ...]
    current: str

    @property
    def key(self) -> str:
        """What tells it from the others: domain, episode and turn."""
        return f"{self.domain}/{self.id}/{self.turn}"

    @property
    def history(self) -> tuple[tuple[str, str], ...]:
        """The turns before: what was done, and what the environment said."""
        return tuple(zip(self.prompts[: self.turn - 1], self.responses[: self.turn - 1], strict=True))

    @property
    def reference(self) -> str:
        """What the environment said, without the heading."""
        return unmarked(self.responses[self.turn - 1])

    def to_json(self) -> dict[str, Any]:
        """The sample as the benchmark's files hold it."""
        row = episode_row(
            task=self.domain,
            id=self.id,
            system=self.system,
            prompts=self.prompts,
            responses=self.responses,
            total=self.total,
        )
        return turn_row(row, self.turn, self.current)


def unmarked(text: str) -> str:
    r"""An observation without the heading that stands over it.

    >>> unmarked("**Environment Observation:**\nKey not found: a")
    'Key not found: a'
    """
    text = text.strip()
    return text[len(MARKER) :].strip() if text.startswith(MARKER) else text


def call_of(prompt: str) -> Call:
    r"""The call that a turn's prompt asks for; a name of nothing where it is none of a tool.

    >>> call_of('### Turn 1\n**Action:**\n```json\n{"name": "web_search", "arguments": {"query": "a"}}\n```').name
    'web_search'
    """
    for found in _ACTION.finditer(prompt):
        with suppress(ValueError, RecursionError):
            action = json.loads(found.group(1))
            if isinstance(action, dict) and isinstance(action.get("name"), str):
                return Call(action["name"], action.get("arguments", {}))
    return Call("", prompt)


def read_benchmark(folder: str | Path) -> list[Sample]:
    """All samples of a folder, file by file by name.

    Raises:
        CallerError: There is none, or a line is no sample, or one comes twice; names file and line.
    """
    expect_path(folder, "folder")
    files = sorted(Path(folder).glob(FILES))
    if not files:
        raise CallerError(
            "fidelity.no-benchmark",
            "the folder has no test set" if Path(folder).is_dir() else "there is no such folder",
            path=folder,
            expected=f"a folder with files named {FILES}",
            fix="--bench takes AgentWorldBench's folder of them; a world's folder stands without --bench",
        )
    samples: list[Sample] = []
    seen: dict[str, str] = {}
    for path in files:
        for line, item in read_json_lines(path):
            sample = _Line(item, path, line).sample()
            first = seen.setdefault(sample.key, f"{path}:{line}")
            if first != f"{path}:{line}":
                raise CallerError(
                    "fidelity.duplicate",
                    f"sample {sample.key} is given twice",
                    path=path,
                    line=line,
                    got=f"also {first}",
                )
            samples.append(sample)
    if not samples:
        raise CallerError(
            "fidelity.no-benchmark", "the test set is empty", path=folder, expected="a sample a line", got="no line"
        )
    return samples


def write_benchmark(folder: Path, samples: Sequence[Sample]) -> list[Path]:
    """Write samples as the benchmark's files, a file a domain; gives the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for domain in DOMAINS:
        lines = [json.dumps(s.to_json(), ensure_ascii=False) + "\n" for s in samples if s.domain == domain]
        if lines:
            written.append(folder / f"{domain}_test.jsonl")
            written[-1].write_text("".join(lines), encoding="utf-8", newline="\n")
    return written


def digest_of(samples: Sequence[Sample]) -> str:
    """A digest of all that is asked and expected, whatever the order."""
    lines = sorted(json.dumps(sample.to_json(), ensure_ascii=True, sort_keys=True) for sample in samples)
    return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a file, and where it stands."""

    item: dict[str, Any]
    path: Path
    line: int

    def sample(self) -> Sample:
        turn = self._whole("turn_idx")
        prompts, responses = self._turns("prompt", turn), self._turns("response", turn)
        total = self._whole("total_turns") if "total_turns" in self.item else len(prompts)
        if turn > total:
            self._wrong("turn_idx", f"a number up to total_turns, {total}", turn)
        current = self.item.get("current_prompt") or prompts[turn - 1]
        if not isinstance(current, str):
            self._wrong("current_prompt", "a text", current)
        system = self.item.get("system_str", "")
        if not isinstance(system, str):
            self._wrong("system_str", "a text", system)
        return Sample(self._domain(), self._id(), turn, total, system, prompts, responses, current)

    def _domain(self) -> str:
        task = self.item.get("task")
        domain = task.split("/")[-1].lower() if isinstance(task, str) else None
        if domain not in DOMAINS:
            self._wrong("task", " or ".join(DOMAINS), task, fix=did_you_mean(str(domain), DOMAINS))
        return str(domain)

    def _id(self) -> str:
        value = self.item.get("id")
        if type(value) not in (int, str) or value == "":
            self._wrong("id", "a number or a text", value)
        return str(value)

    def _whole(self, name: str) -> int:
        value = self.item.get(name)
        if type(value) is not int or value < 1:
            self._wrong(name, "a whole number from 1", value)
        return int(value)

    def _turns(self, name: str, least: int) -> tuple[str, ...]:
        value = self.item.get(name)
        turns = [value] if isinstance(value, str) else value
        if not isinstance(turns, list) or not all(isinstance(turn, str) for turn in turns):
            self._wrong(name, "a list of texts", value)
        if len(turns) < least:
            self._wrong(name, f"at least as many texts as turn_idx, {least}", f"{len(turns)} texts")
        return tuple(turns)

    def _wrong(self, name: str, expected: str, got: object, *, fix: str | None = None) -> NoReturn:
        raise CallerError(
            "fidelity.sample",
            f"{name!r} of a sample is missing or wrong",
            path=self.path,
            line=self.line,
            expected=expected,
            got=repr(got)[:80],
            fix=fix,
        )


def limited(samples: Sequence[Sample], limit: int | None) -> list[Sample]:
    """Some of the samples, taken in turn from the domains so that each has its share."""
    if limit is None or limit >= len(samples):
        return list(samples)
    return list(_in_turn(samples))[:limit]


def _in_turn(samples: Sequence[Sample]) -> Iterator[Sample]:
    rows = [[sample for sample in samples if sample.domain == domain] for domain in DOMAINS]
    for place in range(max(map(len, rows))):
        yield from (row[place] for row in rows if place < len(row))
