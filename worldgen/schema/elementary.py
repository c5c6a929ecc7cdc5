"""exp, log and powers out of IEEE 754 basic operations, so that a value is the same on every processor.

The C library and numpy choose other code paths for these functions by processor, and the results differ in the last
bit. Here only elementwise + - * / and exact bit operations are used; errors stay within a few units in the last place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# ln 2 in two parts: the first has 21 trailing zero bits, so that a product with an exponent is exact.
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_PER_LN2 = float.fromhex("0x1.71547652b82fep+0")
_ROOT_HALF = float.fromhex("0x1.6a09e667f3bcdp-1")
_LOG_TERMS = 12
_EXP_TERMS = 14
_GREATEST_EXACT_POWER = 64


def log(x: ArrayLike) -> Floats:
    """The natural logarithm; -inf at 0, nan below.

    Halving the exponent off leaves ``m`` near 1, whose logarithm is ``2 atanh((m - 1) / (m + 1))``.

    >>> float(log(1.0))
    0.0
    """
    values = np.asarray(x, dtype=np.float64)
    with np.errstate(all="ignore"):
        mantissa, exponent = np.frexp(values)
        low = mantissa < _ROOT_HALF
        mantissa = np.where(low, mantissa + mantissa, mantissa)
        power = exponent.astype(np.float64) - low
        s = (mantissa - 1.0) / (mantissa + 1.0)
        square = s * s
        tail = np.zeros_like(s)
        for term in range(_LOG_TERMS, 0, -1):
            tail = (tail + 1.0 / (2 * term + 1)) * square
        small = s + s
        result = power * _LN2_HIGH + (small + (small * tail + power * _LN2_LOW))
        result = np.where(values == np.inf, np.inf, result)
        result = np.where(values == 0, -np.inf, result)
        return np.asarray(np.where(~(values >= 0), np.nan, result), dtype=np.float64)


def exp(x: ArrayLike) -> Floats:
    """The exponential function; inf above 709.8, 0 below -745.2.

    >>> float(exp(0.0))
    1.0
    """
    values = np.asarray(x, dtype=np.float64)
    with np.errstate(all="ignore"):
        bounded = np.minimum(np.maximum(values, -800.0), 800.0)
        power = np.where(np.isnan(bounded), 0.0, np.floor(bounded * _PER_LN2 + 0.5))
        rest = (bounded - power * _LN2_HIGH) - power * _LN2_LOW
        result = np.ones_like(rest)
        for term in range(_EXP_TERMS, 0, -1):
            result = 1.0 + result * (rest / term)
        whole = power.astype(np.int64)
        half = whole // 2
        return np.asarray(result * _two_to(half) * _two_to(whole - half), dtype=np.float64)


def _two_to(power: NDArray[np.int64]) -> Floats:
    return np.asarray(((power + 1023) << 52), dtype=np.int64).view(np.float64)


def power(base: ArrayLike, exponent: ArrayLike) -> Floats:
    """``base ** exponent`` elementwise; nan for a negative base with a broken exponent.

    >>> power([2.0, 9.0], 3).tolist()
    [8.0, 729.0]
    """
    bases, exponents = np.broadcast_arrays(np.asarray(base, dtype=np.float64), np.asarray(exponent, dtype=np.float64))
    with np.errstate(all="ignore"):
        result = exp(exponents * log(np.abs(bases)))
        whole = np.floor(exponents) == exponents
        odd = whole & (np.floor(exponents / 2) * 2 != exponents)
        result = np.where((bases < 0) & odd, -result, result)
        result = np.where((bases < 0) & ~whole, np.nan, result)
        result = np.where(exponents == 0, 1.0, result)
        result = np.where((exponents == 0.5) & (bases >= 0), np.sqrt(np.abs(bases)), result)
        exact = whole & (np.abs(exponents) <= _GREATEST_EXACT_POWER)
        if exact.any():
            result = np.where(exact, _whole_power(bases, np.where(exact, exponents, 0.0).astype(np.int64)), result)
    return np.asarray(result, dtype=np.float64)


def _whole_power(bases: Floats, exponents: NDArray[np.int64]) -> Floats:
    rest, square, result = np.abs(exponents), bases, np.ones_like(bases)
    while rest.any():
        result = np.where(rest % 2 == 1, result * square, result)
        square = square * square
        rest = rest // 2
    return np.asarray(np.where(exponents < 0, 1.0 / result, result), dtype=np.float64)
