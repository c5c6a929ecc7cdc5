"""Draws which row refers to which: refs of an attribute, pairs of a many-to-many relation."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import GenerationError
from worldgen.facts.distributions import weighted, zipf_weights
from worldgen.facts.given import Fixed
from worldgen.facts.settle import count_within, repeats
from worldgen.schema import elementary
from worldgen.schema.model import Attribute, Degree, Relation
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_ROUNDS = 60
_MEAN_TARGETS = 2.0
_GREATEST_POISSON = 500
# From this many rows a target on, every target gets one: a maker without phones is rare where phones are many.
_EACH_FROM = 2


def popularity(degree: Degree | None, targets: int, rng: Stream, *, weight: Floats | None, where: str) -> Floats:
    """The weight of each target: by its Zipf rank (ranks are drawn), by an expression, or all alike."""
    if degree is not None and degree.zipf is not None:
        return np.asarray(zipf_weights(targets, degree.zipf)[rng.permutation(targets)])
    if weight is None:
        return np.ones(targets)
    if targets and not (np.isfinite(weight).all() and (weight >= 0).all() and weight.any()):
        raise GenerationError(
            "facts.degree-weight", f"{where}: degree weights", expected="numbers >= 0, not all 0",
            got=str(weight[~(np.isfinite(weight) & (weight >= 0))][:3].tolist() or 0),
        )  # fmt: skip
    return weight


def draw_refs(
    spec: Attribute, n: int, targets: int, rng: Stream, *, weight: Floats | None, to_self: bool, where: str
) -> Ints:
    """The row referred to by each of ``n`` rows; -1 for none.

    Args:
        spec: The ref attribute.
        n: Number of rows.
        targets: Number of rows of the entity referred to.
        rng: Where the draws come from.
        weight: The degree's weight of each target, if it has one.
        to_self: Whether the rows refer to rows of their own table; never to themselves.
        where: For messages.
    """
    absent = round(n * spec.optional)
    if spec.acyclic and to_self:
        return _forest(spec, n, max(absent, 1), rng)
    present = n - absent
    if present and targets - to_self < 1:
        raise GenerationError("facts.no-target", f"{where}: nothing to refer to", expected="at least one row", got="0")
    weights = popularity(spec.degree, targets, rng, weight=weight, where=where)
    if spec.distinct:
        drawn = _distinct(present, weights, rng, where)
    elif spec.degree is not None and spec.degree.even:
        drawn = np.resize(rng.permutation(targets), present)[rng.permutation(present)]
    else:
        drawn = _independent(present, weights, rng)
    if spec.degree is not None and spec.degree.max is not None:
        drawn = _capped(drawn, spec.degree.max, weights, rng, where)
    refs = np.full(n, -1, dtype=np.int64)
    refs[np.sort(rng.permutation(n)[:present])] = drawn
    return _not_itself(refs, spec, targets) if to_self else refs


def with_given(refs: Ints, held: Fixed, spec: Attribute, *, to_self: bool) -> Ints:
    """Drawn refs with the given ones in their places.

    Where targets are used a set number of times, the row that had drawn a given target takes the one it replaces. A
    cycle through a drawn ref is cut there; one of given refs alone is an error.
    """
    refs, done = refs.copy(), np.zeros(len(refs), dtype=np.bool_)
    for row, target in zip(held.rows.tolist(), held.values.tolist(), strict=True):
        others = np.flatnonzero((refs == target) & ~done).tolist()
        if len(others) and refs[row] != target and (spec.distinct or spec.degree is not None):
            refs[others[0]] = -1 if to_self and refs[row] == others[0] else refs[row]
        refs[row], done[row] = target, True
    return _uncircled(refs, held, done) if spec.acyclic and to_self else refs


def _uncircled(refs: Ints, held: Fixed, fixed: Bools) -> Ints:
    for start in held.rows.tolist():
        chain, row = [start], int(refs[start])
        while row >= 0 and row != start and len(chain) <= len(refs):
            chain.append(row)
            row = int(refs[row])
        if row != start:
            continue
        drawn = [each for each in chain if not fixed[each]]
        if not drawn:
            told = held.told[held.rows.tolist().index(start)]
            circle = " → ".join(f"{held.table}/{each}" for each in [*chain, start])
            raise held.broken(start, told, f"no cycle: {circle}")
        refs[drawn[0]] = -1
    return refs


def _independent(n: int, weights: Floats, rng: Stream) -> Ints:
    usable = np.flatnonzero(weights > 0)
    if n < _EACH_FROM * len(usable):
        return weighted(weights, n, rng)
    return np.concatenate((usable, weighted(weights, n - len(usable), rng)))[rng.permutation(n)]


def _distinct(n: int, weights: Floats, rng: Stream, where: str) -> Ints:
    usable = int((weights > 0).sum())
    if n > usable:
        raise GenerationError(
            "facts.distinct", f"{where}: each target at most once", expected=f"at most {usable} rows", got=str(n),
            fix="lower the count, raise the target's count, or make the ref optional",
        )  # fmt: skip
    with np.errstate(divide="ignore"):
        # The first n arrivals of independent exponential clocks are a weighted draw without replacement.
        arrivals = -elementary.log(1.0 - rng.unit(len(weights))) / weights
    order = np.argsort(arrivals, kind="stable")[:n]
    return order[rng.permutation(n)].astype(np.int64)


def _capped(drawn: Ints, greatest: int, weights: Floats, rng: Stream, where: str) -> Ints:
    capacity = greatest * int((weights > 0).sum())
    if len(drawn) > capacity:
        raise GenerationError("facts.degree-max", f"{where}: rows", expected=f"at most {capacity}", got=str(len(drawn)))
    while True:
        over = np.flatnonzero(count_within(drawn) >= greatest)
        if len(over) == 0:
            return drawn
        room = np.where(np.bincount(drawn, minlength=len(weights)) < greatest, weights, 0.0)
        drawn[over] = weighted(room, len(over), rng)


def _not_itself(refs: Ints, spec: Attribute, targets: int) -> Ints:
    own = np.flatnonzero(refs == np.arange(len(refs)))
    if len(own) == 0:
        return refs
    if spec.distinct or spec.degree is not None:
        # Passing the target on in a ring keeps how often each is used.
        others = own if len(own) > 1 else np.array([own[0], (own[0] + 1) % len(refs)])
        refs[others] = np.roll(refs[others], 1)
        return refs
    refs[own] = (own + 1) % targets
    return refs


def _forest(spec: Attribute, n: int, roots: int, rng: Stream) -> Ints:
    """Every row refers to one that stands before it in a drawn order; the first ones to nothing."""
    order = rng.permutation(n)
    position = np.arange(n)
    if spec.distinct:
        parent = position - roots
    else:
        lean = 1.0 + (spec.degree.zipf if spec.degree is not None and spec.degree.zipf is not None else 0.0)
        parent = np.floor(elementary.power(rng.unit(n), lean) * position).astype(np.int64)
    refs = np.full(n, -1, dtype=np.int64)
    refs[order[roots:]] = order[parent[roots:]]
    return refs


def draw_pairs(
    relation: Relation, sources: int, targets: int, rng: Stream, *, weight: Floats | None, where: str
) -> tuple[Ints, Ints]:
    """The pairs of a many-to-many relation, each once, ordered by source and target.

    A symmetric relation holds each pair in both directions, the mirrored rows after the others; an acyclic one only
    pairs whose source stands before its target in a drawn order.
    """
    to_self = relation.source == relation.target
    weights = popularity(relation.degree, targets, rng, weight=weight, where=where)
    order = rng.permutation(sources) if to_self else None
    counts = _counts(relation.degree, sources, targets - to_self, rng)
    source = np.repeat(np.arange(sources, dtype=np.int64), counts)
    target = _targets(source, weights, rng, to_self=to_self)
    found = target >= 0
    source, target = source[found], target[found]
    if relation.symmetric and to_self:
        source, target = np.minimum(source, target), np.maximum(source, target)
    elif relation.acyclic and order is not None:
        place = np.argsort(order)
        turn = place[source] > place[target]
        source, target = np.where(turn, target, source), np.where(turn, source, target)
    keys = np.unique(source * max(targets, 1) + target)
    source, target = keys // max(targets, 1), keys % max(targets, 1)
    if relation.symmetric and to_self:
        return np.concatenate((source, target)), np.concatenate((target, source))
    return source, target


def _counts(degree: Degree | None, sources: int, targets: int, rng: Stream) -> Ints:
    """How many targets each source gets: at least one, Poisson beyond it, or even, or uniform up to a maximum."""
    mean = degree.mean if degree is not None else None
    greatest = min(degree.max if degree is not None and degree.max is not None else targets, targets)
    if mean is None and degree is not None and degree.max is not None:
        return np.asarray(1 + rng.below(sources, greatest) if greatest else np.zeros(sources), dtype=np.int64)
    mean = _MEAN_TARGETS if mean is None else mean
    if (degree is not None and degree.even) or mean > _GREATEST_POISSON:
        total = round(mean * sources)
        counts = np.full(sources, total // max(sources, 1)) + (rng.permutation(sources) < total % max(sources, 1))
        return np.asarray(np.minimum(counts, greatest), dtype=np.int64)
    base = 1 if mean >= 1 else 0
    return np.minimum(base + poisson(mean - base, sources, rng), greatest)


def poisson(mean: float, n: int, rng: Stream) -> Ints:
    """Draw ``n`` Poisson values by table; ``mean`` up to 500."""
    mass, steps = float(elementary.exp(-mean)), []
    for k in range(int(mean + 12 * sqrt(mean)) + 20):
        steps.append(mass)
        mass = mass * mean / (k + 1)
    return np.asarray(np.searchsorted(np.cumsum(steps), rng.unit(n), side="right"), dtype=np.int64)


def _targets(source: Ints, weights: Floats, rng: Stream, *, to_self: bool) -> Ints:
    """A target for every slot, none twice for one source, never the source itself; -1 where none was left."""
    target = np.full(len(source), -1, dtype=np.int64)
    open_slots = np.arange(len(source))
    for _ in range(_ROUNDS):
        target[open_slots] = weighted(weights, len(open_slots), rng)
        bad = repeats(target, source)
        if to_self:
            bad |= target == source
        open_slots = np.flatnonzero(bad)
        if len(open_slots) == 0:
            return target
    taken = {pair for i, pair in enumerate(zip(source.tolist(), target.tolist(), strict=True)) if not bad[i]}
    for slot in open_slots.tolist():
        row = int(source[slot])
        candidates = [t for t in rng.permutation(len(weights)).tolist() if weights[t] > 0 and (row, t) not in taken]
        free = [t for t in candidates if not to_self or t != row]
        target[slot] = free[0] if free else -1
        taken.add((row, int(target[slot])))
    return target
