"""Rows of a block that change groups: one row moves, two rows swap, all rows of a piece move.

A step is weighed before it is taken, in integers, and taken only if it lowers the loss, leaves k
rows behind and keeps both groups safe (see `safety`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs
from shoal.kernels.guards import clear
from shoal.kernels.jit import compiled, inlined
from shoal.kernels.partition.block import BARRED, NONE, Block, growths, join, length, of_ends, shift
from shoal.kernels.partition.safety import Safety, move_is_safe, swap_is_safe


class SearchArrays(NamedTuple):
    """Arrays that all steps of a search share, so that no step has to allocate its own."""

    growth: Ints  # [groups]: what each box grows by if the piece at hand joins
    best: Ints  # [near]: the groups that the piece at hand joins most cheaply, cheapest first
    prices: Longs  # [near]: by how much their losses rise
    rest: Ints  # [axes, 2]: the box of a group without one of its rows
    others: Ints  # [axes, 2]: the box of another group without one of its rows
    sent: Ints  # [pieces, 3]: piece, target group and rows of a group that dissolves
    stale: Ints  # [groups]: 1 for a group that has changed since it was last looked at
    lightest: int  # no group weighs less


@compiled
def workspace_for(block: Block, near: int, k: int) -> SearchArrays:
    """Allocate the arrays of a search that looks at the `near` cheapest groups of a row."""
    slots = len(block.size)
    axes = block.points.shape[1]
    return SearchArrays(
        np.empty(slots, np.int32),
        np.empty(near, np.int32),
        np.empty(near, np.int64),
        np.empty((axes, 2), np.int32),
        np.empty((axes, 2), np.int32),
        np.empty((len(block.home), 3), np.int32),
        np.ones(slots, np.int32),
        lightest_of(block, k),
    )


@compiled
def lightest_of(block: Block, k: int) -> int:
    """Compute a weight that every group has: k times what the least row is worth.

    Or that of the lightest group, should one have fewer rows.
    """
    least = 0
    for of in block.worth:  # 0 is a place that no piece has taken
        if of != 0 and (least == 0 or of < least):
            least = of
    lightest = k * least
    for group in range(len(block.size)):
        if block.size[group] > 0:
            lightest = min(lightest, block.weight[group])
    return lightest


@inlined
def cost_without(costs: Costs, block: Block, group: int, piece: int, ends: Ints) -> int:
    """Compute the cost of a group's box without one row of a piece.

    `ends[axis]` becomes that box.
    """
    total = 0
    alone = block.held[piece] == 1
    for axis in range(len(ends)):
        place = block.points[piece, axis]
        low = block.ends[group, axis, 0]
        high = block.ends[group, axis, 3]
        lo = block.ends[group, axis, 1] if alone and place == low else low
        hi = block.ends[group, axis, 2] if alone and place == high else high
        ends[axis, 0] = lo
        ends[axis, 1] = hi
        if lo == low and hi == high:
            total += block.paid[group, axis]
        elif lo <= hi:  # else nobody is left
            total += length(costs, block, axis, lo, hi)
    return total


@inlined
def cost_joined(costs: Costs, block: Block, ends: Ints, piece: int, limit: int) -> int:
    """Compute the cost of a box after a row has joined it, or `limit` if it is that or more."""
    total = 0
    for axis in range(len(ends)):
        place = block.points[piece, axis]
        total += length(costs, block, axis, min(ends[axis, 0], place), max(ends[axis, 1], place))
        if total >= limit:
            return limit
    return total


@inlined
def nearest(block: Block, home: int, worth: int, limit: int, work: SearchArrays, most: int) -> int:
    """List up to `most` groups that rows join most cheaply and below a limit; return their number.

    The rows leave the group `home` and are worth `worth` together; `work.growth` says what each
    box grows by. The groups are written to `work.best`, cheapest first, their prices beside them.

    Most rows find none: of most groups it is enough to know how much the lightest may grow.
    """
    growth = work.growth
    best = work.best
    prices = work.prices
    count = 0
    growth[home] = BARRED
    most_growth = -(-limit // (work.lightest + worth))
    if least_of(growth) >= most_growth:
        return 0
    for group in range(len(growth)):
        if growth[group] >= most_growth:
            continue
        asked = worth * block.cost[group] + (block.weight[group] + worth) * growth[group]
        if asked >= limit:
            continue
        count = min(count + 1, most)
        at = count - 1
        while at > 0 and prices[at - 1] > asked:
            best[at] = best[at - 1]
            prices[at] = prices[at - 1]
            at -= 1
        best[at] = group
        prices[at] = asked
        if count == most:
            limit = prices[most - 1]
    return count


@inlined
def least_of(growth: Ints) -> int:
    """Find the least growth: written so that a processor compares several at once."""
    least = np.int32(BARRED)
    for group in range(len(growth)):
        least = growth[group] if growth[group] < least else least
    return int(least)


@inlined
def best_swap(
    costs: Costs, block: Block, safety: Safety, piece: int, other: int, work: SearchArrays
) -> tuple[int, int]:
    """Find the piece of another group whose swap for a row of this one saves most, and how much.

    `work.rest` is the box of this group without the row. One of two groups that swap must shrink:
    it is this one.
    """
    group = block.home[piece]
    now = block.weight[group] * block.cost[group] + block.weight[other] * block.cost[other]
    saved = 0
    partner = NONE
    candidate = block.head[other]
    while candidate != NONE:
        more = block.worth[candidate] - block.worth[piece]
        weight = block.weight[group] + more
        weight_other = block.weight[other] - more
        joined = cost_joined(costs, block, work.rest, candidate, block.cost[group])
        then = weight * joined
        limit = (now - saved - then + weight_other - 1) // weight_other
        if (
            joined < block.cost[group]
            and cost_without(costs, block, other, candidate, work.others) < limit
        ):
            then += weight_other * cost_joined(costs, block, work.others, piece, limit)
            if now - then > saved and swap_is_safe(safety, block, piece, other, candidate):
                saved = now - then
                partner = candidate
        candidate = block.after[candidate]
    if len(safety.rules.kind):
        clear(safety.joined)
    return partner, saved


@inlined
def improve_piece(
    costs: Costs, block: Block, safety: Safety, piece: int, k: int, work: SearchArrays
) -> int:
    """Move or swap one row of a piece if that lowers the loss; return what was saved.

    After a step, `work.best[0]` is the other group.
    """
    group = block.home[piece]
    size = block.size[group]
    cost = block.cost[group]
    worth = block.worth[piece]
    if cost == 0:
        return 0
    without = cost_without(costs, block, group, piece, work.rest)
    # A swap that saves has a row on the edge of its own box: it is found from that side.
    if size == k and without == cost:
        return 0
    # What the group loses less if the row just left.
    gain = block.weight[group] * cost - (block.weight[group] - worth) * without
    growths(costs, block, piece, work.growth)
    count = nearest(block, group, worth, gain, work, len(work.best))
    saved = 0
    target = NONE
    partner = NONE
    for n in range(count if size > k else 0):
        if move_is_safe(safety, block, piece, 1, work.best[n]):
            saved = gain - work.prices[n]
            target = work.best[n]
            break
    if without < cost:
        for n in range(count):
            candidate, more = best_swap(costs, block, safety, piece, work.best[n], work)
            if candidate != NONE and more > saved:
                saved = more
                target = work.best[n]
                partner = candidate
    if len(safety.rules.kind):
        clear(safety.left)
    if saved <= 0:
        return 0
    if partner != NONE:
        shift(costs, block, partner, 1, group)
    shift(costs, block, piece, 1, target)
    work.best[0] = target
    return saved


@inlined
def move_all(
    costs: Costs, block: Block, safety: Safety, piece: int, k: int, work: SearchArrays
) -> int:
    """Move all rows of a piece together if that lowers the loss; return what was saved.

    Where rows are equal, one that leaves alone lets no box shrink. After a step, `work.best[0]` is
    the other group.
    """
    group = block.home[piece]
    rows = block.held[piece]
    if rows == 1 or block.size[group] - rows < k or not is_on_the_edge(block, piece):
        return 0
    rest = np.empty((block.points.shape[1], 4), np.int32)
    rest[:, :2] = np.int32(2**31 - 1)
    rest[:, 2:] = np.int32(-1)
    other = block.head[group]
    while other != NONE:
        if other != piece:
            join(rest, block.points, other, False)
        other = block.after[other]
    worth = rows * block.worth[piece]
    gain = block.weight[group] * block.cost[group] - (block.weight[group] - worth) * of_ends(
        costs, block, rest
    )
    growths(costs, block, piece, work.growth)
    count = nearest(block, group, worth, gain, work, len(work.best))
    saved = 0
    for n in range(count):
        if move_is_safe(safety, block, piece, rows, work.best[n]):
            work.best[0] = work.best[n]
            saved = gain - work.prices[n]
            shift(costs, block, piece, rows, work.best[0])
            break
    if len(safety.rules.kind):
        clear(safety.left)
    return saved


@inlined
def is_on_the_edge(block: Block, piece: int) -> bool:
    """Tell whether the box of a group might shrink without a piece."""
    for axis in range(block.points.shape[1]):
        place = block.points[piece, axis]
        low = block.ends[block.home[piece], axis, 0]
        high = block.ends[block.home[piece], axis, 3]
        if low < high and not low < place < high:
            return True
    return False
