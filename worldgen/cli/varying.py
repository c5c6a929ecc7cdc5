"""`sample`: variants of a schema, and how far they lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from worldgen.cli.console import print_json, print_table, program
from worldgen.errors import CallerError
from worldgen.schema.catalogue import shipped
from worldgen.store.place import disk_errors
from worldgen.variation import Variant, sample
from worldgen.variation.report import Spread, spread
from worldgen.variation.shape import distance, shape_of
from worldgen.variation.writing import as_yaml


def one(schemas: Sequence[str], number: int, out: Path | None, *, as_json: bool) -> None:
    """Draw one variant of one schema: say what differs, or write it down."""
    if len(schemas) != 1:
        raise CallerError(
            "sample.schema", "one variant is drawn of one schema", expected="one schema, or --variants N",
            got=", ".join(schemas) or "none",
        )  # fmt: skip
    original, variant = sample(schemas[0], 0), sample(schemas[0], number)
    apart = round(distance(shape_of(original.schema), shape_of(variant.schema)), 3)
    if out is not None:
        _write(out, variant)
    if as_json:
        found = {"schema": variant.schema.world, "variant": number, "distance": apart, "changes": variant.changes}
        print_json({**found, "refused": variant.refused, "file": str(out) if out else None})
        return
    print(f"{variant.schema.world}: {len(variant.changes)} changes, distance {apart:.2f} from the schema")
    for change in variant.changes:
        print(f"  {change}")
    for refused in variant.refused:
        print(f"  not kept: {refused}")
    print("Next:")
    if out is not None:
        print(f"  {program()} build {out}")
    else:
        print(f"  {program()} build {schemas[0]} --variant {number}")


def many(schemas: Sequence[str], number: int, out: Path | None, *, as_json: bool) -> None:
    """Draw so many variants of each schema and tell how far they lie apart."""
    names = list(schemas) or list(shipped())
    variants = {name: [sample(name, each) for each in range(1, number + 1)] for name in names}
    if out is not None:
        for found in variants.values():
            for variant in found:
                _write(out / f"{variant.schema.world}.yaml", variant)
    told = spread({name: [variant.schema for variant in found] for name, found in variants.items()})
    if as_json:
        print_json(told.to_json())
    else:
        _report(told)


def _report(told: Spread) -> None:
    rows = [
        [name, each.variants, each.distinct, f"{each.least:.2f}", f"{each.median:.2f}", f"{each.greatest:.2f}"]
        for name, each in told.schemas.items()
    ]
    print_table("", ["schema", "variants", "distinct", "least", "median", "greatest distance"], rows)
    between = f"; between schemas {told.between[0]:.2f} to {told.between[1]:.2f}" if told.between else ""
    print(f"{told.distinct} structurally distinct variants{between}")


def _write(path: Path, variant: Variant) -> None:
    heading = f"Variant {variant.number}, drawn by `worldgen sample`.\n" + "\n".join(variant.changes)
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_yaml(variant.schema, heading), "utf-8")
