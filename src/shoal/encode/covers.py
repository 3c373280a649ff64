"""Covers: divisions of an axis such that every box on it lies inside a part that costs no more.

A tree has its levels. A line has its values as they are, at no cost; then, for boxes wider than
some width and at most twice as wide, intervals wide enough to hold any of them, beginning at every
SHIFTS-th part of that width and charged as the narrowest; and everything. A missing value is a part
of its own, or lies with everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.arrays import AnyArray, Longs
from shoal.encode.axes import Axis
from shoal.kernels.costs import Costs, packed
from shoal.kernels.partition.cheapest import Covers

SHIFTS = 2
NARROWEST = 32  # the share of the range, inverted, below which widths are not told apart

Cover = tuple[AnyArray, AnyArray]  # the part of each code, and what it costs


def order_of(axes: Sequence[Axis], rows: int) -> list[int]:
    """Order the axes for a walk: those whose values are shared by fewest rows first.

    That leaves parts soonest. The line with most values comes last.
    """
    lines = [a for a, axis in enumerate(axes) if axis.points is not None]
    window = max(lines, key=lambda a: axes[a].size, default=None)

    def alike(a: int) -> int:
        return int((axes[a].counts ** 2).sum() + (rows - axes[a].counts.sum()) ** 2)

    order = sorted((a for a in range(len(axes)) if a != window), key=alike)
    return order if window is None else [*order, window]


def covers_of(axes: Sequence[Axis], costs: Costs, rows: int) -> Covers:
    """Compute the covers of all axes; none for the last one if it is a line."""
    divided = axes[:-1] if axes[-1].points is not None else axes
    covers = [
        list(_covers(axis, place, costs, int(axis.counts.sum()) < rows))
        for place, axis in enumerate(divided)
    ]
    part, at = packed([np.array([part for part, _ in some]).ravel() for some in covers])
    charge, _ = packed([np.array([charge for _, charge in some]).ravel() for some in covers])
    return Covers(part, charge, at, np.array([len(some) for some in covers], np.int32))


def _covers(axis: Axis, place: int, costs: Costs, missing: bool) -> Iterator[Cover]:
    """List the covers of one axis, a missing value beside them."""
    for part, charge in (
        _of_line(axis, place, costs) if axis.points is not None else _of_tree(axis, place, costs)
    ):
        yield np.append(part, part.max(initial=-1) + 1), np.append(charge, 0)
    if missing:
        yield np.zeros(axis.size + 1), np.full(axis.size + 1, costs.full[place])


def _of_tree(axis: Axis, place: int, costs: Costs) -> Iterator[Cover]:
    node_costs = costs.cost[costs.cost_at[place] :]
    for nodes in axis.node:
        yield np.cumsum(np.append(False, nodes[1:] != nodes[:-1]))[: axis.size], node_costs[nodes]


def _of_line(axis: Axis, place: int, costs: Costs) -> Iterator[Cover]:
    position: Longs = costs.position[costs.position_at[place] :][: axis.size].astype(np.int64)
    yield np.arange(axis.size), np.zeros(axis.size)
    if axis.size < 2:
        return
    charge = int(np.diff(position).min())
    width = max(charge, int(costs.full[place]) // NARROWEST, 1)
    while width < position[-1]:
        step = -(-width // SHIFTS)
        for shift in range(SHIFTS + 1):
            yield (position + shift * step) // (step * (SHIFTS + 1)), np.full(axis.size, charge)
        charge = width + 1
        width = 2 * width
    yield np.zeros(axis.size), np.full(axis.size, charge)
