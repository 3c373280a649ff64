"""A neighbourhood as it grows, and its cost with one more row, in integers.

It is weighed on each axis by the axis' shape:

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
# Ends and cost; of a POINT: rows, sums, the whole number next to the mean.
KNOWN = 7
LO, HI, HERE, SIZE, SUM, SQUARES, MIDDLE = range(KNOWN)


@compiled
def begin(costs: Costs, near: Longs, held: Ints, codes: Ints) -> None:
    """Begin a neighbourhood with one row: fill in `near[KNOWN, axes]` and `held`.

    `held[axis]` is how many different codes it holds, and then these.
    """
    near[:] = 0
    held[:, 0] = 0
    for axis in range(len(codes)):
        near[LO, axis] = near[HI, axis] = codes[axis]
        _weigh(costs, near, held, axis, codes[axis])


@compiled
def join(costs: Costs, near: Longs, held: Ints, codes: Ints) -> bool:
    """Let a row join; tell whether anything may cost more with the neighbourhood than before."""
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
    """Update one axis for a new code, within its new ends."""
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
    """Compute the least cost of the neighbourhood with something between two corners in it."""
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
    """Tell whether one of the codes that are held lies between two."""
    for place in range(1, held[axis, 0] + 1):
        if low <= held[axis, place] <= high:
            return True
    return False
