"""Count queries over many axes: answered from the rows, and estimated from boxes that spread their rows evenly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Floats, Ints, Longs
from shoal.kernels.jit import compiled


class Queries(NamedTuple):
    """What is asked: query q wants rows from code lo to code hi, which is from `begin` to `end`, on some axes."""

    axis: Ints  # [queries, parts]
    lo: Ints
    hi: Ints
    begin: Floats
    end: Floats


class Spread(NamedTuple):
    """Groups that are spread evenly from `begin` to `end` on each axis: [axes, groups]."""

    begin: Floats
    end: Floats
    share: Floats  # of the group's rows that have a value at all
    sizes: Counts


@compiled
def counted(queries: Queries, codes: Ints, counts: Counts) -> Longs:
    """How many rows each query finds; `codes[axis, tuple]`."""
    found = np.zeros(len(queries.axis), np.int64)
    inside = np.empty(len(counts), np.bool_)
    for q in range(len(found)):
        inside[:] = True
        for part in range(queries.axis.shape[1]):
            column = codes[queries.axis[q, part]]
            lo, hi = queries.lo[q, part], queries.hi[q, part]
            for t in range(len(counts)):
                inside[t] &= (lo <= column[t]) & (column[t] <= hi)
        for t in range(len(counts)):
            found[q] += counts[t] * inside[t]
    return found


@compiled
def estimated(queries: Queries, spread: Spread) -> Floats:
    """How many rows each query is expected to find: size times the share of the box that it covers, over all groups."""
    found = np.zeros(len(queries.axis), np.float64)
    for q in range(len(found)):
        for group in range(len(spread.sizes)):
            rows = float(spread.sizes[group])
            for part in range(queries.axis.shape[1]):
                axis = queries.axis[q, part]
                begin, end = spread.begin[axis, group], spread.end[axis, group]
                low, high = max(begin, queries.begin[q, part]), min(end, queries.end[q, part])
                if low > high:
                    rows = 0.0
                    break
                if begin < end:  # else a point inside the query, whole
                    rows *= (high - low) / (end - begin)
                rows *= spread.share[axis, group]
            found[q] += rows
    return found
