"""Prices: what `*` costs beyond its share of the loss, a whole number of hundredths for each axis.

A price of 100 changes nothing. Under one of 120, a box that is published as `*` on this axis (the
root of a tree, or missing mixed with values) costs a fifth more, and every other box costs what it
did. So the cost stays a function of the box and never falls when a box grows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.arrays import Flags, Ints, Longs
from shoal.encode.axes import Axis
from shoal.encode.rows import Rows

PLAIN = 100
MOST_COST = 2**31  # of a box over all axes


def priced(rows: Rows, prices: Longs) -> Rows:
    """Give the rows with costs in which `*` has its price on each axis.

    Plain prices leave the rows as they are, with what is remembered of them.
    """
    if (prices == PLAIN).all():
        return rows
    costs = rows.costs
    full = costs.full.astype(np.int64) * prices // PLAIN
    cost = costs.cost.astype(np.int64)
    for place, axis in enumerate(rows.axes):
        if axis.tree is not None:
            root = costs.cost_at[place] + axis.tree.root
            cost[root] = cost[root] * prices[place] // PLAIN
    if full.sum() >= MOST_COST:  # hundreds of columns: kernels could not add them up
        return rows
    costs = costs._replace(full=full.astype(np.int32), cost=cost.astype(np.int32))
    return replace(rows, costs=costs)


def told_nothing(axis: Axis, lo: Ints, hi: Ints) -> Flags:
    """Tell for each box from lo to hi whether it is published as `*`."""
    lost = np.asarray((hi == axis.size) & (lo < axis.size), np.bool_)
    there = np.flatnonzero(hi < axis.size)
    if axis.tree is not None and len(there):
        lost[there] = axis.ancestors(lo[there], hi[there]) == axis.tree.root
    return lost
