"""`bounds`: two columns, `<name>_lo` and `<name>_hi`, for those who go on to compute with the ends.

Ends are snapped as in `snapped`, and keep the column's type where it is a number or a date. A group that holds missing
values has no ends: both cells are null. A column with a hierarchy has no ends either, and is published as in `snapped`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.recode.recoder import Boxes, Recoder
from shoal.recode.snapped import Snapped, snap


class Bounds(Recoder):
    """Two columns with the ends of each interval, as numbers or dates."""

    name = "bounds"

    def publish(self, boxes: Boxes) -> dict[str, pa.Array]:
        """Ends as values; null where the group holds missing values."""
        axis = boxes.axis
        if axis.points is None:
            return Snapped().publish(boxes)
        there = boxes.hi < axis.size
        low, high = np.full(len(there), np.nan), np.full(len(there), np.nan)
        low[there], high[there] = axis.points[boxes.lo[there]], axis.points[boxes.hi[there]]
        wide = there & (boxes.lo < boxes.hi)
        low[wide], high[wide] = snap(axis, low[wide], high[wide])
        return {f"{axis.name}_lo": _typed(low, there, axis.values), f"{axis.name}_hi": _typed(high, there, axis.values)}


def _typed(points: np.ndarray, there: np.ndarray, values: pa.Array) -> pa.Array:
    """Points as values of the column's own type; decimals become floats."""
    kind = values.type
    numbers = pa.array(points, mask=~there)
    if pa.types.is_integer(kind):
        return pc.cast(pc.round(numbers), pa.int64())
    if pa.types.is_date(kind):
        return pc.cast(pc.cast(pc.round(numbers), pa.int32()), pa.date32())
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        micros = pc.cast(pc.round(pc.multiply(numbers, 1e6)), pa.int64())
        return pc.cast(micros, pa.timestamp("us", kind.tz) if pa.types.is_timestamp(kind) else pa.time64("us"))
    return numbers
