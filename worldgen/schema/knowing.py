"""Since when are facts known? `known` is a day in the world's past, or a path to a date or year of the row."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from worldgen.schema.context import Context
from worldgen.schema.layout import relation_ref
from worldgen.schema.problems import Path

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def check_knowing(context: Context) -> None:
    """Every `known` is a date that is not to come, or leads to a date or year that is always disclosed."""
    for table, known, at in _places(context):
        if known[:1].isdigit():
            _check_day(context, known, at)
            continue
        field = context.end(table, known, at)
        if field is None:
            continue
        if field.kind not in ("date", "year"):
            message = "is of the wrong kind"
            context.report.add("wrong-kind", message, at, expected="a path to a date or year", got=field.kind)
        elif field.attribute is not None and field.attribute.undisclosed:
            message = f"`{known}` is undisclosed in some rows, so nobody could tell since when this is known"
            context.report.add("undisclosed", message, at, fix=f"drop `undisclosed` from `{known}`")


def _places(context: Context) -> Iterator[tuple[str, str, Path]]:
    for place in context.places():
        if place.attribute.known is not None:
            yield place.table, place.attribute.known, (*place.at, "known")
    for name, entity in context.schema.entities.items():
        if entity.known is not None:
            yield name, entity.known, ("entities", name, "known")
    for name, relation in context.schema.relations.items():
        spot = relation_ref(relation)
        if relation.known is not None:
            yield name if spot is None else spot[0], relation.known, ("relations", name, "known")


def _check_day(context: Context, text: str, at: Path) -> None:
    now = context.schema.as_of
    try:
        if not _DATE.fullmatch(text):
            raise ValueError(text)
        day = dt.date.fromisoformat(text)
    except ValueError:
        context.report.add("wrong-kind", "not a date", at, expected="a date such as 2027-01-31 or a path", got=text)
        return
    if day > now:
        message = "no page could ever state it"
        context.report.add("out-of-range", message, at, expected=f"a date up to as_of, {now}", got=text)
