"""Cheapest-first peeling: one walk over generalization vectors.

At each vector, k rows or more that are alike under it become a group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between, of_box, of_union
from shoal.kernels.guards import Members, Rules, Tally, add, add_group, judged, tally_of
from shoal.kernels.jit import compiled
from shoal.kernels.partition.repair import BoxedGroups

# The golden ratio as an odd 64-bit number: spreads keys over the table.
ODD = np.int64(-7046029254386353131)
NONE = -1


class Keys(NamedTuple):
    """A number for each axis, level and code; the key of a tuple under a vector is their sum."""

    key: Longs
    at: Longs  # [axes, levels]: where the numbers of an axis at a level begin


class Walk(NamedTuple):
    """Tuples that are peeled, and the vectors that are walked over."""

    codes: Ints  # [axes, tuples]
    counts: Longs  # [tuples]: rows
    keys: Keys
    vectors: Ints  # [vectors, axes]: levels, cheapest first
    k: int
    rules: Rules  # of the tuples


class TupleHash(NamedTuple):
    """An open-addressing hash table of generalized tuples, a power of two long.

    A slot belongs to the vector whose number it bears. Before tuples are put there, their rows are
    summed in `rough` by a hash alone: where such a sum stays below k, no tuple behind it is held by
    k rows, and none is put into the table. Most are not, and sums lie closer together than slots.
    """

    key: Longs
    rows: Longs
    vector: Longs
    group: Ints
    rough: Ints


class Peeling(NamedTuple):
    """State of a walk: the tuples that are free, and the groups of the others."""

    free: Ints  # tuples without a group, the first `alive` of them, ascending
    labels: Ints  # [tuples]: group, -1 while free
    place: Ints  # [tuples]: the slot of each free one, NONE where too few rows are alike
    keys: Longs  # [tuples]: scratch
    after: Ints  # [tuples]: scratch
    table: TupleHash


@compiled
def peel(
    walk: Walk, first: int, last: int, peeling: Peeling, alive: int, group: int
) -> tuple[int, int]:
    """Walk over the vectors from `first` to `last` - 1, and make groups of rows that are alike.

    `alive` tuples are free, and `group` is the number of the next group; returns what both are
    afterwards.
    """
    tally = tally_of(walk.rules)
    for v in range(first, last):
        if alive == 0:
            break
        if count_alike(walk, v, peeling, alive):
            if len(walk.rules.kind):
                pass_over_unsafe(walk, tally, peeling, alive)
            alive, group = free_those(walk.k, peeling, alive, group)
    return alive, group


@compiled
def count_alike(walk: Walk, v: int, peeling: Peeling, alive: int) -> bool:
    """Count the free rows of each tuple generalized by vector v; tell whether any is held by k."""
    mask = 1
    while mask < 2 * alive:  # the fewer are free, the smaller the part of the table that is used
        mask = 2 * mask + 1
    if not count_roughly(walk, v, peeling, alive, mask):
        return False
    number = v + 1  # 0 is a slot that no vector has used
    table = peeling.table
    enough = False
    for f in range(alive):
        key = peeling.keys[f]
        slot = hashed(key, mask)
        if table.rough[slot] < walk.k:
            peeling.place[f] = NONE
            continue
        while table.vector[slot] == number and table.key[slot] != key:
            slot = (slot + 1) & mask
        if table.vector[slot] != number:
            table.vector[slot] = number
            table.key[slot] = key
            table.rows[slot] = 0
            table.group[slot] = NONE
        table.rows[slot] += walk.counts[peeling.free[f]]
        enough = enough or table.rows[slot] >= walk.k
        peeling.place[f] = slot
    return enough


@compiled
def count_roughly(walk: Walk, v: int, peeling: Peeling, alive: int, mask: int) -> bool:
    """Sum the free rows of tuples whose keys under vector v share a hash; tell if any sum is k.

    The key of each free tuple is kept.
    """
    codes = walk.codes
    keys = walk.keys
    vector = walk.vectors[v]
    rough = peeling.table.rough
    rough[: mask + 1] = 0
    enough = False
    for f in range(alive):
        t = peeling.free[f]
        key = 0
        for axis in range(len(vector)):
            key += keys.key[keys.at[axis, vector[axis]] + codes[axis, t]]
        peeling.keys[f] = key
        slot = hashed(key, mask)
        rough[slot] += walk.counts[t]
        enough = enough or rough[slot] >= walk.k
    return enough


@compiled
def hashed(key: int, mask: int) -> int:
    """Spread keys over the slots of a table."""
    mixed = int(key * ODD)
    return (mixed ^ (mixed >> 29)) & mask


@compiled
def pass_over_unsafe(walk: Walk, tally: Tally, peeling: Peeling, alive: int) -> None:
    """Set the rows of generalized tuples that break a rule to 0: they count as held by nobody.

    The tuples under each generalized one are strung together to be judged.
    """
    table = peeling.table
    for f in range(alive):
        slot = peeling.place[f]
        if slot != NONE:
            peeling.after[f] = table.group[slot]
            table.group[slot] = f
    for f in range(alive):
        slot = peeling.place[f]
        if slot == NONE:
            continue
        here = table.group[slot]
        table.group[slot] = NONE
        if table.rows[slot] >= walk.k and here >= 0:
            while here >= 0:
                t = peeling.free[here]
                add(walk.rules, tally, t, walk.counts[t])
                here = peeling.after[here]
            if not judged(walk.rules, tally):
                table.rows[slot] = 0


@compiled
def free_those(k: int, peeling: Peeling, alive: int, group: int) -> tuple[int, int]:
    """Make a group of every generalized tuple that k rows hold.

    Returns how many tuples are free then, and the number of the next group.
    """
    table = peeling.table
    kept = 0
    for f in range(alive):
        slot = peeling.place[f]
        if slot == NONE or table.rows[slot] < k:
            peeling.free[kept] = peeling.free[f]
            kept += 1
            continue
        if table.group[slot] < 0:
            table.group[slot] = group
            group += 1
        peeling.labels[peeling.free[f]] = table.group[slot]
    return kept, group


@compiled
def cost_of_parts(costs: Costs, axis: int, part: Ints, counts: Longs) -> int:
    """Sum what all rows pay on one axis when each run of codes with the same part is a box."""
    total = 0
    first = 0
    rows = 0
    for code in range(len(part)):
        rows += counts[code]
        if code + 1 == len(part) or part[code + 1] != part[code]:
            total += rows * between(costs, axis, first, code)
            first = code + 1
            rows = 0
    return total


class Settlers(NamedTuple):
    """Rows that are left, and the group that each of them is sent to."""

    points: Ints  # [settlers, axes]
    rows: Longs  # their numbers in the rules
    chosen: Ints  # filled in


@compiled
def settle(
    costs: Costs, settlers: Settlers, groups: BoxedGroups, rules: Rules, members: Members
) -> None:
    """Send each settler, one after the other, to the group whose loss grows least, ties by lowest.

    Boxes grow as settlers join; losses are filled in. A group that would break a rule is passed
    over; a settler without any group is sent to -1.
    """
    points = settlers.points
    rows = settlers.rows
    lo = groups.lo
    hi = groups.hi
    sizes = groups.sizes
    losses = groups.losses
    count, axes = lo.shape
    cost = np.empty(count, np.int64)
    tally = tally_of(rules)
    for group in range(count):
        cost[group] = of_box(costs, lo[group], hi[group])
        losses[group] = sizes[group] * cost[group]
    for p in range(len(points)):
        best = -1
        least = 0
        for group in range(count):
            if best >= 0 and cost[group] >= least:
                continue
            union = of_union(costs, lo[group], hi[group], points[p], points[p])
            growth = (sizes[group] + 1) * union - losses[group]
            if (best < 0 or growth < least) and stays_safe(rules, tally, members, group, rows[p]):
                best = group
                least = growth
        settlers.chosen[p] = best
        if best < 0:
            continue
        sizes[best] += 1
        for axis in range(axes):
            lo[best, axis] = min(lo[best, axis], points[p, axis])
            hi[best, axis] = max(hi[best, axis], points[p, axis])
        cost[best] = of_box(costs, lo[best], hi[best])
        losses[best] = sizes[best] * cost[best]
        if len(rules.kind):
            members.after[rows[p]] = members.head[best]
            members.head[best] = rows[p]


@compiled
def stays_safe(rules: Rules, tally: Tally, members: Members, group: int, row: int) -> bool:
    """Tell whether a group follows the rules with one more row."""
    if len(rules.kind) == 0:
        return True
    add(rules, tally, row, 1)
    add_group(rules, tally, members, group)
    return judged(rules, tally)
