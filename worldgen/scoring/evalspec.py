"""How a task is scored: key columns, required columns, and per column what is done to cells and how they compare.

The record of the benchmark's ``evaluation`` object, read from a dict or from the JSON string that its files hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldgen.errors import CallerError
from worldgen.registry import Registry
from worldgen.scoring.metric import METRICS
from worldgen.scoring.preprocess import PREPROCESS


class EvalSpecError(CallerError):
    """An ``evaluation`` object that no scorer can use."""


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One column's rule. ``criterion`` is a number for ``number_near``, a text for ``llm_judge``, else None."""

    preprocess: tuple[str, ...] = ()
    metric: tuple[str, ...] = ()
    criterion: float | str | None = None


@dataclass(frozen=True, slots=True)
class EvalSpec:
    """A task's rules; names are normalised (stripped, lower case, no spaces). ``pipeline`` keeps the file's order."""

    unique_columns: tuple[str, ...]
    required: tuple[str, ...]
    pipeline: tuple[tuple[str, ColumnSpec], ...]

    @classmethod
    def parse(cls, source: str | Mapping[str, Any]) -> EvalSpec:
        """Read the ``evaluation`` of a task, a JSON string or the object itself.

        Raises:
            EvalSpecError: Not an object, a key missing, a name repeated, an unknown preprocess or metric.
        """
        found = _object(source)
        unique, required = _names(found, "unique_columns"), _names(found, "required")
        stray = [name for name in unique if name not in required]
        if stray:
            raise EvalSpecError(
                "scoring.key-column", f"key column {stray[0]!r} is not required", got=str(list(required))
            )
        rules = found.get("eval_pipeline")
        if not isinstance(rules, Mapping):
            raise _wrong("eval_pipeline", "an object of columns", rules)
        return cls(unique, required, tuple((str(name), _rule(name, rule)) for name, rule in rules.items()))

    def to_dict(self) -> dict[str, Any]:
        """The benchmark's form; ``criterion`` appears only where there is one."""
        rules: dict[str, Any] = {}
        for name, rule in self.pipeline:
            rules[name] = {"preprocess": list(rule.preprocess), "metric": list(rule.metric)}
            if rule.criterion is not None:
                rules[name]["criterion"] = rule.criterion
        return {"unique_columns": list(self.unique_columns), "required": list(self.required), "eval_pipeline": rules}

    def rule(self, column: str) -> ColumnSpec | None:
        """The rule of a column, if it has one."""
        return next((rule for name, rule in self.pipeline if name == column), None)

    @property
    def other_columns(self) -> tuple[str, ...]:
        """The required columns that are not part of the key."""
        return tuple(name for name in self.required if name not in self.unique_columns)


def _object(source: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(source, str):
        try:
            source = json.loads(source)
        except ValueError as error:
            raise EvalSpecError("scoring.evaluation-json", f"evaluation is not JSON: {error}") from error
    if not isinstance(source, Mapping):
        raise EvalSpecError(
            "scoring.evaluation", "evaluation is no object", expected="an object", got=repr(source)[:60]
        )
    return source


def _names(found: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = found.get(key)
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        raise _wrong(key, "a list of column names, not empty", names)
    if len(set(names)) < len(names):
        raise _wrong(key, "each column once", names)
    return tuple(names)


def _rule(column: object, rule: object) -> ColumnSpec:
    if not isinstance(rule, Mapping):
        raise _wrong(f"eval_pipeline.{column}", "an object with preprocess and metric", rule)
    criterion = rule.get("criterion")
    if criterion is not None and not isinstance(criterion, int | float | str):
        raise _wrong(f"eval_pipeline.{column}.criterion", "a number or a text", criterion)
    return ColumnSpec(
        _known(column, rule, "preprocess", PREPROCESS), _known(column, rule, "metric", METRICS), criterion
    )


def _known(column: object, rule: Mapping[str, Any], key: str, registry: Registry[Any]) -> tuple[str, ...]:
    names = rule.get(key) or []
    if not isinstance(names, list | tuple):
        raise _wrong(f"eval_pipeline.{column}.{key}", "a list of names", names)
    for name in names:
        registry.get(name)
    return tuple(dict.fromkeys(names)) if key == "metric" else tuple(names)


def _wrong(key: str, expected: str, got: object) -> EvalSpecError:
    return EvalSpecError("scoring.evaluation", f"evaluation.{key} is wrong", expected=expected, got=repr(got)[:80])
