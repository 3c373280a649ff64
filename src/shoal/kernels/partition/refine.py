"""Local search on a block of groups: rows move, rows swap, groups dissolve and split, while the
loss falls.

Every step is weighed before it is taken, in integers, and taken only if it lowers the loss; none
takes a group below k, and none breaks a rule of the models (see `safety`). A group is looked at
again only after it has changed.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs
from shoal.kernels.guards import Rules, clear
from shoal.kernels.jit import compiled
from shoal.kernels.partition.block import NONE, Block, growths, join, length, shift
from shoal.kernels.partition.safety import (
    Safety,
    begin_cut,
    cut_is_safe,
    forget,
    group_is_safe,
    move_is_safe,
    pass_over,
    safety_of,
    swap_is_safe,
)


@compiled
def cost_without(costs: Costs, block: Block, group: int, piece: int, ends: Ints) -> int:
    """The cost of a group's box without one row of a piece; `ends[axis]` becomes that box."""
    total = 0
    alone = block.held[piece] == 1
    for axis in range(len(ends)):
        place = block.points[piece, axis]
        held = block.ends[group, axis]
        lo = held[1] if alone and place == held[0] else held[0]
        hi = held[2] if alone and place == held[3] else held[3]
        ends[axis, 0] = lo
        ends[axis, 1] = hi
        if lo == held[0] and hi == held[3]:
            total += block.paid[group, axis]
        elif lo <= hi:  # else nobody is left
            total += length(costs, block, axis, lo, hi)
    return total


@compiled
def cost_joined(costs: Costs, block: Block, ends: Ints, point: Ints, limit: int) -> int:
    """The cost of a box after a point has joined; anything from `limit` on means too much."""
    total = 0
    for axis in range(len(point)):
        total += length(
            costs, block, axis, min(ends[axis, 0], point[axis]), max(ends[axis, 1], point[axis])
        )
        if total >= limit:
            return limit
    return total


@compiled
def nearest(
    block: Block, home: int, growth: Ints, worth: int, limit: int, best: Ints, prices: Longs
) -> int:
    """The few groups that rows of this worth join most cheaply and below a limit, cheapest first;
    how many were found.
    """
    found = 0
    most = len(best)
    for group in range(len(growth)):
        asked = worth * block.cost[group] + (block.weight[group] + worth) * growth[group]
        if asked >= limit or group == home or block.size[group] == 0:
            continue
        found = min(found + 1, most)
        at = found - 1
        while at > 0 and prices[at - 1] > asked:
            best[at] = best[at - 1]
            prices[at] = prices[at - 1]
            at -= 1
        best[at] = group
        prices[at] = asked
        if found == most:
            limit = prices[most - 1]
    return found


@compiled
def best_swap(
    costs: Costs, block: Block, safety: Safety, piece: int, other: int, rest: Ints, others: Ints
) -> tuple[int, int]:
    """The piece of another group whose exchange for a row of this one saves most, and how much it
    saves.

    `rest` is the box of this group without the row. One of two groups that swap must shrink: it is
    this one.
    """
    group = block.home[piece]
    now = block.weight[group] * block.cost[group] + block.weight[other] * block.cost[other]
    saved = 0
    found = NONE
    candidate = block.head[other]
    while candidate != NONE:
        more = block.worth[candidate] - block.worth[piece]
        weight = block.weight[group] + more
        weight_other = block.weight[other] - more
        joined = cost_joined(costs, block, rest, block.points[candidate], block.cost[group])
        then = weight * joined
        limit = (now - saved - then + weight_other - 1) // weight_other
        if (
            joined < block.cost[group]
            and cost_without(costs, block, other, candidate, others) < limit
        ):
            then += weight_other * cost_joined(costs, block, others, block.points[piece], limit)
            if now - then > saved and swap_is_safe(safety, block, piece, other, candidate):
                saved = now - then
                found = candidate
        candidate = block.after[candidate]
    clear(safety.joined)
    return found, saved


@compiled
def improve_piece(
    costs: Costs,
    block: Block,
    safety: Safety,
    piece: int,
    k: int,
    growth: Ints,
    best: Ints,
    prices: Longs,
    rest: Ints,
    others: Ints,
) -> int:
    """Move or swap one row of a piece if that saves loss; returns what was saved, `best[0]` being
    the other group.
    """
    group = block.home[piece]
    size = block.size[group]
    cost = block.cost[group]
    worth = block.worth[piece]
    if cost == 0:
        return 0
    without = cost_without(costs, block, group, piece, rest)
    if size == k and without == cost:
        return (
            0  # a swap that saves has a row on the edge of its own box: it is found from that side
        )
    gain = (
        block.weight[group] * cost - (block.weight[group] - worth) * without
    )  # of the group, if the row just left
    growths(costs, block, block.points[piece], growth)
    found = nearest(block, group, growth, worth, gain, best, prices)
    saved = 0
    target = NONE
    partner = NONE
    for f in range(found if size > k else 0):
        if move_is_safe(safety, block, piece, 1, best[f]):
            saved = gain - prices[f]
            target = best[f]
            break
    if without < cost:
        for f in range(found):
            candidate, more = best_swap(costs, block, safety, piece, best[f], rest, others)
            if candidate != NONE and more > saved:
                saved = more
                target = best[f]
                partner = candidate
    clear(safety.left)
    if saved <= 0:
        return 0
    if partner != NONE:
        shift(costs, block, partner, 1, group)
    shift(costs, block, piece, 1, target)
    best[0] = target
    return saved


