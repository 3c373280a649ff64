"""Balance: what the loss of each row counts, so that nobody pays for all the others.

The least total loss is reached at the cost of rare kinds of people: few rows are like theirs, so
their groups are wide. So rows that lose more than the mean become worth more in the loss that is
minimized, and refinement goes on:

    a row's *share* = the mean loss of its own kind (rows with equal quasi-identifiers),
                      or of all rows that share one of its categories, whichever is higher,
                      over the mean loss of the table; from 1 to MOST
    worth           = share to the power of balance, in quarters

Shares are averaged with those of the round before, lest rows take turns. Changing what is minimized
also leads out of local optima (decision 0010 has the figures). Up to a balance of FREE it must cost
nothing: of all states that were reached, the one with the least total loss is taken (see decision
0041).
Whoever asks for more allows the total loss to rise by up to PRICE.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import AnyArray, Floats
from shoal.encode.rows import Distinct, Rows
from shoal.errors import RecipeError
from shoal.kernels.partition.repair import weigh
from shoal.partition.pieces import Pieces
from shoal.wording import Remedy, Set

STEPS = 16  # in which shares are counted, for each whole one: so every machine finds the same
MOST = 8  # times the mean: what is beyond counts as that
QUARTERS = 4
FREE = 0.83  # a balance up to this, the default, may cost nothing
PRICE = 0.05  # of the total loss: what a balance of 1 may cost


class Balance:
    """Worth of a row of each tuple in the loss: 1, until it is weighed."""

    def __init__(self, rows: Rows, tuples: Distinct, balance: float) -> None:
        self.rows = rows
        self.tuples = tuples
        self.balance = balance
        self.worth = np.ones(len(tuples.counts), np.int32)
        self.shares: AnyArray | None = None
        if balance and QUARTERS * MOST * rows.count * int(rows.costs.full.sum()) >= 2**62:
            raise RecipeError(
                "the table is too large for balance: sums would overflow",
                remedy=Remedy(Set("method", "shoal:balance=0")),
            )

    def weigh(self, pieces: Pieces) -> None:
        """Make rows worth what their kind loses now."""
        lo, hi = (np.ascontiguousarray(ends.T) for ends in pieces.boxes(self.tuples.codes))
        costs = weigh(self.rows.costs, lo, hi, np.ones(pieces.groups, np.int64))
        losses = np.bincount(
            pieces.held, pieces.count * costs[pieces.group], minlength=len(self.worth)
        )
        shares = self._shares(losses.astype(np.float64))
        self.shares = shares if self.shares is None else (self.shares + shares) // 2
        table = np.round(QUARTERS * (np.arange(MOST * STEPS + 1) / STEPS) ** self.balance)
        self.worth[:] = table[self.shares]

    def forget(self) -> None:
        """Make all rows worth the same again."""
        self.worth[:] = 1

    def settled(self, states: Sequence[Pieces]) -> Pieces:
        """Choose among states of the search: the last one, if it loses no more than is allowed.

        Otherwise the one that loses least, and of equal ones the last.
        """
        losses = [state.loss(self.rows.costs, self.tuples.codes) for state in states]
        least = min(losses)
        allowed = PRICE * max(self.balance - FREE, 0) / (1 - FREE)
        if losses[-1] <= least * (1 + allowed):
            return states[-1]
        return states[len(losses) - 1 - losses[::-1].index(least)]

    def _shares(self, losses: Floats) -> AnyArray:
        """Compute how much more than the mean each tuple's kind loses, in steps."""
        counts = self.tuples.counts
        mean = losses.sum() / max(counts.sum(), 1)
        highest = losses / np.maximum(counts, 1)
        for axis, codes in zip(self.rows.axes, self.tuples.codes, strict=True):
            if axis.tree is not None:
                means = np.bincount(codes, losses) / np.maximum(np.bincount(codes, counts), 1)
                highest = np.maximum(highest, means[codes])
        shares = np.floor(STEPS * highest / mean) if mean else np.zeros(len(highest))
        return np.clip(shares, STEPS, MOST * STEPS).astype(np.int64)
