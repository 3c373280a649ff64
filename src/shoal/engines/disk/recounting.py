"""Recounting: the gate for a release that was written part by part. It is read again as texts.

Rows are scattered by a hash of their cells, so that all rows that look alike are in one part. Each
part is recounted by the code that recounts a table, told how often each sensitive value occurs in
the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Codes, Counts, Ints
from shoal.declare.columns import whole
from shoal.distortions.parts import TableParts
from shoal.engines.disk.workspace import Workspace
from shoal.engines.judging import judge, recounted_from
from shoal.engines.ordering import ordered
from shoal.engines.profiles import Streamed, profiles
from shoal.engines.row_files import RowFile
from shoal.errors import ShoalError
from shoal.flows.port import Recounted
from shoal.groups import Watch
from shoal.recipe import Plan
from shoal.review.fingerprint import fingerprint_in_parts, in_order
from shoal.review.gate import refuse_strangers
from shoal.review.partial_counts import Judged
from shoal.review.promised import quasi_columns
from shoal.review.risks.exposure import first_rows

MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, its bits well spread


@dataclass
class _Printed:
    """Groups of published rows that were met so far, ready to be sorted as the hash asks for it."""

    texts: list[pa.Array]  # the different texts of each column, in ascending order
    places: list[Ints]  # the place among these of each code
    cells: list[Codes] = field(default_factory=list)  # of the groups of each part
    files: list[RowFile] = field(default_factory=list)  # group and other codes of each row
    groups: int = 0

    @classmethod
    def of(cls, columns: Sequence[Streamed]) -> _Printed:
        """Sort the texts of all columns."""
        pairs = [in_order(column.values, last=column is columns[-1]) for column in columns]
        return cls([texts for texts, _ in pairs], [place for _, place in pairs])

    def hash(self, names: Sequence[str], sizes: Counts, workspace: Workspace) -> str:
        """Take the hash of all rows, which are sorted bucket by bucket and read twice."""
        cells = np.concatenate(self.cells, axis=1)
        order = ordered(cells, sizes, self.files, workspace.rows, workspace.folder)
        return fingerprint_in_parts(
            names,
            self.texts,
            lambda: (
                np.concatenate((cells[:, bucket[0]], bucket[1:]))
                for bucket in order.sorted_buckets()
            ),
        )


def recounted(written: TableParts, plan: Plan, workspace: Workspace, watch: Watch) -> Recounted:
    """Count groups and promises of a release as it was written; refuse a broken promise."""
    names = _names(written, plan)
    quasi = len(names) - len(plan.recipe.roles.beside)
    columns = profiles(written.read(names), names, workspace.memory)
    watch(0.3)
    printed = _Printed.of(columns)
    parts = _scattered(written, columns, quasi, workspace)
    watch(0.6)
    verdicts = [_judged(part, columns, quasi, plan, printed, workspace) for part in parts]
    watch(0.8)
    together = Judged.together(verdicts)
    together.groups()  # the gate: before any more work is done
    mark = printed.hash(names, together.sizes, workspace)
    return recounted_from(columns, together, plan, mark)


def _names(written: TableParts, plan: Plan) -> list[str]:
    """Name the columns of a release, quasi-identifiers first; refuse those that are not due."""
    recipe = plan.recipe
    empty = written.schema.empty_table()
    refuse_strangers(empty, recipe.quasi, recipe.roles.beside)
    quasi = quasi_columns(empty, recipe.quasi)
    names = [*quasi, *(name for name in written.schema.names if name not in quasi)]
    if names != written.schema.names:
        raise ShoalError(
            "the columns of the release are not in their order", {"published": "nothing"}
        )
    return names


def _judged(
    part: RowFile,
    columns: Sequence[Streamed],
    quasi: int,
    plan: Plan,
    printed: _Printed,
    workspace: Workspace,
) -> Judged:
    """Judge the groups of one part, and keep its rows for the hash."""
    codes = part.columns()
    part.remove()
    groups, verdicts = judge(columns, codes, quasi, plan)
    ranks = np.array([place[of] for place, of in zip(printed.places, codes, strict=True)], np.int32)
    file = workspace.folder.file(1 + len(columns) - quasi)
    file.append(np.concatenate(([groups.labels + printed.groups], ranks[quasi:])).T)
    printed.files.append(file)
    printed.cells.append(ranks[:quasi, first_rows(groups)])
    printed.groups += groups.count
    return verdicts


def _scattered(
    written: TableParts, columns: list[Streamed], quasi: int, workspace: Workspace
) -> list[RowFile]:
    """Write the rows as codes to several files, those that look alike to one."""
    parts = -(-written.rows // workspace.rows)
    scattered = workspace.folder.scattered(len(columns), parts)
    for table in written.read([column.name for column in columns]):
        codes = np.array([column.code(whole(table[column.name])) for column in columns], np.int32)
        scattered.append(codes.T, (_hashed(codes[:quasi]) % np.uint64(parts)).astype(np.int64))
    return scattered.files


def _hashed(codes: Codes) -> AnyArray:
    """Mix the codes of each row to one number."""
    mixed = np.zeros(codes.shape[1], np.uint64)
    for column in codes:
        mixed = (mixed ^ column.astype(np.uint64)) * MIX
        mixed ^= mixed >> np.uint64(29)
    return mixed
