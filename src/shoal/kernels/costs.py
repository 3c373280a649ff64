"""Costs of boxes on each axis, in integers: UNIT is everything on an axis of importance 1.

Integers choose, floats report: sums of integers are the same on every machine and in every order,
so labels are too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import AnyArray, Ints, Longs
from shoal.kernels.jit import compiled

UNIT = 1 << 20
# a difference of positions; the cost of a common ancestor; a table over row counts
LINE = 0
TREE = 1
LOG = 2


class Costs(NamedTuple):
    """Costs of all axes, packed into flat arrays: axis a reads from `..._at[a]` on.

    Code `size[a]` means missing.
    """

    shape: Ints  # [axes]: LINE, TREE or LOG
    size: Ints  # [axes]: how many codes, missing not among them
    full: Ints  # [axes]: cost of everything, and of missing mixed with anything
    position: Ints  # LINE: position of each code; LOG: rows before each code, one more at the end
    position_at: Longs
    levels: Ints  # [axes]
    node: Ints  # TREE: node[level * size + code]
    node_at: Longs
    cost: Ints  # TREE: cost of each node; LOG: cost of so many rows
    cost_at: Longs


@compiled
def between(costs: Costs, axis: int, lo: int, hi: int) -> int:
    """Compute the cost of the box from code lo to code hi on one axis."""
    size = costs.size[axis]
    if hi == size:
        return 0 if lo == size else costs.full[axis]
    if costs.shape[axis] == LINE:
        at = costs.position_at[axis]
        return costs.position[at + hi] - costs.position[at + lo]
    if costs.shape[axis] == LOG:
        at = costs.position_at[axis]
        return costs.cost[
            costs.cost_at[axis] + costs.position[at + hi + 1] - costs.position[at + lo]
        ]
    at = costs.node_at[axis]
    while costs.node[at + lo] != costs.node[at + hi]:
        at += size
    return costs.cost[costs.cost_at[axis] + costs.node[at + lo]]


@compiled
def fill_increments(costs: Costs, axis: int, lo: int, hi: int, out: Ints) -> None:
    """Compute the cost of a box after each code, missing included, has joined it, into `out`."""
    for code in range(costs.size[axis] + 1):
        out[code] = between(costs, axis, min(lo, code), max(hi, code))


@compiled
def of_box(costs: Costs, lo: Ints, hi: Ints) -> int:
    """Compute the cost of a box over all axes."""
    total = 0
    for axis in range(len(lo)):
        total += between(costs, axis, lo[axis], hi[axis])
    return total


@compiled
def of_union(costs: Costs, lo: Ints, hi: Ints, other_lo: Ints, other_hi: Ints) -> int:
    """Compute the cost of the smallest box around two boxes."""
    total = 0
    for axis in range(len(lo)):
        total += between(costs, axis, min(lo[axis], other_lo[axis]), max(hi[axis], other_hi[axis]))
    return total


@compiled
def boxes(codes: Ints, labels: Ints, count: int) -> tuple[Ints, Ints]:
    """Compute the least box of each group: lo[axis, group] and hi[axis, group]."""
    lo = np.full((codes.shape[0], count), np.int32(2**31 - 1), np.int32)
    hi = np.full((codes.shape[0], count), np.int32(-1), np.int32)
    for axis in range(codes.shape[0]):
        for row in range(codes.shape[1]):
            group = labels[row]
            if group >= 0:
                code = codes[axis, row]
                lo[axis, group] = min(lo[axis, group], code)
                hi[axis, group] = max(hi[axis, group], code)
    return lo, hi


def packed(parts: list[AnyArray]) -> tuple[Ints, Longs]:
    """Lay arrays end to end; return them and where each begins."""
    starts = np.cumsum([0] + [len(part) for part in parts])[:-1]
    flat = np.concatenate(parts) if parts else np.zeros(0)
    return flat.astype(np.int32), starts.astype(np.int64)


def among(costs: Costs, codes: AnyArray) -> tuple[Costs, Ints]:
    """Shorten the lines of a few rows to the values that they have; return costs and codes.

    Codes are [axes, rows].

    Boxes of the rows cost what they did, and tables over all values of a line cost less to fill.
    """
    size = costs.size.copy()
    positions = []
    shorter = codes.copy()
    for axis, line in enumerate(codes):
        at = costs.position_at[axis]
        until = len(costs.position) if axis + 1 == len(codes) else costs.position_at[axis + 1]
        positions.append(costs.position[at:until])
        if costs.shape[axis] == LINE:
            # Missing stays the last code.
            held, ranks = np.unique(np.append(line, costs.size[axis]), return_inverse=True)
            size[axis] = len(held) - 1
            shorter[axis] = ranks[:-1]
            positions[axis] = positions[axis][held[:-1]]
    position, position_at = packed(positions)
    return costs._replace(size=size, position=position, position_at=position_at), shorter
