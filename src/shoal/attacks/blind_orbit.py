"""`blind-orbit`: noise taken off whole numbers although nobody's value is known.

*The attacker knows* the method, the columns' ranges, which columns hold whole numbers, and the most
frequent value of each.

    for each cell: suppose it holds the most frequent value; if the map then makes whole numbers of
                   the next eight rows, that is no accident, and the orbit is known from there on
                   (see `known-record`)

Columns of money and counts are full of zeros, so it succeeds on most. It gates. The control reads
the published value, rounded. Cost: eight steps a cell.

By hand: a column from 0 to 100 with many zeros, `scale=0.1`, r = 4. A cell says 1.4. If it holds 0,
its noise is 1.4 = (x - 0.5) * 10 and x = 0.64; the next x is 4 * 0.64 * 0.36 = 0.9216, with noise
4.216. The next cell says 24.216: less its noise 20, a whole number. Eight of them in a row, and the
orbit is known.

When to use it: on `chaotic` noise: it shows that the noise follows from itself without any known
value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.attacks.attack import Tries
from shoal.attacks.on_numbers import OTHER_NOISE, NumbersAttack, cell_tries
from shoal.attacks.perturbed import Perturbed
from shoal.kernels.attacks.regain import regain


@dataclass(frozen=True)
class BlindOrbit(NumbersAttack):
    """Guess frequent values until an orbit fits, and take the noise off from there."""

    name = "blind-orbit"
    stops_it = OTHER_NOISE

    def _on(self, numbers: Perturbed) -> Tries:
        estimate = numbers.read.copy()
        regained = 0
        for place in np.flatnonzero(numbers.varies & numbers.whole):
            guess = estimate[:, place].copy()
            flags = np.zeros(len(guess), np.bool_)
            column = np.ascontiguousarray(numbers.published[:, place])
            likely = _most_frequent(numbers.original[:, place])
            regained += regain(column, likely, numbers.r, numbers.reach[place], guess, flags)
            estimate[:, place] = np.where(flags, guess, estimate[:, place])
        tried = numbers.tried
        hits = numbers.exact(estimate)[tried]
        read = numbers.exact(numbers.read)[tried]
        words = f"Knows no record; orbits fit {regained:,} of {int(tried.sum()):,} cells."
        return cell_tries(numbers, hits.astype(np.float64), read.astype(np.float64), words)


def _most_frequent(column: Floats) -> Floats:
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return values[[int(np.argmax(counts))]]
