"""Cells: how boxes on an axis are published, where boxes are all that is known of groups."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints
from shoal.encode.axes import Axis
from shoal.encode.profile import Profile, profile
from shoal.groups import Groups
from shoal.recipe import Plan
from shoal.recode.recoder import Boxes
from shoal.review.coverage import refuse_untrue


def cells_on(axis: Axis, lo: Ints, hi: Ints, plan: Plan) -> list[Profile]:
    """Write boxes on an axis, all boxes that there are, as one column of cells or two of bounds.

    Refuses cells that would hide a row.
    """
    pairs, of_group = np.unique(lo.astype(np.int64) * (axis.size + 1) + hi, return_inverse=True)
    first, last = (ends.astype(np.int32) for ends in np.divmod(pairs, axis.size + 1))
    each = Groups(np.arange(len(pairs), dtype=np.int32), len(pairs))
    box = Boxes(axis, first, each, first, last)
    recoder = plan.recoders[axis.name]
    cells = recoder.publish(box)
    refuse_untrue(box, cells, recoder.name)
    columns = [profile(column, name) for name, column in cells.items()]
    return [Profile(of.name, of.kind, of.values, of.codes[of_group], of.counts) for of in columns]
