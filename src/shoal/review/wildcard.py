"""Wildcard: counts matching rows where a missing cell matches everything, as sdcMicro does.

Templ, Kowarik & Meindl 2015.

A missing cell matches everything. Two rows match if they agree on every column where both hold a
value, and the frequency of a row is the number of rows that match it, itself among them. Matching
so is no equivalence (a row without a sex matches men and women, who don't match each other), so
there are frequencies and no groups: a figure of an audit, never what a release is built or gated
on.

1. Work on different rows with their counts, and put those that miss the same columns together: a
   pattern.
2. For each pair of patterns, compare on the columns that both hold: number the combinations, count
   the one side, look the other side up.

Exact. Linear in the rows for one pattern, and patterns times that in general; real tables have few.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Counts, Flags, Longs
from shoal.review.recount import coded, keys, numbered


def frequencies(columns: Sequence[pa.Array]) -> Longs:
    """Count, for each row, the rows that agree with it wherever neither is missing.

    >>> frequencies([pa.array(["f", "m", None])])
    array([2, 2, 3])
    """
    if not columns or not len(columns[0]):
        return np.zeros(0, np.int64)
    pairs = [coded(column) for column in columns]
    sizes = np.array([size + 1 for _, size in pairs])
    labels, count = numbered(keys([codes for codes, _ in pairs], list(sizes)))
    first = np.empty(count, np.int64)
    first[labels[::-1]] = np.arange(len(labels))[::-1]
    codes = np.array([column[first] for column, _ in pairs])
    return _matching(codes, sizes, np.bincount(labels).astype(np.int64))[labels]


def _matching(codes: AnyArray, sizes: AnyArray, counts: Counts) -> Counts:
    """Count the frequency of each of the different rows."""
    there = codes < (sizes - 1)[:, None]
    patterns, count = numbered(keys(list(there), [2] * len(there)))
    members = [np.flatnonzero(patterns == pattern) for pattern in range(count)]
    frequency = counts.copy()  # rows of one pattern match only where they are equal
    for one in range(count):
        for other in range(one + 1, count):
            mine = members[one]
            theirs = members[other]
            shared: Flags = there[:, mine[0]] & there[:, theirs[0]]
            both = _numbers(codes[shared][:, np.concatenate((mine, theirs))], sizes[shared])
            a = both[: len(mine)]
            b = both[len(mine) :]
            width = int(both.max()) + 1
            frequency[mine] += np.bincount(b, counts[theirs], width).astype(np.int64)[a]
            frequency[theirs] += np.bincount(a, counts[mine], width).astype(np.int64)[b]
    return frequency


def _numbers(codes: AnyArray, sizes: AnyArray) -> AnyArray:
    """Number each combination of codes; one number for all where there is no column."""
    if not len(codes):
        return np.zeros(codes.shape[1], np.int32)
    return numbered(keys(list(codes), [int(size) for size in sizes]))[0]
