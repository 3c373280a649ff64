"""Widening: cells that were published before, and may only become wider.

A group that is published again keeps each of its cells as long as its members fit into it. Where
they don't, the cell becomes the least one around the old cell and the new one: from the lower to
the higher end on a line, the lowest node above both in a hierarchy, and `*` where missing values
join others or a cell can't be read any more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Ints
from shoal.encode.axes import Axis
from shoal.recode.cells import Cell, Everything, Interval, Value, is_open, read, write
from shoal.recode.reading import Runs, runs
from shoal.recode.recoder import of_node

Texts = Sequence[str | None]


def widened(axis: Axis, lo: Ints, hi: Ints, old: Texts, new: Texts) -> list[str | None]:
    """Write the cell of each group: its old one, or a wider one.

    `lo` and `hi` are codes of the least box of its members, `new` how that box would be published.
    """
    before = [read(text) for text in old]
    after = [read(text) for text in new]
    covered = runs(axis, before)
    fits = (covered.first <= lo) & (hi <= covered.last) & ~covered.unread
    beside = runs(axis, after)
    cells = list(old)
    for place in np.flatnonzero(~fits).tolist():
        around = _around(axis, place, (lo, hi), (before, after), (covered, beside))
        cells[place] = write(around)
    return cells


def _around(
    axis: Axis,
    place: int,
    box: tuple[Ints, Ints],
    cells: tuple[Sequence[Cell], Sequence[Cell]],
    covered: tuple[Runs, Runs],
) -> Cell:
    """Give the least cell around an old and a new one."""
    old, new = (of[place] for of in cells)
    unread = any(of.unread[place] for of in covered)
    if unread or not isinstance(old, Value | Interval) or not isinstance(new, Value | Interval):
        return Everything()
    if axis.points is None:
        if covered[0].last[place] < covered[0].first[place]:  # nobody stands under the old node
            return Everything()
        first = np.array([min(covered[0].first[place], box[0][place])], np.int32)
        last = np.array([max(covered[0].last[place], box[1][place])], np.int32)
        assert axis.tree is not None
        return of_node(axis.tree, int(axis.ancestors(first, last)[0]))
    return _hull((old, new), [(of.low[place], of.high[place]) for of in covered])


def _hull(cells: Sequence[Value | Interval], points: Sequence[tuple[float, float]]) -> Cell:
    """Give the interval from the lower to the higher end of two cells on a line."""
    lows = []
    highs = []
    for cell, (low, high) in zip(cells, points, strict=True):
        below, above = is_open(cell)
        first, last = (cell.lo, cell.hi) if isinstance(cell, Interval) else (cell.text, cell.text)
        lows.append((-np.inf if below else low, first))
        highs.append((np.inf if above else high, last))
    least = min(lows)[1]
    most = max(highs)[1]
    return Value(least) if least == most else Interval(least, most)
