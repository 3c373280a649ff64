"""Merge: groups below a size are united with others until all are large enough.

    while some group is too small:
        A = the smallest of them, ties by lowest number
        B = the group for which |A+B| * cost(A+B) - |A| * cost(A) - |B| * cost(B) is least, ties by
        lowest number
        A and B become one group, which bears the lower number

It is what `repair` does under a guard that asks for size alone, without a verdict for each union:
for methods that leave thousands of small groups behind.
"""

from __future__ import annotations

import numpy as np

from shoal.encode.rows import Rows
from shoal.groups import Groups, Watch
from shoal.kernels.costs import boxes
from shoal.kernels.partition.merge import merge_those_of
from shoal.kernels.partition.repair import weigh

BREATH = (
    3_000_000  # pairs of groups looked at between two looks at the watch: a fraction of a second
)


def merge_small(groups: Groups, rows: Rows, least: int, watch: Watch) -> Groups:
    """The groups with every one below `least` united with its cheapest partner; one group at
    worst.
    """
    lo, hi = (
        np.ascontiguousarray(ends.T) for ends in boxes(rows.codes, groups.labels, groups.count)
    )
    sizes = groups.sizes.copy()
    joins = np.arange(groups.count)
    weights = weigh(rows.costs, lo, hi, sizes)
    stride = 1 + BREATH // max(groups.count, 1)
    for size in range(1, least):
        for first in range(0, groups.count, stride):
            watch(1.0)
            merge_those_of(
                rows.costs,
                lo,
                hi,
                sizes,
                weights,
                size,
                first,
                min(first + stride, groups.count),
                joins,
            )
    for group in range(groups.count):  # lower numbers have found where they belong
        joins[group] = joins[joins[group]]
    return Groups.of(np.append(joins, -1)[groups.labels])
