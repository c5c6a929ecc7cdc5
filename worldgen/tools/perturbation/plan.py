"""A plan of faults: a YAML file, read strictly, each mistake told with its line."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from worldgen.errors import CallerError, did_you_mean
from worldgen.schema.problems import Lines, SchemaErrors
from worldgen.schema.shelf import Shelf
from worldgen.schema.strict import read_yaml
from worldgen.tools.perturbation.faults import FAULTS, Fault, RenameTool, make_fault

_KEYS = ("name", "about", "faults")
_SHELF = Shelf(Path(__file__).parent / "plans", "plan", "perturbation", 200_000)
_MAX_FAULTS = 50
_MAX_NAME, _MAX_ABOUT = 60, 400
MAX_IN_A_ROW = 10
"""Refusals of the same call at most, all faults of a plan together, before it is carried out."""
_USUAL = ("web_search", "web_extractor", "dict_memory", "sql_query")


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
    return _SHELF.shipped()


def read_plan(source: str | os.PathLike[str]) -> PerturbationPlan:
    """Read a plan by the name of a shipped one, or from a file.

    Raises:
        CallerError: There is none, or it is wrong; with file, line, and what was expected.
    """
    return parse_plan(plan_file(source), file=str(_SHELF.path(source)))


def plan_named(said: str) -> str:
    """The text of a plan, given by the name of a shipped one or as that text; never by a path.

    >>> plan_named("flaky").startswith("name: flaky"), plan_named("faults: []")
    (True, 'faults: []')
    """
    shipped = shipped_plans().get(said)
    return said if shipped is None else shipped.read_text("utf-8")


def plan_file(source: str | os.PathLike[str]) -> str:
    """The text of a plan, by the name of a shipped one or from a file.

    Raises:
        CallerError: It cannot be read, or is too large.
    """
    return _SHELF.text(source)


def parse_plan(text: str, *, file: str | None = None) -> PerturbationPlan:
    """Read a plan given as text; see `read_plan`.

    >>> parse_plan("faults: [{kind: timeout, rate: 0.1}]").faults
    (Timeout(rate=0.1, in_a_row=2, tools=None),)
    """
    try:
        document = read_yaml(text, file)
    except SchemaErrors as errors:
        first = errors.problems[0]
        empty = first.code == "schema.empty"
        raise CallerError(
            "perturbation.not-yaml",
            first.message,
            path=file,
            line=first.line,
            expected="faults: [ … ]" if empty else first.expected,
            got=first.got,
            fix=first.fix,
        ) from errors
    value, lines = document.value, document.lines
    if not isinstance(value, dict) or not isinstance(value.get("faults"), list) or not value["faults"]:
        raise CallerError(
            "perturbation.no-faults", "the plan has no faults", path=file, line=1, expected="faults: [ … ]"
        )
    return _Reading(file, lines).plan(value)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A plan being read: tells mistakes with file and line."""

    file: str | None
    lines: Lines

    def plan(self, value: dict[str, Any]) -> PerturbationPlan:
        for key in value:
            if key not in _KEYS:
                fix = did_you_mean(str(key), _KEYS)
                raise self._wrong("unknown-key", f"unknown key {key!r}", (key,), expected=" or ".join(_KEYS), fix=fix)
        entries = value["faults"]
        if len(entries) > _MAX_FAULTS:
            raise self._wrong("too-many-faults", "too many faults", ("faults",), expected=f"{_MAX_FAULTS} at most")
        faults = tuple(self._fault(entry, place) for place, entry in enumerate(entries))
        self._agree(faults)
        stem = Path(self.file).stem if self.file else "plan"
        name = self._text(value, "name", _MAX_NAME) or stem[:_MAX_NAME]
        return PerturbationPlan(name, self._text(value, "about", _MAX_ABOUT), faults)

    def _text(self, value: dict[str, Any], key: str, most: int) -> str:
        said = value.get(key)
        if said is not None and not (isinstance(said, str) and said.isprintable() and len(said) <= most):
            expected = f"a line of {most} characters at most"
            raise self._wrong("wrong-text", f"`{key}` is wrong", (key,), expected=expected, got=repr(said)[:100])
        return said or ""

    def _agree(self, faults: tuple[Fault, ...]) -> None:
        """Faults that each are right and together are not."""
        kinds: set[str] = set()
        taken = dict.fromkeys(_USUAL)
        renamed: set[str] = set()
        row = 0
        for place, fault in enumerate(faults):
            at = ("faults", place)
            row += getattr(fault, "in_a_row", 0)
            if fault.single and fault.kind in kinds:
                raise self._wrong("twice", f"a second {fault.kind!r}", at, expected="one of the kind in a plan")
            if row > MAX_IN_A_ROW:
                expected = f"`in_a_row` of all faults together at most {MAX_IN_A_ROW}"
                raise self._wrong("in-a-row", "a call may be refused too often", at, expected=expected, got=str(row))
            if isinstance(fault, RenameTool):
                if fault.tool in renamed or fault.to in taken:
                    what = f"{fault.tool!r} is renamed twice" if fault.tool in renamed else f"{fault.to!r} is taken"
                    raise self._wrong("name-taken", what, at, expected="a name of its own for each tool")
                renamed.add(fault.tool)
                taken[fault.to] = None
            kinds.add(fault.kind)

    def _fault(self, entry: Any, place: int) -> Fault:
        at = ("faults", place)
        try:
            return make_fault(entry)
        except ValidationError as error:
            # A misspelt key is also a missing one; it is told as what it is.
            first = min(error.errors(include_url=False), key=lambda found: found["type"] != "extra_forbidden")
            where = str(first["loc"][0]) if first["loc"] else ""
            known = sorted(FAULTS.get(entry["kind"]).model_fields)
            inner = (*at, where) if where in entry else at
            if first["type"] == "extra_forbidden":
                fix = did_you_mean(where, known)
                what = f"fault {entry['kind']!r}: unknown key {where!r}"
                raise self._wrong("unknown-key", what, inner, expected=" or ".join(known) or "kind", fix=fix) from error
            what = f"fault {entry['kind']!r}: `{where}` is {'missing' if first['type'] == 'missing' else 'wrong'}"
            expected = "a value" if first["type"] == "missing" else first["msg"]
            expected = expected.removeprefix("Input should be ").removeprefix("Value error, ")
            raise self._wrong("wrong-fault", what, inner, expected=expected, got=repr(first["input"])[:100]) from error
        except CallerError as error:
            raise CallerError(
                error.code,
                error.message,
                path=self.file,
                line=self.lines.at(at),
                expected=error.expected,
                got=repr(entry)[:100],
                fix=error.fix,
            ) from error

    def _wrong(self, code: str, message: str, at: tuple[Any, ...], **more: str | None) -> CallerError:
        return CallerError(f"perturbation.{code}", message, path=self.file, line=self.lines.at(at), **more)
