"""Distributions over whole columns: `(spec, n, rng) -> float64`, each in the registry `distributions`.

Normal draws come from a table of the normal tail that is computed once from portable elementary functions, so that
the same stream gives the same bits on every processor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from worldgen.errors import GenerationError, InternalError
from worldgen.registry import Registry
from worldgen.schema import elementary
from worldgen.schema.model import Attribute
from worldgen.seeds import Stream

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Distribution = Callable[[Attribute, int, Stream], Floats]

distributions: Registry[Distribution] = Registry("distribution")

_STEPS_PER_UNIT = 128
_GREATEST_Z = 8.5
_PER_ROOT_TWO_PI = 0.3989422804014327


@cache
def _normal_tail() -> tuple[Floats, Floats, Floats]:
    """Nodes z = 0 … 8.5, the density there, and the mass above, summed from the thin end to keep its precision."""
    step = 1.0 / _STEPS_PER_UNIT
    z = np.arange(int(_GREATEST_Z * _STEPS_PER_UNIT) + 1) * step
    density = elementary.exp(-0.5 * z * z) * _PER_ROOT_TWO_PI
    middle = z[:-1] + step / 2
    between = elementary.exp(-0.5 * middle * middle) * _PER_ROOT_TWO_PI
    pieces = (density[:-1] + 4 * between + density[1:]) * (step / 6)
    last, square = z[-1], 1 / (z[-1] * z[-1])
    beyond = density[-1] / last * (1 - square * (1 - 3 * square))
    tail = np.cumsum(np.concatenate(([beyond], pieces[::-1])))[::-1]
    return np.asarray(z, dtype=np.float64), density, np.ascontiguousarray(tail)


def standard_normal(n: int, rng: Stream) -> Floats:
    """Draw ``n`` values of the standard normal distribution, one raw draw each, good to 1e-9 within 4 sigma.

    Inverts the tail at the nearest node of the table by the Taylor series of the quantile function, whose terms
    follow from dz/dq = -1 / density(z).
    """
    u = ((rng.raw(n) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    z, density, tail = _normal_tail()
    q = np.minimum(u, 1.0 - u)
    above = np.minimum(np.searchsorted(-tail, -q), len(z) - 1)
    below = np.maximum(above - 1, 0)
    node = np.where(tail[below] - q < q - tail[above], below, above)
    a = z[node]
    t = (tail[node] - q) / density[node]
    square = a * a
    series = a / 2 + t * ((2 * square + 1) / 6 + t * (a * (6 * square + 7) / 24))
    result = a + t * (1.0 + t * series)
    return np.where(u < 0.5, -result, result)


def noise_factor(n: int, sd: float, rng: Stream) -> Floats:
    """``n`` positive factors of mean 1 and relative standard deviation ``sd`` (lognormal)."""
    variance = float(elementary.log(1.0 + sd * sd))
    return elementary.exp(float(np.sqrt(variance)) * standard_normal(n, rng) - variance / 2)


def weighted(weights: Sequence[float] | Floats, n: int, rng: Stream) -> Ints:
    """Draw ``n`` indices in proportion to finite weights >= 0 that are not all 0."""
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    steps = np.cumsum(np.asarray(weights, dtype=np.float64))
    if len(steps) == 0 or not steps[-1] > 0:
        raise GenerationError("facts.weights", "weights to draw by", expected="at least one above 0", got="none")
    drawn = np.searchsorted(steps, rng.unit(n) * steps[-1], side="right")
    return np.asarray(np.minimum(drawn, len(steps) - 1), dtype=np.int64)


@cache
def zipf_weights(count: int, exponent: float) -> Floats:
    """Weights ``1 / rank**exponent`` for ranks 1 … count."""
    return 1.0 / elementary.power(np.arange(1, count + 1, dtype=np.float64), exponent)


@distributions.register("uniform")
def uniform(spec: Attribute, n: int, rng: Stream) -> Floats:
    """Uniform over ``[least, greatest)``; dates as days."""
    assert spec.uniform is not None
    least, greatest = (number(end) for end in spec.uniform)
    return least + (greatest - least) * rng.unit(n)


@distributions.register("normal")
def normal(spec: Attribute, n: int, rng: Stream) -> Floats:
    """Normal with mean and standard deviation."""
    assert spec.normal is not None
    return spec.normal.mean + spec.normal.sd * standard_normal(n, rng)


@distributions.register("lognormal")
def lognormal(spec: Attribute, n: int, rng: Stream) -> Floats:
    """``median * exp(sigma * z)``."""
    assert spec.lognormal is not None
    return spec.lognormal.median * elementary.exp(spec.lognormal.sigma * standard_normal(n, rng))


@distributions.register("pareto")
def pareto(spec: Attribute, n: int, rng: Stream) -> Floats:
    """``min / u**(1/alpha)``."""
    assert spec.pareto is not None
    return spec.pareto.min / elementary.power(1.0 - rng.unit(n), 1.0 / spec.pareto.alpha)


@distributions.register("zipf")
def zipf(spec: Attribute, n: int, rng: Stream) -> Floats:
    """Ranks from 1."""
    assert spec.zipf is not None
    return weighted(zipf_weights(spec.zipf.max, spec.zipf.s), n, rng).astype(np.float64) + 1.0


@distributions.register("empirical")
def empirical(spec: Attribute, n: int, rng: Stream) -> Floats:
    """One of the values listed, in proportion to its weight or all alike."""
    assert spec.empirical is not None
    if isinstance(spec.empirical, dict):
        return np.array(list(spec.empirical), dtype=np.float64)[weighted(list(spec.empirical.values()), n, rng)]
    return np.array(spec.empirical, dtype=np.float64)[rng.below(n, len(spec.empirical))]


@distributions.register("values")
def values(spec: Attribute, n: int, rng: Stream) -> Floats:
    """Indices of category values."""
    assert spec.values is not None
    return weighted([value.weight for value in spec.values.values()], n, rng).astype(np.float64)


def number(value: object) -> float:
    """A number of a schema; a date as days since 1970-01-01."""
    if hasattr(value, "toordinal"):
        return float(value.toordinal() - 719163)
    if isinstance(value, int | float):
        return float(value)
    raise InternalError("facts.number", "not a number", got=repr(value))
