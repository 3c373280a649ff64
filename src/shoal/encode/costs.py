"""Integer costs of the axes, under a loss that is a function of the box.

These losses are `span`, `height`, `leaf-share` and `non-uniform-entropy`. Where another loss was
asked for (`loss-metric`, `squared-error`), boxes are weighed by `leaf-share`: the range of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.arrays import AnyArray, Floats
from shoal.encode.axes import Axis
from shoal.errors import RecipeError
from shoal.kernels.costs import LINE, LOG, TREE, UNIT, Costs, packed

BOX_LOSSES = ("span", "height", "leaf-share", "non-uniform-entropy")
MOST_AXES = 2000  # so that the cost of a box stays below 2^31


def costs_of(axes: Sequence[Axis], loss: str, importance: Mapping[str, float]) -> Costs:
    """Compute the costs of all axes for the kernels.

    The most important column counts UNIT, the others their share of it.
    """
    if len(axes) > MOST_AXES:
        raise RecipeError(
            f"{len(axes):,} quasi-identifiers are more than {MOST_AXES:,}", remedy="choose fewer"
        )
    weights = np.array([float(importance.get(axis.name, 1.0)) for axis in axes])
    full = np.round(UNIT * weights / max(weights.max(initial=0.0), 1e-300)).astype(np.int32)
    line = LOG if loss == "non-uniform-entropy" else LINE
    shapes = [TREE if axis.tree is not None else line for axis in axes]
    position, position_at = packed(
        [
            _positions(axis, shape, of_axis)
            for axis, shape, of_axis in zip(axes, shapes, full, strict=True)
        ]
    )
    node, node_at = packed(
        [axis.node.ravel() if axis.tree is not None else np.zeros(0) for axis in axes]
    )
    cost, cost_at = packed(
        [np.round(_shares(axis, loss) * f) for axis, f in zip(axes, full, strict=True)]
    )
    return Costs(
        shape=np.array(shapes, np.int32),
        size=np.array([axis.size for axis in axes], np.int32),
        full=full,
        position=position,
        position_at=position_at,
        levels=np.array(
            [len(axis.node) if axis.tree is not None else 0 for axis in axes], np.int32
        ),
        node=node,
        node_at=node_at,
        cost=cost,
        cost_at=cost_at,
    )


def _positions(axis: Axis, shape: int, full: int) -> AnyArray:
    """Compute where each code stands on a line; under entropy, how many rows come before it."""
    if shape == LOG:
        return np.concatenate(([0], np.cumsum(axis.counts)))
    if shape == TREE or axis.points is None or not axis.size:
        return np.zeros(0)
    return np.round((axis.points - axis.points[0]) / (axis.range or 1.0) * full)


def _shares(axis: Axis, loss: str) -> Floats:
    """Compute the cost in [0, 1] of each node of a tree, or of each number of rows on a line.

    Lines have such costs under entropy alone.
    """
    if loss == "non-uniform-entropy":
        return _log_shares(axis)
    if axis.tree is None:
        return np.zeros(0)
    return axis.shares(loss if loss in BOX_LOSSES else "leaf-share")


def _log_shares(axis: Axis) -> Floats:
    """Compute log2 of the rows inside a box, from 0 for the rarest value to 1 for everything.

    The entropy of a group is its size times log2 P(box), less a sum over its rows that no grouping
    changes: so that sum is left out, and what remains is a function of the box that grows with it.
    """
    if axis.tree is None:
        rows = np.arange(int(axis.counts.sum()) + 1)
    else:
        rows = np.zeros(len(axis.tree.labels), np.int64)
        for level, nodes in enumerate(axis.node):
            new = np.ones(axis.size, np.bool_) if level == 0 else nodes != axis.node[level - 1]
            np.add.at(rows, nodes[new], axis.counts[new])
    least = max(int(axis.counts.min(initial=1)), 1)
    widest = np.log2(max(int(axis.counts.sum()), 1) / least) or 1.0
    return np.asarray(np.log2(np.maximum(rows, least) / least) / widest, np.float64)
