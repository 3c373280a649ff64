"""Counterfeits: rows of nobody that fill groups up until each value stands there equally often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from shoal.arrays import Flags, Ints
from shoal.declare.columns import text_of
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.engines.local.added_rows import among
from shoal.engines.promises import OldCells, published_cells
from shoal.groups import Groups
from shoal.recipe import Plan
from shoal.review.counterfeits import CounterfeitsOfGroup

Absent = Mapping[int, Sequence[str]]
"""Values that a group has to show, and that nobody in the table has."""


@dataclass(frozen=True)
class Counterfeits:
    """Rows of nobody: the group of each, and its value."""

    column: str
    group: Ints
    values: pa.Array
    cells: pa.Table
    """The cells of each of these rows."""
    kept: tuple[CounterfeitsOfGroup, ...] = field(default=())
    """Those in groups that are published as they were; their rows come with the groups."""

    @property
    def count(self) -> int:
        """Count the rows."""
        return len(self.group)

    def added(self, released: pa.Table) -> pa.Table:
        """Put the rows among those of a release; all then stand in an order without meaning."""
        if not self.count:
            return released
        return among(released, self.cells.append_column(self.column, self.values))

    def stated(self) -> tuple[CounterfeitsOfGroup, ...]:
        """List how many each group has, for the public certificate: sorted by cells."""
        counted: dict[tuple[tuple[str, str | None], ...], int] = {}
        for cells in self.cells.to_pylist():
            group = tuple(cells.items())
            counted[group] = counted.get(group, 0) + 1
        new = [CounterfeitsOfGroup(cells=dict(group), rows=n) for group, n in counted.items()]
        return tuple(sorted([*new, *self.kept], key=lambda each: str(each.cells)))


def filled_up(
    rows: Rows,
    groups: Groups,
    plan: Plan,
    old: OldCells | None = None,
    due: Flags | None = None,
    absent: Absent | None = None,
) -> Counterfeits:
    """Fill groups up with counterfeits.

    `due[group, value]` marks values that a group has to show; those of its people, where it is new.
    """
    column = rows.sensitive[0]
    counts = groups.counts(column.codes, column.size)
    shown = counts > 0 if due is None else (counts > 0) | due
    most = counts.max(axis=1, initial=0)
    lacking = np.where(shown, most[:, None] - counts, 0)
    group, value = np.nonzero(lacking)
    times = lacking[group, value]
    texts = _texts(column).take(pa.array(np.repeat(value, times)))
    of = [np.repeat(group, times).astype(np.int32)]
    beyond: list[str] = []
    for number, values in (absent or {}).items():
        of.append(np.full(len(values) * most[number], number, np.int32))
        beyond += [text for text in values for _ in range(most[number])]
    of_rows = np.concatenate(of)
    table = pa.table(published_cells(rows, groups, plan, old))
    values = pa.concat_arrays([texts, pa.array(beyond, pa.string())])
    return Counterfeits(column.name, of_rows, values, table.take(pa.array(of_rows)))


def _texts(column: Profile) -> pa.Array:
    return text_of(column.shown)
