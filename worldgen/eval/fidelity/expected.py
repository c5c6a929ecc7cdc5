"""What the rule verifiers expect of a test set's samples: ``expectations.jsonl`` beside the benchmark's own files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldgen.errors import CallerError
from worldgen.eval.fidelity.benchmark import Sample, call_of, unmarked
from worldgen.scoring.verifiers import Expectation, Turn, Verdict, read_expectation, verify
from worldgen.scoring.widesearch import read_json_lines

EXPECTATIONS = "expectations.jsonl"


@dataclass(frozen=True, slots=True)
class Expected:
    """What is known of a sample beside its reference.

    Attributes:
        key: The sample's.
        determined: Whether the observation follows from what the model was shown, so that exact match decides.
        expectations: What the verifiers expect.
    """

    key: str
    determined: bool
    expectations: tuple[Expectation, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "key": self.key,
            "determined": self.determined,
            "expectations": [expectation.to_dict() for expectation in self.expectations],
        }


def read_expected(folder: Path) -> dict[str, Expected]:
    """What is expected of the samples of a folder, by key; nothing where the file is not there.

    Raises:
        CallerError: A line is wrong; names it.
    """
    path = folder / EXPECTATIONS
    if not path.is_file():
        return {}
    found: dict[str, Expected] = {}
    for line, item in read_json_lines(path):
        key, determined, given = item.get("key"), item.get("determined"), item.get("expectations")
        if not isinstance(key, str) or not isinstance(determined, bool) or not isinstance(given, list) or key in found:
            raise CallerError(
                "fidelity.expectations",
                "a line of the expectations is wrong, or comes twice",
                path=path,
                line=line,
                expected="key, determined and a list of expectations",
            )
        try:
            found[key] = Expected(key, determined, tuple(map(read_expectation, given)))
        except CallerError as error:
            raise CallerError(
                error.code, error.message, path=path, line=line, expected=error.expected, got=error.got, fix=error.fix
            ) from error
    return found


def write_expected(folder: Path, expected: Sequence[Expected]) -> None:
    """Write them beside the test set."""
    lines = [json.dumps(each.to_json(), ensure_ascii=False, sort_keys=True) + "\n" for each in expected]
    (folder / EXPECTATIONS).write_text("".join(lines), encoding="utf-8", newline="\n")


def verdicts(sample: Sample, expected: Mapping[str, Expected], prediction: str) -> list[Verdict]:
    """What the verifiers find of a prediction."""
    known = expected.get(sample.key)
    if known is None:
        return []
    history = [Turn(call_of(done), unmarked(seen)) for done, seen in sample.history]
    call = call_of(sample.current)
    return [verify(expectation, call, prediction, history) for expectation in known.expectations]
