"""Merge: groups below a size are united with others until all are large enough.

    while some group is too small:
        A = the smallest of them, ties by lowest number
        B = the group for which |A+B| * cost(A+B) - |A| * cost(A) - |B| * cost(B) is least,
            ties by lowest number
        A and B become one group, which bears the lower number

It is what `repair` does under a guard that asks for size alone, without a verdict for each union:
for methods that leave thousands of small groups behind.
"""

from __future__ import annotations

import numpy as np

from shoal.encode.rows import Rows
from shoal.groups import Groups, Watch
from shoal.kernels.partition.merge import merge_those_of
from shoal.partition.repair import boxed_groups

# Pairs of groups looked at between two looks at the watch: a fraction of a second.
BREATH = 3_000_000


def merge_small(groups: Groups, rows: Rows, least: int, watch: Watch) -> Groups:
    """Unite every group below `least` rows with its cheapest partner; one group at worst."""
    boxed = boxed_groups(groups, rows)
    joins = np.arange(groups.count)
    stride = 1 + BREATH // max(groups.count, 1)
    for size in range(1, least):
        for first in range(0, groups.count, stride):
            watch(1.0)
            upto = min(first + stride, groups.count)
            merge_those_of(rows.costs, boxed, size, first, upto, joins)
    for group in range(groups.count):  # lower numbers have found where they belong
        joins[group] = joins[joins[group]]
    return Groups.of(np.append(joins, -1)[groups.labels])
