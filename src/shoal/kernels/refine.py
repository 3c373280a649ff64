"""Local search on a block of groups: rows move, swap, and whole groups dissolve or split, while the loss falls.

The loss of a group is its size times the cost of its box. Groups hold *pieces*: so many rows of one tuple. For each
group and axis the two lowest and the two highest codes are known (of different rows), so that the box without any one
row is read off at once. No step takes a group below k.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled

NONE = -1


class Block(NamedTuple):
    """Groups and their pieces. Pieces of a group form a linked list; unused pieces form the free list."""

    points: Ints  # [pieces, axes]
    count: Ints  # [pieces]: rows
    owner: Ints  # [pieces]: tuple that the rows belong to
    home: Ints  # [pieces]: group, NONE if unused
    after: Ints  # [pieces]: next piece of the same group
    head: Ints  # [groups + 1]: first piece; the last is the free list
    size: Longs  # [groups]
    ends: Ints  # [groups, axes, 4]: lowest, second lowest, second highest, highest
    paid: Ints  # [groups, axes]: cost of the box
    cost: Longs  # [groups]: over all axes


@compiled
def survey(costs: Costs, block: Block, group: int) -> None:
    """Read size, ends and costs of a group off its pieces."""
    axes = block.points.shape[1]
    ends, size = block.ends[group], 0
    for axis in range(axes):
        ends[axis, 0] = ends[axis, 1] = np.int32(2**31 - 1)
        ends[axis, 2] = ends[axis, 3] = np.int32(-1)
    piece = block.head[group]
    while piece != NONE:
        size += block.count[piece]
        many = block.count[piece] > 1
        for axis in range(axes):
            code = block.points[piece, axis]
            if code <= ends[axis, 0]:
                ends[axis, 1] = code if many else ends[axis, 0]
                ends[axis, 0] = code
            elif code < ends[axis, 1]:
                ends[axis, 1] = code
            if code >= ends[axis, 3]:
                ends[axis, 2] = code if many else ends[axis, 3]
                ends[axis, 3] = code
            elif code > ends[axis, 2]:
                ends[axis, 2] = code
        piece = block.after[piece]
    block.size[group] = size
    total = 0
    for axis in range(axes):
        block.paid[group, axis] = between(costs, axis, ends[axis, 0], ends[axis, 3]) if size else 0
        total += block.paid[group, axis]
    block.cost[group] = total


@compiled
def cost_without(costs: Costs, block: Block, group: int, piece: int) -> int:
    """The cost of a group's box without one row of a piece."""
    total = block.cost[group]
    if block.count[piece] > 1:
        return total
    for axis in range(block.points.shape[1]):
        code, ends = block.points[piece, axis], block.ends[group, axis]
        lo = ends[1] if code == ends[0] else ends[0]
        hi = ends[2] if code == ends[3] else ends[3]
        if lo != ends[0] or hi != ends[3]:
            total += between(costs, axis, lo, hi) - block.paid[group, axis]
    return total


@compiled
def cost_exchanged(costs: Costs, block: Block, group: int, piece: int, point: Ints) -> int:
    """The cost of a group's box after one row of a piece has left and a point has joined."""
    total = block.cost[group]
    for axis in range(len(point)):
        code, ends = block.points[piece, axis], block.ends[group, axis]
        lo = min(ends[1] if code == ends[0] else ends[0], point[axis])
        hi = max(ends[2] if code == ends[3] else ends[3], point[axis])
        if lo != ends[0] or hi != ends[3]:
            total += between(costs, axis, lo, hi) - block.paid[group, axis]
    return total


@compiled
def price(costs: Costs, block: Block, group: int, point: Ints, order: Ints, limit: int) -> int:
    """How much the loss grows when a point joins a group; anything from `limit` on means too much."""
    grown = block.cost[group]
    for o in range(len(order)):
        if grown >= limit:
            return limit
        axis = order[o]
        code, ends = point[axis], block.ends[group, axis]
        if code < ends[0] or code > ends[3]:
            dearer = between(costs, axis, min(code, ends[0]), max(code, ends[3])) - block.paid[group, axis]
            grown += (block.size[group] + 1) * dearer
    return grown


@compiled
def shift(costs: Costs, block: Block, piece: int, target: int) -> None:
    """Move one row of a piece to another group, and survey both."""
    source, pieces = block.home[piece], block.head[target]
    while pieces != NONE and block.owner[pieces] != block.owner[piece]:
        pieces = block.after[pieces]
    if pieces == NONE:
        spare = len(block.head) - 1
        pieces = block.head[spare]
        block.head[spare] = block.after[pieces]
        block.points[pieces] = block.points[piece]
        block.count[pieces], block.owner[pieces], block.home[pieces] = 0, block.owner[piece], target
        block.after[pieces], block.head[target] = block.head[target], pieces
    block.count[pieces] += 1
    block.count[piece] -= 1
    if block.count[piece] == 0:
        release(block, piece)
    survey(costs, block, source)
    survey(costs, block, target)


