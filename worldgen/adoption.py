"""Adoption: a ledger that a session in free mode has filled becomes a world of its own, proven like any other.

What the ledger holds is kept to the letter; what the schema needs beyond it is drawn by the seed, as in any build.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Unpack

from worldgen.errors import CallerError, GenerationError
from worldgen.facts.given import Given, Told, computed, is_chinese
from worldgen.facts.reading import read_schema
from worldgen.language import name_key
from worldgen.pipeline import Adopted, BuildOptions, BuildResult, Report, build_world
from worldgen.schema import Schema
from worldgen.schema.model import Attribute
from worldgen.schema.periods import ordinal
from worldgen.search.world_model.ledger import Assertion, Ledger, read_ledger

Counts = Literal["schema", "ledger"]
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Adoption:
    """What an adoption came to.

    Attributes:
        result: The build.
        adopted: Facts taken from the ledger.
        drawn: Facts drawn or computed beyond them.
        left_out: Facts of the ledger that the schema computes and that were left to it, where that was asked for.
    """

    result: BuildResult
    adopted: int
    drawn: int
    left_out: int = 0


def adopt(
    ledger: str | os.PathLike[str],
    schema: str | os.PathLike[str] | Schema,
    *,
    counts: Counts = "schema",
    leave_computed: bool = False,
    report: Report | None = None,
    **options: Unpack[BuildOptions],
) -> Adoption:
    """Build the world of a ledger into ``<out>/<name>-adopted-<seed>``.

    Args:
        ledger: A ledger's file.
        schema: The schema that the session had: a shipped name, a path, or a loaded schema.
        counts: ``schema``: there are as many things of a kind as the schema says; ``ledger``: of kinds that the ledger
            names, those alone.
        leave_computed: Leave out facts of the ledger that the schema computes (ranks, shares, sums), which else must
            agree with what it computes.
        report: Called with the name of each stage.
        options: See `BuildOptions`.

    Raises:
        CallerError: The ledger cannot be read, contradicts itself, or names more than the schema has room for.
        GenerationError: A fact of the ledger breaks a rule of the schema; names fact, rule and turn.
        ProofError: A proof failed.
    """
    loaded = schema if isinstance(schema, Schema) else read_schema(schema)
    held = read_ledger(Path(ledger), loaded)
    contradictions = held.contradictions()
    if contradictions:
        turns = "; ".join(f"turn {c.entry.turn}: {c.message}" for c in contradictions[:_SHOWN])
        alone = all(found.held is None for found in contradictions)
        raise CallerError(
            "adopt.contradiction",
            "the ledger says what the schema does not allow" if alone else "the ledger contradicts itself",
            path=ledger, expected="facts that can all be so", got=turns, fix="take these entries out of the ledger",
        )  # fmt: skip
    if not held.assertions:
        raise CallerError(
            "adopt.empty", "the ledger holds no fact", path=ledger, expected="an assertion at least",
            got="entries of what was shown alone" if len(held) else "no entry",
            fix="search and open more in the session, and fetch its ledger again",
        )  # fmt: skip
    taken = _Taken(held, leave_computed=leave_computed)
    fitted = _fitted(loaded, taken.names, counts)
    _check_script(taken.names, options.get("languages") or loaded.languages)
    given = taken.given()
    told: BuildOptions = {**options, "adopted": Adopted(given, held.to_lines())}
    try:
        result = build_world(fitted, report=report, **told)
    except GenerationError as error:
        raise _with_turns(error, fitted, given) from error
    facts = result.manifest.counts["facts"]
    return Adoption(result, given.count(), facts - given.count(), taken.left_out)


class _Taken:
    """The facts of a ledger by row: the n-th name of a kind is its n-th row."""

    def __init__(self, ledger: Ledger, *, leave_computed: bool) -> None:
        self._ledger = ledger
        self._leave = leave_computed
        self.names = ledger.names()
        self._rows = {kind: {key: row for row, key in enumerate(names)} for kind, names in self.names.items()}
        self.left_out = 0

    def given(self) -> Given:
        """What the facts stage takes."""
        values: dict[tuple[str, str], dict[int, Told]] = {}
        series: dict[tuple[str, str], dict[tuple[int, int], Told]] = {}
        left: set[tuple[str, str, int]] = set()
        for entry in self._ledger.assertions:
            slot = self._ledger.slots[entry.entity, entry.attribute]
            key, row = (entry.entity, entry.attribute), self._rows[entry.entity][name_key(entry.subject)]
            if not isinstance(slot.node, Attribute):
                period = ordinal(entry.time, slot.node.every)
                series.setdefault(key, {}).setdefault((row, period), self._told(entry, entry.value))
            elif self._leave and computed(slot.node):
                left.add((*key, row))
            else:
                value = entry.value if slot.target is None else self._id(slot.target, entry.value)
                values.setdefault(key, {}).setdefault(row, self._told(entry, value))
        self.left_out = len(left)
        return Given({kind: tuple(names.values()) for kind, names in self.names.items()}, values, series)

    def _id(self, kind: str, name: str) -> str:
        return f"{kind}/{self._rows[kind][name_key(name)]}"

    def _told(self, entry: Assertion, value: str) -> Told:
        return Told(value, f"turn {entry.turn} ({entry.subject})")


def _fitted(schema: Schema, names: Mapping[str, Mapping[str, str]], counts: Counts) -> Schema:
    """The schema with room for the ledger's things."""
    sizes: dict[str, int] = {}
    for kind, found in names.items():
        count = schema.entities[kind].count
        if count is None:
            raise CallerError(
                "adopt.made", f"the rows of {kind} are made by a process, which takes no names from a ledger",
                expected="facts about other kinds of things", got=next(iter(found.values())),
            )  # fmt: skip
        if counts == "schema" and len(found) > count:
            raise CallerError(
                "adopt.too-many", f"the ledger names more of {kind} than the schema has", expected=f"at most {count}",
                got=str(len(found)), fix="--counts ledger makes room for them, and for no others",
            )  # fmt: skip
        if counts == "ledger":
            sizes[kind] = len(found)
    entities = {
        kind: entity.model_copy(update={"count": sizes[kind]}) if kind in sizes else entity
        for kind, entity in schema.entities.items()
    }
    return schema.model_copy(update={"entities": entities})


