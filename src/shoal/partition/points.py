"""Points: rows as the methods with centres see them, in a space that has distances on lines and on trees.

Distances are the integer costs of the axes: a number's share of the range, a category's lowest common ancestor (height, or
share of leaves, as the loss has it), times importance. Equal rows are one point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Floats, Ints, Longs
from shoal.encode.axes import axis_of
from shoal.encode.costs import costs_of
from shoal.encode.rows import Distinct, Rows
from shoal.groups import Groups, Watch
from shoal.kernels import centroids as kernels
from shoal.kernels.costs import TREE, Costs

BREATH = 200_000_000  # comparisons between two looks at the watch: a fraction of a second
LOSSES = ("height", "leaf-share")  # those that are distances on every axis


@dataclass(frozen=True)
class Ruler:
    """One axis: positions of a line, or for each step of a tree the node and cost of each code; missing is the last code."""

    full: int
    position: AnyArray | None
    node: AnyArray
    cost: AnyArray


@dataclass(frozen=True)
class Points:
    """Every different row once, and which of them each row is."""

    rulers: Sequence[Ruler]
    codes: Ints  # [axes, tuples]
    tuples: Ints  # [rows]

    @classmethod
    def of(cls, rows: Rows, *, sensitive: bool = False) -> Points:
        """Rows by their quasi-identifiers; or by their sensitive columns too, each as important as any."""
        beside = [axis_of(column, None) for column in rows.sensitive] if sensitive else []
        costs = costs_of([axis for axis, _ in beside], "height", {})
        codes = np.concatenate([rows.codes, np.array([codes for _, codes in beside], np.int32).reshape(-1, rows.count)])
        rulers = [_ruler(rows.costs, a) for a in range(len(rows.axes))] + [_ruler(costs, a) for a in range(len(beside))]
        distinct = Distinct.of(codes, [len(ruler.node[0]) for ruler in rulers]) if beside else rows.distinct
        tuples = np.empty(rows.count, np.int32)
        tuples[distinct.order] = np.repeat(np.arange(len(distinct.counts), dtype=np.int32), distinct.counts)
        return cls(rulers, distinct.codes, tuples)

    @property
    def lines_first(self) -> Longs:
        """The axes in the order of the space: lines, then trees."""
        return np.argsort([ruler.position is None for ruler in self.rulers], kind="stable")

    def space(self, weights: Floats | None = None) -> kernels.Space:
        """The space of the kernels; weights of axes stretch it."""
        weights = np.ones(len(self.rulers)) if weights is None else weights
        lines = [a for a, ruler in enumerate(self.rulers) if ruler.position is not None]
        trees = [a for a, ruler in enumerate(self.rulers) if ruler.position is None]
        columns = [stretched(self.rulers[a].position, weights[a])[self.codes[a]] for a in lines]
        nodes = [self.rulers[a].node for a in trees]
        widths = [node.shape[1] for node in nodes for _ in node]
        full = _stretched([ruler.full for ruler in self.rulers], weights)
        gains = [np.diff(stretched(self.rulers[a].cost, weights[a]), axis=0, append=[[full[a]]] * widths) for a in trees]
        return kernels.Space()
