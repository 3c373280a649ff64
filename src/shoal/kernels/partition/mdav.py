"""MDAV: distances, centres, and the groups around the two furthest rows.

Sums run over the lines in order, then over the trees, and over rows in ascending order; so floats
agree everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.kernels.costs import UNIT, Costs, fill_increments
from shoal.kernels.jit import compiled


class RowSpace(NamedTuple):
    """Places of rows: scaled numbers on lines (NaN is missing), codes on trees."""

    lines: Floats  # [rows, lines]
    far: Floats  # [lines]: squared distance of missing to anything else
    leaves: Ints  # [rows, trees]
    costs: Costs  # of the trees: UNIT is the distance of everything
    weight: Floats  # [trees]: what a squared distance counts


@compiled
def take(space: RowSpace, free: Longs, size: int, pair: bool, labels: Longs) -> Longs:
    """Group the row furthest from the centre with its nearest; return the rows still free.

    Of a pair, the row furthest from the first one takes its nearest too. A group is labelled with
    the row that took it.
    """
    point, leaf = centre_of(space, free)
    first = int(np.argmax(distances_to(space, free, point, leaf)))
    distances = distances_to(space, free, space.lines[free[first]], space.leaves[free[first]])
    stay = gather(free, distances, first, size, labels)
    left = free[stay]
    distances = distances[stay]
    if not pair:
        return left
    second = int(np.argmax(distances))
    distances = distances_to(space, left, space.lines[left[second]], space.leaves[left[second]])
    return left[gather(left, distances, second, size, labels)]


@compiled
def centre_of(space: RowSpace, free: Longs) -> tuple[Floats, Ints]:
    """Compute the centre of free rows: means on lines, medoids on trees.

    Missing values are left out of the means; a medoid is the leaf with the least sum of distances.
    """
    point = np.zeros(space.lines.shape[1])
    leaf = np.empty(space.leaves.shape[1], np.int32)
    there = np.zeros(len(point), np.int64)
    for row in free:
        for line in range(len(point)):
            if not np.isnan(space.lines[row, line]):
                point[line] += space.lines[row, line]
                there[line] += 1
    for line in range(len(point)):
        point[line] = point[line] / there[line] if there[line] > 0 else np.nan
    for tree in range(len(leaf)):
        counts = np.zeros(space.costs.size[tree] + 1, np.int64)
        for row in free:
            counts[space.leaves[row, tree]] += 1
        leaf[tree] = medoid(space.costs, tree, counts)
    return point, leaf


@compiled
def medoid(costs: Costs, tree: int, counts: Longs) -> int:
    """Find the code of a row with the least sum of distances to all, ties first in axis order.

    Rows that meet a leaf's path at one level are as far from it as that node is high: so the sum
    goes up the levels.
    """
    size = int(costs.size[tree])
    total = np.zeros(size, np.int64)
    met = np.zeros(size, np.int64)
    under = np.zeros(len(costs.cost), np.int64)
    for level in range(costs.levels[tree]):
        node = costs.node[
            costs.node_at[tree] + level * size : costs.node_at[tree] + (level + 1) * size
        ]
        for code in range(size):
            under[node[code]] = 0
        for code in range(size):
            under[node[code]] += counts[code]
        for code in range(size):
            total[code] += costs.cost[costs.cost_at[tree] + node[code]] * (
                under[node[code]] - met[code]
            )
            met[code] = under[node[code]]
    best = size
    for code in range(size):
        if counts[code] > 0 and (best == size or total[code] < total[best]):
            best = code
    return best


@compiled
def distances_to(space: RowSpace, free: Longs, point: Floats, leaf: Ints) -> Floats:
    """Compute the squared distance of each free row to a point."""
    steps = np.zeros((len(leaf), space.costs.size.max() + 1 if len(leaf) else 1))
    increments = np.empty(steps.shape[1], np.int32)
    for tree in range(len(leaf)):
        fill_increments(space.costs, tree, leaf[tree], leaf[tree], increments)
        for code in range(space.costs.size[tree] + 1):
            steps[tree, code] = (increments[code] / UNIT) ** 2 * space.weight[tree]
    distances = np.zeros(len(free))
    for i, row in enumerate(free):
        total = 0.0
        for line in range(len(point)):
            apart = space.lines[row, line] - point[line]
            if not np.isnan(apart):
                total += apart * apart
            elif np.isnan(space.lines[row, line]) != np.isnan(point[line]):
                total += space.far[line]
        for tree in range(len(leaf)):
            total += steps[tree, space.leaves[row, tree]]
        distances[i] = total
    return distances


@compiled
def gather(free: Longs, distances: Floats, first: int, size: int, labels: Longs) -> Longs:
    """Label a row and its size - 1 nearest, ties by lowest row; return the places of all others.

    The row itself is among them: it is the lowest of those that stand on its spot, or it would not
    have been found.
    """
    nearest = np.empty(size + 1, np.int64)
    held = 0
    for i in range(len(free)):
        if held == size and distances[i] >= distances[nearest[size - 1]]:
            continue
        place = held
        while place > 0 and distances[nearest[place - 1]] > distances[i]:
            nearest[place] = nearest[place - 1]
            place -= 1
        nearest[place] = i
        held = min(held + 1, size)
    gone = np.zeros(len(free), np.bool_)
    for i in nearest[:held]:
        labels[free[i]] = free[first]
        gone[i] = True
    return np.flatnonzero(~gone)
