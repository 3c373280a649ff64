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
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Counts, Floats, Ints
from shoal.declare.banded import BandCoding, no_steps_over
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
    of_codes: bool = False  # values of the tree are codes, whatever their type
    upper: pa.Array | None = None  # where the band of each value ends, if values are bands
    highest: int | None = None
    """The last row of `node` that may be published; None where `*` may. `node` begins with the
    lowest level that may be, so that both are the range of a method which chooses levels."""

    @property
    def size(self) -> int:
        """Count the codes; this number itself is the code of a missing value."""
        return len(self.values)

    @cached_property
    def range(self) -> float:
        """Measure from the least to the largest point of the table; 0 for a constant column."""
        if self.points is None or not self.size:
            return 0.0
        return float(self.ends[-1] - self.points[0])

    @cached_property
    def ends(self) -> Floats:
        """Find the last point of each code of a line: its own, or that of its band."""
        assert self.points is not None
        if self.upper is None:
            return self.points
        offset = self.points - points_of(self.values, self.kind)
        return np.asarray(points_of(self.upper, self.kind) + offset, np.float64)

    @cached_property
    def parts(self) -> Ints | None:
        """Number the widest cell of each code, missing last; rows of two never share a group.

        None where a cell may be as wide as the column. Numbers rise along the axis.
        """
        if self.highest is not None:
            cells = self.node[self.highest]
        elif self.coding is not None and self.coding.most is not None:
            begins = self.coding.most.lower(self.values)
            cells = points_of(begins, self.kind)
        else:
            return None
        steps = np.append(cells[1:] != cells[:-1], True) if self.size else np.zeros(0, np.bool_)
        return np.concatenate(([0], np.cumsum(steps))).astype(np.int32)

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
        return self._losses(lo, hi, "height")

    def leaf_shares(self, lo: AnyArray, hi: AnyArray) -> Floats:
        """Compute the loss of each box from lo to hi, in [0, 1], by leaves.

        It is the share of the range, or (leaves under the ancestor - 1) / (leaves - 1).
        """
        return self._losses(lo, hi, "leaf-share")

    def spans(self, lo: AnyArray, hi: AnyArray) -> Floats:
        """Compute the loss of each box from lo to hi, in [0, 1], by widths where there is an order.

        It is the share of the range, also under a hierarchy; for categories that by heights.
        """
        return self._losses(lo, hi, "span")

    def shares(self, loss: str) -> Floats:
        """Compute the loss in [0, 1] of each node of a tree: `height`, `leaf-share` or `span`."""
        assert self.tree is not None
        if loss == "leaf-share":
            return np.asarray((self.tree.leaf_count - 1) / max(len(self.tree.leaves) - 1, 1))
        if loss == "span" and self._widths is not None:
            return self._widths
        return np.asarray(self.tree.height / max(int(self.tree.height[self.tree.root]), 1))

    @property
    def spans_nodes(self) -> bool:
        """Tell whether nodes of a hierarchy have a width, so that `span` differs from `height`."""
        return self.tree is not None and self._widths is not None

    @cached_property
    def _widths(self) -> Floats | None:
        """Measure the share of the range that each node of a tree of ordered values spans.

        None for categories, and for a tree of numbers that are codes: there some node holds values
        between which others lie.
        """
        if self.kind == "category" or self.of_codes or not self.size:
            return None
        assert self.tree is not None
        points = _finite_points(self.values, self.kind)
        return _widths_of(self.node, points, len(self.tree.labels))

    def _losses(self, lo: AnyArray, hi: AnyArray, loss: str) -> Floats:
        lo = np.asarray(lo)
        hi = np.asarray(hi)
        losses = np.where((hi == self.size) & (lo < self.size), 1.0, 0.0)
        there = hi < self.size
        if self.points is not None:
            losses[there] = (self.ends[hi[there]] - self.points[lo[there]]) / (self.range or 1.0)
        elif there.any():
            losses[there] = self.shares(loss)[self.ancestors(lo[there], hi[there])]
        return losses


def _finite_points(values: pa.Array, kind: Kind) -> Floats:
    """Compute points of which the differences are right, for very large numbers too.

    Floats skip whole numbers beyond 2^53, and end at 1.8e308.
    """
    if pa.types.is_integer(values.type) and len(values):
        ends = pc.min_max(values).as_py()
        if max(-ends["min"], ends["max"]) > 2**53:
            return np.array([float(value - ends["min"]) for value in values.to_pylist()])
    points = points_of(values, kind)
    with np.errstate(over="ignore"):
        spread = points.max(initial=0.0) - points.min(initial=0.0)
        return points if np.isfinite(spread) else points / 2


def _widths_of(node: Ints, points: Floats, nodes: int) -> Floats | None:
    """Measure the share of the range under each node; None if some nodes lie across each other."""
    rank = np.empty(len(points), np.int64)
    rank[np.argsort(points, kind="stable")] = np.arange(len(points))
    least = np.full(nodes, np.inf)
    largest = np.full(nodes, -np.inf)
    for level in node:
        first = np.full(nodes, len(points))
        last = np.full(nodes, -1)
        np.minimum.at(first, level, rank)
        np.maximum.at(last, level, rank)
        held = np.bincount(level, minlength=nodes)
        if ((last - first + 1 != held) & (held > 0)).any():
            return None
        np.minimum.at(least, level, points)
        np.maximum.at(largest, level, points)
    width = np.where(largest >= least, largest - least, 0.0)
    return np.asarray(width / (points.max() - points.min() or 1.0), np.float64)


def axis_of(column: Profile, hierarchy: Hierarchy | None) -> tuple[Axis, Ints]:
    """Build the axis of a column; return it and the code of each row on it."""
    if hierarchy is None and column.kind != "category":
        return _line_of(column), column.codes
    if hierarchy is not None and isinstance(column.coding, BandCoding):
        raise no_steps_over(column.name)
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
        of_codes=hierarchy is not None and hierarchy.of_codes,
        highest=fitted.highest,
    )
    return axis, rank[column.codes]


def _line_of(column: Profile) -> Axis:
    """Build the axis of numbers, dates or times, in the order of their points."""
    return Axis(
        column.name,
        column.kind,
        column.values,
        column.counts,
        points=_finite_points(column.values, column.kind),
        coding=column.coding,
        upper=None if column.coding is None else column.coding.upper(column.values),
    )
