"""Draws a variant of a schema, and makes sure that it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from worldgen.errors import CallerError, WorldgenError, expect
from worldgen.facts.reading import read_schema
from worldgen.rehearsal import attempt
from worldgen.schema import Schema
from worldgen.seeds import Stream, stream
from worldgen.variation.outline import Outline
from worldgen.variation.steps.deriving import derive
from worldgen.variation.steps.dropping import drop_attributes, drop_tables
from worldgen.variation.steps.exchanging import exchange_currency, exchange_units
from worldgen.variation.steps.grafting import graft_entities, graft_series
from worldgen.variation.steps.publishing import publish
from worldgen.variation.steps.renaming import rename
from worldgen.variation.steps.tuning import retell_premise, tune_counts, tune_noise
from worldgen.variation.steps.wording import reorder_labels

MAX_VARIANT = 999_999
Step = Callable[[Outline, Stream], None]
STEPS: tuple[Step, ...] = (
    drop_tables, drop_attributes, rename, graft_entities, graft_series, derive, exchange_units, exchange_currency,
    publish, tune_counts, tune_noise, reorder_labels,
)  # fmt: skip
_SEED = 0


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a schema.

    Attributes:
        schema: It, checked and tried out.
        number: Its number; 0 is the schema itself.
        changes: What differs from the schema, each in words.
        refused: Steps whose changes did not hold and were taken back, each with the reason.
    """

    schema: Schema
    number: int
    changes: tuple[str, ...]
    refused: tuple[str, ...]


def sample(source: str | Schema, number: int) -> Variant:
    """The variant of that number: always the same, whatever was drawn before.

    Each step is drawn by itself. The variant is checked as any schema is, and its facts are drawn and its checks run
    for one seed. Where that fails, the steps are tried one after another, and those after which it fails are left out.

    Args:
        source: A shipped schema's name, the path of a schema, or a loaded one.
        number: 0 to `MAX_VARIANT`; 0 is the schema as it is.

    Raises:
        CallerError: There is no such schema, or no such number.
        SchemaErrors: The schema itself is wrong.
    """
    expect(number, int, "variant")
    if not 0 <= number <= MAX_VARIANT:
        raise CallerError("variation.number", "no such variant", expected=f"0 to {MAX_VARIANT:,}", got=str(number))
    schema = source if isinstance(source, Schema) else read_schema(source)
    if number == 0:
        return Variant(schema, 0, (), ())
    start = _start(schema, number)
    whole = start.copy()
    refused: list[str] = []
    try:
        for step in STEPS:
            _take(step, whole, schema, number)
        return _finished(whole, number, refused)
    except WorldgenError:
        pass
    kept = start
    for step in STEPS:
        trial = kept.copy()
        try:
            _take(step, trial, schema, number)
            if trial.changes != kept.changes:
                _finished(trial.copy(), number, refused)
                kept = trial
        except WorldgenError as error:
            refused.append(f"{step.__name__}: {str(error).splitlines()[0]}")
    return _finished(kept, number, refused)


def _start(schema: Schema, number: int) -> Outline:
    outline = Outline.of(schema)
    outline.plain["world"] = f"{schema.world}-v{number}"
    return outline


def _take(step: Step, outline: Outline, schema: Schema, number: int) -> None:
    step(outline, stream(number, "variation", schema.world, step.__name__))


def _finished(outline: Outline, number: int, refused: list[str]) -> Variant:
    retell_premise(outline, number)
    schema = outline.checked(partial(attempt, _SEED))
    return Variant(schema, number, tuple(outline.changes), tuple(refused))
