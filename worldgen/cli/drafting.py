"""`draft`: a schema that a language model writes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import cast, get_args

import typer

from worldgen.cli import INTERRUPTS
from worldgen.cli.backend import ModelOptions, open_model, wait_for
from worldgen.cli.console import print_json, program
from worldgen.draft import Draft, Drafting, draft
from worldgen.draft.asking import PROMPTS
from worldgen.errors import CallerError
from worldgen.records import Language
from worldgen.schema.catalogue import stated_rows, table_count

_SHOWN = 12


def run(told: Drafting, model: ModelOptions, out: Path | None, *, force: bool, as_json: bool) -> None:
    """Draft a schema and say what came of it; exit 1 where it is not sound."""
    with open_model(model) as asks:
        wait_for(asks)
        for each in told.documents:
            if each.cut:
                _say(f"{each.name}: the first {len(each.text):,} of {each.characters:,} characters are shown")
        found = draft(asks, told, out, force=force, report=_say)
        if as_json:
            print_json(_record(found, told, asks.name))
        elif found.complete:
            _complete(found, told, asks.name)
        else:
            _incomplete(found, asks.name)
    if not found.complete:
        raise typer.Exit(1)


def languages(given: Sequence[str] | None) -> tuple[Language, ...]:
    """The languages of a draft, English by default; `CallerError` where one is unknown."""
    found: list[Language] = []
    for each in given or ("en",):
        if each not in get_args(Language):
            raise CallerError("draft.language", "unknown language", expected="en or zh", got=repr(each))
        found.append(cast(Language, each))
    return tuple(dict.fromkeys(found))


def _say(line: str) -> None:
    INTERRUPTS.check()
    print(f"  {line} …", file=sys.stderr, flush=True)


def _complete(found: Draft, told: Drafting, model: str) -> None:
    schema = found.schema
    assert schema is not None
    title = schema.title.get("en") or next(iter(schema.title.values()))
    kinds, tables, place = len(schema.entities), table_count(schema), quote(str(found.path))
    print(f"{title}: {kinds} kinds of things, {stated_rows(schema):,} rows in {tables} tables, in {found.path}")
    proven = (
        f"a world of seed {told.seed} passed all proofs" if told.prove else "rehearsed; no world was built on trial"
    )
    print(f"  {_replies(found, model)}; {proven}")
    print("Next:")
    print(f"  {program()} build {place}")


def _incomplete(found: Draft, model: str) -> None:
    many = len(found.problems)
    print(f"Not a sound schema; {many} problem{'s' * (many > 1)} left, as it stands in {found.path}")
    print(f"  {_replies(found, model)}")
    for problem in found.problems[:_SHOWN]:
        print(f"  {problem.error}")
    if many > _SHOWN:
        print(f"  … and {many - _SHOWN} more")
    print(f"Mend the file and see `{program()} validate {quote(str(found.path))}`, or draft again with more --rounds.")


def _replies(found: Draft, model: str) -> str:
    rounds = {0: "at once", 1: "mended in 1 round"}.get(found.rounds, f"mended in {found.rounds} rounds")
    return f"{found.replies} replies of {model}, {rounds}"


def _record(found: Draft, told: Drafting, model: str) -> dict[str, object]:
    return {
        "path": str(found.path),
        "complete": found.complete,
        "rounds": found.rounds,
        "replies": found.replies,
        "model": model,
        "seed": told.seed,
        "temperature": told.temperature,
        "prompts": PROMPTS.version(),
        "documents": [
            {"name": each.name, "sha256": each.digest, "characters": each.characters, "shown": len(each.text)}
            for each in told.documents
        ],
        "problems": [
            {
                "piece": piece,
                "code": error.code,
                "message": error.message,
                "line": error.line,
                "expected": error.expected,
                "got": error.got,
                "fix": error.fix,
            }
            for piece, error in found.problems
        ],
    }
