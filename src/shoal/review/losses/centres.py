"""Centres of groups: the mean of a number, the medoid of a hierarchy, and distances to them.

What is measured, and how ties of the medoid are broken, stands in `squared_error`. Works on pairs
of a group and a code.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.encode.axes import Axis
from shoal.review.losses.held import HeldCodes


def errors_of(axis: Axis, held: HeldCodes, count: int) -> Floats:
    """Compute the squared distance of each pair's row to the centre of its group, in [0, 1]."""
    missing = held.code == axis.size
    there = held.those(~missing)
    errors = np.zeros(len(held.code))
    rows = np.bincount(there.group, there.times, minlength=count)
    errors[missing] = np.where(rows[held.group[missing]] > 0, 1.0, 0.0)
    if axis.points is not None:
        shares = (axis.points[there.code] - axis.points[:1]) / (axis.range or 1.0)
        means = np.bincount(there.group, shares * there.times, minlength=count) / np.maximum(
            rows, 1
        )
        errors[~missing] = (shares - means[there.group]) ** 2
    elif axis.size:
        centre = medoids(axis, there, count)[there.group]
        errors[~missing] = (
            axis.heights(np.minimum(there.code, centre), np.maximum(there.code, centre)) ** 2
        )
    return errors


def medoids(axis: Axis, held: HeldCodes, count: int) -> Ints:
    """Find the code of the medoid of each group; pairs without a value are left out beforehand."""
    sums, squares = distance_sums(axis, *held)
    order = np.lexsort((held.code, squares, sums, held.group))
    first = order[
        np.concatenate((np.ones(min(len(order), 1), np.bool_), np.diff(held.group[order]) > 0))
    ]
    codes = np.zeros(count, np.int32)
    codes[held.group[first]] = held.code[first]
    return codes


def distance_sums(axis: Axis, group: Longs, code: Ints, times: Longs) -> tuple[Longs, Longs]:
    """Sum the distances (in heights) of each value to all members of its group, and their squares.

    Members that first share a node with the value at some level are as far away as that node is
    high. Pairs stand in the order of group and code, so those under one node are neighbours.
    """
    assert axis.tree is not None
    height = axis.tree.height.astype(np.int64)
    sums = np.zeros(len(code), np.int64)
    squares = np.zeros(len(code), np.int64)
    nearer = np.zeros(len(code), np.int64)
    for nodes in axis.node[:, code]:
        change = np.ones(len(code), np.bool_)
        change[1:] = (group[1:] != group[:-1]) | (nodes[1:] != nodes[:-1])
        run = np.cumsum(change) - 1
        under = np.bincount(run, times).astype(np.int64)[run]
        sums += (under - nearer) * height[nodes]
        squares += (under - nearer) * height[nodes] ** 2
        nearer = under
    return sums, squares
