"""A block of groups for local search: their pieces, their boxes, and what every row would add to each of them.

The loss of a group is its size times the cost of its box. Groups hold *pieces*: so many rows of one tuple. For each
group and axis the two lowest and the two highest places are known (of different rows), so that the box without any one
row is read off at once.

On a line a row's *place* is its position, a missing value standing at twice the length: then a box costs its length or
everything, whichever is less. On other axes it is the rank of its code among those of the block, and `table[rank, group]`
holds what a group's box grows by when that code joins. So one pass over contiguous arrays prices a row for all groups at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import LINE, Costs, between
from shoal.kernels.jit import compiled

NONE = -1
NEVER = np.int64(1) << 40  # the cost of a group that is no more: dearer than any box


class Block(NamedTuple):
    """Groups and their pieces. Pieces of a group form a linked list; unused pieces form the free list."""

    points: Ints  # [pieces, axes]: places
    count: Ints  # [pieces]: rows
    owner: Ints  # [pieces]: tuple that the rows belong to
    home: Ints  # [pieces]: group, NONE if unused
    after: Ints  # [pieces]: next piece of the same group
    head: Ints  # [groups + 1]: first piece; the last is the free list
    size: Longs  # [groups]
    cost: Longs  # [groups]: of the box, NEVER where there is none
    paid: Ints  # [groups, axes]: cost of the box
    ends: Ints  # [groups, axes, 4]: lowest, second lowest, second highest, highest place
    low: Ints  # [axes, groups]: lowest place, once more, side by side
    high: Ints  # [axes, groups]
    room: Ints  # [axes, groups]: what the box could still grow by
    code: Ints  # the code of each rank, axis by axis
    code_at: Longs  # [axes + 1]
    table: Ints  # [ranks, groups]: growth


@compiled
def spare(block: Block) -> int:
    """Where the free list begins."""
    return len(block.head) - 1


@compiled
def length(costs: Costs, block: Block, axis: int, lo: int, hi: int) -> int:
    """The cost of the box between two places on one axis."""
    if costs.shape[axis] == LINE:
        return min(hi - lo, costs.full[axis])
    at = block.code_at[axis]
    return between(costs, axis, block.code[at + lo], block.code[at + hi])


@compiled
def block_of(costs: Costs, codes: Ints, group: Ints, owner: Ints, count: Ints, groups: int, slots: int) -> Block:
    """A block with these pieces (ordered by group), room for more groups, and everything surveyed."""
    axes, rows = codes.shape[0], 0
    for piece in range(len(count)):
        rows += count[piece]
    points = np.zeros((rows, axes), np.int32)
    code, code_at = locate(costs, codes, owner, points)
    width = slots + 16  # no power of two: columns would share their place in the cache
    block = Block(
        points,
        np.zeros(rows, np.int32),
        np.zeros(rows, np.int32),
        np.full(rows, NONE, np.int32),
        np.full(rows, NONE, np.int32),
        np.full(slots + 1, NONE, np.int32),
        np.zeros(slots, np.int64),
        np.full(slots, NEVER, np.int64),
        np.zeros((slots, axes), np.int32),
        np.zeros((slots, axes, 4), np.int32),
        np.full((axes, slots), NONE, np.int32),
        np.full((axes, slots), NONE, np.int32),
        np.zeros((axes, slots), np.int32),
        code,
        code_at,
        np.zeros((len(code), width), np.int32),
    )
    for piece in range(rows - 1, -1, -1):
        home = group[piece] if piece < len(group) else slots
        if piece < len(group):
            block.count[piece], block.owner[piece], block.home[piece] = count[piece], owner[piece], home
        block.after[piece], block.head[home] = block.head[home], piece
    for g in range(groups):
        survey(costs, block, g)
    return block


@compiled
def locate(costs: Costs, codes: Ints, owner: Ints, points: Ints) -> tuple[Ints, Longs]:
    """Fill in the places of all pieces; returns the code of each rank."""
    axes = codes.shape[0]
    code_at = np.zeros(axes + 1, np.int64)
    code = np.empty(0, np.int32)
    for axis in range(axes):
        if costs.shape[axis] == LINE:
            for piece in range(len(owner)):
                c = codes[axis, owner[piece]]
                missing = c == costs.size[axis]
                points[piece, axis] = 2 * costs.full[axis] if missing else costs.position[costs.position_at[axis] + c]
        else:
            there = np.unique(codes[axis][owner])
            points[: len(owner), axis] = np.searchsorted(there, codes[axis][owner])
            code = np.concatenate((code, there))
        code_at[axis + 1] = len(code)
    return code, code_at


@compiled
def survey(costs: Costs, block: Block, group: int) -> None:
    """Read size, ends and costs of a group off its pieces; bring its column of the table up to date where its box changed."""
    axes = block.points.shape[1]
    ends, size = block.ends[group], np.int64(0)
    ends[:, :2], ends[:, 2:] = np.int32(2**31 - 1), np.int32(-1)
    piece = block.head[group]
    while piece != NONE:
        size += block.count[piece]
        join(ends, block.points[piece], block.count[piece] > 1)
        piece = block.after[piece]
    block.size[group] = size
    if size == 0:
        block.cost[group] = NEVER
        return
    total = np.int64(0)
    for axis in range(axes):
        lo, hi = ends[axis, 0], ends[axis, 3]
        if lo != block.low[axis, group] or hi != block.high[axis, group]:
            paid = length(costs, block, axis, lo, hi)
            block.low[axis, group], block.high[axis, group], block.paid[group, axis] = lo, hi, paid
            block.room[axis, group] = costs.full[axis] - paid
            tabulate(costs, block, axis, group)
        total += block.paid[group, axis]
    block.cost[group] = total


@compiled
def join(ends: Ints, point: Ints, many: bool) -> None:
    """Let a point join the ends of a group, twice if it stands for many rows."""
    for axis in range(len(point)):
        place = point[axis]
        if place <= ends[axis, 0]:
            ends[axis, 1] = place if many else ends[axis, 0]
            ends[axis, 0] = place
        elif place < ends[axis, 1]:
            ends[axis, 1] = place
        if place >= ends[axis, 3]:
            ends[axis, 2] = place if many else ends[axis, 3]
            ends[axis, 3] = place
        elif place > ends[axis, 2]:
            ends[axis, 2] = place


@compiled
def tabulate(costs: Costs, block: Block, axis: int, group: int) -> None:
    """What the box of a group grows by on an axis, for each code of the block."""
    at, lo, hi, paid = block.code_at[axis], block.low[axis, group], block.high[axis, group], block.paid[group, axis]
    for rank in range(block.code_at[axis + 1] - at):
        grown = length(costs, block, axis, min(lo, rank), max(hi, rank)) if rank < lo or rank > hi else paid
        block.table[at + rank, group] = grown - paid


@compiled
def growths(costs: Costs, block: Block, point: Ints, out: Ints) -> None:
    """What every group's box grows by when a point joins."""
    slots = len(out)
    out[:] = 0
    for axis in range(len(point)):
        place = point[axis]
        if costs.shape[axis] == LINE:
            low, high, room = block.low[axis], block.high[axis], block.room[axis]
            for group in range(slots):
                out[group] += min(max(low[group] - place, 0) + max(place - high[group], 0), room[group])
        else:
            line = block.table[block.code_at[axis] + place]
            for group in range(slots):
                out[group] += line[group]


@compiled
def shift(costs: Costs, block: Block, piece: int, rows: int, target: int) -> None:
    """Move some rows of a piece to another group, and survey both."""
    source, there = block.home[piece], block.head[target]
    while there != NONE and block.owner[there] != block.owner[piece]:
        there = block.after[there]
    if there == NONE:
        there = block.head[spare(block)]
        block.head[spare(block)] = block.after[there]
        block.points[there] = block.points[piece]
        block.count[there], block.owner[there], block.home[there] = 0, block.owner[piece], target
        block.after[there], block.head[target] = block.head[target], there
    block.count[there] += rows
    block.count[piece] -= rows
    if block.count[piece] == 0:
        release(block, piece)
    survey(costs, block, source)
    survey(costs, block, target)


@compiled
def release(block: Block, piece: int) -> None:
    """Take an empty piece out of its group and put it on the free list."""
    group = block.home[piece]
    if block.head[group] == piece:
        block.head[group] = block.after[piece]
    else:
        before = block.head[group]
        while block.after[before] != piece:
            before = block.after[before]
        block.after[before] = block.after[piece]
    block.home[piece] = NONE
    block.after[piece], block.head[spare(block)] = block.head[spare(block)], piece
