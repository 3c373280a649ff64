"""Count queries over many axes: answered from the rows, and estimated from boxes that spread their rows evenly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Floats, Ints, Longs
from shoal.kernels.jit import compiled

BLOCK = 4096


class Queries(NamedTuple):
    """What is asked: query q wants rows from code lo to code hi, which is from `begin` to `end`, on some axes."""

    axis: Ints  # [queries, parts]
    lo: Ints
    hi: Ints
    begin: Floats
    end: Floats


class Spread(NamedTuple):
    """Groups that are spread evenly over their boxes; many groups share a box, so each axis lists its different ones."""

    begin: Floats  # [boxes]: those of axis a are at[a] to at[a + 1] - 1
    end: Floats
    share: Floats  # of the rows in the box that have a value at all
    at: Longs  # [axes + 1]
    box: Ints  # [axes, groups]: the number of the group's box on an axis
    sizes: Counts


@compiled
def counted(queries: Queries, codes: Ints, counts: Counts) -> Longs:
    """How many rows each query finds; `codes[axis, tuple]`. So many tuples at a time as stay near the processor."""
    found = np.zeros(len(queries.axis), np.int64)
    for begin in range(0, len(counts), BLOCK):
        end = min(begin + BLOCK, len(counts))
        rows, inside = counts[begin:end], np.empty(end - begin, np.bool_)
        for q in range(len(found)):
            inside[:] = True
            for part in range(queries.axis.shape[1]):
                column = codes[queries.axis[q, part]][begin:end]
                lo, hi = queries.lo[q, part], queries.hi[q, part]
                for t in range(len(inside)):
                    inside[t] &= (lo <= column[t]) & (column[t] <= hi)
            total = 0
            for t in range(len(inside)):
                total += rows[t] * inside[t]
            found[q] += total
    return found


@compiled
def estimated(queries: Queries, spread: Spread) -> Floats:
    """How many rows each query is expected to find: size times the share of the box that it covers, over all groups."""
    found = np.zeros(len(queries.axis), np.float64)
    rows, covers = np.empty(len(spread.sizes), np.float64), np.empty(len(spread.begin), np.float64)
    for q in range(len(found)):
        rows[:] = spread.sizes
        for part in range(queries.axis.shape[1]):
            axis = queries.axis[q, part]
            for box in range(spread.at[axis], spread.at[axis + 1]):
                covers[box] = covered(spread, box, queries.begin[q, part], queries.end[q, part])
            inside, box_of = covers[spread.at[axis] :], spread.box[axis]
            for group in range(len(rows)):
                rows[group] *= inside[box_of[group]]
        found[q] = rows.sum()
    return found


@compiled
def covered(spread: Spread, box: int, begin: float, end: float) -> float:
    """The share of a box's rows that lies between two ends."""
    low, high = max(spread.begin[box], begin), min(spread.end[box], end)
    if low > high:
        return 0.0
    width = spread.end[box] - spread.begin[box]
    return spread.share[box] * ((high - low) / width if width > 0 else 1.0)  # a point inside the query is whole
