"""Changes how many rows there are and how noisy the pages, and tells the premise anew."""

from __future__ import annotations

from worldgen.schema import Schema
from worldgen.schema.layout import entity_attributes, tables
from worldgen.schema.texts import MOST_PREMISE
from worldgen.seeds import Stream
from worldgen.variation.data import read
from worldgen.variation.drawing import between
from worldgen.variation.outline import Outline


def tune_counts(outline: Outline, rng: Stream) -> None:
    """Give more rows to what nothing refers to, and fewer to what refers to nothing; others keep theirs."""
    plan, schema = read("plan")["tune"], outline.schema()
    read_by_processes = {word for use in outline.plain.get("processes", ()) for word in _words(use)}
    layout = tables(schema)
    referred_to = {field.target for columns in layout.values() for field in columns.values() if field.kind == "ref"}
    for name, entity in schema.entities.items():
        refers = any(field.kind == "ref" for field in layout[name].values())
        factor = between(plan["fewer" if name in referred_to else "more"], rng)
        if entity.count is None or entity.count < plan["least"] or name in read_by_processes:
            continue
        if (name in referred_to and refers) or _bounded(schema, name):
            continue
        count = max(plan["least"], round(entity.count * factor))
        if count != entity.count:
            outline.plain["entities"][name]["count"] = count
            outline.changes.append(f"{count} instead of {entity.count} rows of {name}")


def _bounded(schema: Schema, name: str) -> bool:
    """Whether other tables or the range of a value bound the number of rows."""
    entity = schema.entities[name]
    attributes = entity_attributes(schema, name).values()
    return entity.name is None or any(one.distinct or (one.unique and one.kind != "name") for one in attributes)


def tune_noise(outline: Outline, rng: Stream) -> None:
    """Draw other rates of stale, mistaken, background and indirect statements."""
    rates = read("plan")["tune"]["noise"]
    outline.plain["noise"] = {key: round(between(ends, rng), 3) for key, ends in rates.items()}
    outline.changes.append("rates of noise: " + ", ".join(f"{k} {v}" for k, v in outline.plain["noise"].items()))


def retell_premise(outline: Outline, variant: int) -> None:
    """Say what the variant consists of, since the schema's own premise speaks of its own counts and things."""
    schema = outline.schema()
    outline.plain["premise"] = premise_of(schema, variant)


def premise_of(schema: Schema, variant: int) -> str:
    """A premise made from a schema's title, date, things and counts, at most as long as a premise may be."""
    title = schema.title.get("en") or next(iter(schema.title.values()))
    text = f"{title}, variant {variant}. It is {schema.as_of:%B} {schema.as_of.day}, {schema.as_of.year}."
    things = [_thing(schema, name) for name in schema.entities]
    text += f" There are {', '.join(things)}."
    for name, series in schema.series.items():
        label = series.label.get("en", [name])[0]
        text += f" Of each {_noun(schema, series.of)[0]}, {label} by {series.every}."
    text += " Every name and figure is invented."
    return (
        text
        if len(text) <= MOST_PREMISE
        else text[: text.rfind(",", 0, MOST_PREMISE - 60)] + " and more. Every name and figure is invented."
    )


def _thing(schema: Schema, name: str) -> str:
    one, many = _noun(schema, name)
    count = schema.entities[name].count
    return many if count is None else f"{count:,} {one if count == 1 else many}"


def _noun(schema: Schema, name: str) -> tuple[str, str]:
    words = schema.entities[name].label.get("en", [name])[0].split("/")
    return words[0], words[-1]


def _words(node: object) -> list[str]:
    if isinstance(node, str):
        return [node]
    if isinstance(node, dict):
        return [word for value in node.values() for word in _words(value)]
    return [word for value in node for word in _words(value)] if isinstance(node, list) else []