def _check_script(names: Mapping[str, Mapping[str, str]], languages: object) -> None:
    """A name that is written in Chinese needs a world that has Chinese pages, and a Latin one English pages."""
    for found in names.values():
        for name in found.values():
            needed = "zh" if is_chinese(name) else "en"
            if isinstance(languages, (list, tuple)) and needed not in languages:
                raise CallerError(
                    "adopt.language", "a name of the ledger would stand on no page", expected=f"--language {needed}",
                    got=name,
                )  # fmt: skip


def _with_turns(error: GenerationError, schema: Schema, given: Given) -> GenerationError:
    """An error of a check of the schema, with the adopted facts of the rows that break it."""
    if error.code != "facts.check-broken":
        return error
    name = error.message.split("'")[1]
    words = set(schema.checks[name].sql.replace(".", " ").replace("(", " ").replace(")", " ").replace(",", " ").split())
    facts = [
        f"{table}/{row}/{attribute} = {told.value} of {told.by}"
        for (table, attribute), rows in given.values.items()
        for row, told in rows.items()
        if table in words and attribute in words and f"'{table}/{row}'" in (error.got or "")
    ]
    if not facts:
        return error
    return GenerationError(
        "adopt.check-broken", f"facts of the ledger break the check {name!r}", expected=error.expected,
        got="; ".join(facts[:_SHOWN]), fix="take one of them out of the ledger",
    )  # fmt: skip
