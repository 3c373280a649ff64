"""`centre`: one real-looking value for each group: a mean, a median or a mode.

Numbers get the mean, dates and times the median, categories the mode.

This is microaggregation: the column keeps its type (whole numbers become floats), and each group is
published as one point. A group that holds missing values beside others has no centre: `*` in a
category, null in a number. Ties of the mode go to the first in axis order. On a coded axis, values
beyond the top count as the top: a centre never passes it, and a group of `90+` alone is published
as 90, so that the column keeps its type.

By hand: a group of 31, 34 and 40 is published as 35, three times: (31 + 34 + 40) / 3.

When to use it: for readers who need one number in each cell; its cells are not true of each row,
and models still hold.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from shoal.declare.columns import points_of, text_of
from shoal.recode.cells import EVERYTHING, Value, write
from shoal.recode.recoder import Boxes, Recoder


class Centre(Recoder):
    """Publish one value for each group: mean, median or mode."""

    name = "centre"
    covers = False

    def publish(self, boxes: Boxes) -> dict[str, pa.Array]:
        """Publish centres in the type of the column."""
        axis = boxes.axis
        if axis.points is None:
            return {axis.name: _modes(boxes)}
        if axis.kind == "number":
            return {axis.name: _means(boxes)}
        return {axis.name: axis.values.take(_medians(boxes))}


def _means(boxes: Boxes) -> pa.Array:
    axis = boxes.axis
    labels = boxes.groups.labels
    there = (labels >= 0) & (boxes.codes < axis.size)
    points = points_of(axis.values, axis.kind)
    sizes = np.maximum(boxes.groups.sizes, 1)
    sums = np.bincount(labels[there], points[boxes.codes[there]], minlength=boxes.groups.count)
    shares = np.bincount(
        labels[there],
        points[boxes.codes[there]] / sizes[labels[there]],
        minlength=boxes.groups.count,
    )
    # A sum may be too large for a float, a mean never is.
    means = np.where(np.isfinite(sums), sums / sizes, shares)
    # The mean of equal numbers is that number, whatever rounding says.
    exact = boxes.lo == boxes.hi
    return pa.array(
        np.where(exact, np.append(points, 0.0)[boxes.lo], means) + 0.0, mask=boxes.hi == axis.size
    )


def _medians(boxes: Boxes) -> pa.Array:
    """Find the code of the lower median of each group; null where it holds missing values."""
    order, starts = boxes.groups.by_group
    by_code = order[np.lexsort((boxes.codes[order], boxes.groups.labels[order]))]
    middle = by_code[starts[:-1] + (boxes.groups.sizes - 1) // 2] if boxes.groups.count else by_code
    return pa.array(boxes.codes[middle], mask=boxes.hi == boxes.axis.size)


def _modes(boxes: Boxes) -> pa.Array:
    axis = boxes.axis
    texts = [write(Value(text)) for text in text_of(axis.values).to_pylist()]
    labels = boxes.groups.labels
    there = (boxes.groups.labels >= 0) & (boxes.codes < axis.size)
    pairs, counts = np.unique(
        labels[there].astype(np.int64) * (axis.size + 1) + boxes.codes[there], return_counts=True
    )
    # Sort by group, then the most frequent first, then in the order of the axis.
    best = np.lexsort((pairs, -counts, pairs // (axis.size + 1)))
    group = pairs[best] // (axis.size + 1)
    code = pairs[best] % (axis.size + 1)
    first = np.ones(len(group), np.bool_)
    first[1:] = group[1:] != group[:-1]
    cells: list[str | None] = [None] * boxes.groups.count
    for g, c in zip(group[first], code[first], strict=True):
        cells[g] = EVERYTHING if boxes.hi[g] == axis.size else texts[c]
    return pa.array(cells, pa.string())
