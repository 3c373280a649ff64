"""Recoder: convert the box of each group on one axis to cells of published columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags, Ints
from shoal.declare.columns import text_of
from shoal.declare.hierarchies.tree import Tree
from shoal.declare.places import higher, lower
from shoal.encode.axes import Axis
from shoal.groups import Groups
from shoal.recode.cells import Cell, Everything, Interval, Value, write


@dataclass(frozen=True)
class Boxes:
    """The codes of rows on one axis of a grouping, and the least box of each group."""

    axis: Axis
    codes: Ints
    groups: Groups
    lo: Ints
    hi: Ints
    nodes: Ints | None = None
    """The node at which each group is published, where all rows are at one level of a tree."""


class Recoder(ABC):
    """A way to publish a generalized column."""

    name: ClassVar[str]
    """The name that users type behind `publish`."""
    covers: ClassVar[bool] = True
    """True if a cell names a box around the values of its group, which the gate checks."""

    widens: ClassVar[bool] = False
    """True if intervals are wider than the values of their group, so that they may overlap."""

    names_members: ClassVar[bool] = False
    """True if cells name the values of the members, which the two ends of a box do not tell."""

    @abstractmethod
    def publish(self, boxes: Boxes) -> dict[str, pa.Array]:
        """Publish columns by name, one value for each *group*."""


def as_text(boxes: Boxes, interval: Callable[[Axis, Ints, Ints], Sequence[Cell]]) -> pa.Array:
    """Write boxes as text cells.

    A cell is a value, the label of a node, what `interval` says of a box on a line, `*`, or null.

    Works on different boxes only: many groups share one.
    """
    axis = boxes.axis
    if boxes.nodes is not None:
        return _nodes_as_text(boxes)
    pairs, inverse = np.unique(
        boxes.lo.astype(np.int64) * (axis.size + 1) + boxes.hi, return_inverse=True
    )
    lo, hi = np.divmod(pairs, axis.size + 1)
    cells = _cells(axis, lo.astype(np.int32), hi.astype(np.int32), interval)
    return pa.array([write(cell) for cell in cells], pa.string()).take(pa.array(inverse))


def _nodes_as_text(boxes: Boxes) -> pa.Array:
    """Write the node at which each group is published; null for missing values alone."""
    assert boxes.nodes is not None and boxes.axis.tree is not None
    nodes, inverse = np.unique(boxes.nodes, return_inverse=True)
    cells = [write(of_node(boxes.axis.tree, int(node))) for node in nodes]
    alone = boxes.lo == boxes.axis.size
    return pa.array(cells, pa.string()).take(pa.array(inverse, mask=alone))


def _cells(
    axis: Axis, lo: Ints, hi: Ints, interval: Callable[[Axis, Ints, Ints], Sequence[Cell]]
) -> list[Cell]:
    cells: list[Cell] = [None if low == axis.size else Everything() for low in lo]
    there = np.flatnonzero(hi < axis.size)
    if axis.points is None:
        assert axis.tree is not None
        inside = [of_node(axis.tree, int(node)) for node in axis.ancestors(lo[there], hi[there])]
    else:
        # All boxes at once, because the grid follows the range of all.
        intervals = _intervals(axis, lo[there], hi[there], interval)
        wide = _within(axis, lo[there], hi[there], intervals)
        alone = is_point(axis, lo[there], hi[there])
        values = iter(_texts(axis, lo[there[alone]]))
        inside = [
            opened(axis, Value(next(values)) if one else cell)
            for one, cell in zip(alone, wide, strict=True)
        ]
    for place, cell in zip(there, inside, strict=True):
        cells[place] = cell
    return cells


def is_point(axis: Axis, lo: Ints, hi: Ints) -> Flags:
    """Mark the boxes on a line that hold one single value, and not a band of them."""
    if axis.upper is None:
        return np.asarray(lo == hi, np.bool_)
    ends_itself = np.asarray(pc.equal(axis.values, axis.upper))
    return np.asarray((lo == hi) & ends_itself[lo], np.bool_)


def _intervals(
    axis: Axis, lo: Ints, hi: Ints, interval: Callable[[Axis, Ints, Ints], Sequence[Cell]]
) -> Sequence[Cell]:
    """Return the interval of each box: from band to band, whose ends are the recipe's own grid."""
    if axis.upper is None:
        return interval(axis, lo, hi)
    ends = text_of(axis.upper.take(pa.array(hi))).to_pylist()
    return [Interval(low, high) for low, high in zip(_texts(axis, lo), ends, strict=True)]


def _within(axis: Axis, lo: Ints, hi: Ints, cells: Sequence[Cell]) -> Sequence[Cell]:
    """Take the ends of intervals back that a grid put outside the widest band allowed.

    A box across several of these bands is no group: an engine that prints a part of the groups adds
    the box of all, so that every part has the same grid.
    """
    if axis.coding is None or axis.coding.most is None or axis.parts is None:
        return cells
    first = axis.coding.most.lower(axis.values.take(pa.array(lo)))
    last = axis.coding.most.upper(first)
    texts = zip(text_of(first).to_pylist(), text_of(last).to_pylist(), strict=True)
    return [
        Interval(higher(cell.lo, low), lower(cell.hi, high))
        if isinstance(cell, Interval) and inside
        else cell
        for cell, (low, high), inside in zip(
            cells, texts, axis.parts[lo] == axis.parts[hi], strict=True
        )
    ]


def of_node(tree: Tree, node: int) -> Cell:
    """Convert a node to a cell: everything for the root, ends of an interval, else the label."""
    if (node == tree.root and tree.height[node] > 0) or node in tree.hidden:
        return Everything()
    return Interval(*tree.ends[node]) if node in tree.ends else Value(tree.written[node])


def opened(axis: Axis, cell: Cell) -> Cell:
    """Open a cell at the ends of a coded axis that it reaches, or that a grid would pass."""
    if axis.coding is None:
        return cell
    if isinstance(cell, Interval):
        return Interval(*axis.coding.written_ends(cell.lo, cell.hi))
    return Value(axis.coding.written(cell.text)) if isinstance(cell, Value) else cell


def tight_intervals(axis: Axis, lo: Ints, hi: Ints) -> list[Cell]:
    """Return the least interval around the values of a group."""
    return [
        Interval(low, high) for low, high in zip(_texts(axis, lo), _texts(axis, hi), strict=True)
    ]


def _texts(axis: Axis, codes: Ints) -> list[str]:
    return list(text_of(axis.values.take(pa.array(codes))).to_pylist())
