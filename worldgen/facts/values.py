"""Fills one attribute of one table: from a distribution, an expression, a dependency or a ref."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.derived import aggregate, rank, share
from worldgen.facts.distributions import distributions, noise_factor, number
from worldgen.facts.given import computed, fixed, stored
from worldgen.facts.paths import Draft
from worldgen.facts.plan import Plan, start_of
from worldgen.facts.refs import draw_refs, popularity, with_given
from worldgen.facts.settle import FAR, Range, ids, settle
from worldgen.facts.tables import Column
from worldgen.schema.expressions import year_of
from worldgen.schema.layout import categories_of, resolve
from worldgen.schema.model import Attribute
from worldgen.seeds import Stream, stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_GREATEST = 2.0**60
_EPOCH = dt.date(1970, 1, 1).toordinal()
_YES = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_RANDOM = {"uniform", "normal", "lognormal", "pareto", "zipf", "empirical", "values"}


def draw_attribute(draft: Draft, plan: Plan, table: str, name: str) -> Column:
    """Draw the column of an attribute that is neither a name nor filled by a process."""
    spec = plan.layout[table][name].attribute
    assert spec is not None
    rng = stream(draft.seed, "facts", table, name)
    where = f"{table}.{name}"
    if spec.ref is not None:
        values = _refs(draft, plan, table, name, spec, rng)
    elif spec.aggregate is not None:
        return column_of(name, spec, *aggregate(draft, table, spec, where))
    elif spec.rank is not None:
        values = rank(draft, table, spec.rank)
    elif spec.share is not None:
        values = share(draft, plan, table, spec, rng, where)
    else:
        values = _plain(draft, plan, table, name, spec, rng)
    return column_of(name, spec, values, disclosed(draft, table, name, spec.undisclosed))


def column_of(name: str, spec: Attribute, values: Ints, given: NDArray[np.bool_]) -> Column:
    """The column of an attribute with those values."""
    return Column(
        name=name, type=spec.kind, values=values, given=given, spec=spec, unit=spec.unit, currency=spec.currency,
        decimals=spec.decimals, target=spec.ref, categories=categories_of(spec),
    )  # fmt: skip


def disclosed(draft: Draft, table: str, name: str, rate: float) -> NDArray[np.bool_]:
    """Which rows' values are given: all but a drawn share."""
    size = draft.size(table)
    given = np.ones(size, dtype=np.bool_)
    count = round(size * rate)
    if count:
        given[stream(draft.seed, "facts", table, name, "undisclosed").permutation(size)[:count]] = False
    given[list(draft.given.column(table, name))] = True
    return given


def _plain(draft: Draft, plan: Plan, table: str, name: str, spec: Attribute, rng: Stream) -> Ints:
    where = f"{table}.{name}"
    step = step_of(spec.round, spec.decimals, where)
    bounds = implied(draft, table, name, spec, _bounds(draft, table, name, spec, step, where))
    held = None if computed(spec) else fixed(draft.given, table, name, spec)
    if held is None:
        draw, again = _drawer(draft, plan, table, spec, rng, bounds, where)
        return settle(draw, bounds, groups_of(draft, table, name, spec), again=again, table=table, where=where)
    size, bounds = draft.size(table), held.within(bounds, spec)
    draw, again = _drawer(draft, plan, table, spec, rng, bounds, where)
    return settle(
        held.over(draw, size), bounds, groups_of(draft, table, name, spec), again=again, table=table, where=where,
        fixed=held.mask(size),
    )  # fmt: skip


def _drawer(
    draft: Draft, plan: Plan, table: str, spec: Attribute, rng: Stream, bounds: Range, where: str
) -> tuple[Callable[[Ints], Ints], bool]:
    """What draws values for given rows, and whether drawing again may change them."""
    if spec.uniform is not None:
        return lambda rows: _on_grid(bounds, rows, rng), True
    if spec.source in _RANDOM:
        distribution = distributions.get(spec.source)
        return lambda rows: to_grid(distribution(spec, len(rows), rng), spec.decimals, bounds.step, where), True
    if spec.depends is not None:
        base = _depends(draft, table, spec, where)
    elif spec.expr is not None:
        base = _expr(draft, plan, table, spec, where)
    else:
        raise SchemaError("schema.process", f"{where} is filled by a process, but none makes it")
    if not spec.noise:
        return lambda rows: to_grid(base[rows], spec.decimals, bounds.step, where), False
    if spec.kind == "date":
        raise SchemaError("schema.noise", f"{where}: noise is a share of the value", expected="a number", got="a date")
    noise = spec.noise
    return lambda rows: to_grid(
        base[rows] * noise_factor(len(rows), noise, rng), spec.decimals, bounds.step, where
    ), True