@compiled
def release(block: Block, piece: int) -> None:
    """Take an empty piece out of its group and put it on the free list."""
    group, spare = block.home[piece], len(block.head) - 1
    if block.head[group] == piece:
        block.head[group] = block.after[piece]
    else:
        before = block.head[group]
        while block.after[before] != piece:
            before = block.after[before]
        block.after[before] = block.after[piece]
    block.home[piece] = NONE
    block.after[piece], block.head[spare] = block.head[spare], piece


@compiled
def nearest(costs: Costs, block: Block, point: Ints, home: int, order: Ints, limit: int, best: Ints, prices: Longs) -> int:
    """The few groups that a point joins most cheaply and below a limit, cheapest first; returns how many were found."""
    found, most = 0, len(best)
    for group in range(len(block.size)):
        if group == home or block.cost[group] >= limit or block.size[group] == 0:
            continue
        asked = price(costs, block, group, point, order, limit)
        if asked >= limit:
            continue
        found = min(found + 1, most)
        at = found - 1
        while at > 0 and prices[at - 1] > asked:
            best[at], prices[at] = best[at - 1], prices[at - 1]
            at -= 1
        best[at], prices[at] = group, asked
        if found == most:
            limit = prices[most - 1]
    return found


@compiled
def best_swap(costs: Costs, block: Block, piece: int, other: int) -> tuple[int, int]:
    """The piece of another group whose exchange for a row of this one saves most, and how much it saves."""
    group = block.home[piece]
    now = block.size[group] * block.cost[group] + block.size[other] * block.cost[other]
    saved, found = np.int64(0), NONE
    candidate = block.head[other]
    while candidate != NONE:
        then = block.size[group] * cost_exchanged(costs, block, group, piece, block.points[candidate])
        if now - then > saved:
            then += block.size[other] * cost_exchanged(costs, block, other, candidate, block.points[piece])
            if now - then > saved:
                saved, found = now - then, candidate
        candidate = block.after[candidate]
    return found, saved


@compiled
def improve_piece(costs: Costs, block: Block, piece: int, k: int, order: Ints, best: Ints, prices: Longs) -> int:
    """Move or swap one row of a piece if that saves loss; returns what was saved."""
    group = block.home[piece]
    size, cost = block.size[group], block.cost[group]
    without = cost_without(costs, block, group, piece)
    gain = size * cost - (size - 1) * without  # of the group, if the row just left
    if size == k and without == cost:
        return 0  # a swap that saves has a row on the edge of its own box: it is found from that side
    found = nearest(costs, block, block.points[piece], group, order, gain, best, prices)
    saved, target, partner = np.int64(0), NONE, NONE
    if found and size > k:
        saved, target = gain - prices[0], best[0]
    if without < cost:
        for f in range(found):
            candidate, more = best_swap(costs, block, piece, best[f])
            if candidate != NONE and more > saved:
                saved, target, partner = more, best[f], candidate
    if saved <= 0:
        return 0
    if partner != NONE:
        shift(costs, block, partner, group)
    shift(costs, block, piece, target)
    best[0] = target
    return saved


@compiled
def dissolve(costs: Costs, block: Block, group: int, order: Ints, best: Ints, prices: Longs, moved: Ints) -> int:
    """Send all rows of a group to where they cost least; taken back unless that saves loss."""
    before, paid, rows = block.size[group] * block.cost[group], np.int64(0), 0
    while block.head[group] != NONE and paid < before:
        piece = block.head[group]
        if not nearest(costs, block, block.points[piece], group, order, before - paid, best[:1], prices[:1]):
            break
        paid += prices[0]
        moved[rows, 0], moved[rows, 1] = block.owner[piece], best[0]
        rows += 1
        shift(costs, block, piece, best[0])
    if block.head[group] == NONE and paid < before:
        return before - paid
    for row in range(rows - 1, -1, -1):
        piece = block.head[moved[row, 1]]
        while block.owner[piece] != moved[row, 0]:
            piece = block.after[piece]
        shift(costs, block, piece, group)
    return 0


@compiled
def refine(costs: Costs, block: Block, k: int, order: Ints, passes: int, near: int) -> int:
    """Passes over all pieces until nothing improves; returns what was saved."""
    best, prices = np.empty(near, np.int32), np.empty(near, np.int64)
    moved = np.empty((int(block.size.sum()), 2), np.int32)
    stale = np.ones(len(block.size), np.bool_)  # groups to look at: they or their neighbours have changed
    total = np.int64(0)
    for _ in range(passes):
        saved = np.int64(0)
        for group in range(len(block.size)):
            if block.size[group] == 0 or not stale[group]:
                continue
            stale[group] = False
            piece = block.head[group]
            while piece != NONE:
                following = block.after[piece]
                gain = improve_piece(costs, block, piece, k, order, best, prices)
                if gain > 0:
                    saved += gain
                    stale[group] = stale[best[0]] = True
                    if following != NONE and block.home[following] != group:
                        break
                piece = following
            if block.size[group] > 0 and block.cost[group] > 0 and block.size[group] < 2 * k:
                saved += dissolve(costs, block, group, order, best, prices, moved)
        total += saved
        if saved == 0:
            break
    return total
