"""Writing: boxes of groups become cells; rows go out sorted by all that is published of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes, Ints
from shoal.engines.cells import cells_on
from shoal.engines.disk.dividing import DividedShards
from shoal.engines.disk.workspace import Workspace
from shoal.engines.encoding import Coded, taken
from shoal.engines.ordering import ordered
from shoal.groups import Watch
from shoal.recipe import Plan

AT_ONCE = 2**18  # rows that are written at a time


@dataclass(frozen=True)
class GroupCells:
    """The cells of groups: the different ones of each column, and which of them each group has."""

    columns: tuple[tuple[str, pa.Array], ...]  # by name, the different cells in ascending order
    codes: Codes  # [column, group]

    def published(self, groups: Ints, others: Codes, table: Coded) -> pa.Table:
        """Show rows of these groups, with these codes beside the axes, as they are published."""
        columns = {
            name: taken(cells, of[groups])
            for (name, cells), of in zip(self.columns, self.codes, strict=True)
        }
        columns |= {
            column.name: taken(column.shown, of)
            for column, of in zip(table.beside, others, strict=True)
        }
        return pa.table(columns)


def cells_of(table: Coded, shards: DividedShards, plan: Plan) -> GroupCells:
    """Write the cells of all groups; refuse cells that would hide a row."""
    columns = list[tuple[str, pa.Array]]()
    codes = np.empty((len(table.axes), len(shards.sizes)), np.int32)
    for a, axis in enumerate(table.axes):
        lo, hi = shards.boxes[a].columns()
        (column,) = cells_on(axis, lo, hi, plan)
        columns.append((column.name, column.values))
        codes[a] = column.codes
    return GroupCells(tuple(columns), codes)


def write(
    table: Coded,
    shards: DividedShards,
    cells: GroupCells,
    workspace: Workspace,
    publish: Callable[[pa.Table], None],
    watch: Watch,
) -> None:
    """Hand all rows on part by part, sorted by cells and then by what stands beside them."""
    done = 0
    rows = table.count - shards.withheld
    order = ordered(cells.codes, shards.sizes, shards.rows, workspace.rows, workspace.folder)
    for bucket in order.sorted_buckets():
        for first in range(0, bucket.shape[1], AT_ONCE):
            some = bucket[:, first : first + AT_ONCE]
            publish(cells.published(some[0], some[1:], table))
            done += some.shape[1]
            watch(done / rows)


def attacked_part(table: Coded, shards: DividedShards, cells: GroupCells) -> pa.Table:
    """Show the rows of the groups whose people are attacked as they are published."""
    labels = shards.stretch[0]
    others = shards.stretch[1 + len(table.axes) :]
    order = np.lexsort(np.concatenate((cells.codes[:, labels], others))[::-1])
    return cells.published(labels[order], others[:, order], table)
