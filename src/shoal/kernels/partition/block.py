"""A block of groups for local search: pieces, boxes, and what each row would add to each group.

The loss of a group is the weight of its rows times the cost of its box; rows may be *worth* more
than one, so that their loss counts more, and k counts rows all the same. Groups hold *pieces*: so
many rows of one tuple. For each group and axis the two lowest and the two highest places are known
(of different rows), so that the box without any one row is read off at once.

On a line a row's *place* is its position, a missing value standing at twice the length: then a box
costs its length or everything, whichever is less. On other axes it is the rank of its code among
those of the block, and `table[rank, group]` holds what a group's box grows by when that code joins.
So one pass over contiguous arrays prices a row for all groups at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.copying import copy
from shoal.kernels.costs import LINE, Costs, between
from shoal.kernels.jit import compiled

NONE = -1
BARRED = 1 << 30  # more than any box can grow by


class Held(NamedTuple):
    """Rows of one tuple in one group, ordered by group."""

    group: Ints
    owner: Ints  # the tuple that the rows belong to
    rows: Ints


class Block(NamedTuple):
    """Groups and their pieces.

    Pieces of a group form a linked list; unused pieces form the free list.
    """

    points: Ints  # [pieces, axes]: places
    held: Ints  # [pieces]: rows
    worth: Ints  # [pieces]: what each of these rows counts in the loss
    owner: Ints  # [pieces]: tuple that the rows belong to
    home: Ints  # [pieces]: group, NONE if unused
    after: Ints  # [pieces]: next piece of the same group
    head: Ints  # [groups + 1]: first piece; the last is the free list
    size: Longs  # [groups]: rows
    weight: Longs  # [groups]: what they are worth together
    cost: Longs  # [groups]: of the box, 0 where there is none
    paid: Ints  # [groups, axes]: cost of the box
    ends: Ints  # [groups, axes, 4]: lowest, second lowest, second highest, highest place
    low: Ints  # [axes, groups]: lowest place, once more, side by side
    high: Ints  # [axes, groups]
    room: Ints  # [axes, groups]: what the box could still grow by
    barred: Ints  # [groups]: 0, or BARRED where a place is empty: nobody joins it
    code: Ints  # the code of each rank, axis by axis
    code_at: Longs  # [axes + 1]
    table: Ints  # [ranks, groups]: growth


@compiled
def spare(block: Block) -> int:
    """Name the place where the free list begins."""
    return len(block.head) - 1


@compiled
def length(costs: Costs, block: Block, axis: int, lo: int, hi: int) -> int:
    """Compute the cost of the box between two places on one axis."""
    if costs.shape[axis] == LINE:
        return min(hi - lo, costs.full[axis])
    at = block.code_at[axis]
    return between(costs, axis, block.code[at + lo], block.code[at + hi])


def block_of(
    costs: Costs, codes: Ints, worth: Ints, pieces: Held, groups: int, slots: int
) -> Block:
    """Build a block of `groups` groups from their pieces, with `slots` places for groups in all.

    `codes[axis, tuple]`; `worth` is what each row of a tuple counts in the loss.
    """
    axes = len(codes)
    # A piece is taken before another is given back, and a swap is two moves.
    room = int(pieces.rows.sum()) + 2
    places, code, code_at = places_of(costs, codes[:, pieces.owner])
    block = Block(
        points=np.zeros((room, axes), np.int32),
        held=np.zeros(room, np.int32),
        worth=np.zeros(room, np.int32),
        owner=np.zeros(room, np.int32),
        home=np.full(room, NONE, np.int32),
        after=np.full(room, NONE, np.int32),
        head=np.full(slots + 1, NONE, np.int32),
        size=np.zeros(slots, np.int64),
        weight=np.zeros(slots, np.int64),
        cost=np.zeros(slots, np.int64),
        paid=np.zeros((slots, axes), np.int32),
        ends=np.zeros((slots, axes, 4), np.int32),
        low=np.full((axes, slots), NONE, np.int32),
        high=np.full((axes, slots), NONE, np.int32),
        room=np.zeros((axes, slots), np.int32),
        barred=np.full(slots, BARRED, np.int32),
        code=code,
        code_at=code_at,
        # A power of two would put all columns into one place of the cache.
        table=np.zeros((len(code), slots + 16), np.int32),
    )
    held = len(pieces.owner)
    block.points[:held] = places
    block.held[:held] = pieces.rows
    block.owner[:held] = pieces.owner
    block.home[:held] = pieces.group
    block.worth[:held] = worth[pieces.owner]
    link(costs, block, held, groups)
    return block


def places_of(costs: Costs, codes: Ints) -> tuple[Ints, Ints, Longs]:
    """Compute the place of each piece on each axis, and the code of each rank, axis by axis."""
    places = np.empty(codes.T.shape, np.int32)
    known = [np.zeros(0, np.int64)]
    for axis, line in enumerate(codes):
        if costs.shape[axis] == LINE:
            there = costs.position[costs.position_at[axis] :][: costs.size[axis]]
            places[:, axis] = np.append(there, 2 * costs.full[axis])[line]
        else:
            held = np.zeros(costs.size[axis] + 1, np.int32)
            held[line] = 1
            places[:, axis] = (held.cumsum() - 1)[line]
            known.append(held.nonzero()[0])
    ranks = [
        0 if costs.shape[axis] == LINE else int(places[:, axis].max(initial=-1)) + 1
        for axis in range(len(codes))
    ]
    return (
        places,
        np.concatenate(known).astype(np.int32),
        np.concatenate(([0], np.cumsum(ranks))).astype(np.int64),
    )


@compiled
def link(costs: Costs, block: Block, held: int, groups: int) -> None:
    """String the pieces together, and survey all groups."""
    for piece in range(len(block.home) - 1, -1, -1):
        home = block.home[piece] if piece < held else spare(block)
        block.after[piece] = block.head[home]
        block.head[home] = piece
    for group in range(groups):
        survey(costs, block, group)


@compiled
def survey(costs: Costs, block: Block, group: int) -> None:
    """Read size, ends and costs of a group off its pieces.

    Its column of the table is brought up to date where its box changed.
    """
    axes = block.points.shape[1]
    ends = block.ends[group]
    size = 0
    weight = 0
    ends[:, :2] = np.int32(2**31 - 1)
    ends[:, 2:] = np.int32(-1)
    piece = block.head[group]
    while piece != NONE:
        size += block.held[piece]
        weight += block.held[piece] * block.worth[piece]
        join(ends, block.points, piece, block.held[piece] > 1)
        piece = block.after[piece]
    block.size[group] = size
    block.weight[group] = weight
    block.barred[group] = BARRED if size == 0 else 0
    if size == 0:
        block.cost[group] = 0
        return
    total = 0
    for axis in range(axes):
        lo = ends[axis, 0]
        hi = ends[axis, 3]
        if lo != block.low[axis, group] or hi != block.high[axis, group]:
            paid = length(costs, block, axis, lo, hi)
            block.low[axis, group] = lo
            block.high[axis, group] = hi
            block.paid[group, axis] = paid
            block.room[axis, group] = costs.full[axis] - paid
            tabulate(costs, block, axis, group)
        total += block.paid[group, axis]
    block.cost[group] = total


@compiled
def join(ends: Ints, points: Ints, piece: int, many: bool) -> None:
    """Let the point of a piece join the ends of a group, twice if it stands for many rows."""
    for axis in range(points.shape[1]):
        place = points[piece, axis]
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
    """Compute what the box of a group grows by on an axis, for each code of the block."""
    at = block.code_at[axis]
    lo = block.low[axis, group]
    hi = block.high[axis, group]
    paid = block.paid[group, axis]
    for rank in range(block.code_at[axis + 1] - at):
        grown = (
            length(costs, block, axis, min(lo, rank), max(hi, rank))
            if rank < lo or rank > hi
            else paid
        )
        block.table[at + rank, group] = grown - paid


@compiled
def growths(costs: Costs, block: Block, piece: int, out: Ints) -> None:
    """Compute what every group's box grows by when a row of a piece joins, into `out`.

    Empty places are barred. Arrays are read place by place, here and in `moving`: a view of a part
    of one is counted, by all threads in turn, and took longer than what was read from it.
    """
    slots = len(out)
    for group in range(slots):
        out[group] = block.barred[group]
    for axis in range(block.points.shape[1]):
        place = block.points[piece, axis]
        if costs.shape[axis] == LINE:
            for group in range(slots):
                out[group] += min(
                    max(block.low[axis, group] - place, 0)
                    + max(place - block.high[axis, group], 0),
                    block.room[axis, group],
                )
        else:
            rank = block.code_at[axis] + place
            for group in range(slots):
                out[group] += block.table[rank, group]


@compiled
def of_ends(costs: Costs, block: Block, ends: Ints) -> int:
    """Compute the cost of the box between the lowest and the highest ends of all axes."""
    total = 0
    for axis in range(len(ends)):
        total += length(costs, block, axis, ends[axis, 0], ends[axis, 3])
    return total


@compiled
def shift(costs: Costs, block: Block, piece: int, rows: int, target: int) -> None:
    """Move some rows of a piece to another group, and survey both."""
    source = block.home[piece]
    there = block.head[target]
    while there != NONE and block.owner[there] != block.owner[piece]:
        there = block.after[there]
    if there == NONE:
        there = block.head[spare(block)]
        block.head[spare(block)] = block.after[there]
        copy(block.points[piece], block.points[there])
        block.worth[there] = block.worth[piece]
        block.held[there] = 0
        block.owner[there] = block.owner[piece]
        block.home[there] = target
        block.after[there] = block.head[target]
        block.head[target] = there
    block.held[there] += rows
    block.held[piece] -= rows
    if block.held[piece] == 0:
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
    block.after[piece] = block.head[spare(block)]
    block.head[spare(block)] = piece
