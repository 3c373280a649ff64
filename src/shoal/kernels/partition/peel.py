"""Cheapest-first peeling: one walk over generalization vectors, each freeing the rows that are k
alike under it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between, of_box, of_union
from shoal.kernels.guards import Members, Rules, Tally, add, add_group, judged, tally_of
from shoal.kernels.jit import compiled

ODD = np.int64(
    -7046029254386353131
)  # the golden ratio as an odd 64-bit number: spreads keys over the table


class Keys(NamedTuple):
    """A number for each axis, level and code; the key of a tuple under a vector is their sum."""

    key: Longs
    at: Longs  # [axes, levels]: where the numbers of an axis at a level begin


class Table(NamedTuple):
    """An open-addressing hash table, a power of two long. A slot belongs to the vector whose number
    it bears.
    """

    key: Longs
    rows: Longs
    vector: Longs
    group: Ints


class Peeling(NamedTuple):
    """How far the walk has come."""

    free: Ints  # tuples without a group, the first `alive` of them, ascending
    labels: Ints  # [tuples]: group, -1 while free
    place: Ints  # [tuples]: scratch
    after: Ints  # [tuples]: scratch
    table: Table


@compiled
def peel(
    codes: Ints,  # [axes, tuples]
    counts: Longs,  # [tuples]
    keys: Keys,
    vectors: Ints,  # [vectors, axes]: levels, cheapest first
    first: int,
    last: int,
    k: int,
    rules: Rules,  # of the tuples
    peeling: Peeling,
    alive: int,
    group: int,  # number of the next group
) -> tuple[int, int]:
    """Walk the vectors first to last-1; returns how many tuples are free, and the number of the
    next group.
    """
    tally = tally_of(rules)
    for v in range(first, last):
        if alive == 0:
            break
        if count_alike(codes, counts, keys, vectors[v], v + 1, k, peeling, alive):
            if len(rules.kind):
                pass_over_unsafe(counts, k, rules, tally, peeling, alive)
            alive, group = free_those(k, peeling, alive, group)
    return alive, group


@compiled
def count_alike(
    codes: Ints,
    counts: Longs,
    keys: Keys,
    vector: Ints,
    number: int,
    k: int,
    peeling: Peeling,
    alive: int,
) -> bool:
    """Count the free rows of each generalized tuple; says whether any is held by k."""
    table = peeling.table
    mask = 1
    found = False
    while mask < 2 * alive:  # the fewer are free, the smaller the part of the table that is used
        mask = 2 * mask + 1
    for f in range(alive):
        t = peeling.free[f]
        key = 0
        for axis in range(len(vector)):
            key += keys.key[keys.at[axis, vector[axis]] + codes[axis, t]]
        mixed = key * ODD
        slot = (mixed ^ (mixed >> 29)) & mask
        while table.vector[slot] == number and table.key[slot] != key:
            slot = (slot + 1) & mask
        if table.vector[slot] != number:
            table.vector[slot] = number
            table.key[slot] = key
            table.rows[slot] = 0
            table.group[slot] = -1
        table.rows[slot] += counts[t]
        found = found or table.rows[slot] >= k
        peeling.place[f] = slot
    return found


@compiled
def pass_over_unsafe(
    counts: Longs, k: int, rules: Rules, tally: Tally, peeling: Peeling, alive: int
) -> None:
    """A generalized tuple whose rows break a rule counts as held by nobody. Its tuples are strung
    together to be judged.
    """
    table = peeling.table
    for f in range(alive):
        slot = peeling.place[f]
        peeling.after[f] = table.group[slot]
        table.group[slot] = f
    for f in range(alive):
        slot = peeling.place[f]
        here = table.group[slot]
        table.group[slot] = -1
        if table.rows[slot] >= k and here >= 0:
            while here >= 0:
                add(rules, tally, peeling.free[here], counts[peeling.free[here]])
                here = peeling.after[here]
            if not judged(rules, tally):
                table.rows[slot] = 0


@compiled
def free_those(k: int, peeling: Peeling, alive: int, group: int) -> tuple[int, int]:
    """Every generalized tuple that k rows hold becomes a group."""
    table = peeling.table
    kept = 0
    for f in range(alive):
        slot = peeling.place[f]
        if table.rows[slot] < k:
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
    """What all rows pay together on one axis when each run of codes with the same part is a box."""
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


@compiled
def settle(
    costs: Costs,
    points: Ints,
    lo: Ints,
    hi: Ints,
    sizes: Longs,
    rules: Rules,
    rows: Longs,
    members: Members,
    chosen: Ints,
) -> None:
    """Send each point to the group whose loss grows least, ties by lowest, one after the other;
    boxes grow as they join.

    A group that would break a rule is passed over; who finds none is sent to -1. Points are these
    rows of the rules.
    """
    groups, axes = lo.shape
    cost = np.empty(groups, np.int64)
    tally = tally_of(rules)
    for group in range(groups):
        cost[group] = of_box(costs, lo[group], hi[group])
    for p in range(len(points)):
        best = -1
        least = 0
        for group in range(groups):
            if best >= 0 and cost[group] >= least:
                continue
            growth = (sizes[group] + 1) * of_union(
                costs, lo[group], hi[group], points[p], points[p]
            )
            growth -= sizes[group] * cost[group]
            if (best < 0 or growth < least) and stays_safe(rules, tally, members, group, rows[p]):
                best = group
                least = growth
        chosen[p] = best
        if best < 0:
            continue
        sizes[best] += 1
        for axis in range(axes):
            lo[best, axis] = min(lo[best, axis], points[p, axis])
            hi[best, axis] = max(hi[best, axis], points[p, axis])
        cost[best] = of_box(costs, lo[best], hi[best])
        if len(rules.kind):
            members.after[rows[p]] = members.head[best]
            members.head[best] = rows[p]


@compiled
def stays_safe(rules: Rules, tally: Tally, members: Members, group: int, row: int) -> bool:
    """Whether a group follows the rules with one more row."""
    if len(rules.kind) == 0:
        return True
    add(rules, tally, row, 1)
    add_group(rules, tally, members, group)
    return judged(rules, tally)
