"""The partner with which an unsafe group is merged: the cheapest, or the cheapest safe one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, of_box, of_union
from shoal.kernels.guards import Members, Rules, add_group, follows_all, take_back, tally_of
from shoal.kernels.jit import compiled


class BoxedGroups(NamedTuple):
    """Groups as boxes, while some of them are being united."""

    lo: Ints  # [groups, axes]
    hi: Ints
    sizes: Longs  # 0: no group any more
    losses: Longs  # size times the cost of the box


@compiled
def weigh(costs: Costs, lo: Ints, hi: Ints, sizes: Longs) -> Longs:
    """Compute size times cost of each group; boxes are `lo[group, axis]` to `hi[group, axis]`."""
    weights = np.empty(len(sizes), np.int64)
    for group in range(len(sizes)):
        weights[group] = sizes[group] * of_box(costs, lo[group], hi[group])
    return weights


@compiled
def cheapest_partner(costs: Costs, groups: BoxedGroups, group: int) -> int:
    """Find the group whose union with this one adds least to the loss, ties by lowest; or -1."""
    best = -1
    least = np.int64(0)
    for other in range(len(groups.sizes)):
        if other == group or groups.sizes[other] == 0:
            continue
        added = added_by_union(costs, groups, group, other)
        if best < 0 or added < least:
            best = other
            least = added
    return best


@compiled
def added_by_union(costs: Costs, groups: BoxedGroups, group: int, other: int) -> np.int64:
    """Compute what the union of two groups adds to the loss."""
    lo = groups.lo
    hi = groups.hi
    size = groups.sizes[group] + groups.sizes[other]
    cost = of_union(costs, lo[group], hi[group], lo[other], hi[other])
    return size * cost - groups.losses[group] - groups.losses[other]


@compiled
def cheapest_safe_partner(
    costs: Costs, groups: BoxedGroups, group: int, rules: Rules, members: Members
) -> int:
    """Find the cheapest group whose union with this one follows the rules; or -1 without others.

    Where no union follows them, it is the cheapest of all.
    """
    best = -1
    safe = -1
    least = np.int64(0)
    least_safe = np.int64(0)
    tally = tally_of(rules)
    add_group(rules, tally, members, group)
    seen = tally.known[0]
    for other in range(len(groups.sizes)):
        if other == group or groups.sizes[other] == 0:
            continue
        added = added_by_union(costs, groups, group, other)
        if best < 0 or added < least:
            best = other
            least = added
        if safe < 0 or added < least_safe:
            add_group(rules, tally, members, other)
            if follows_all(rules, tally):
                safe = other
                least_safe = added
            take_back(rules, tally, members, other, seen)
    return best if safe < 0 else safe


@compiled
def is_safe(rules: Rules, members: Members, group: int) -> bool:
    """Tell whether a group follows the rules."""
    tally = tally_of(rules)
    add_group(rules, tally, members, group)
    return follows_all(rules, tally)


@compiled
def string_together(members: Members, kept: int, gone: int) -> None:
    """Add the rows of the group `gone` to those of the group `kept`."""
    row = members.head[gone]
    while members.after[row] >= 0:
        row = members.after[row]
    members.after[row] = members.head[kept]
    members.head[kept] = members.head[gone]
    members.head[gone] = -1


@compiled
def rows_of(members: Members, group: int, size: int) -> Longs:
    """List the rows of a group that holds `size` rows."""
    rows = np.empty(size, np.int64)
    row = members.head[group]
    for place in range(size):
        rows[place] = row
        row = members.after[row]
    return rows
