"""`plain-reading`: read published values as the original, without taking any noise off.

*The attacker knows* how many decimals the values of each column have.

    read = the published value, right where rounding it to its column's decimals gives the original,
           or where it lies within NEAR of the spread of the column (from its 0.05 to its 0.95
           quantile)
    control = the most frequent value of the column

It gates where more than half of the cells are gained: then noise is next to nothing. Columns of no
more than FEW different values are left out as long as there are others: 0 and 1 can be told apart
under any noise that is small beside the range. `nearest-code` judges such columns one by one.
Cost: a step a cell.

By hand: whole numbers, most of them from 20 to 60. An age of 40 that is published as 40.3 is read
as 40, which is right; published as 42.1 it is read as 42, which is not.

When to use it: on perturbed numbers: how many cells can simply be read off.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Flags, Floats
from shoal.attacks.attack import Finding, Tries
from shoal.attacks.on_numbers import NumbersAttack, cell_tries
from shoal.attacks.perturbed import Perturbed
from shoal.distortions.numbers import decimals_of

NEAR = 0.005
FEW = 20
LIMIT = 0.5


@dataclass(frozen=True)
class PlainReading(NumbersAttack):
    """Read the published values, rounded to the precision that they had."""

    name = "plain-reading"
    stops_it = "more noise (a larger scale), or leave columns of few different values out"

    def _on(self, numbers: Perturbed) -> Tries:
        tried = numbers.tried & _many(numbers)
        right = read_off(numbers)[tried]
        blind = frequent(numbers.original)[tried]
        words = "Reads the published values, rounded to the precision of their columns."
        return cell_tries(numbers, right.astype(np.float64), blind.astype(np.float64), words)

    def _finding(self, tries: Tries) -> Finding:
        return replace(super()._finding(tries), limit=LIMIT)


def read_off(numbers: Perturbed) -> Flags:
    """Mark cells that are published as they were.

    A cell counts where it is right to its precision, or to a small share of the distance between
    values.
    """
    low, high = _bulk(numbers.original)
    spread = np.where(high > low, high - low, numbers.high - numbers.low)
    steps = 0.5 * 10.0 ** -np.array(decimals_of(numbers.original), np.float64)
    return np.asarray(
        np.abs(numbers.published - numbers.original) < np.maximum(steps, NEAR * spread), np.bool_
    )


def _bulk(values: Floats) -> Floats:
    """Return the 5 % and 95 % quantiles of each column; 0 for columns without values."""
    there = ~np.isnan(values).all(axis=0)
    ends = np.zeros((2, values.shape[1]))
    ends[:, there] = np.nanquantile(values[:, there], [0.05, 0.95], axis=0)
    return ends


def _many(numbers: Perturbed) -> Flags:
    """Mark columns of many different values; all columns where there are none of these."""
    counts = np.array([len(np.unique(column[~np.isnan(column)])) for column in numbers.original.T])
    many = (counts > FEW) & numbers.varies
    return np.asarray(many if many.any() else numbers.varies, np.bool_)


def frequent(values: Floats) -> Flags:
    """Mark cells that hold the most frequent value of their column."""
    held = np.zeros(values.shape, np.bool_)
    for place, column in enumerate(values.T):
        different, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        if len(different):
            held[:, place] = column == different[np.argmax(counts)]
    return held
