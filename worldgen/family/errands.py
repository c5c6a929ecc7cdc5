"""What there is to build: one errand a world, as small as a message to another machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldgen.errors import CallerError, WorldgenError, expect
from worldgen.facts.reading import read_schema
from worldgen.pipeline import BuildOptions, BuildResult, build_world
from worldgen.schema import Schema, canonical
from worldgen.schema.canonical import from_canonical
from worldgen.schema.catalogue import shipped
from worldgen.settings import Settings
from worldgen.variation import sample

Outcome = BuildResult | WorldgenError


@dataclass(frozen=True, slots=True)
class Errand:
    """One world to build.

    Attributes:
        schema: The schema's canonical text.
        variant: The number of its variant; 0 is the schema as it is.
        options: Seed, place and so on.
    """

    schema: str
    variant: int
    options: BuildOptions

    def run(self) -> Outcome:
        """Build the world in this process; an error is returned, so that the others go on."""
        try:
            schema = from_canonical(self.schema)
            if self.variant:
                schema = sample(schema, self.variant).schema
            return build_world(schema, processes=1, **self.options)
        except WorldgenError as error:
            return error


def errands(
    schema: str | os.PathLike[str] | Schema | None,
    *,
    count: int = 1,
    vary: bool = False,
    prove_every: int = 1,
    **options: Any,
) -> list[Errand]:
    """The worlds of seeds ``seed … seed + count - 1``.

    Args:
        schema: A shipped schema's name, a path, a loaded schema; None means every shipped schema in turn, by seed.
        count: How many worlds, at least 1.
        vary: Build the world of seed S from the schema's variant S.
        prove_every: Prove the worlds whose place in the family is a multiple of this; 1 proves each.
        options: See `worldgen.pipeline.BuildOptions`.

    Raises:
        SchemaError: A schema is wrong.
        CallerError: A wrong argument.
    """
    for name, value in (("count", count), ("prove_every", prove_every)):
        expect(value, int, name)
        if value < 1:
            raise CallerError(f"family.{name.replace('_', '-')}", f"{name} starts at 1", got=str(value))
    seed = Settings().seed if options.get("seed") is None else options["seed"]
    expect(seed, int, "seed")
    texts = _texts(schema)
    proofs = options.get("proofs", True)
    return [
        Errand(
            texts[number % len(texts)],
            number if vary else 0,
            {**options, "seed": number, "proofs": proofs and (number - seed) % prove_every == 0},  # type: ignore[typeddict-item]
        )
        for number in range(seed, seed + count)
    ]


def _texts(schema: str | os.PathLike[str] | Schema | None) -> Sequence[str]:
    if isinstance(schema, Schema):
        return [canonical(schema)]
    return [canonical(read_schema(source)) for source in (shipped() if schema is None else [schema])]
