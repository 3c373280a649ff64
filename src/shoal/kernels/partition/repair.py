"""The group that a group is merged with: at least cost, and if rules are there, so that they are
followed.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, of_box, of_union
from shoal.kernels.guards import Members, Rules, add_group, follows_all, take_back, tally_of
from shoal.kernels.jit import compiled


@compiled
def weigh(costs: Costs, lo: Ints, hi: Ints, sizes: Longs) -> Longs:
    """Size times cost of each group; boxes are `lo[group, axis]`, `hi[group, axis]`."""
    weights = np.empty(len(sizes), np.int64)
    for group in range(len(sizes)):
        weights[group] = sizes[group] * of_box(costs, lo[group], hi[group])
    return weights


@compiled
def cheapest_partner(
    costs: Costs, lo: Ints, hi: Ints, sizes: Longs, weights: Longs, group: int
) -> int:
    """The group whose union with this one adds least to size times cost, ties by lowest; size 0 is
    no group any more.
    """
    best = -1
    least = np.int64(0)
    for other in range(len(sizes)):
        if other == group or sizes[other] == 0:
            continue
        size = sizes[group] + sizes[other]
        added = (
            size * of_union(costs, lo[group], hi[group], lo[other], hi[other])
            - weights[group]
            - weights[other]
        )
        if best < 0 or added < least:
            best = other
            least = added
    return best


@compiled
def cheapest_safe_partner(
    costs: Costs,
    lo: Ints,
    hi: Ints,
    sizes: Longs,
    weights: Longs,
    group: int,
    rules: Rules,
    members: Members,
) -> int:
    """The cheapest partner among those with which this group follows the rules; where there is
    none, the cheapest of all.
    """
    best = -1
    safe = -1
    least = np.int64(0)
    least_safe = np.int64(0)
    tally = tally_of(rules)
    add_group(rules, tally, members, group)
    seen = tally.known[0]
    for other in range(len(sizes)):
        if other == group or sizes[other] == 0:
            continue
        size = sizes[group] + sizes[other]
        added = (
            size * of_union(costs, lo[group], hi[group], lo[other], hi[other])
            - weights[group]
            - weights[other]
        )
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
    """Whether a group follows the rules."""
    tally = tally_of(rules)
    add_group(rules, tally, members, group)
    return follows_all(rules, tally)


@compiled
def string_together(members: Members, kept: int, gone: int) -> None:
    """The rows of one group become those of another."""
    row = members.head[gone]
    while members.after[row] >= 0:
        row = members.after[row]
    members.after[row], members.head[kept], members.head[gone] = (
        members.head[kept],
        members.head[gone],
        -1,
    )


@compiled
def rows_of(members: Members, group: int, size: int) -> Longs:
    """The rows of a group, as many as there are."""
    rows = np.empty(size, np.int64)
    row = members.head[group]
    for place in range(size):
        rows[place] = row
        row = members.after[row]
    return rows
