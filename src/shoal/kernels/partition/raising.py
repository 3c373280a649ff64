"""Prices as high as sets of rows can pay, near prices that are known to be right.

A set of k rows can pay if the sum of its prices is at most k times the cost of its box. Of all
prices under which every set of a list can pay, those are wanted whose sum over all rows is highest,
and which are not so far from right ones that sets outside the list can't pay:

    maximize   sum of prices of all rows - sum over rows of (price - centre)^2 / (2 * reach)
    such that  every set can pay

That is solved by Hildreth's method: each set in turn has a fee, at least 0, which is changed so
that the set pays exactly; its rows become cheaper by fee * reach, shared among rows that are alike.
A sweep costs as much as the sets have entries.

Source: C. Hildreth, A quadratic programming procedure, Naval Research Logistics Quarterly 4 (1957),
doi 10.1002/nav.3800040113.
"""

from __future__ import annotations

from shoal.arrays import Counts, Floats
from shoal.kernels.jit import compiled
from shoal.kernels.partition.paid_sets import PaidSets


@compiled
def raise_within(
    sets: PaidSets, counts: Counts, fee: Floats, price: Floats, reach: float, sweeps: int
) -> float:
    """Change fees and prices until every set can pay, or `sweeps` are over.

    Prices come in as centre + reach - what the fees take off. Returns by how much a set is asked
    for more than it can pay, at most, in the last sweep.
    """
    worst = 0.0
    for _ in range(sweeps):
        worst = 0.0
        for s in range(sets.number[0]):
            begin = sets.start[s]
            end = sets.start[s + 1]
            asked = -float(sets.owed[s])
            norm = 0.0
            for i in range(begin, end):
                times = sets.times[i]
                asked += times * price[sets.held[i]]
                norm += times * times / counts[sets.held[i]]
            if asked <= 0.0 and fee[s] == 0.0:
                continue
            changed = max(0.0, fee[s] + asked / (reach * norm)) - fee[s]
            fee[s] += changed
            worst = max(worst, asked)
            for i in range(begin, end):
                t = sets.held[i]
                price[t] -= changed * reach * sets.times[i] / counts[t]
        if worst < 1.0:
            break
    return worst


@compiled
def take_off(sets: PaidSets, counts: Counts, fee: Floats, price: Floats, reach: float) -> None:
    """Lower prices by what the fees take off."""
    for s in range(sets.number[0]):
        for i in range(sets.start[s], sets.start[s + 1]):
            t = sets.held[i]
            price[t] -= fee[s] * reach * sets.times[i] / counts[t]
