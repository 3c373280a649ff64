"""Weighing: the cost of a neighbourhood under each loss, for `kernels/overlap/gathering`.

    height, leaf-share, non-uniform-entropy   the box around it
    loss-metric     share of the range of a number; (different leaves that it holds - 1) / (leaves
                    of the tree - 1)
    squared-error   squared distances of its rows to their mean, numbers as shares of their range;
                    numbers alone

None falls when a row joins, which the search leans on. Other figures are no losses to choose by:
`discernibility` and `average-group-size` depend on how many rows there are, so that any row would
do; `entropy-loss` and `classification-metric` can fall when a row joins. `total-information-loss`
and `height-share` are what `height` minimizes.

Under `squared-error` a missing number stands at the mean of the table, and on a line of its own one
range away from all others. Importance multiplies squared distances. Positions are rounded to so
many bits that k times the squares of k rows fit into a whole number: 20, unless k or the number of
columns is large. Repairs weigh boxes under every loss; under these two by the range, and by the
leaves under the common ancestor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shoal.arrays import AnyArray, Codes, Floats, Ints
from shoal.encode.axes import Axis
from shoal.encode.costs import BOX_LOSSES
from shoal.encode.rows import Rows
from shoal.errors import RecipeError
from shoal.kernels.costs import UNIT, Costs, packed
from shoal.kernels.overlap.gathering import POINT, SET
from shoal.wording import Remedy, Set

LOSSES = (*BOX_LOSSES, "loss-metric", "squared-error")
BITS = 20  # of a position: as everywhere
ROOM = 62  # bits of a whole number


def weighed(rows: Rows, codes: Codes, k: int) -> tuple[Costs, Ints]:
    """Return the costs of neighbourhoods of k, and tuples as they are weighed: [tuple, axis].

    Tuples are given as `codes[axis, tuple]`.
    """
    if rows.loss == "squared-error":
        points = _points(rows, codes, k)
        return rows.costs._replace(shape=np.full(points.shape[1], POINT, np.int32)), points
    if rows.loss == "loss-metric":
        return _of_sets(rows), np.ascontiguousarray(_leaves(rows.axes, codes).T)
    return rows.costs, np.ascontiguousarray(codes.T)


def _of_sets(rows: Rows) -> Costs:
    """Make costs by which trees charge for each different leaf."""
    parts = [_steps(axis, full) for axis, full in zip(rows.axes, rows.costs.full, strict=True)]
    shape = [
        SET if axis.tree is not None else at
        for axis, at in zip(rows.axes, rows.costs.shape, strict=True)
    ]
    cost, cost_at = packed(parts)
    return rows.costs._replace(shape=np.array(shape, np.int32), cost=cost, cost_at=cost_at)


def _steps(axis: Axis, full: int) -> Floats:
    """List the cost of one leaf, of two, and so on; empty for a line, which has no leaves."""
    if axis.tree is None:
        return np.zeros(0)
    return np.round(np.arange(axis.size) / max(len(axis.tree.leaves) - 1, 1) * full)


def _leaves(axes: Sequence[Axis], codes: Codes) -> Codes:
    """Replace every code by the first code of its leaf."""
    first = [
        np.arange(axis.size) if axis.leaf is None else np.searchsorted(axis.leaf, axis.leaf)
        for axis in axes
    ]
    return np.array(
        [
            np.append(first_codes, axis.size)[on]
            for first_codes, axis, on in zip(first, axes, codes, strict=True)
        ],
        np.int32,
    )


def _points(rows: Rows, codes: Codes, k: int) -> Ints:
    """Convert tuples to positions on each axis, with a further line for missing values."""
    trees = [axis.name for axis in rows.axes if axis.tree is not None]
    if trees:
        raise RecipeError(
            f"method 'nsvdist' minimizes squared error on numbers alone, and '{trees[0]}' is none",
            {"columns that are no numbers": ", ".join(trees)},
            Remedy(Set("loss", "loss-metric", "another loss"), Set("loss", "height")),
        )
    bits = min(BITS, (ROOM - (2 * len(rows.axes) * k * k).bit_length()) // 2)
    lines: list[AnyArray] = []
    for axis, on, full in zip(rows.axes, codes, rows.costs.full, strict=True):
        unit = math.sqrt(full / UNIT) * (1 << bits)
        points = _positions(axis, unit)
        lines.append(points[on])
        if (on == axis.size).any():
            lines.append(np.where(on == axis.size, round(unit), 0))
    return np.ascontiguousarray(np.array(lines, np.int32).T)


def _positions(axis: Axis, unit: float) -> AnyArray:
    """Compute the position of each code; missing comes last, at the mean of the others."""
    assert axis.points is not None
    if not axis.size:
        return np.zeros(1, np.int64)
    places = np.round((axis.points - axis.points[0]) / (axis.range or 1.0) * unit).astype(np.int64)
    return np.append(places, int(places @ axis.counts) // max(int(axis.counts.sum()), 1))
