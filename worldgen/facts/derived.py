"""Columns computed from other columns, exactly: ranks, shares that add up, aggregates of rows that refer here."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import GenerationError, SchemaError
from worldgen.facts.distributions import noise_factor
from worldgen.facts.paths import Draft
from worldgen.facts.plan import Plan
from worldgen.facts.settle import count_within, ids
from worldgen.schema.model import Attribute, Rank
from worldgen.seeds import Stream

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def rank(draft: Draft, table: str, spec: Rank) -> Ints:
    """The position of each row, 1 … n, each once; equal values stand in the order of rows."""
    values = draft.numbers(table, spec.of)
    order = np.argsort(-values if spec.descending else values, kind="stable")
    positions = np.empty(len(order), dtype=np.int64)
    positions[order] = np.arange(1, len(order) + 1)
    return positions


def share(draft: Draft, plan: Plan, table: str, spec: Attribute, rng: Stream, where: str) -> Ints:
    """Parts of a total in proportion to weights; within each group they add up to the last digit."""
    assert spec.share is not None
    weights = draft.evaluate(table, plan.expressions[table, spec.share.weight]).astype(np.float64)
    if spec.noise:
        weights = weights * noise_factor(len(weights), spec.noise, rng)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(bad):
        raise GenerationError(
            "facts.share-weight", f"{where}: weight of {ids(table, bad)}", expected="above zero",
            got=str(weights[bad[:3]].tolist()),
        )  # fmt: skip
    total = Decimal(str(spec.share.total)).scaleb(spec.decimals)
    if total != int(total):
        raise SchemaError(
            "schema.share", f"{where}: total", expected=f"at most {spec.decimals} decimals", got=str(spec.share.total)
        )
    groups = np.zeros(len(weights), dtype=np.int64)
    if spec.share.within is not None:
        column, _, rows = draft.follow(table, spec.share.within)
        assert column is not None
        groups = np.unique(column.values[rows], return_inverse=True)[1].astype(np.int64)
    return largest_remainder(weights, int(total), groups)


def largest_remainder(weights: Floats, total: int | Ints, groups: Ints) -> Ints:
    """Split ``total``, one number or one for each group, in proportion to the weights; ties go to the earlier row.

    >>> largest_remainder(np.array([1.0, 1.0, 1.0]), 1000, np.zeros(3, dtype=np.int64)).tolist()
    [334, 333, 333]
    """
    if len(weights) == 0:
        return np.zeros(0, dtype=np.int64)
    # bincount adds one by one in order of rows, unlike a vectorised sum.
    sums = np.bincount(groups, weights=weights)
    totals = np.broadcast_to(np.asarray(total, dtype=np.int64), sums.shape)
    exact = weights / sums[groups] * totals[groups]
    parts = np.floor(exact).astype(np.int64)
    left = totals - _sums(parts, groups)
    order = np.lexsort((parts - exact, groups))
    place = np.empty(len(weights), dtype=np.int64)
    place[order] = count_within(groups[order])
    parts += place < left[groups]
    # Rounding of `exact` can at worst give one unit too many; the smallest remainder gives it back.
    return np.asarray(parts - (np.bincount(groups)[groups] - 1 - place < -left[groups]), dtype=np.int64)


def _sums(values: Ints, groups: Ints) -> Ints:
    sums = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sums, groups, values)
    return sums


def aggregate(draft: Draft, table: str, spec: Attribute, where: str) -> tuple[Ints, NDArray[np.bool_]]:
    """Count, sum, mean, least or greatest over the rows that refer here, exact; not given where there is no row.

    A mean is rounded half to even at the attribute's decimals.
    """
    assert spec.aggregate is not None
    rule, size = spec.aggregate, draft.size(table)
    refs = draft.column(rule.table, rule.by)
    if refs.type != "ref" or refs.target != table:
        got = f"a ref to {refs.target}" if refs.type == "ref" else refs.type
        raise SchemaError("schema.aggregate", f"{where}: by {rule.by}", expected=f"a ref to {table}", got=got)
    here = refs.values >= 0
    groups = refs.values[here]
    counts = np.bincount(groups, minlength=size).astype(np.int64)
    if rule.how == "count":
        return counts * 10**spec.decimals, np.ones(size, dtype=np.bool_)
    assert rule.of is not None
    column = draft.column(rule.table, rule.of)
    values = column.values[here]
    known = np.ones(size, dtype=np.bool_) if rule.how == "sum" else counts > 0
    if rule.how in {"sum", "mean"}:
        sums = np.zeros(size, dtype=np.int64)
        np.add.at(sums, groups, values)
        divisors = np.maximum(counts, 1) if rule.how == "mean" else np.ones(size, dtype=np.int64)
        return divided(sums, divisors, column.decimals, spec.decimals), known
    edge = np.full(size, np.iinfo(np.int64).max if rule.how == "min" else np.iinfo(np.int64).min)
    (np.minimum if rule.how == "min" else np.maximum).at(edge, groups, values)
    return divided(np.where(known, edge, 0), np.ones(size, dtype=np.int64), column.decimals, spec.decimals), known


def divided(values: Ints, divisors: Ints, have: int, want: int) -> Ints:
    """``values / divisors`` at another number of decimals, halves to even, in whole numbers only."""
    values = values * 10 ** max(want - have, 0)
    divisors = divisors * 10 ** max(have - want, 0)
    quotient, rest = values // divisors, values % divisors
    twice = 2 * rest
    return np.asarray(quotient + ((twice > divisors) | ((twice == divisors) & (quotient % 2 == 1))), dtype=np.int64)
