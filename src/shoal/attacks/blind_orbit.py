"""`blind-orbit`: noise taken off whole numbers although nobody's value is known.

*The attacker knows* the method, the columns' ranges, which columns hold whole numbers, and the most
frequent value of each.

    for each cell: suppose it holds the most frequent value; if the map then makes whole numbers of
                   the next eight rows, that is no accident, and the orbit is known from there on
                   (see `known-record`)

Columns of money and counts are full of zeros, so it succeeds on most. It gates. The control reads
the published value, rounded. Cost: eight steps a cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.known_record import cells
from shoal.kernels.attacks.regain import regain
from shoal.wording import Sentence, Set


@dataclass(frozen=True)
class BlindOrbit(Attack):
    """Guess frequent values until an orbit fits, and take the noise off from there."""

    name = "blind-orbit"
    gates = "always"
    needs = ("numbers",)
    flows = ("distort",)
    stops_it = Sentence(
        "noise that does not follow from row to row: ", Set("method", "correlated-noise")
    )

    def _tries(self, material: Material) -> Iterator[Tries]:
        numbers = material.numbers
        assert numbers is not None
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
        yield Tries(
            hits.astype(np.float64), read.astype(np.float64), cells(numbers, len(hits)), words
        )


def _most_frequent(column: Floats) -> Floats:
    values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return values[[int(np.argmax(counts))]]
