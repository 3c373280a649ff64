"""Points: rows as the methods with centres see them, with distances on lines and on trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Codes, Floats, Ints, Longs
from shoal.encode.axes import axis_of
from shoal.encode.costs import costs_of
from shoal.encode.rows import Distinct, Rows
from shoal.kernels.costs import TREE, Costs
from shoal.kernels.partition.centroids import MISSING, TupleSpace

LOSSES = ("span", "height", "leaf-share")  # those that are distances on lines as well


@dataclass(frozen=True)
class Ruler:
    """An axis: positions on a line, or for each step up a tree the node and cost of each code.

    Missing is the last code.
    """

    full: int
    position: Longs | None
    node: Longs  # [steps, codes]
    cost: Longs

    def stretched(self, weight: float) -> Ruler:
        """Multiply all distances of the axis, rounded to whole numbers."""
        position = (
            None
            if self.position is None
            else np.append(_times(self.position[:-1], weight), np.int64(MISSING))
        )
        return Ruler(
            int(_times(np.array(self.full), weight)), position, self.node, _times(self.cost, weight)
        )

    @property
    def gain(self) -> Longs:
        """Compute how much nearer two codes are that share this node, not only the next one up."""
        return np.diff(self.cost, axis=0, append=np.full((1, self.cost.shape[1]), self.full))


@dataclass(frozen=True)
class Points:
    """Every different row once, and which of them each row is."""

    rulers: tuple[Ruler, ...]
    codes: Codes  # [axes, tuples]
    tuples: Ints  # [rows]

    @classmethod
    def of(cls, rows: Rows, *, sensitive: bool = False) -> Points:
        """Place rows by their quasi-identifiers, or by their sensitive columns too.

        A sensitive column is then as important as the most important one.
        """
        beside = [axis_of(column, None) for column in rows.sensitive] if sensitive else []
        costs = costs_of([axis for axis, _ in beside], "height", {})
        rulers = [_ruler(rows.costs, a) for a in range(len(rows.axes))] + [
            _ruler(costs, a) for a in range(len(beside))
        ]
        codes = np.concatenate([rows.codes, *(codes[None] for _, codes in beside)])
        sizes = [axis.size + 1 for axis in (*rows.axes, *(axis for axis, _ in beside))]
        distinct = Distinct.of(codes, sizes) if beside else rows.distinct
        tuples = np.empty(rows.count, np.int32)
        tuples[distinct.order] = np.repeat(np.arange(len(distinct.counts)), distinct.counts)
        return cls(tuple(rulers), distinct.codes, tuples)

    @property
    def lines(self) -> list[int]:
        """List the axes that are lines; the space has them first."""
        return [a for a, ruler in enumerate(self.rulers) if ruler.position is not None]

    @property
    def trees(self) -> list[int]:
        """List the axes that are trees."""
        return [a for a, ruler in enumerate(self.rulers) if ruler.position is None]

    def space(self, weights: Floats | None = None) -> TupleSpace:
        """Build the space of the kernels; weights of axes stretch it."""
        rulers = self.rulers
        if weights is not None:
            rulers = tuple(r.stretched(w) for r, w in zip(self.rulers, weights, strict=True))
        lines = [rulers[a].position[self.codes[a]] for a in self.lines]  # type: ignore[index]
        trees = [rulers[a] for a in self.trees]
        tuples = self.codes.shape[1]
        return TupleSpace(
            lines=np.ascontiguousarray(np.array(lines, np.int32).reshape(-1, tuples).T),
            reach=np.array([rulers[a].full for a in self.lines], np.int32),
            leaves=np.ascontiguousarray(self.codes[self.trees].T),
            codes=_ends([tree.node.shape[1] for tree in trees]),
            full=np.array([tree.full for tree in trees], np.int32),
            steps=_ends([len(tree.node) for tree in trees]),
            at=_ends([tree.node.shape[1] for tree in trees for _ in tree.node])[:-1],
            node=_laid_out([tree.node for tree in trees]),
            gain=_laid_out([tree.gain for tree in trees]),
        )


def _ruler(costs: Costs, a: int) -> Ruler:
    size = int(costs.size[a])
    full = int(costs.full[a])
    if costs.shape[a] != TREE:
        position = costs.position[costs.position_at[a] :][:size].astype(np.int64)
        return Ruler(
            full,
            np.append(position, MISSING),
            np.zeros((0, size + 1), np.int64),
            np.zeros((0, size + 1), np.int64),
        )
    levels = int(costs.levels[a])
    node = costs.node[costs.node_at[a] :][: levels * size].reshape(levels, size).astype(np.int64)
    cost = costs.cost[costs.cost_at[a] + node].astype(np.int64)
    # Missing has a node of its own: it shares nothing.
    alone = np.full((len(node), 1), node.max(initial=-1) + 1)
    return Ruler(full, None, np.hstack([node, alone]), np.hstack([cost, np.zeros_like(alone)]))


def _times(values: AnyArray, weight: float) -> Longs:
    return np.rint(values * weight).astype(np.int64)


def _ends(lengths: list[int]) -> Longs:
    return np.cumsum([0, *lengths]).astype(np.int64)


def _laid_out(parts: list[Longs]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *(part.ravel() for part in parts)]).astype(
        np.int32
    )
