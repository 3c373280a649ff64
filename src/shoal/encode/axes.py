"""Axis: a quasi-identifier as an ordered line of codes.

A number, date or time without a hierarchy is a *line*: its code is the rank of its value, its loss
the share of the range. Everything else is a *tree*: its codes are the observed leaves in
depth-first order, its loss that of the lowest common ancestor. Either way a group is a box from
code `lo` to code `hi`. Missing is one more code beside the axis (`size`): alone it costs nothing,
mixed with anything it costs everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Counts, Floats, Ints
from shoal.declare.coding import Coding
from shoal.declare.columns import Kind, points_of
from shoal.declare.hierarchies.flat import Flat
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.tree import Tree
from shoal.encode.profile import Profile
from shoal.groups import Note


@dataclass(frozen=True)
class Axis:
    """A quasi-identifier: its values in axis order, and what lies between two of them."""

    name: str
    kind: Kind
    values: pa.Array
    counts: Counts
    points: Floats | None = None  # a line has points, of which differences matter ...
    tree: Tree | None = None  # ... and a tree has leaves
    leaf: Ints | None = None
    notices: tuple[Note, ...] = ()  # what the hierarchy's linter found and let pass
    coding: Coding | None = None  # the ends of a line may be open

    @property
    def size(self) -> int:
        """Count the codes; this number itself is the code of a missing value."""
        return len(self.values)

    @cached_property
    def range(self) -> float:
        """Measure from the least to the largest point of the table; 0 for a constant column."""
        return (
            float(self.points[-1] - self.points[0])
            if self.points is not None and self.size
            else 0.0
        )

    @cached_property
    def node(self) -> Ints:
        """Look up the ancestor of each observed leaf at each level: `node[level, code]`."""
        assert self.tree is not None and self.leaf is not None
        return np.ascontiguousarray(self.tree.node[:, self.leaf])

    @cached_property
    def runs(self) -> tuple[Ints, Ints]:
        """Find the first and the last observed code under each node of a tree.

        A node above none has a last of -1.
        """
        assert self.tree is not None
        codes = np.arange(self.size, dtype=np.int32)
        low, high = (np.full(len(self.tree.labels), end, np.int32) for end in (self.size, -1))
        for nodes in self.node:
            np.minimum.at(low, nodes, codes)
            np.maximum.at(high, nodes, codes)
        return low, high

    def ancestors(self, lo: AnyArray, hi: AnyArray) -> Ints:
        """Find the lowest common ancestor of each pair of codes (none of them missing)."""
        ancestor = self.node[-1][lo].astype(np.int32)
        for nodes in self.node[-2::-1]:
            ancestor = np.where(nodes[lo] == nodes[hi], nodes[lo], ancestor)
        return ancestor.astype(np.int32)

    def heights(self, lo: AnyArray, hi: AnyArray) -> Floats:
        """Compute the loss of each box from lo to hi, in [0, 1], by heights.

        It is the share of the range, or the height of the ancestor over that of the tree.
        """
        return self._losses(lo, hi, lambda tree: tree.height / max(int(tree.height[tree.root]), 1))

    def leaf_shares(self, lo: AnyArray, hi: AnyArray) -> Floats:
        """Compute the loss of each box from lo to hi, in [0, 1], by leaves.

        It is the share of the range, or (leaves under the ancestor - 1) / (leaves - 1).
        """
        return self._losses(
            lo, hi, lambda tree: (tree.leaf_count - 1) / max(len(tree.leaves) - 1, 1)
        )

    def _losses(self, lo: AnyArray, hi: AnyArray, of_nodes: object) -> Floats:
        lo = np.asarray(lo)
        hi = np.asarray(hi)
        losses = np.where((hi == self.size) & (lo < self.size), 1.0, 0.0)
        there = hi < self.size
        if self.points is not None:
            losses[there] = (self.points[hi[there]] - self.points[lo[there]]) / (self.range or 1.0)
        elif there.any():
            ancestors = self.ancestors(lo[there], hi[there])
            losses[there] = of_nodes(self.tree)[ancestors]  # type: ignore[operator]
        return losses


def _points(column: Profile) -> Floats:
    """Compute points of which the differences are right, for very large numbers too.

    Floats skip whole numbers beyond 2^53, and end at 1.8e308.
    """
    values = column.values
    if (
        pa.types.is_integer(values.type)
        and len(values)
        and max(-values[0].as_py(), values[-1].as_py()) > 2**53
    ):
        least = values[0].as_py()
        return np.array([float(value - least) for value in values.to_pylist()], np.float64)
    points = points_of(values, column.kind)
    with np.errstate(over="ignore"):
        return points if not len(points) or np.isfinite(points[-1] - points[0]) else points / 2


def axis_of(column: Profile, hierarchy: Hierarchy | None) -> tuple[Axis, Ints]:
    """Build the axis of a column; return it and the code of each row on it."""
    if hierarchy is None and column.kind != "category":
        return _line_of(column), column.codes
    fitted = (hierarchy or Flat()).fit(column.values, column.kind, column.name, column.counts)
    order = np.argsort(fitted.leaf, kind="stable")
    rank = np.empty(column.size + 1, np.int32)
    rank[order] = np.arange(column.size, dtype=np.int32)
    rank[column.size] = column.size
    axis = Axis(
        column.name,
        column.kind,
        column.values.take(pa.array(order)),
        column.counts[order],
        tree=fitted.tree,
        leaf=fitted.leaf[order],
        notices=fitted.notices,
    )
    return axis, rank[column.codes]


def _line_of(column: Profile) -> Axis:
    """Build the axis of numbers, dates or times, in the order of their points."""
    return Axis(
        column.name,
        column.kind,
        column.values,
        column.counts,
        points=_points(column),
        coding=column.coding,
    )
