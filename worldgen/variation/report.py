"""How far the variants of some schemas lie apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import median
from typing import Any

from worldgen.schema import Schema
from worldgen.variation.shape import Shape, distance, shape_of


@dataclass(frozen=True, slots=True)
class Apart:
    """The variants of one schema.

    Attributes:
        variants: How many there are.
        distinct: How many different structures they have.
        least: Of the distances between two of them, 0 to 1; 0 where there is one variant.
        median: Likewise.
        greatest: Likewise.
    """

    variants: int
    distinct: int
    least: float
    median: float
    greatest: float


@dataclass(frozen=True, slots=True)
class Spread:
    """The variants of several schemas.

    Attributes:
        schemas: By name.
        distinct: Different structures over all of them.
        between: Least and greatest distance between variants of two schemas; None where there is one schema.
    """

    schemas: dict[str, Apart]
    distinct: int
    between: tuple[float, float] | None

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def spread(variants: Mapping[str, Sequence[Schema]]) -> Spread:
    """Measure the distances between variants, by schema and between schemas."""
    shapes = {name: [shape_of(schema) for schema in schemas] for name, schemas in variants.items()}
    between = [
        distance(one, other)
        for first, second in combinations(shapes.values(), 2)
        for one in first
        for other in second
    ]  # fmt: skip
    return Spread(
        {name: _apart(found) for name, found in shapes.items()},
        len({shape.signature for found in shapes.values() for shape in found}),
        (min(between), max(between)) if between else None,
    )


def _apart(shapes: Sequence[Shape]) -> Apart:
    distances = [distance(one, other) for one, other in combinations(shapes, 2)] or [0.0]
    signatures = {shape.signature for shape in shapes}
    return Apart(len(shapes), len(signatures), min(distances), median(distances), max(distances))
