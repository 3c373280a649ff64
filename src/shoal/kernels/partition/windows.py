"""Windows that slide over one axis: how far those from each tuple on can matter."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled


@compiled
def dearest_ahead(costs: Costs, axis: int, codes: Ints, price: Longs, paid: int) -> Longs:
    """Find for each tuple the highest price of one ahead whose common window costs less than it.

    No window from here on that costs as much can break a price: its k dearest rows have prices
    above its cost on average, so one of them has. Prices only fall, so what is found stays enough.
    From the dearest tuple on, each is noted at those behind it that have none yet.
    """
    count = len(codes)
    dearest = np.zeros(count, np.int64)
    open_at = np.arange(count + 1)  # tuple i has place i + 1; 0 is before the first
    for i in np.argsort(-price, kind="mergesort"):
        place = _last_open(open_at, i + 1)
        while place > 0 and paid + between(costs, axis, codes[place - 1], codes[i]) < price[i]:
            dearest[place - 1] = price[i]
            open_at[place] = place - 1
            place = _last_open(open_at, place - 1)
    return dearest


@compiled
def _last_open(open_at: Longs, place: int) -> int:
    """Find the last place up to this one that is still open; 0 where none is."""
    root = place
    while open_at[root] != root:
        root = open_at[root]
    while open_at[place] != root:  # whoever asks next is sent there at once
        following = open_at[place]
        open_at[place] = root
        place = following
    return root
