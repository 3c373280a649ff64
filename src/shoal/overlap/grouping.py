"""Grouping: neighbourhoods made disjoint, so that exact distributions of sensitive values are safe to publish.

1. Neighbourhoods in ascending order of cost: one of which no row is taken yet becomes a group.
2. From the rows that are left, in the same order, groups of k grow by the row that costs least and whose value has room.
3. What is left then joins the group where it costs least and no value exceeds its share. What can't join anywhere unites
   groups until it can.

Every group has at least k rows and no sensitive value in more than 1/l of them, or nothing is returned.
Cost: O(n^2) for what the first step leaves over.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Labels
from shoal.encode.rows import Rows
from shoal.errors import PrivacyNotMet
from shoal.groups import Groups
from shoal.kernels.costs import boxes, of_union
from shoal.kernels.grouping import FREE, costs_of_boxes, grow_groups, join_cheapest, take_whole
from shoal.overlap.overlap import Neighbourhoods


def grouped(rows: Rows, found: Neighbourhoods, k: int, l: int) -> Groups:  # noqa: E741
    """Disjoint groups of at least k rows, in which no value of any sensitive column makes up more than 1/l."""
    values = np.array([column.codes for column in rows.sensitive], np.int32).reshape(-1, rows.count)
    _refuse_hopeless(values, l)
    codes, labels = np.ascontiguousarray(rows.codes.T), np.full(rows.count, FREE, np.int32)
    weights = costs_of_boxes(rows.costs, *(np.ascontiguousarray(ends.T) for ends in (found.lo, found.hi)))
    order = np.argsort(weights, kind="stable")
    count = take_whole(found.members, values, k // l, order, labels)
    least = max(k, l)  # with fewer rows than l each value is too frequent
    count = grow_groups(rows.costs, codes, values, least // l, least, order, labels, count)
    lo, hi = (np.array(ends.T, order="C") for ends in boxes(rows.codes, labels, count))
    sizes = np.bincount(labels[labels != FREE], minlength=count).astype(np.int64)
    while join_cheapest(rows.costs, codes, values, l, labels, lo, hi, sizes):
        pass
    if (labels == FREE).any():
        _unite(rows, values, k, l, labels, count)
    return Groups.of(labels)


def _refuse_hopeless(values: Ints, l: int) -> None:  # noqa: E741
    for column in values:
        most = int(np.bincount(column).max(initial=0))
        if most * l > len(column):
            raise PrivacyNotMet(
                f"one value of a sensitive column stands in {most:,} of {len(column):,} rows, more than one of l = {l}",
                {"published": "nothing"},
                f"lower l to {len(column) // most}",
            )


def _unite(rows: Rows, values: Ints, k: int, l: int, labels: Labels, count: int) -> None:  # noqa: E741
    """All free rows become one group, and unite with the groups nearest to them until it is safe."""
    lo, hi = boxes(rows.codes, np.where(labels == FREE, count, labels).astype(np.int32), count + 1)
    here, there = (np.ascontiguousarray(ends.T) for ends in (lo, hi))
    farther = [of_union(rows.costs, here[g], there[g], here[count], there[count]) for g in range(count)]
    pool = labels == FREE
    for group in np.argsort(farther, kind="stable"):
        if _safe(values[:, pool], k, l):
            break
        pool |= labels == group
    labels[pool] = count


def _safe(values: Ints, k: int, l: int) -> bool:  # noqa: E741
    size = values.shape[1]
    return size >= k and all(int(np.bincount(column).max(initial=0)) * l <= size for column in values)