def _on_grid(bounds: Range, rows: Ints, rng: Stream) -> Ints:
    low, high = bounds.low[rows], bounds.high[rows]
    count = ((high - low) // bounds.step + 1).astype(np.float64)
    return low + np.floor(rng.unit(len(rows)) * count).astype(np.int64) * bounds.step


def to_grid(values: Floats, decimals: int, step: int, where: str) -> Ints:
    """Scaled integers on the grid, halves to even."""
    scaled = np.rint(values * float(10**decimals) / step) * step
    if not (np.abs(scaled) < _GREATEST).all():
        bad = np.flatnonzero(~(np.abs(scaled) < _GREATEST))
        raise GenerationError(
            "facts.not-a-number", f"{where}: no number, or none that can be stored, in row(s) {bad[:5].tolist()}",
            expected="finite numbers below 1e18", got=str(values[bad[:3]].tolist()),
        )  # fmt: skip
    return scaled.astype(np.int64)


def step_of(rounding: float | None, decimals: int, where: str) -> int:
    """The step of the grid in scaled units."""
    if rounding is None:
        return 1
    step = Decimal(str(rounding)).scaleb(decimals)
    if step != int(step) or step < 1:
        unit = Decimal(1).scaleb(-decimals)
        raise SchemaError("schema.round", f"{where}: round", expected=f"a multiple of {unit}", got=str(rounding))
    return int(step)


def _bounds(draft: Draft, table: str, name: str, spec: Attribute, step: int, where: str) -> Range:
    least, greatest = [spec.min], [spec.max]
    if spec.uniform is not None:
        least.append(number(spec.uniform[0]))
        greatest.append(number(spec.uniform[1]))
    low, high = limits(draft.size(table), least, greatest, spec.decimals)
    if spec.kind == "category":
        low, high = np.zeros_like(low), np.full_like(high, len(categories_of(spec)) - 1)
    if spec.kind == "boolean":
        low, high = np.zeros_like(low), np.ones_like(high)
    if spec.after is not None:
        low = np.maximum(low, _beyond(draft, table, spec, spec.after, 1, where))
    if spec.before is not None:
        high = np.minimum(high, _beyond(draft, table, spec, spec.before, -1, where))
    start = start_of(draft.schema, table, name)
    if start is not None:
        low = np.maximum(low, _beyond(draft, table, spec, start, 1, where) - 1)
    low = np.where(low <= -FAR, low, -(-low // step) * step)
    high = np.where(high >= FAR, high, high // step * step)
    return Range(low, high, step)


def limits(n: int, least: list[float | None], greatest: list[float | None], decimals: int) -> tuple[Ints, Ints]:
    """The tightest of the bounds, scaled, one per row."""
    low = max((int(_scaled(b, decimals, ROUND_CEILING)) for b in least if b is not None), default=-FAR)
    high = min((int(_scaled(b, decimals, ROUND_FLOOR)) for b in greatest if b is not None), default=FAR)
    return np.full(n, low, dtype=np.int64), np.full(n, high, dtype=np.int64)


def _scaled(bound: float, decimals: int, rounding: str) -> Decimal:
    return Decimal(str(bound)).scaleb(decimals).to_integral_value(rounding)


def _beyond(draft: Draft, table: str, spec: Attribute, bound: str, direction: int, where: str) -> Ints:
    """The nearest value strictly after (+1) or before (-1) the bound, for each row; a year is passed as a whole."""
    if spec.kind not in {"date", "year"}:
        raise SchemaError("schema.bound", f"{where}: after and before", expected="a date or a year", got=spec.kind)
    return _edge(spec.kind, *_moment(draft, table, bound, where), direction)


def _edge(own: str, kind: str, values: Floats, direction: int) -> Ints:
    """The nearest date or year strictly after (+1) or before (-1) others; no bound where there is none."""
    known = np.where(np.isnan(values), 0.0, values)
    if kind == own:
        edge = known.astype(np.int64) + direction
    elif own == "year":
        edge = year_of(known).astype(np.int64) + direction
    else:
        first = known.astype(np.int64) + (1 if direction > 0 else 0)
        edge = (first - 1970).astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64) - (direction < 0)
    return np.where(np.isnan(values), -direction * FAR, edge)


def implied(draft: Draft, table: str, name: str, spec: Attribute, bounds: Range) -> Range:
    """Bounds narrowed, so that what is drawn here leaves room for given values that must come after or before it."""
    if not draft.given.values:
        return bounds
    low, high = bounds.low.copy(), bounds.high.copy()
    for (other, attribute), told in draft.given.values.items():
        later = draft.layout[other][attribute].attribute
        for word, direction in (("after", -1), ("before", 1)):
            path: str | None = getattr(later, word)
            if later is None or path is None or path[0].isdigit():
                continue
            if resolve(draft.layout, other, path)[-1] != (table, name):
                continue
            for row, said in sorted(told.items()):
                here = _reached(draft, other, row, path.split(".")[:-1])
                edge = int(_edge(spec.kind, later.kind, np.array([float(stored(later, said.value))]), direction)[0])
                if here >= 0 and direction < 0:
                    high[here] = min(high[here], edge)
                elif here >= 0:
                    low[here] = max(low[here], edge)
    return Range(-(-low // bounds.step) * bounds.step, high // bounds.step * bounds.step, bounds.step)


def _reached(draft: Draft, table: str, row: int, refs: list[str]) -> int:
    """The row that refs lead to as far as they are drawn or given; -1 where that is not known yet."""
    for ref in refs:
        drawn = draft.tables[table].columns.get(ref) if table in draft.tables else None
        told = draft.given.column(table, ref).get(row)
        row = int(drawn.values[row]) if drawn is not None else -1
        row = int(told.value.partition("/")[2]) if told is not None else row
        if row < 0:
            return -1
        table = draft.layout[table][ref].target or ""
    return row


def _moment(draft: Draft, table: str, bound: str, where: str) -> tuple[str, Floats]:
    size = draft.size(table)
    try:
        if bound.isdigit():
            return "year", np.full(size, float(bound))
        if bound[0].isdigit():
            return "date", np.full(size, float(dt.date.fromisoformat(bound).toordinal() - _EPOCH))
    except ValueError as error:
        expected = "a path, YYYY or YYYY-MM-DD"
        raise SchemaError("schema.bound", f"{where}: bound", expected=expected, got=bound) from error
    column, _, _ = draft.follow(table, bound)
    if column is None or column.type not in {"date", "year"}:
        got = "a name" if column is None else column.type
        raise SchemaError("schema.bound", f"{where}: `{bound}`", expected="a date or a year", got=got)
    return column.type, draft.numbers(table, bound)


def groups_of(draft: Draft, table: str, name: str, spec: Attribute) -> Ints | None:
    """Rows of one group must differ in the attribute: all of them, or those alike in the rest of the key."""
    entity = draft.schema.entities.get(table)
    if spec.unique:
        return np.zeros(draft.size(table), dtype=np.int64)
    if entity is None or entity.name is not None or not entity.key or entity.key[-1] != name:
        return None
    groups = np.zeros(draft.size(table), dtype=np.int64)
    for other in entity.key[:-1]:
        values = draft.column(table, other).values
        groups = groups * (int(values.max(initial=0)) - int(values.min(initial=0)) + 1) + values - values.min(initial=0)
        groups = np.unique(groups, return_inverse=True)[1].astype(np.int64)
    return groups


def _refs(draft: Draft, plan: Plan, table: str, name: str, spec: Attribute, rng: Stream) -> Ints:
    assert spec.ref is not None
    where, size, targets = f"{table}.{name}", draft.size(table), draft.size(spec.ref)
    weight = degree_weight(draft, plan, spec.ref, spec.degree.weight if spec.degree else None)
    refs = draw_refs(spec, size, targets, rng, weight=weight, to_self=spec.ref == table, where=where)
    held = fixed(draft.given, table, name, spec)
    if held is not None:
        refs = with_given(refs, held, spec, to_self=spec.ref == table)
    groups = groups_of(draft, table, name, spec)
    if groups is None:
        return refs
    groups = np.where(refs < 0, -1 - np.arange(size), groups)
    first, weights = refs, popularity(None, targets, rng, weight=weight, where=where)

    def draw(rows: Ints) -> Ints:
        if len(rows) == size:
            return first.copy()
        return rng.weighted(len(rows), weights.tolist())

    if held is not None:
        everywhere = Range(np.full(size, -1 if spec.optional else 0), np.full(size, targets - 1), 1)
        return settle(
            held.over(draw, size), held.within(everywhere, spec), groups, again=not spec.distinct, table=table,
            where=where, fixed=held.mask(size),
        )  # fmt: skip
    everywhere = Range(np.full(size, -1 if spec.optional else 0), np.full(size, targets - 1), 1)
    return settle(draw, everywhere, groups, again=not spec.distinct, table=table, where=where)


def degree_weight(draft: Draft, plan: Plan, target: str, text: str | None) -> Floats | None:
    """The weight of each target, where the degree has an expression for it."""
    if text is None:
        return None
    return draft.evaluate(target, plan.expressions[target, text]).astype(np.float64)


def _expr(draft: Draft, plan: Plan, table: str, spec: Attribute, where: str) -> Floats:
    assert spec.expr is not None
    if spec.kind == "category":
        raise SchemaError("schema.kind", f"{where}: a category", expected="`values` or `depends`", got="`expr`")
    result = draft.evaluate(table, plan.expressions[table, spec.expr]).astype(np.float64)
    broken = np.flatnonzero(~np.isfinite(result))
    if len(broken):
        raise GenerationError(
            "facts.not-a-number", f"{where}: `{spec.expr}` has no value for {ids(table, broken)}",
            expected="a finite number for every row", got=str(result[broken[:3]].tolist()),
            fix="guard it with if_(…), e.g. where a ref is optional",
        )  # fmt: skip
    return (result != 0).astype(np.float64) if spec.kind == "boolean" else result


def _depends(draft: Draft, table: str, spec: Attribute, where: str) -> Floats:
    assert spec.depends is not None
    column, _, rows = draft.follow(table, spec.depends.on)
    if column is None or column.type not in {"category", "boolean"}:
        got = "a name" if column is None else column.type
        raise SchemaError("schema.depends", f"{where}: `{spec.depends.on}`", expected="a category or boolean", got=got)
    lost = np.flatnonzero(rows < 0)
    if len(lost):
        raise GenerationError("facts.depends", f"{where}: `{spec.depends.on}` leads nowhere for {ids(table, lost)}")
    keys = column.categories or ("no", "yes")
    given = {_boolean_key(key) if column.type == "boolean" else key: v for key, v in spec.depends.map.items()}
    missing = [key for key in keys if key not in given]
    if missing:
        expected = "all of " + ", ".join(keys)
        raise SchemaError("schema.depends", f"{where}: map", expected=expected, got="no " + missing[0])
    return np.array([_mapped(given[key], spec, where) for key in keys])[column.values[rows]]


def _boolean_key(key: str) -> str:
    return {"true": "yes", "1": "yes", "false": "no", "0": "no"}.get(key.lower(), key)


def _mapped(value: float | str, spec: Attribute, where: str) -> float:
    if spec.kind == "category":
        return float(categories_of(spec).index(str(value)))
    if isinstance(value, int | float):
        return float(value)
    try:
        if spec.kind == "date":
            return float(dt.date.fromisoformat(value).toordinal() - _EPOCH)
        return _YES[value.lower()] if spec.kind == "boolean" else float(value)
    except (KeyError, ValueError) as error:
        raise SchemaError("schema.depends", f"{where}: map", expected=f"a {spec.kind}", got=repr(value)) from error
