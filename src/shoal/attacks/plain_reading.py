"""`plain-reading`: read published values as the original, without taking any noise off.

*The attacker knows* how many decimals the values of each column have.

    read = the published value, right where rounding it to its column's decimals gives the original,
           or where it lies within NEAR of the spread of the column (from its 0.05 to its 0.95
           quantile)
    control = the most frequent value of the column

It gates where more than half of the cells are gained: then noise is next to nothing. Columns of no
more than FEW different values are left out as long as there are others: 0 and 1 can be told apart
under any noise that is small beside the range, and the certificate names such columns instead.
Cost: a step a cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Flags, Floats
from shoal.attacks.attack import Attack, Finding, Material, Tries
from shoal.attacks.known_record import cells
from shoal.attacks.perturbed import Perturbed
from shoal.distortions.numbers import decimals_of

NEAR = 0.005
FEW = 20
LIMIT = 0.5


@dataclass(frozen=True)
class PlainReading(Attack):
    """Read the published values, rounded to the precision that they had."""

    name = "plain-reading"
    gates = "always"
    needs = ("numbers",)
    flows = ("distort",)
    stops_it = "more noise (a larger scale), or leave columns of few different values out"

    def _tries(self, material: Material) -> Iterator[Tries]:
        numbers = material.numbers
        assert numbers is not None
        tried = numbers.tried & _many(numbers)
        right = read_off(numbers)[tried]
        blind = _frequent(numbers.original)[tried]
        words = "Reads the published values, rounded to the precision of their columns."
        yield Tries(
            right.astype(np.float64), blind.astype(np.float64), cells(numbers, len(right)), words
        )

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


def _frequent(values: Floats) -> Flags:
    """Mark cells that hold the most frequent value of their column."""
    frequent = np.zeros(values.shape, np.bool_)
    for place, column in enumerate(values.T):
        different, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        if len(different):
            frequent[:, place] = column == different[np.argmax(counts)]
    return frequent
