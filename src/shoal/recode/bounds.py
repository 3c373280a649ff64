"""`bounds`: two columns, `<name>_lo` and `<name>_hi`, for those who go on to compute with the ends.

Ends are snapped as in `snapped`, and keep the column's type where it is a number or a date;
decimals become floats. A group that holds missing values has no ends: both cells are null. A column
with a hierarchy has no ends either, and is published as in `snapped`.

Where the column has a top, `<name>_hi` is text: `90+` in groups that reach it, and the other ends
as numbers or dates in text. Where it has a bottom, so is `<name>_lo` (`<=5`). The number alone
would say that nobody lies beyond it.

By hand: a group of 31, 34 and 39 beside one of 51, 54 and 59: its cells are 30 and 40, the other's
50 and 60.

When to use it: for readers who compute with the ends: two columns of numbers instead of one of
texts.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags, Ints
from shoal.declare.coding import Coding
from shoal.declare.columns import text_of
from shoal.encode.axes import Axis
from shoal.recode.recoder import Boxes, Recoder
from shoal.recode.snapped import Snapped, snap


class Bounds(Recoder):
    """Two columns with the ends of each interval, as numbers or dates."""

    name = "bounds"
    widens = True

    def publish(self, boxes: Boxes) -> dict[str, pa.Array]:
        """Publish ends as values; null where the group holds missing values."""
        axis = boxes.axis
        if axis.points is None:
            return Snapped().publish(boxes)
        there = boxes.hi < axis.size
        lo = boxes.lo[there]
        hi = boxes.hi[there]
        ends = _between(axis, lo, hi)
        if axis.coding is not None:
            ends = _opened(axis.coding, ends)
        place = pa.array(np.cumsum(there) - 1, mask=~there)
        return {f"{axis.name}_lo": ends[0].take(place), f"{axis.name}_hi": ends[1].take(place)}


def _between(axis: Axis, lo: Ints, hi: Ints) -> list[pa.Array]:
    """Return the ends of boxes: those of bands, or snapped ones inside the widest band allowed."""
    if axis.upper is not None:
        return [axis.values.take(pa.array(lo)), axis.upper.take(pa.array(hi))]
    snapped = list(snap(axis, lo, hi))
    if axis.coding is not None and axis.coding.most is not None:
        first = axis.coding.most.lower(axis.values.take(pa.array(lo)))
        limits = [pc.cast(end, snapped[0].type) for end in (first, axis.coding.most.upper(first))]
        snapped = [
            pc.max_element_wise(snapped[0], limits[0]),
            pc.min_element_wise(snapped[1], limits[1]),
        ]
    codes = (lo, hi)
    return [_ends(axis, end, of, lo < hi) for end, of in zip(snapped, codes, strict=True)]


def _opened(coding: Coding, ends: list[pa.Array]) -> list[pa.Array]:
    """Write the ends on the sides that may be open as text, the others as they are."""
    texts = [text_of(end).to_pylist() for end in ends]
    pairs = [coding.written_ends(lower, upper) for lower, upper in zip(*texts, strict=True)]
    written = [list(side) for side in zip(*pairs, strict=True)] or [[], []]
    return [
        end if limit is None else pa.array(side, pa.string())
        for end, limit, side in zip(ends, (coding.bottom, coding.top), written, strict=True)
    ]


def _ends(axis: Axis, snapped: pa.Array, codes: Ints, wide: Flags) -> pa.Array:
    """Return snapped ends of groups with different values, and the value of all others."""
    own = axis.values.take(pa.array(codes))
    if pa.types.is_floating(snapped.type):
        # The float of the number that people read, not of its binary neighbour.
        own = text_of(own)
    return pc.if_else(pa.array(wide), snapped, pc.cast(own, snapped.type, safe=False))
