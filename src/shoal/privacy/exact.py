"""Exact comparisons: floats decide where they are sure, integers where they are not.

A threshold is the decimal that was typed: 0.2 is 1/5 and not the float beside it. A ratio of counts
is compared with it in floats first, which are right to fifteen digits; what lies nearer than nine
digits is decided by whole numbers. Logarithms are known to fifty digits, between two bounds: what
would lie between them counts as not kept.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np

from shoal.arrays import AnyArray, Flags

SURE = 1e-9
DIGITS = 50


def decimal(number: float) -> Fraction:
    """Convert a parameter to the exact decimal that was typed."""
    return Fraction(str(number))


def at_most(
    parts: AnyArray, wholes: AnyArray, most: AnyArray | Fraction, *, below: bool = False
) -> Flags:
    """Compare parts / wholes with `most` exactly (<=, or < with `below`).

    Parts and wholes are integers from 0, `most` fractions. 0 of 0 is at most any limit, and below
    none.
    """
    limits = np.asarray(most, object)
    left = np.asarray(parts, np.float64)
    right = np.asarray(wholes, np.float64) * limits.astype(np.float64)
    verdicts: Flags = np.less(left, right)
    near = np.abs(left - right) <= SURE * np.maximum(left, right)
    limits = np.broadcast_to(limits, verdicts.shape)
    for place in zip(*np.nonzero(near), strict=True):
        limit = limits[place]
        exact_left = int(parts[place]) * limit.denominator
        exact_right = int(wholes[place]) * limit.numerator
        verdicts[place] = exact_left < exact_right if below else exact_left <= exact_right
    return verdicts


@lru_cache(maxsize=2**16)
def ln(number: Fraction) -> tuple[Fraction, Fraction]:
    """Compute two bounds of a natural logarithm, as near to each other as fifty digits are."""
    with localcontext(Context(prec=DIGITS)):
        value = Decimal(number.numerator) / Decimal(number.denominator)
        return Fraction(value.next_minus().ln().next_minus()), Fraction(
            value.next_plus().ln().next_plus()
        )


def exp(number: Fraction) -> tuple[Fraction, Fraction]:
    """Compute two bounds of e to the power of a number."""
    with localcontext(Context(prec=DIGITS)):
        value = Decimal(number.numerator) / Decimal(number.denominator)
        return Fraction(value.next_minus().exp().next_minus()), Fraction(
            value.next_plus().exp().next_plus()
        )
