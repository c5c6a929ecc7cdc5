"""From pydantic's errors to problems an author can mend: one mistake, one line.

Pydantic reports every branch of a union and both sides of a misspelt key; here these are folded into one problem, at
the node where the author made it.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from worldgen.errors import did_you_mean
from worldgen.schema.model import Schema
from worldgen.schema.problems import Path, Report

_CODES = {
    "extra_forbidden": "unknown-key",
    "missing": "missing-key",
    "literal_error": "unknown-word",
    "string_pattern_mismatch": "bad-name",
    "value_error": "contradiction",
    "source_misfit": "wrong-kind",
    "too_short": "out-of-range",
    "too_long": "out-of-range",
    "string_too_long": "out-of-range",
    "greater_than": "out-of-range",
    "greater_than_equal": "out-of-range",
    "less_than": "out-of-range",
    "less_than_equal": "out-of-range",
    "finite_number": "out-of-range",
}
_UNIONS = {
    "uniform": "[least, greatest]: two numbers or two dates",
    "empirical": "a list of numbers, or value: weight",
    "map": "numbers or texts",
}


def report_invalid(error: ValidationError, raw: Any, report: Report) -> None:
    """Add pydantic's errors to a report.

    Args:
        error: What validation raised.
        raw: The plain value that was validated.
        report: Where the problems go.
    """
    details = error.errors(include_url=False)
    unions: dict[Path, list[ErrorDetails]] = {}
    misspelt = set(_misspelt(details))
    for detail in details:
        path, branch = _followed(detail, raw)
        if branch:
            unions.setdefault(path, []).append(detail)
        elif detail["type"] != "missing" or path not in misspelt:
            _add(detail, path, report)
    for path, branches in unions.items():
        _add_union(path, branches, raw, report)


def _followed(detail: ErrorDetails, raw: Any) -> tuple[Path, bool]:
    """The part of an error's place that exists in the file, and whether the rest names a union's branch."""
    path: list[str | int] = []
    place = detail["loc"]
    for position, part in enumerate(place):
        if part == "[key]" and position == len(place) - 1:
            break
        inside = (isinstance(raw, dict) and part in raw) or (
            isinstance(raw, list) and isinstance(part, int) and part < len(raw)
        )
        if not inside:
            if detail["type"] == "missing" and position == len(place) - 1:
                return (*path, part), False
            return tuple(path), True
        raw = raw[part]
        path.append(part)
    return tuple(path), False


def _misspelt(details: Iterable[ErrorDetails]) -> Iterable[Path]:
    """Missing keys that stand beside an unknown key that looks like them."""
    missing = [detail["loc"] for detail in details if detail["type"] == "missing"]
    for detail in details:
        if detail["type"] == "extra_forbidden":
            beside = {str(place[-1]): place for place in missing if place[:-1] == detail["loc"][:-1]}
            hint = did_you_mean(str(detail["loc"][-1]), beside)
            if hint is not None:
                yield next(place for name, place in beside.items() if repr(name) in hint)


def _add(detail: ErrorDetails, path: Path, report: Report) -> None:
    kind = detail["type"]
    code = _CODES.get(kind, "wrong-type")
    got = _shown(detail["input"])
    if kind == "extra_forbidden":
        known = keys_at(path[:-1])
        report.add(
            code,
            "unknown key",
            path,
            expected=" or ".join(known) if len(known) <= 12 else None,
            got=repr(path[-1]),
            fix=did_you_mean(str(path[-1]), known),
        )
    elif kind == "missing":
        report.add(code, "the key is missing", path, expected=_wanted(path))
    elif kind == "literal_error":
        expected = str(detail.get("ctx", {}).get("expected", ""))
        words = [word.strip("'\" ") for part in expected.split(",") for word in part.split(" or ")]
        fix = did_you_mean(str(detail["input"]), words)
        report.add(code, "unknown word", path, expected=expected, got=got, fix=fix)
    elif kind == "string_pattern_mismatch":
        pattern = str(detail.get("ctx", {}).get("pattern"))
        expected = "lower-case words joined by " + ("_, at most 40 letters" if "_" in pattern else "-")
        report.add(code, "not a valid name", path, expected=expected, got=got)
    elif kind == "value_error":
        report.add(code, detail["msg"].removeprefix("Value error, "), path)
    elif kind == "source_misfit":
        said = detail["ctx"]
        report.add(code, said["message"], path, expected=said["expected"], got=said["got"], fix=said["fix"])
    elif kind == "model_type":
        report.add(code, "a group of keys is needed", path, expected="key: value lines", got=got)
    else:
        report.add(code, "wrong value", path, expected=detail["msg"].removeprefix("Input should be "), got=got)


def _add_union(path: Path, branches: list[ErrorDetails], raw: Any, report: Report) -> None:
    for part in path:
        raw = raw[part]
    name = next((part for part in reversed(path) if part in _UNIONS), None)
    said = " or ".join(dict.fromkeys(branch["msg"].removeprefix("Input should be ") for branch in branches))
    report.add("wrong-type", "wrong value", path, expected=_UNIONS.get(str(name), said), got=_shown(raw))


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return f"keys {', '.join(map(str, list(value)[:5]))}" if value else "an empty group"
    text = "nothing" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _wanted(path: Path) -> str | None:
    model = _model_at(path[:-1])
    if model is None:
        return None
    for name, field in model.model_fields.items():
        if (field.alias or name) == path[-1]:
            return field.description
    return None


def keys_at(path: Path) -> list[str]:
    """The keys that the node at a path may have; empty where the author chooses them.

    >>> keys_at(("series", "sales", "growth"))
    ['mean', 'sd']
    """
    model = _model_at(path)
    return [field.alias or name for name, field in model.model_fields.items()] if model is not None else []


def _model_at(path: Path) -> type[BaseModel] | None:
    annotation: Any = Schema
    for part in path:
        annotation = _step(annotation, part)
    return _model_in(annotation)


def _step(annotation: Any, part: str | int) -> Any:
    for option in _options(annotation):
        origin, arguments = typing.get_origin(option), typing.get_args(option)
        if origin is dict:
            return arguments[1]
        if origin is list and isinstance(part, int):
            return arguments[0]
        if isinstance(option, type) and issubclass(option, BaseModel):
            for name, field in option.model_fields.items():
                if (field.alias or name) == part:
                    return field.annotation
    return None


def _model_in(annotation: Any) -> type[BaseModel] | None:
    options = (option for option in _options(annotation) if isinstance(option, type) and issubclass(option, BaseModel))
    return next(options, None)


def _options(annotation: Any) -> list[Any]:
    """The alternatives of a type, unwrapped from Annotated and unions."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _options(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return [option for argument in typing.get_args(annotation) for option in _options(argument)]
    return [annotation]
