"""`squared-error`: how far rows are from the centre of their group, squared and summed (SSE).

    number:    ((x - mean of the group) / range)^2
    hierarchy: (height(lowest common ancestor of the value and the medoid) / height(tree))^2

The *medoid* is the value of the group with the least sum of such distances to its values; where several tie, one that
gives the least error, and of these the first in the order of the hierarchy. In a flat tree it is the most frequent
value. No value outside the group would do better, because these distances are an ultrametric.
By hand: ages 20, 30 and 60 in a table from 20 to 60, groups {20, 30} and {60}: 2 * (5/40)^2 = 0.03125. Oslo, Oslo and
Bergen under Norway in a tree of height 2: the medoid is Oslo, 0 + 0 + (1/2)^2 = 0.25.
Missing cells in a group of missing cells alone count 0; beside others each counts 1, and the centre is that of the
others. A withheld row counts 1 for each axis, which is as far as two values can be. Mixed data after El-Rashidy et al. 2011.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import AnyArray, Floats, Ints, Longs
from shoal.encode.axes import Axis
from shoal.groups import Groups
from shoal.review.losses.loss import Evidence, Loss


class SquaredError(Loss):
    """Sum of squared distances to the centre of the group: mean of a number, medoid of a hierarchy."""

    name = "squared-error"

    def measure(self, evidence: Evidence) -> float:
        """The sum over all rows and axes."""
        rows = evidence.rows
        return sum(float(errors_of(axis, rows.codes[a], evidence.groups).sum()) for a, axis in enumerate(rows.axes))


def errors_of(axis: Axis, codes: Ints, groups: Groups) -> Floats:
    """The squared distance of each row to the centre of its group on one axis, in [0, 1]; 1 for a withheld row."""
    kept = groups.labels >= 0
    errors = np.where(kept, 0.0, 1.0)
    there = kept & (codes < axis.size)
    labels = groups.labels[there]
    held = np.bincount(labels, minlength=groups.count)
    gone = kept & ~there
    errors[gone] = np.where(held[groups.labels[gone]] > 0, 1.0, 0.0)
    if axis.points is not None:
        shares = (axis.points[codes[there]] - axis.points[:1]) / (axis.range or 1.0)
        means = np.bincount(labels, shares, minlength=groups.count) / np.maximum(held, 1)
        errors[there] = (shares - means[labels]) ** 2
    elif axis.size:
        centre = medoids(axis, codes[there], labels, groups.count)[labels]
        errors[there] = axis.heights(np.minimum(codes[there], centre), np.maximum(codes[there], centre)) ** 2
    return errors


def medoids(axis: Axis, codes: Ints, labels: AnyArray, count: int) -> Ints:
    """The code of the medoid of each group; rows without a value or group are left out beforehand."""
    pairs, times = np.unique(labels.astype(np.int64) * axis.size + codes, return_counts=True)
    group, code = pairs // axis.size, (pairs % axis.size).astype(np.int32)
    sums, squares = _distance_sums(axis, group, code, times)
    order = np.lexsort((code, squares, sums, group))
    first = order[np.concatenate((np.ones(min(len(order), 1), np.bool_), np.diff(group[order]) > 0))]
    found = np.zeros(count, np.int32)
    found[group[first]] = code[first]
    return found


def _distance_sums(axis: Axis, group: Longs, code: Ints, times: Longs) -> tuple[Longs, Longs]:
    """For each value of a group, the sum of its distances to all members, and of their squares, in units of height.

    Members that first share a node with the value at some level are as far away as that node is high. Pairs stand in
    the order of group and code, so those under one node are neighbours.
    """
    assert axis.tree is not None
    height = axis.tree.height.astype(np.int64)
    sums, squares, nearer = np.zeros(len(code), np.int64), np.zeros(len(code), np.int64), np.zeros(len(code), np.int64)
    for nodes in axis.node[:, code]:
        change = np.ones(len(code), np.bool_)
        change[1:] = (group[1:] != group[:-1]) | (nodes[1:] != nodes[:-1])
        run = np.cumsum(change) - 1
        under = np.bincount(run, times).astype(np.int64)[run]
        sums += (under - nearer) * height[nodes]
        squares += (under - nearer) * height[nodes] ** 2
        nearer = under
    return sums, squares
