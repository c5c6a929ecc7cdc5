"""A plan of faults: a YAML file, read strictly, each mistake told with its line."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from worldgen.errors import CallerError, did_you_mean
from worldgen.schema.problems import Lines
from worldgen.schema.strict import read_yaml
from worldgen.tools.perturbation.faults import Fault, make_fault

_KEYS = ("name", "about", "faults")
_MAX_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class PerturbationPlan:
    """Faults by name of the plan, in the order in which they are put around the tools.

    Attributes:
        name: Of the plan.
        about: What it is for, in a sentence.
        faults: What goes wrong, and how often.
    """

    name: str
    about: str
    faults: tuple[Fault, ...]


def shipped_plans() -> dict[str, Path]:
    """The plans that come with worldgen, by name.

    >>> "flaky" in shipped_plans()
    True
    """
    return {path.stem: path for path in sorted((Path(__file__).parent / "plans").glob("*.yaml"))}


def read_plan(source: str | os.PathLike[str]) -> PerturbationPlan:
    """Read a plan by the name of a shipped one, or from a file.

    Raises:
        CallerError: There is none, or it is wrong; with file, line, and what was expected.
    """
    known = shipped_plans()
    path = known.get(str(source), Path(source))
    try:
        if path.is_file() and path.stat().st_size > _MAX_BYTES:
            raise CallerError("perturbation.too-large", "the plan is too large", path=path, expected="200 kB at most")
        text = path.read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        raise CallerError(
            "perturbation.unreadable",
            f"the plan cannot be read: {error}",
            path=source,
            expected=f"a YAML file, or {' or '.join(known)}",
            fix=did_you_mean(str(source), known),
        ) from error
    return parse_plan(text, file=str(path))


def parse_plan(text: str, *, file: str | None = None) -> PerturbationPlan:
    """Read a plan given as text; see `read_plan`.

    >>> parse_plan("faults: [{kind: timeout, rate: 0.1}]").faults
    (Timeout(rate=0.1, in_a_row=2, tools=None),)
    """
    document = read_yaml(text, file)
    value, lines = document.value, document.lines
    if not isinstance(value, dict) or not isinstance(value.get("faults"), list):
        raise CallerError(
            "perturbation.no-faults", "the plan has no faults", path=file, line=1, expected="faults: [ … ]"
        )
    for key in value:
        if key not in _KEYS:
            raise CallerError(
                "perturbation.unknown-key",
                f"unknown key {key!r}",
                path=file,
                line=lines.at((key,)),
                expected=" or ".join(_KEYS),
                fix=did_you_mean(str(key), _KEYS),
            )
    faults = [_fault(entry, file, lines, place) for place, entry in enumerate(value["faults"])]
    name = value.get("name") or (Path(file).stem if file else "plan")
    return PerturbationPlan(str(name), str(value.get("about") or ""), tuple(faults))


def _fault(entry: Any, file: str | None, lines: Lines, place: int) -> Fault:
    line = lines.at(("faults", place))
    try:
        return make_fault(entry)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CallerError(
            "perturbation.wrong-fault",
            f"fault {entry['kind']!r}: {where}: {first['msg']}",
            path=file,
            line=lines.at(("faults", place, *first["loc"][:1])) or line,
            got=repr(first["input"])[:100],
        ) from error
    except CallerError as error:
        raise CallerError(
            error.code, error.message, path=file, line=line, expected=error.expected, fix=error.fix
        ) from error
