"""What a model that invents is told it may assert: kinds of things, and the values that each property may have.

The names of kinds and properties are those of the ledger and of the structured reading, so that one vocabulary serves
all three. Like the rest of the state it is made from the schema alone: no name, no value and no answer is in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from worldgen.facts.given import computed
from worldgen.language import with_article
from worldgen.records import Language
from worldgen.schema import Schema
from worldgen.schema.model import Attribute, Series
from worldgen.search.world_model.prompt import fill
from worldgen.search.world_model.slots import Slot, limits, slots, wordings

COMPUTED = "computed"


def describe_inventions(schema: Schema, language: Language = "en") -> str:
    """The part of the state that only the free mode has.

    Args:
        schema: What there is.
        language: Of the wordings of categories.
    """
    kinds: dict[str, list[Slot]] = {}
    for slot in slots(schema).values():
        # The rows that a process makes take no names from outside, so that nothing can be adopted of them.
        if schema.entities[slot.entity].count is not None:
            kinds.setdefault(slot.entity, []).append(slot)
    lines: list[str] = []
    for kind, found in kinds.items():
        name = schema.entities[kind].name
        like = f"; named like {with_article(name.kind)}" if name is not None and name.kind is not None else ""
        lines.append(f"- {kind}: at most {schema.entities[kind].count}{like}")
        for slot in found:
            told = "; ".join(_told(slot, language)) if slot.target is None or slot.target in kinds else COMPUTED
            lines.append(f"  - {slot.attribute}: {told}")
    return fill("inventions", kinds="\n".join(lines))


def _told(slot: Slot, language: Language) -> Iterator[str]:
    node = slot.node
    if isinstance(node, Attribute) and computed(node):
        yield COMPUTED
        return
    if slot.kind == "category":
        yield "one of " + " | ".join(said for said in wordings(slot, language))
    elif slot.kind == "boolean":
        yield "yes or no"
    elif slot.target is not None:
        own = slot.target == slot.entity
        yield f"another {slot.target}, never in a circle" if own else with_article(slot.target)
    else:
        yield from _measured(slot)
    if slot.once:
        yield "no two alike"
    for key in ("after", "before"):
        if getattr(node, key, None) is not None:
            yield f"{key} {getattr(node, key)}"


def _measured(slot: Slot) -> Iterator[str]:
    node = slot.node
    yield slot.kind
    if slot.periods:
        yield f"by period, {slot.periods[0]} to {slot.periods[-1]}"
    if node.unit or node.currency:
        yield f"in {node.unit or node.currency}"
    if node.decimals:
        yield f"{node.decimals} decimals"
    low, high = limits(slot)
    if low and high:
        yield f"{low} to {high}"
    elif low or high:
        yield f"at least {low}" if low else f"at most {high}"
    typical = _typical(node)
    if typical is not None:
        yield f"around {typical:g}"
    if isinstance(node, Attribute) and node.empirical is not None:
        yield "one of " + " | ".join(f"{each:g}" for each in sorted(float(value) for value in node.empirical))
    elif node.round is not None:
        yield f"multiples of {node.round:g}"


def _typical(node: Attribute | Series) -> float | None:
    """The middle of what is drawn, where the schema says it."""
    if isinstance(node, Series):
        return None
    if node.normal is not None:
        return node.normal.mean
    return node.lognormal.median if node.lognormal is not None else None
