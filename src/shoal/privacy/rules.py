"""Rules of models: thresholds as integers that kernels compare with counts (see `kernels/guards`).

A threshold that is a fraction of small integers is taken as it is. Others are rounded to the strict
side, to as many bits as leave every product below 2^62. A model whose numbers would not fit has no
rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from shoal.kernels.guards import BOUNDS, DISTINCT, ENTROPY, EQUAL, ORDERED, RANGE, RECURSIVE, Rule
from shoal.privacy.column import Column

BITS = 62
# Up to this number of values of a column, a verdict looks at all of them.
LADDER = 4096
MANY = 1 << 26  # rows of which logarithms are listed
LOGARITHM = 1 << 20  # what the logarithm to the base 2 of 2 counts


def different(least: int) -> Rule:
    """Require at least `least` different values."""
    return Rule(DISTINCT, (least, 0, 0))


def bounds(
    column: Column,
    high: Sequence[Fraction],
    low: Sequence[Fraction] = (),
    *,
    all_must_occur: bool = False,
    nobody: bool = False,
) -> Rule:
    """Require every share to lie between the low and the high one of its value.

    `nobody` tells if a group without values is safe.
    """
    low = low or [Fraction(0)] * len(high)
    most = 1 << (BITS - int(column.totals.sum()).bit_length())
    scale = min(math.lcm(1, *(share.denominator for share in (*high, *low))), most)
    high_scaled = [math.floor(min(share, Fraction(1)) * scale) for share in high]
    low_scaled = [math.ceil(min(share, Fraction(1)) * scale) for share in low]
    number = (scale, int((column.totals[:-1] > 0).sum()) if all_must_occur else 0, int(nobody))
    return Rule(BOUNDS, number, np.array(low_scaled, np.int64), np.array(high_scaled, np.int64))


def tail(column: Column, c: Fraction, least: int) -> Rule:
    """Require the highest count to stay below c times the counts from the l-th on."""
    rounded = _down(c, BITS - int(column.totals.sum()).bit_length())
    return Rule(RECURSIVE, (least, rounded.numerator, rounded.denominator))


def uncertain(column: Column, least: Fraction) -> Rule | None:
    """Require values as uncertain as `least` equally frequent ones."""
    if least == 1:
        return different(0)
    if column.totals.sum() > MANY:
        return None
    rows = np.arange(int(column.totals.sum()) + 1)
    number = (
        least.numerator if least.denominator == 1 else 0,
        int(_logarithms(np.array([float(least)]))[0] * LOGARITHM),
        0,
    )
    return Rule(ENTROPY, number, np.rint(rows * _logarithms(rows) * LOGARITHM).astype(np.int64))


def near(column: Column, most: Fraction, *, ordered: bool) -> Rule | None:
    """Require a distance from the table of at most `most`."""
    rows = int(column.totals.sum())
    steps = max(int((column.totals[:-1] > 0).sum()) - 1, 1) if ordered else 1
    bits = BITS - 2 * rows.bit_length() - steps.bit_length()
    if bits < 8 or (ordered and column.size > LADDER):
        return None
    rounded = _down(most, bits)
    return Rule(
        ORDERED if ordered else EQUAL,
        (steps, rounded.numerator, rounded.denominator),
        column.totals.astype(np.int64),
    )


def wide(column: Column, span: Fraction, least: int) -> Rule:
    """Require at least `least` different numbers that reach over at least `span`."""
    numbers = column.numbers(np.arange(column.size))
    reach = []
    reached = 0
    for number in numbers:
        while reached < len(numbers) and numbers[reached] - number < span:
            reached += 1
        reach.append(reached)
    return Rule(RANGE, (least, 0, 0), np.array(reach, np.int64))


def _down(number: Fraction, bits: int) -> Fraction:
    """Return the fraction itself, or one below it whose terms have at most `bits` bits."""
    if max(number.numerator, number.denominator).bit_length() <= bits:
        return number
    scale = 1 << max(bits - max(math.floor(number), 1).bit_length(), 0)
    return Fraction(min(math.floor(number * scale), (1 << bits) - 1), scale)


def _logarithms(numbers: np.ndarray) -> np.ndarray:
    """Compute logarithms to the base 2, with 0 for 0, equal on every machine.

    Only additions, multiplications and divisions are used: these agree everywhere.

    With m in [0.75, 1.5), ln m = 2 artanh z for z = (m - 1) / (m + 1), whose powers soon vanish.
    """
    part, exponent = np.frexp(np.maximum(numbers, 1).astype(np.float64))
    low = part < 0.75
    part = np.where(low, 2 * part, part)
    exponent = exponent - low
    z = (part - 1) / (part + 1)
    total = np.zeros(len(z))
    square = z * z
    for power in range(35, 0, -2):
        total = total * square + 1 / power
    return exponent + 2 * z * total / 0.6931471805599453
