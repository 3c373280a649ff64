"""`known-record`: the noise of everyone below a person whose values are known.

*The attacker knows* one record (here the first), the method, the columns' ranges, and which columns
hold whole numbers.

    noise of the known row = published - known; by the map x -> r x (1 - x), that of the next row,
                             and so on
    whole numbers: rounding each regained value wipes the error out; others: some 40 rows, until
                   floats have no digits left
    shuffled rows: the next one is that which the map makes whole numbers of in all columns of whole
                   numbers, three at least

It regains what one orbit a column has perturbed and nothing else. It gates. The control reads the
published value. A cell counts where it is regained exactly, to the whole number or to a billionth
of the range. Cost: one step a cell; rows squared where they are shuffled.

By hand: a column from 0 to 100, `scale=0.1`, r = 4. The known person has 30 and is published as
31.4: noise 1.4 = (x - 0.5) * 10, so x = 0.64. The next x is 4 * 0.64 * 0.36 = 0.9216, with noise
4.216: whoever is published as 54.216 has 50.

When to use it: on `chaotic` noise: one known person gives away the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.attacks.attack import Tries
from shoal.attacks.on_numbers import OTHER_NOISE, NumbersAttack, cell_tries
from shoal.attacks.perturbed import Perturbed
from shoal.kernels.attacks.regain import LEAST, follow, search


@dataclass(frozen=True)
class KnownRecord(NumbersAttack):
    """Take the noise off all rows below one whose values are known."""

    name = "known-record"
    stops_it = OTHER_NOISE

    def _on(self, numbers: Perturbed) -> Tries:
        estimate = _searched(numbers) if numbers.shuffled else _followed(numbers)
        tried = numbers.tried.copy()
        tried[0] = False  # known, not regained
        hits = numbers.exact(estimate)[tried]
        read = numbers.exact(numbers.read)[tried]
        words = "Knows one record, and takes the noise off the cells below it."
        return cell_tries(numbers, hits.astype(np.float64), read.astype(np.float64), words)


def _followed(numbers: Perturbed) -> Floats:
    """Take the noise off the rows below the known one, column by column."""
    estimate = numbers.read.copy()
    for place in np.flatnonzero(numbers.varies):
        column = np.ascontiguousarray(numbers.published[:, place])
        known = numbers.original[0, place]
        if not np.isnan(known):
            guess = estimate[:, place].copy()
            follow(column, 0, known, numbers.r, numbers.reach[place], numbers.whole[place], guess)
            estimate[:, place] = guess
    return estimate


def _searched(numbers: Perturbed) -> Floats:
    """Take the noise off rows in any order, by their columns of whole numbers."""
    estimate = numbers.read.copy()
    usable = numbers.varies & numbers.whole & ~np.isnan(numbers.original[0])
    if usable.sum() >= LEAST:
        guess = np.ascontiguousarray(estimate[:, usable])
        published = np.ascontiguousarray(numbers.published[:, usable])
        known = np.ascontiguousarray(numbers.original[0, usable])
        search(published, 0, known, numbers.r, np.ascontiguousarray(numbers.reach[usable]), guess)
        estimate[:, usable] = guess
    return estimate