@compiled
def move_all(
    costs: Costs,
    block: Block,
    safety: Safety,
    piece: int,
    k: int,
    growth: Ints,
    best: Ints,
    prices: Longs,
) -> int:
    """Move all rows of a piece together if that saves loss; returns what was saved, `best[0]` being
    the other group.

    Where rows are equal, one that leaves alone lets no box shrink.
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
            join(rest, block.points[other], False)
        other = block.after[other]
    worth = rows * block.worth[piece]
    gain = block.weight[group] * block.cost[group] - (block.weight[group] - worth) * of_ends(
        costs, block, rest
    )
    growths(costs, block, block.points[piece], growth)
    found = nearest(block, group, growth, worth, gain, best, prices)
    saved = 0
    for f in range(found):
        if move_is_safe(safety, block, piece, rows, best[f]):
            best[0] = best[f]
            saved = gain - prices[f]
            shift(costs, block, piece, rows, best[0])
            break
    clear(safety.left)
    return saved


@compiled
def is_on_the_edge(block: Block, piece: int) -> bool:
    """Whether the box of a group might shrink without a piece."""
    for axis in range(block.points.shape[1]):
        place = block.points[piece, axis]
        held = block.ends[block.home[piece], axis]
        if held[0] < held[3] and (place == held[0] or place == held[3]):
            return True
    return False


@compiled
def dissolve(
    costs: Costs,
    block: Block,
    safety: Safety,
    group: int,
    growth: Ints,
    best: Ints,
    prices: Longs,
    sent: Ints,
    stale: Ints,
) -> int:
    """Send all pieces of a group to where each costs least if that saves loss; returns what was
    saved.
    """
    before = block.weight[group] * block.cost[group]
    paid = 0
    pieces = 0
    piece = block.head[group]
    while piece != NONE:
        growths(costs, block, block.points[piece], growth)
        worth = block.held[piece] * block.worth[piece]
        if not nearest(block, group, growth, worth, before - paid, best[:1], prices):
            return 0
        paid += prices[0]
        sent[pieces, 0] = piece
        sent[pieces, 1] = best[0]
        pieces += 1
        piece = block.after[piece]
    losses = 0
    for p in range(pieces):
        losses += block.weight[sent[p, 1]] * block.cost[sent[p, 1]] if first_time(sent, p) else 0
    origin = np.empty(pieces, np.int32)
    for p in range(pieces):
        origin[p] = block.owner[sent[p, 0]]
        sent[p, 2] = block.held[sent[p, 0]]
        shift(costs, block, sent[p, 0], sent[p, 2], sent[p, 1])
    after = 0
    safe = True
    for p in range(pieces):
        after += block.weight[sent[p, 1]] * block.cost[sent[p, 1]] if first_time(sent, p) else 0
    for p in range(pieces if after < losses + before else 0):
        safe = safe and (not first_time(sent, p) or group_is_safe(safety, block, sent[p, 1]))
    if after < losses + before and safe:
        for p in range(pieces):
            stale[sent[p, 1]] = 1
        return losses + before - after
    for p in range(pieces - 1, -1, -1):
        piece = block.head[sent[p, 1]]
        while block.owner[piece] != origin[p]:
            piece = block.after[piece]
        shift(costs, block, piece, sent[p, 2], group)
    return 0


@compiled
def first_time(sent: Ints, p: int) -> bool:
    """Whether no earlier piece was sent to the same group."""
    seen = False
    for q in range(p):
        seen = seen or sent[q, 1] == sent[p, 1]
    return not seen


@compiled
def best_cut(
    costs: Costs, block: Block, safety: Safety, group: int, k: int, axis: int, members: Ints
) -> tuple[int, int]:
    """Where to cut the members of a group, sorted along an axis, so that both sides hold k; and
    what that saves.
    """
    axes = block.points.shape[1]
    pieces = len(members)
    right = np.zeros(pieces, np.int64)
    ends = np.empty((axes, 4), np.int32)
    ends[:, :2] = np.int32(2**31 - 1)
    ends[:, 2:] = np.int32(-1)
    rows = 0
    weight = 0
    for m in range(pieces - 1, 0, -1):
        join(ends, block.points[members[m]], False)
        rows += block.held[members[m]]
        weight += block.held[members[m]] * block.worth[members[m]]
        right[m] = weight * of_ends(costs, block, ends) if k <= rows <= block.size[group] - k else 0
    ends[:, :2] = np.int32(2**31 - 1)
    ends[:, 2:] = np.int32(-1)
    rows = 0
    weight = 0
    saved = 0
    at = NONE
    begin_cut(safety, block, members)
    for m in range(1, pieces):
        join(ends, block.points[members[m - 1]], False)
        pass_over(safety, block, members[m - 1])
        rows += block.held[members[m - 1]]
        weight += block.held[members[m - 1]] * block.worth[members[m - 1]]
        if k <= rows <= block.size[group] - k:
            more = (
                block.weight[group] * block.cost[group]
                - weight * of_ends(costs, block, ends)
                - right[m]
            )
            if more > saved and cut_is_safe(safety):
                saved = more
                at = m
    forget(safety)
    return at, saved


@compiled
def of_ends(costs: Costs, block: Block, ends: Ints) -> int:
    """The cost of the box between the lowest and the highest ends."""
    total = 0
    for axis in range(len(ends)):
        total += length(costs, block, axis, ends[axis, 0], ends[axis, 3])
    return total


@compiled
def split(costs: Costs, block: Block, safety: Safety, group: int, k: int, stale: Ints) -> int:
    """Cut a group of 2k rows or more along the axis that saves most; returns what was saved."""
    slot = len(block.size) - 1
    while slot >= 0 and block.size[slot] > 0:
        slot -= 1
    if slot < 0:
        return 0
    pieces = 0
    piece = block.head[group]
    while piece != NONE:
        pieces = pieces + 1
        piece = block.after[piece]
    members = np.empty(pieces, np.int32)
    places = np.empty(pieces, np.int32)
    cut = np.empty(0, np.int32)
    saved = 0
    at = NONE
    for axis in range(block.points.shape[1]):
        if block.paid[group, axis] == 0:
            continue
        piece = block.head[group]
        for m in range(pieces):
            members[m] = piece
            places[m] = block.points[piece, axis]
            piece = block.after[piece]
        along = members[np.argsort(places, kind="mergesort")]
        where, more = best_cut(costs, block, safety, group, k, axis, along)
        if more > saved:
            cut = along
            saved = more
            at = where
    for m in range(at, pieces if saved else at):
        shift(costs, block, cut[m], block.held[cut[m]], slot)
    if saved:
        stale[slot] = stale[group] = 1
    return saved


@compiled
def are_alike(worth: Ints) -> bool:
    """Whether all rows are worth the same; 0 is a place that no piece has taken."""
    first = 0
    for of in worth:
        if first != 0 and of != 0 and of != first:
            return False
        first = of if first == 0 else first
    return True


@compiled
def refine(costs: Costs, block: Block, k: int, passes: int, near: int, rules: Rules) -> int:
    """Passes over all pieces until nothing improves; returns what was saved. Rules are those of the
    tuples.
    """
    slots = len(block.size)
    axes = block.points.shape[1]
    growth = np.empty(slots, np.int32)
    stale = np.ones(slots, np.int32)
    best = np.empty(near, np.int32)
    prices = np.empty(near, np.int64)
    rest = np.empty((axes, 2), np.int32)
    others = np.empty((axes, 2), np.int32)
    sent = np.empty((len(block.home), 3), np.int32)
    total = 0
    safety = safety_of(rules)
    plain = are_alike(block.worth)  # while rows are balanced against each other, they go one by one
    for _ in range(passes):
        saved = 0
        for group in range(slots):
            if stale[group] == 0 or block.size[group] == 0:
                continue
            stale[group] = 0
            if block.size[group] >= 2 * k and block.cost[group] > 0:
                saved += split(costs, block, safety, group, k, stale)
            piece = block.head[group]
            while piece != NONE:
                following = block.after[piece]
                gain = improve_piece(
                    costs, block, safety, piece, k, growth, best, prices, rest, others
                )
                if gain == 0 and plain and block.cost[group] > 0:
                    gain = move_all(costs, block, safety, piece, k, growth, best, prices)
                if gain > 0:
                    saved += gain
                    stale[group] = stale[best[0]] = 1
                    if following != NONE and block.home[following] != group:
                        break
                piece = following
            if block.cost[group] > 0 and block.size[group] < 2 * k and block.size[group] > 0:
                saved += dissolve(costs, block, safety, group, growth, best, prices, sent, stale)
        total += saved
        if saved == 0:
            break
    return total
