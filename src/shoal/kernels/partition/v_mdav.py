"""V-MDAV: a group around the row furthest out, extended by rows that are near enough to it."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.kernels.jit import compiled
from shoal.kernels.partition.mdav import RowSpace, centre_of, distances_to, gather


@compiled
def outwardness(space: RowSpace) -> Floats:
    """Compute the squared distance of each row to the centre of the whole table."""
    everyone = np.arange(len(space.lines))
    point, leaf = centre_of(space, everyone)
    return distances_to(space, everyone, point, leaf)


@compiled
def take(
    space: RowSpace, out: Floats, free: Longs, size: int, gamma: float, labels: Longs
) -> Longs:
    """Label one group with the row furthest out; return the free rows that are left."""
    first = int(np.argmax(out[free]))
    near = distances_to(space, free, space.lines[free[first]], space.leaves[free[first]])
    stay = gather(free, near, first, size, labels)
    left = free[stay]
    inside = near[stay]
    for row in free:
        if labels[row] == free[first] and row != free[first]:
            inside = np.minimum(
                inside, distances_to(space, left, space.lines[row], space.leaves[row])
            )
    return _extended(space, left, inside, size, gamma, free[first], labels)


@compiled
def _extended(
    space: RowSpace, left: Longs, inside: Floats, size: int, gamma: float, label: int, labels: Longs
) -> Longs:
    """Let the nearest rows join a group while they are near enough; return the rows that are left.

    A row is near enough if it is nearer to a member than gamma times to any other free row.
    """
    for _ in range(size - 1):
        if len(left) < 2:  # the last free row has no other to be near to
            break
        x = int(np.argmin(inside))
        outside = distances_to(space, left, space.lines[left[x]], space.leaves[left[x]])
        outside[x] = np.inf
        if not inside[x] < gamma * gamma * outside.min():
            break
        labels[left[x]] = label
        others = np.flatnonzero(np.arange(len(left)) != x)
        left = left[others]
        inside = np.minimum(inside[others], outside[others])
    return left


@compiled
def settle(space: RowSpace, labels: Longs, rest: Longs) -> None:
    """Let each row of the rest join the group with the nearest centre, ties by lowest label.

    Centres stay as they were.
    """
    nearest = np.full(len(rest), np.inf)
    best = np.full(len(rest), -1)
    order = np.argsort(labels, kind="mergesort")
    begin = len(rest)  # their label is -1
    while begin < len(order):
        end = begin
        while end < len(order) and labels[order[end]] == labels[order[begin]]:
            end += 1
        point, leaf = centre_of(space, order[begin:end])
        distances = distances_to(space, rest, point, leaf)
        for i in range(len(rest)):
            if distances[i] < nearest[i]:
                nearest[i] = distances[i]
                best[i] = labels[order[begin]]
        begin = end
    labels[rest] = best
