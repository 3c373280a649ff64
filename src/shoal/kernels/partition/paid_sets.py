"""Sets of k rows that were asked for more than their box costs, written down by a walk.

Each of them is a condition on prices: `raising` looks for the highest prices under which all of
these sets can pay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled


class PaidSets(NamedTuple):
    """Sets of k rows that a walk found to owe more than k times the cost of their box.

    Set s holds `times[i]` rows of tuple `held[i]`, for i from `start[s]` to `start[s + 1]`.
    """

    start: Longs
    held: Ints
    times: Ints
    owed: Longs  # k times the cost of the least box around the set
    number: Longs  # [1]: of sets


def room_for(sets: int, entries: int) -> PaidSets:
    """Allocate room for a number of sets, which have so many entries together."""
    return PaidSets(
        np.zeros(sets + 1, np.int64),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.empty(sets, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def record(
    sets: PaidSets, costs: Costs, codes: Ints, who: Longs, times: Longs, k: int, charge: int
) -> None:
    """Write down a set of k rows, `times` of each tuple of `who`, while there is room.

    It owes what the box around it costs, or the charge of the part that it was found in: covers of
    lines charge less.
    """
    number = sets.number[0]
    at = sets.start[number]
    if number >= len(sets.owed) or at + len(who) > len(sets.held):
        return
    cost = 0
    for i in range(len(who)):
        sets.held[at + i] = who[i]
        sets.times[at + i] = times[i]
    for axis in range(len(codes)):
        lo = codes[axis, who[0]]
        hi = lo
        for t in who:
            lo = min(lo, codes[axis, t])
            hi = max(hi, codes[axis, t])
        cost += between(costs, axis, lo, hi)
    sets.owed[number] = k * min(cost, charge)
    sets.start[number + 1] = at + len(who)
    sets.number[0] = number + 1
