"""Levels: the steps by which an axis can be generalized, and what each costs a row on average.

A tree has the levels of its hierarchy. A line has its values as they are, then intervals of 3, 6,
12 ... times its resolution (the smallest gap between two values), counted from its lowest value,
and everything. Where that would be more than MOST_WIDTHS intervals, the narrowest are left out:
what they could save is a share of the range too small to matter. A missing value stands apart on
every level but the last, which is added where any value is missing.

The cost of a level is the mean over all rows of what the part costs that they fall into, as an
integer, under whatever loss is minimized: the cost of a node of the tree, or that of an interval
from its lowest to its highest value in the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Counts, Ints, Longs
from shoal.encode.axes import Axis
from shoal.encode.rows import Rows
from shoal.kernels.costs import Costs
from shoal.kernels.partition.peel import cost_of_parts

NARROWEST = 3  # times the resolution: the first interval of a line
MOST_WIDTHS = 7  # so that the narrowest interval is at least a hundredth or so of the range


@dataclass(frozen=True)
class Levels:
    """Levels of an axis: `parts[level, code]`, missing being the last code, and their mean costs.

    Costs rise from level to level.
    """

    parts: Ints
    costs: Longs

    def __len__(self) -> int:
        return len(self.costs)


def levels_of(rows: Rows) -> list[Levels]:
    """List the levels of all axes."""
    return [_on_axis(axis, place, rows) for place, axis in enumerate(rows.axes)]


def _on_axis(axis: Axis, place: int, rows: Rows) -> Levels:
    """List the levels of the axis in this place, from its values as they are to everything.

    Levels that change nothing are left out. Rows are counted by their codes: where each of them
    represents a person, the axis counts all rows of those persons.
    """
    costs = rows.costs
    counts = np.bincount(rows.codes[place], minlength=axis.size + 1).astype(np.int64)
    steps = list(
        _of_tree(axis, place, costs, counts)
        if axis.points is None
        else _of_line(axis, place, costs, counts)
    )
    if counts[-1] and axis.size:
        steps.append((np.zeros(axis.size + 1, np.int32), int(costs.full[place]) * rows.count))
    kept = [
        i for i in range(len(steps)) if i == 0 or not np.array_equal(steps[i][0], steps[i - 1][0])
    ]
    return Levels(
        np.array([steps[i][0] for i in kept], np.int32),
        np.array([steps[i][1] // rows.count for i in kept], np.int64),
    )


def _of_tree(axis: Axis, place: int, costs: Costs, counts: Counts) -> Iterator[tuple[Ints, int]]:
    """List the parts of each level, and what all rows pay together."""
    node_costs = costs.cost[costs.cost_at[place] :]
    for nodes in axis.node:
        yield _numbered(nodes), int((node_costs[nodes] * counts[:-1]).sum())


def _of_line(axis: Axis, place: int, costs: Costs, counts: Counts) -> Iterator[tuple[Ints, int]]:
    """List the parts of each level of a line, and what all rows pay together."""
    assert axis.points is not None
    parts = [
        np.arange(axis.size),
        *(np.floor((axis.points - axis.points[:1]) / width) for width in widths(axis)),
    ]
    for part in [*parts, np.zeros(axis.size)]:
        numbered = _numbered(part)
        yield numbered, cost_of_parts(costs, place, numbered, counts)


def widths(axis: Axis) -> list[float]:
    """List the widths of a line's intervals, each twice as wide as the one before.

    All are narrower than the range.
    """
    assert axis.points is not None
    gaps = np.diff(axis.points)
    # Numbers beyond 2^53 may differ and share a point: no doubling makes a width of 0 wider.
    gaps = gaps[gaps > 0]
    if axis.size < 3 or not len(gaps):
        return []
    doubling = []
    width = NARROWEST * float(gaps.min())
    while width < axis.range:
        doubling.append(width)
        width *= 2
    return doubling[-MOST_WIDTHS:]


def _numbered(part: AnyArray) -> Ints:
    """Number parts in the order of the axis; that of the missing value comes last."""
    begins = np.append(part[1:] != part[:-1], True) if len(part) else np.zeros(0)
    return np.concatenate(([0], np.cumsum(begins))).astype(np.int32)
