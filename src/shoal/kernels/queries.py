"""Count queries over many axes: answered from rows, and estimated from evenly spread boxes."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Floats, Ints, Longs
from shoal.kernels.jit import compiled

BLOCK = 4096
TABLE = 4  # entries of a table of sums for each different row, at most


class Queries(NamedTuple):
    """Count queries: query q asks for rows from code lo to code hi on some axes.

    In values that is from `begin` to `end`.
    """

    axis: Ints  # [queries, parts]
    lo: Ints
    hi: Ints
    begin: Floats
    end: Floats


class Spread(NamedTuple):
    """Groups that are spread evenly over their boxes.

    Many groups share a box, so each axis lists its different ones.
    """

    begin: Floats  # [boxes]: those of axis a are at[a] to at[a + 1] - 1
    end: Floats
    share: Floats  # of the rows in the box that have a value at all
    at: Longs  # [axes + 1]
    box: Ints  # [axes, groups]: the number of the group's box on an axis
    sizes: Counts


def counted(queries: Queries, codes: Ints, counts: Counts) -> Longs:
    """Count the rows that each query finds; `codes[axis, tuple]`.

    Queries on the same axes share a table of sums, from which each is read off; unless it were
    longer than the rows are many.
    """
    order = np.argsort(queries.axis, axis=1, kind="stable")
    queries = Queries._make(np.take_along_axis(part, order, axis=1) for part in queries)
    counted_rows = np.zeros(len(order), np.int64)
    ends = codes.max(axis=1, initial=-1).astype(np.int64) + 2
    axes, alike = np.unique(queries.axis, axis=0, return_inverse=True)
    for number, some in enumerate(axes):
        those = np.flatnonzero(alike.reshape(-1) == number)
        asked = Queries._make(part[those] for part in queries)
        shape = ends[some]
        if math.prod(shape.tolist()) <= TABLE * len(counts):
            counted_rows[those] = _read_off(asked, _sums(codes, counts, some, shape), shape)
        else:
            counted_rows[those] = scanned(asked, codes, counts)
    return counted_rows


def _sums(codes: Ints, counts: Counts, axes: Ints, shape: Longs) -> Longs:
    """Count the rows below each combination of codes on some axes.

    sums[a, b ...] counts those with codes < a, < b ...
    """
    sums = tallied(codes, counts, axes, shape).reshape(shape)
    for axis in range(len(axes)):
        np.cumsum(sums, axis=axis, out=sums)
    return sums


def _read_off(queries: Queries, sums: Longs, shape: Longs) -> Longs:
    """Read the count of each query off the sums at its corners.

    Those with an odd number of lower ends are taken off.
    """
    low = np.minimum(queries.lo, shape - 1)
    high = np.minimum(queries.hi + 1, shape - 1)
    low = np.minimum(low, high)  # from beyond the last code on there is nothing
    counted_rows = np.zeros(len(low), np.int64)
    for ends in itertools.product((False, True), repeat=len(shape)):
        corner = sums[tuple(np.where(ends, low, high).T)]
        counted_rows += -corner if sum(ends) % 2 else corner
    return counted_rows


@compiled
def tallied(codes: Ints, counts: Counts, axes: Ints, shape: Longs) -> Longs:
    """Count the rows at each combination of codes on some axes, one place further on each."""
    tallies = np.zeros(np.prod(shape), np.int64)
    for t in range(len(counts)):
        place = 0
        for part in range(len(axes)):
            place = place * shape[part] + codes[axes[part], t] + 1
        tallies[place] += counts[t]
    return tallies


@compiled
def scanned(queries: Queries, codes: Ints, counts: Counts) -> Longs:
    """Count the rows that each query finds by looking at all of them.

    Tuples are looked at block by block, so that a block stays near the processor.
    """
    counted_rows = np.zeros(len(queries.axis), np.int64)
    for begin in range(0, len(counts), BLOCK):
        end = min(begin + BLOCK, len(counts))
        rows = counts[begin:end]
        inside = np.empty(end - begin, np.bool_)
        for q in range(len(counted_rows)):
            inside[:] = True
            for part in range(queries.axis.shape[1]):
                column = codes[queries.axis[q, part]][begin:end]
                lo = queries.lo[q, part]
                hi = queries.hi[q, part]
                for t in range(len(inside)):
                    inside[t] &= (lo <= column[t]) & (column[t] <= hi)
            total = 0
            for t in range(len(inside)):
                total += rows[t] * inside[t]
            counted_rows[q] += total
    return counted_rows


@compiled
def estimated(queries: Queries, spread: Spread) -> Floats:
    """Estimate how many rows each query finds, from boxes that spread their rows evenly.

    It is size times the share of the box that the query covers, over all groups.
    """
    expected = np.zeros(len(queries.axis), np.float64)
    covers = np.empty(len(spread.begin), np.float64)
    sizes = spread.sizes.astype(np.float64)
    parts = queries.axis.shape[1]
    rows = np.empty(len(sizes), np.float64)
    for q in range(len(expected)):
        for part in range(parts):
            axis = queries.axis[q, part]
            for box in range(spread.at[axis], spread.at[axis + 1]):
                covers[box] = covered(spread, box, queries.begin[q, part], queries.end[q, part])
            inside = covers[spread.at[axis] :]
            box_of = spread.box[axis]
            before = rows if part else sizes
            if part < parts - 1:
                for group in range(len(rows)):
                    rows[group] = before[group] * inside[box_of[group]]
            else:
                for group in range(len(rows)):
                    expected[q] += before[group] * inside[box_of[group]]
    return expected


@compiled
def covered(spread: Spread, box: int, begin: float, end: float) -> float:
    """Compute the share of a box's rows that lies between two ends."""
    low = max(spread.begin[box], begin)
    high = min(spread.end[box], end)
    if low > high:
        return 0.0
    width = spread.end[box] - spread.begin[box]
    # A point inside the query is covered as a whole.
    return spread.share[box] * ((high - low) / width if width > 0 else 1.0)
