"""Writing: the boxes of groups become cells, and rows are published in the order of all that is
published of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes, Ints
from shoal.encode.axes import Axis
from shoal.encode.profile import Profile, profile
from shoal.engines.disk.dividing import Found
from shoal.engines.encoding import Coded, taken
from shoal.engines.ordering import Ordering, ordered
from shoal.engines.row_files import Folder
from shoal.groups import Groups, Watch
from shoal.recipe import Plan
from shoal.recode.recoder import Boxes
from shoal.review.coverage import refuse_untrue

AT_ONCE = 2**18  # rows that are written at a time


@dataclass(frozen=True)
class Cells:
    """What each group publishes: the different cells of each column, and which of them each group
    has.
    """

    columns: tuple[tuple[str, pa.Array], ...]  # by name, the different cells in ascending order
    codes: Codes  # [column, group]

    def published(self, groups: Ints, others: Codes, table: Coded) -> pa.Table:
        """Rows of these groups with these codes beside the axes."""
        columns = {
            name: taken(cells, of[groups])
            for (name, cells), of in zip(self.columns, self.codes, strict=True)
        }
        columns |= {
            column.name: taken(column.values, of)
            for column, of in zip(table.beside, others, strict=True)
        }
        return pa.table(columns)


def cells_of(table: Coded, found: Found, plan: Plan) -> Cells:
    """The cells of all groups; none of them may hide a row."""
    columns = list[tuple[str, pa.Array]]()
    codes = np.empty((len(table.axes), len(found.sizes)), np.int32)
    for a, axis in enumerate(table.axes):
        lo, hi = found.boxes[a].columns()
        (column,) = cells_on(axis, lo, hi, plan)
        columns.append((column.name, column.values))
        codes[a] = column.codes
    return Cells(tuple(columns), codes)


def cells_on(axis: Axis, lo: Ints, hi: Ints, plan: Plan) -> list[Profile]:
    """How boxes on an axis are published, all boxes that there are: one column of cells, or two of
    bounds.
    """
    pairs, of_group = np.unique(lo.astype(np.int64) * (axis.size + 1) + hi, return_inverse=True)
    first, last = (ends.astype(np.int32) for ends in np.divmod(pairs, axis.size + 1))
    each = Groups(np.arange(len(pairs), dtype=np.int32), len(pairs))
    box = Boxes(axis, first, each, first, last)
    recoder = plan.recoders[axis.name]
    cells = recoder.publish(box)
    refuse_untrue(box, cells, recoder.name)
    found = [profile(column, name) for name, column in cells.items()]
    return [Profile(of.name, of.kind, of.values, of.codes[of_group], of.counts) for of in found]


def write(
    table: Coded,
    found: Found,
    cells: Cells,
    at_once: int,
    folder: Folder,
    publish: Callable[[pa.Table], None],
    watch: Watch,
) -> None:
    """All rows in their order, part by part."""
    done = 0
    rows = table.count - found.withheld
    for bucket in in_order(found, cells, at_once, folder).sorted_buckets():
        for first in range(0, bucket.shape[1], AT_ONCE):
            some = bucket[:, first : first + AT_ONCE]
            publish(cells.published(some[0], some[1:], table))
            done += some.shape[1]
            watch(done / rows)


def in_order(found: Found, cells: Cells, at_once: int, folder: Folder) -> Ordering:
    """Rows sorted by cells, then by what stands beside them."""
    return ordered(cells.codes, found.sizes, found.rows, at_once, folder)
