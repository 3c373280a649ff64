"""Groups of a block that dissolve or are cut in two, where that lowers the loss.

    dissolve:  each piece of a group goes to the group where it costs least
    split:     a group of 2k rows or more is cut along the axis that saves most

A step is taken only if every group that it touches stays safe (see `safety`).
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints
from shoal.kernels.costs import Costs
from shoal.kernels.jit import compiled
from shoal.kernels.partition.block import NONE, Block, growths, join, of_ends, shift
from shoal.kernels.partition.moving import SearchArrays, nearest
from shoal.kernels.partition.safety import (
    Safety,
    begin_cut,
    cut_is_safe,
    forget,
    group_is_safe,
    pass_over,
)


@compiled
def dissolve(costs: Costs, block: Block, safety: Safety, group: int, work: SearchArrays) -> int:
    """Send each piece of a group to where it costs least, if that saves; return what is saved."""
    sent = work.sent
    before = block.weight[group] * block.cost[group]
    pieces = choose_targets(costs, block, group, before, work)
    if pieces == 0:
        return 0
    losses = loss_of_targets(block, sent, pieces)
    origin = np.empty(pieces, np.int32)
    for p in range(pieces):
        origin[p] = block.owner[sent[p, 0]]
        sent[p, 2] = block.held[sent[p, 0]]
        shift(costs, block, sent[p, 0], sent[p, 2], sent[p, 1])
    after = loss_of_targets(block, sent, pieces)
    safe = True
    for p in range(pieces if after < losses + before else 0):
        safe = safe and (not first_time(sent, p) or group_is_safe(safety, block, sent[p, 1]))
    if after < losses + before and safe:
        for p in range(pieces):
            work.stale[sent[p, 1]] = 1
        return losses + before - after
    # Take everything back, last piece first. A piece may have become part of another one there.
    for p in range(pieces - 1, -1, -1):
        piece = block.head[sent[p, 1]]
        while block.owner[piece] != origin[p]:
            piece = block.after[piece]
        shift(costs, block, piece, sent[p, 2], group)
    return 0


@compiled
def choose_targets(costs: Costs, block: Block, group: int, before: int, work: SearchArrays) -> int:
    """Choose the cheapest group for each piece; return the number of pieces, 0 if it can't save.

    Pieces and targets are written to `work.sent`. The choice can't save if the targets ask for as
    much together as the group loses now, `before`.
    """
    paid = 0
    pieces = 0
    piece = block.head[group]
    while piece != NONE:
        growths(costs, block, piece, work.growth)
        worth = block.held[piece] * block.worth[piece]
        if not nearest(block, group, worth, before - paid, work, 1):
            return 0
        paid += work.prices[0]
        work.sent[pieces, 0] = piece
        work.sent[pieces, 1] = work.best[0]
        pieces += 1
        piece = block.after[piece]
    return pieces


@compiled
def loss_of_targets(block: Block, sent: Ints, pieces: int) -> int:
    """Sum the losses of the groups that pieces are sent to, each group once."""
    losses = 0
    for p in range(pieces):
        losses += block.weight[sent[p, 1]] * block.cost[sent[p, 1]] if first_time(sent, p) else 0
    return losses


@compiled
def first_time(sent: Ints, p: int) -> bool:
    """Tell whether no piece before piece p was sent to the same group."""
    seen = False
    for q in range(p):
        seen = seen or sent[q, 1] == sent[p, 1]
    return not seen


@compiled
def best_cut(
    costs: Costs, block: Block, safety: Safety, group: int, k: int, members: Ints
) -> tuple[int, int]:
    """Find the cut of a group's sorted members that saves most; return its place and the saving.

    Both sides hold k rows or more and are safe; the place is NONE where no such cut saves.
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
        join(ends, block.points, members[m], False)
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
        join(ends, block.points, members[m - 1], False)
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
def split(costs: Costs, block: Block, safety: Safety, group: int, k: int, stale: Ints) -> int:
    """Cut a group of 2k rows or more along the axis that saves most; return what was saved."""
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
        where, more = best_cut(costs, block, safety, group, k, along)
        if more > saved:
            cut = along
            saved = more
            at = where
    for m in range(at, pieces if saved else at):
        shift(costs, block, cut[m], block.held[cut[m]], slot)
    if saved:
        stale[slot] = 1
        stale[group] = 1
    return saved
