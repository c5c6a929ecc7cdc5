"""Adoption: the ledger of a session in free mode, or of its record, becomes a world of its own, proven like any other.

What the ledger holds is kept to the letter; what the schema needs beyond it is drawn by the seed, as in any build.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Unpack

from worldgen.env.invented import invents, ledger_of
from worldgen.env.trajectory import read_trajectories
from worldgen.errors import CallerError, CheckBroken, GenerationError
from worldgen.facts.given import Given, Told, computed, is_chinese
from worldgen.facts.reading import read_schema
from worldgen.language import name_key
from worldgen.pipeline import Adopted, BuildOptions, BuildResult, Report, build_world
from worldgen.schema import Schema
from worldgen.schema.model import Attribute
from worldgen.schema.periods import ordinal
from worldgen.search.world_model.ledger import Assertion, Contradiction, Ledger, read_ledger

Counts = Literal["schema", "ledger"]
_SHOWN = 5
_WORD = re.compile(r"\w+")


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
    episode: int | None = None,
    counts: Counts = "schema",
    leave_computed: bool = False,
    report: Report | None = None,
    **options: Unpack[BuildOptions],
) -> Adoption:
    """Build the world of a ledger into ``<out>/<name>-adopted-<seed>``.

    Args:
        ledger: A ledger's file, or a file of trajectories, one a line, with an episode in free mode.
        schema: The schema that the session had: a shipped name, a path, or a loaded schema.
        episode: The line of the episode, from 1, where a file of trajectories has several in free mode.
        counts: ``schema``: there are as many things of a kind as the schema says; ``ledger``: of kinds that the ledger
            names, those alone.
        leave_computed: Leave out facts of the ledger that the schema computes (ranks, shares, sums), which else must
            agree with what it computes.
        report: Called with the name of each stage.
        options: See `BuildOptions`.

    Raises:
        CallerError: The ledger cannot be read, breaks a rule of the schema, contradicts itself, or names more than the
            schema has room for.
        GenerationError: A fact of the ledger breaks a rule of the schema; names fact, rule and turn.
        ProofError: A proof failed.
    """
    loaded = schema if isinstance(schema, Schema) else read_schema(schema)
    held = _read(Path(ledger), loaded, episode)
    _check_sound(held, ledger)
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
    except CheckBroken as error:
        raise _with_turns(error, fitted, given) from error
    facts = result.manifest.counts["facts"]
    return Adoption(result, given.count(), facts - given.count(), taken.left_out)


def _read(path: Path, schema: Schema, episode: int | None) -> Ledger:
    """The ledger of a file, or of an episode that a file of trajectories holds."""
    if not _has_trajectories(path):
        if episode is not None:
            raise CallerError("adopt.no-episodes", "the file is no file of trajectories", path=path,
                              expected="a ledger alone, without --episode")  # fmt: skip
        return read_ledger(path, schema)
    found = {line: record for line, record in read_trajectories(path) if invents(record)}
    lines = ", ".join(map(str, found)) or "none"
    if episode is None and len(found) == 1:
        episode = next(iter(found))
    if episode is None or episode not in found:
        what = "several episodes in free mode" if episode is None and found else "no such episode in free mode"
        raise CallerError(
            "adopt.which-episode", f"the file has {what}", path=path, expected="the line of one: --episode N",
            got=f"episodes in free mode: {lines}",
        )  # fmt: skip
    return ledger_of(found[episode], schema)


def _has_trajectories(path: Path) -> bool:
    """Whether the first line of a file is an episode's record; whatever else it is, `read_ledger` tells."""
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:
            first: object = json.loads(next((line for line in lines if line.strip()), "null"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and {"start", "steps"} <= first.keys()


def _check_sound(ledger: Ledger, source: object) -> None:
    """Raise where entries break rules of the schema by themselves, or contradict each other."""
    found = ledger.contradictions()
    broken = [each for each in found if each.rule or each.held is None]
    if broken:
        raise CallerError(
            "adopt.breaks-schema", "the ledger breaks rules of the schema", path=source, got=_told(broken),
            fix="take these facts out of the ledger, or change the schema",
        )  # fmt: skip
    if found:
        raise CallerError("adopt.contradiction", "the ledger contradicts itself", path=source, got=_told(found))


def _told(found: Sequence[Contradiction]) -> str:
    rules = (f" (rule {each.rule})" if each.rule else "" for each in found[:_SHOWN])
    return "; ".join(
        f"turn {each.entry.turn}: {each.message}{rule}" for each, rule in zip(found[:_SHOWN], rules, strict=True)
    )


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


def _with_turns(error: CheckBroken, schema: Schema, given: Given) -> GenerationError:
    """An error of a check of the schema, with the adopted facts of the rows that break it."""
    words = set(_WORD.findall(schema.checks[error.check].sql))
    facts = [
        f"{table}/{row}/{attribute} = {told.value} of {told.by}"
        for (table, attribute), rows in given.values.items()
        for row, told in rows.items()
        if table in words and attribute in words and f"'{table}/{row}'" in (error.got or "")
    ]
    if not facts:
        return error
    return GenerationError(
        "adopt.check-broken", f"facts of the ledger break the check {error.check!r}", expected=error.expected,
        got="; ".join(facts[:_SHOWN]), fix="take one of them out of the ledger",
    )  # fmt: skip
