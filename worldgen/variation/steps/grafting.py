"""Adds things and series that a field may have beside its own, such as studies, surveys and press mentions."""

from __future__ import annotations

import datetime as dt
from collections import Counter

from worldgen.schema import Schema
from worldgen.seeds import Stream
from worldgen.variation.data import grafts, read
from worldgen.variation.drawing import whole
from worldgen.variation.outline import Outline, Plain

_MOST_HOSTS = 60
_SERIES_HOSTS = (5, 40)
_CURRENCY = "EUR"


def graft_entities(outline: Outline, rng: Stream) -> None:
    """Add entities, each about one of the things that the schema has."""
    plan = read("plan")["graft"]
    for name in rng.sample(list(grafts()), whole(plan["entities"], rng)):
        schema, graft = outline.schema(), grafts()[name]
        hosts = [host for host in schema.entities if _may_host(schema, host)]
        if not hosts or graft["table"] in _words(outline):
            continue
        host = rng.choice(hosts)
        _plant(outline, schema, graft, host, rng)
        outline.changes.append(f"with {graft['table']}, each of a {host}")


def graft_series(outline: Outline, rng: Stream) -> None:
    """Add a series to a thing whose rows all stood before it begins."""
    for name in rng.sample(list(read("series")), whole(read("plan")["graft"]["series"], rng)):
        schema = outline.schema()
        found = dict(read("series")[name])
        start, end = _periods(schema.as_of, found.pop("every"), found.pop("periods"))
        hosts = [one for one in schema.entities if _lasting(schema, one, start)]
        if not hosts or name in _words(outline):
            continue
        host = rng.choice(hosts)
        every = read("series")[name]["every"]
        outline.section("series")[name] = {"of": host, "every": every, "from": start, "to": end, **found}
        table = f"{host}_{name}"
        for site in outline.plain["sites"]:
            if host in site.get("about", ()):
                site["about"].append(table)
        outline.changes.append(f"with {name} of each {host}, by {every}")


def _plant(outline: Outline, schema: Schema, graft: Plain, host: str, rng: Stream) -> None:
    plan = read("plan")["graft"]
    most, least = (schema.as_of - dt.timedelta(days=days) for days in plan["days"])
    known = schema.entities[host].known
    attributes: Plain = {}
    for column, found in graft["attributes"].items():
        attribute = dict(found)
        if column == graft["host"]:
            attribute["ref"] = host
        if column == graft["date"]:
            attribute["uniform"] = [least.isoformat(), most.isoformat()]
            if known is not None and not known[:1].isdigit():
                attribute["after"] = f"{graft['host']}.{known}"
        if attribute.get("type") == "money":
            attribute["currency"] = _currency(outline)
        attributes[column] = attribute
    entity = {"label": graft["label"], "count": whole(plan["rows"], rng), "name": graft["name"]}
    outline.plain["entities"][graft["table"]] = {**entity, "known": graft["date"], "attributes": attributes}
    for site in outline.plain["sites"]:
        if host in site.get("about", ()):
            site["about"].append(graft["table"])
    outline.section("checks").update(graft.get("checks", {}))
    subjects = outline.plain.get("tasks", {}).get("subjects")
    if subjects:
        subjects[graft["table"]] = {"weight": 1.5, "reasons": graft["reasons"]}


def _words(outline: Outline) -> set[str]:
    """Identifiers in use, which an addition must not share."""
    used = {name for _, name, _ in outline.attributes()}
    for section in ("entities", "relations", "series"):
        used |= set(outline.plain.get(section, {}))
    return used


def _may_host(schema: Schema, name: str) -> bool:
    """Whether things of this sort have names, are not too many, and are known since a day that the rows state."""
    entity = schema.entities[name]
    few = entity.count is not None and entity.count <= _MOST_HOSTS
    return entity.name is not None and few and (entity.known is not None or _lasting(schema, name, _before(schema)))


def _before(schema: Schema) -> str:
    return str(schema.as_of.year - 3)


def _lasting(schema: Schema, name: str, start: str) -> bool:
    """Whether every row of an entity stood before a period, as far as its dates and years say."""
    entity, first = schema.entities[name], int(start[:4])
    least, most = _SERIES_HOSTS
    if entity.name is None or entity.known is not None or entity.count is None or not least <= entity.count <= most:
        return False
    dated = [one for one in entity.attributes.values() if one.kind in ("date", "year")]
    for attribute in dated:
        bounds = [attribute.max]
        if attribute.uniform is not None:
            end = attribute.uniform[1]
            bounds.append(end.year if isinstance(end, dt.date) else end)
        latest = min((bound for bound in bounds if bound is not None), default=None)
        if latest is None or latest >= first:
            return False
    return True


def _periods(now: dt.date, every: str, number: int) -> tuple[str, str]:
    """The first and last of the periods that ended before `now`.

    >>> _periods(dt.date(2031, 2, 10), "quarter", 3)
    ('2030-Q2', '2030-Q4')
    """
    months = {"month": 1, "quarter": 3, "year": 12}[every]
    last = (now.year * 12 + now.month - 1) // months - 1
    return _period(last - number + 1, months), _period(last, months)


def _period(position: int, months: int) -> str:
    year, month = divmod(position * months, 12)
    if months == 12:
        return str(year)
    return f"{year}-{month + 1:02d}" if months == 1 else f"{year}-Q{month // 3 + 1}"


def _currency(outline: Outline) -> str:
    """The currency that the schema uses most."""
    used = Counter(one["currency"] for _, _, one in outline.attributes() if "currency" in one)
    return min(used, key=lambda code: (-used[code], code)) if used else _CURRENCY
