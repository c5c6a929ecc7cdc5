"""Can the values exist? Bounds, distributions, precision, counts."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

from worldgen.schema.context import NUMERIC, Context, Place
from worldgen.schema.model import Attribute, Degree, Series
from worldgen.schema.periods import EXAMPLES, ordinal
from worldgen.schema.problems import Path, Report
from worldgen.schema.sources import misfit

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YEAR = re.compile(r"[0-9]{4}")
_NOW = (dt.date(1000, 1, 1), dt.date(9000, 12, 31))
_ORDERED = NUMERIC | {"year"}
_WITH: dict[str, tuple[str, ...]] = {
    "degree": ("ref",),
    "distinct": ("ref",),
    "optional": ("ref",),
    "acyclic": ("ref",),
    "noise": ("expr",),
    "culture": ("name",),
}


def check_ranges(context: Context) -> None:
    """Report values that cannot exist."""
    _check_now(context)
    for place in context.places():
        _check_source(context, place)
        _check_number(context.report, place.attribute, place.attribute.kind, place.at)
        _check_bounds(context.report, place)
        _check_dates(context.report, place)
        _check_ref(context, place)
        _check_values(context, place)
    for name, relation in context.schema.relations.items():
        if relation.degree is not None:
            at = ("relations", name, "degree")
            many = relation.cardinality == "many_to_many"
            _check_degree(context, relation.degree, relation.target, at, many=many)
    for name, series in context.schema.series.items():
        _check_series(context, name, series)


def _check_now(context: Context) -> None:
    now = context.schema.as_of
    if not _NOW[0] <= now <= _NOW[1]:
        expected = f"a date from {_NOW[0]} to {_NOW[1]}"
        context.report.add("out-of-range", "no time to live in", ("as_of",), expected=expected, got=str(now))


def _check_source(context: Context, place: Place) -> None:
    attribute, report = place.attribute, context.report
    source, kind = attribute.source, attribute.kind
    wrong = misfit(source, kind)
    if wrong is not None:
        at = (*place.at, source)
        report.add("wrong-kind", wrong.message, at, expected=wrong.expected, got=wrong.got, fix=wrong.fix)
    if source == "process" and attribute.process is False:
        report.add("contradiction", "false gives no values", (*place.at, "process"), expected="true")
    for key, sources in _WITH.items():
        value = getattr(attribute, key)
        if value not in (None, False, 0) and source not in sources:
            report.add("misplaced-key", f"`{key}` goes with {' or '.join(sources)}", (*place.at, key), got=source)
    for key in ("after", "before"):
        if getattr(attribute, key) is not None and kind not in ("date", "year"):
            report.add("misplaced-key", f"`{key}` goes with dates and years", (*place.at, key), got=kind)


def _check_number(report: Report, node: Attribute | Series, kind: str, at: Path) -> None:
    if node.decimals and kind not in ("decimal", "money", "percent"):
        report.add("misplaced-key", f"{kind} has no decimals", (*at, "decimals"), expected="decimal, money or percent")
    if (node.currency is None) == (kind == "money"):
        message = "money needs a currency" if kind == "money" else f"{kind} has no currency"
        report.add("misplaced-key" if kind != "money" else "missing-key", message, (*at, "currency"))
    if node.unit is not None and kind not in ("integer", "decimal"):
        report.add("misplaced-key", f"{kind} has no unit", (*at, "unit"), expected="integer or decimal")
    if node.round is not None:
        if kind not in _ORDERED:
            report.add("misplaced-key", f"{kind} is not rounded", (*at, "round"), expected="a number")
        elif (Decimal(repr(node.round)) * 10**node.decimals) % 1:
            expected = f"a multiple of {Decimal(1).scaleb(-node.decimals)}"
            report.add("impossible-range", "finer than what is stored", (*at, "round"), expected=expected)
    for key in ("min", "max"):
        bound = getattr(node, key)
        if bound is not None and kind not in _ORDERED:
            fix = "use `after` and `before`" if kind == "date" else None
            report.add("misplaced-key", f"{kind} has no {key}", (*at, key), expected="a number or year", fix=fix)
    if node.min is not None and node.max is not None and node.min > node.max:
        _impossible(report, at, "min", f"at most max = {node.max:g}", f"{node.min:g}")


def _impossible(report: Report, at: Path, key: str, expected: str, got: str) -> None:
    report.add("impossible-range", "no value fits", (*at, key), expected=expected, got=got)


def _check_bounds(report: Report, place: Place) -> None:
    attribute, at = place.attribute, place.at
    least, greatest = attribute.min, attribute.max
    if attribute.kind == "year":
        for key, bound in (("min", least), ("max", greatest)):
            if bound is not None and not (1 <= bound <= 9999 and bound == int(bound)):
                _impossible(report, at, key, "a year from 1 to 9999", f"{bound:g}")
    if attribute.pareto is not None and greatest is not None and attribute.pareto.min > greatest:
        _impossible(report, at, "pareto", f"min at most max = {greatest:g}", f"{attribute.pareto.min:g}")
    if isinstance(attribute.empirical, dict | list):
        values = list(attribute.empirical)
        weights = list(attribute.empirical.values()) if isinstance(attribute.empirical, dict) else [1.0] * len(values)
        if any(weight < 0 for weight in weights) or not sum(weights) > 0:
            _impossible(report, at, "empirical", "weights of zero or more, one of them above zero", str(weights)[:60])
        if attribute.kind == "boolean" and not set(values) <= {0, 1}:
            _impossible(report, at, "empirical", "0 and 1", str(values)[:60])
        for value in values:
            if (least is not None and value < least) or (greatest is not None and value > greatest):
                _impossible(report, at, "empirical", "values from min to max", f"{value:g}")
    if attribute.uniform is None:
        return
    low, high = attribute.uniform
    if isinstance(low, dt.date) != (attribute.kind == "date"):
        expected = "two dates" if attribute.kind == "date" else "two numbers: a date is not a year"
        report.add("wrong-kind", f"bounds of a {attribute.kind}", (*at, "uniform"), expected=expected, got=str(low))
        return
    if isinstance(low, dt.date) or isinstance(high, dt.date):
        if str(high) < str(low):
            _impossible(report, at, "uniform", "[least, greatest]", f"[{low}, {high}]")
        return
    if attribute.kind == "year" and not (1 <= low <= 9999 and 1 <= high <= 9999):
        _impossible(report, at, "uniform", "years from 1 to 9999", f"[{low:g}, {high:g}]")
    if high < low or (least is not None and high < least) or (greatest is not None and low > greatest):
        _impossible(report, at, "uniform", "[least, greatest] within min and max", f"[{low:g}, {high:g}]")


def _constant(report: Report, place: Place, key: str) -> str | None:
    """The bound as an ISO date where it is a date or year written out; reported where it does not fit."""
    text: str | None = getattr(place.attribute, key)
    if text is None or not text[:1].isdigit():
        return None
    kind, at = place.attribute.kind, (*place.at, key)
    if kind == "year":
        if not _YEAR.fullmatch(text):
            report.add("wrong-kind", "a date is not a year", at, expected="a year such as 2027 or a path", got=text)
            return None
        return f"{text}-01-01"
    try:
        if not _DATE.fullmatch(text):
            raise ValueError(text)
        dt.date.fromisoformat(text)
    except ValueError:
        report.add("wrong-kind", "not a date", at, expected="a date such as 2027-01-31 or a path", got=text)
        return None
    return text


def _check_dates(report: Report, place: Place) -> None:
    attribute = place.attribute
    if attribute.kind not in ("date", "year"):
        return
    after, before = _constant(report, place, "after"), _constant(report, place, "before")
    low = high = None
    if attribute.uniform is not None:
        low, high = (_iso(bound) for bound in attribute.uniform)
    low = low or (_iso(attribute.min) if attribute.min is not None else None)
    high = high or (_iso(attribute.max) if attribute.max is not None else None)
    if after is not None and before is not None and after >= before:
        _impossible(report, place.at, "after", f"earlier than before = {attribute.before}", str(attribute.after))
    elif after is not None and high is not None and after >= high:
        _impossible(report, place.at, "after", f"earlier than the greatest value, {high}", str(attribute.after))
    elif before is not None and low is not None and before <= low:
        _impossible(report, place.at, "before", f"later than the least value, {low}", str(attribute.before))


def _iso(bound: float | dt.date) -> str:
    return bound.isoformat() if isinstance(bound, dt.date) else f"{int(bound):04d}-01-01"


def _check_ref(context: Context, place: Place) -> None:
    attribute, report = place.attribute, context.report
    if attribute.ref is None:
        return
    if attribute.acyclic and attribute.ref != place.table:
        report.add("misplaced-key", "only a ref to its own entity can have cycles", (*place.at, "acyclic"))
    if attribute.degree is not None:
        _check_degree(context, attribute.degree, attribute.ref, (*place.at, "degree"), many=False)
    rows, targets = context.count(place.table), context.count(attribute.ref)
    if targets == 0 and rows:
        _impossible(report, place.at, "ref", "an entity with rows", f"{attribute.ref} has none")
    if attribute.distinct and rows is not None and targets is not None:
        needed = round(rows * (1 - attribute.optional))
        if needed > targets:
            _impossible(
                report, place.at, "distinct", f"at most {targets} rows, one for each {attribute.ref}", str(needed)
            )


def _check_degree(context: Context, degree: Degree, target: str, at: Path, *, many: bool) -> None:
    report = context.report
    shapes = [key for key in ("zipf", "weight", "even") if getattr(degree, key)]
    if len(shapes) > 1 or not (shapes or (many and (degree.mean or degree.max))):
        expected = "one of zipf, weight and even" + (", or mean and max" if many else "")
        report.add("contradiction", "the shape is not clear", at, expected=expected, got=" and ".join(shapes) or "none")
    if not many and (degree.mean or degree.max):
        report.add("misplaced-key", "mean and max go with many_to_many", at)
    if degree.mean and degree.max and degree.mean > degree.max:
        _impossible(report, at, "mean", f"at most max = {degree.max}", f"{degree.mean:g}")
    targets = context.count(target)
    if many and degree.mean and targets is not None and degree.mean > targets:
        _impossible(report, at, "mean", f"at most the {targets} rows of {target}", f"{degree.mean:g}")


def _check_values(context: Context, place: Place) -> None:
    attribute, report, rows = place.attribute, context.report, context.count(place.table)
    if attribute.values is not None and not sum(value.weight for value in attribute.values.values()) > 0:
        _impossible(report, place.at, "values", "a weight above zero", "none")
    if attribute.unique and rows is not None:
        room = _room(attribute)
        if room is not None and rows > room:
            _impossible(report, place.at, "unique", f"{rows} different values", f"room for {room}")
    if attribute.undisclosed and (attribute.hidden or attribute.unique):
        other = "hidden" if attribute.hidden else "unique"
        report.add("contradiction", f"undisclosed does not go with {other}", (*place.at, "undisclosed"))


def _room(attribute: Attribute) -> int | None:
    """How many different values there can be, where that is plain to see."""
    if attribute.values is not None:
        return len(attribute.values)
    if attribute.kind == "boolean":
        return 2
    if attribute.empirical is not None:
        return len(set(attribute.empirical))
    if attribute.uniform is None:
        return None
    low, high = attribute.uniform
    if isinstance(low, dt.date) or isinstance(high, dt.date):
        return (high - low).days + 1 if isinstance(low, dt.date) and isinstance(high, dt.date) else None
    step = attribute.round or 10.0**-attribute.decimals
    return int((high - low) / step) + 1


def _check_series(context: Context, name: str, series: Series) -> None:
    report, at = context.report, ("series", name)
    _check_number(report, series, series.type, at)
    ends: list[int] = []
    for key, text in (("from", series.start), ("to", series.end)):
        try:
            ends.append(ordinal(text, series.every))
            if int(text[:4]) == 0:
                _impossible(report, at, key, f"a {series.every} of the year 1 or later", text)
        except ValueError:
            expected = f"a {series.every} such as {EXAMPLES[series.every]}"
            report.add("wrong-kind", "not a period", (*at, key), expected=expected, got=text)
    if len(ends) == 2 and ends[1] < ends[0]:
        _impossible(report, at, "from", f"no later than to = {series.end}", series.start)
    length = {"month": 12, "quarter": 4, "year": 0}[series.every]
    if series.season is not None and len(series.season) != length:
        expected = f"{length} factors" if length else "no season: a year has none"
        report.add(
            "out-of-range", "wrong number of factors", (*at, "season"), expected=expected, got=str(len(series.season))
        )
    if series.season is not None and any(factor <= 0 for factor in series.season):
        _impossible(report, at, "season", "factors above zero", str(series.season))
    if series.season is not None and series.monotone is not None:
        report.add("contradiction", "a season goes up and down", (*at, "season"), expected=f"none: {series.monotone}")
