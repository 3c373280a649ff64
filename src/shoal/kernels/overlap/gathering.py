"""A neighbourhood as it grows, and what it costs with one more, in integers. It is weighed on each
axis by the axis' shape:

    LINE, TREE, LOG   what the box around it costs (see `costs`)
    SET               so much for each different code that it holds: `cost[number - 1]`; missing
                      beside others costs all
    POINT             squared distances of its rows to their mean, times its rows: a whole number,
                      where codes are positions

None of these falls when a row joins: so what something would have cost earlier is never more than
what it costs now. What is known of a neighbourhood stands in one array, `near[LO, axis]` and so on,
and the codes that it holds in another: many small arrays would make each call slow.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled

# beside the shapes of axes on which boxes are weighed
SET = 3
POINT = 4
LO, HI, HERE, SIZE, SUM, SQUARES, MIDDLE = range(
    7
)  # ends and cost; of a POINT: rows, sums, the whole number next to the mean
KNOWN = 7


@compiled
def begin(costs: Costs, near: Longs, held: Ints, codes: Ints) -> None:
    """A neighbourhood of one row: `near[KNOWN, axes]`; `held[axis]` is how many different codes it
    holds, and these.
    """
    near[:] = 0
    held[:, 0] = 0
    for axis in range(len(codes)):
        near[LO, axis] = near[HI, axis] = codes[axis]
        _weigh(costs, near, held, axis, codes[axis])


@compiled
def join(costs: Costs, near: Longs, held: Ints, codes: Ints) -> bool:
    """Let a row join; say whether anything may cost more with the neighbourhood than it did
    before.
    """
    changed = False
    for axis in range(len(codes)):
        code = codes[axis]
        shape = costs.shape[axis]
        known = (
            holds(held, axis, code, code)
            if shape == SET
            else near[LO, axis] <= code <= near[HI, axis]
        )
        if shape == POINT or not known:
            near[LO, axis] = min(near[LO, axis], code)
            near[HI, axis] = max(near[HI, axis], code)
            _weigh(costs, near, held, axis, code)
            changed = True
    return changed


@compiled
def _weigh(costs: Costs, near: Longs, held: Ints, axis: int, code: int) -> None:
    """What a new code changes on one axis, within its new ends."""
    if costs.shape[axis] == POINT:
        near[SIZE, axis] += 1
        near[SUM, axis] += code
        near[SQUARES, axis] += np.int64(code) * code
        near[MIDDLE, axis] = (2 * near[SUM, axis] + near[SIZE, axis]) // (2 * near[SIZE, axis])
    elif costs.shape[axis] == SET and near[HI, axis] < costs.size[axis]:
        near[HERE, axis] = costs.cost[costs.cost_at[axis] + held[axis, 0]]
        held[axis, 0] += 1
        held[axis, held[axis, 0]] = code
    else:
        near[HERE, axis] = between(costs, axis, near[LO, axis], near[HI, axis])


@compiled
def cost_with(costs: Costs, near: Longs, held: Ints, low: Ints, high: Ints) -> int:
    """The least cost of the neighbourhood after something between two corners has joined it."""
    total = 0
    for axis in range(len(low)):
        shape = costs.shape[axis]
        missing = costs.size[axis]
        if shape == POINT:
            point = min(max(near[MIDDLE, axis], low[axis]), high[axis])
            sum_with = near[SUM, axis] + point
            total += (near[SIZE, axis] + 1) * (
                near[SQUARES, axis] + point * point
            ) - sum_with * sum_with
        elif shape == SET and near[HI, axis] < missing and low[axis] < missing:
            if holds(held, axis, low[axis], high[axis]):
                total += near[HERE, axis]
            else:
                total += costs.cost[costs.cost_at[axis] + held[axis, 0]]
        elif low[axis] > near[HI, axis]:
            total += between(costs, axis, near[LO, axis], low[axis])
        elif high[axis] < near[LO, axis]:
            total += between(costs, axis, high[axis], near[HI, axis])
        else:
            total += near[HERE, axis]
    return int(total)


@compiled
def holds(held: Ints, axis: int, low: int, high: int) -> bool:
    """Whether one of the codes that are held lies between two."""
    for place in range(1, held[axis, 0] + 1):
        if low <= held[axis, place] <= high:
            return True
    return False
