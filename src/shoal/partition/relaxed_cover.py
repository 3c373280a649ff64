"""Relaxed cover: the cheapest way to cover rows by parts of groups, and what each row is worth.

A linear programme by the simplex method, revised, over few rows and many groups:

    minimize   the sum over groups of cost times share
    such that  the groups of each kind of row have shares that add up to its rows,
               and all shares together are at most the number of groups that there is room for

Its dual prices are what proves: wherever no group costs less than its prices, no grouping does.
They are floats and a proposal only; `optimum` makes them integers and checks them. The sums are
moved a little, each by another amount, so that no step stands still.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Floats, Longs

TOLERANCE = 1e-9
RENEWED = 40  # steps after which the inverse is computed anew
MOST_LOOKED = 8_000_000_000  # numbers of the programme that all steps together may look at
MOVED = 1e-7


class Unsolved(Exception):
    """The steps that are allowed were not enough."""


@dataclass(eq=False)
class RelaxedCover:
    """Groups as columns of counts, their costs, and the basis that was reached."""

    counts: Floats  # [kinds + 1, groups]: rows of each kind, and 1
    costs: Floats
    sums: Floats  # [kinds + 1]
    most: float  # the cost of covering one row by nothing
    basis: Longs | None = None
    shares: Floats | None = None
    looked: int = 0

    @classmethod
    def of(cls, counts: AnyArray, costs: AnyArray, sums: AnyArray, most: float) -> RelaxedCover:
        """Lay out groups [kinds, groups], after one column for each sum that covers it alone.

        The last sum is the number of groups that there is room for, and is covered for nothing.
        """
        alone = np.eye(len(sums))
        ones = np.vstack((counts, np.ones((1, np.shape(counts)[1]))))
        prices = np.full(len(sums), most)
        prices[-1] = 0.0
        return cls(np.hstack((alone, ones)), np.append(prices, costs), np.array(sums, float), most)

    def add(self, counts: AnyArray, costs: AnyArray) -> None:
        """Add groups [kinds, groups]."""
        ones = np.vstack((counts, np.ones((1, np.shape(counts)[1]))))
        self.counts = np.hstack((self.counts, ones))
        self.costs = np.append(self.costs, costs)

    def solve(self, forbidden: AnyArray | None = None) -> Floats:
        """Find the cheapest cover; return the prices of rows, and last that of a group.

        Forbidden groups may stay in the cover if nothing else covers: at a high cost.
        """
        costs = self.costs
        if forbidden is not None:
            costs = np.where(forbidden, costs + self.most * self.counts[:-1].sum(axis=0), costs)
        size = len(self.sums)
        basis = np.arange(size) if self.basis is None else self.basis
        moved = self.sums + MOVED * (1 + np.arange(size) * 0.6180339887 % 1)
        for step in range(100 * size + len(costs)):
            self.looked += self.counts.size
            if self.looked > MOST_LOOKED:
                break
            if step % RENEWED == 0:
                inverse = np.linalg.inv(self.counts[:, basis])
            prices = costs[basis] @ inverse
            less = costs - prices @ self.counts
            enters = int(np.argmin(less))
            if less[enters] > -TOLERANCE:
                self.basis = basis
                self.shares = inverse @ self.sums
                return np.asarray(prices)
            change = inverse @ self.counts[:, enters]
            held = inverse @ moved
            falling = change > TOLERANCE
            if not falling.any():
                break
            ratio = np.where(falling, held, np.inf) / np.where(falling, change, 1.0)
            leaves = int(np.argmin(ratio))
            basis = basis.copy()
            basis[leaves] = enters
            pivot = inverse[leaves] / change[leaves]
            inverse = inverse - np.outer(change, pivot)
            inverse[leaves] = pivot
        raise Unsolved
