"""Ordering: rows on disk, sorted by what their group shows and then by their own codes, a bucket at a time.

Groups and their keys stand in memory; rows of them need not. Each bucket holds the rows of neighbouring groups and is sorted
alone. Rows that tie are equal in all that is known of them here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Codes, Counts, Ints, Longs
from shoal.encode.rows import combined
from shoal.streaming.spill import Folder, RowFile


@dataclass(frozen=True)
class Ordering:
    """Buckets of rows, each with the number of its group, behind which its own codes stand."""

    buckets: Sequence[RowFile]
    rank: Longs  # of each group; groups that show the same have the same

    def sorted_buckets(self) -> Iterator[Ints]:
        """The rows of one bucket after the other, in their order: [column, row], the group first."""
        for bucket in self.buckets:
            rows = bucket.columns()
            keys = np.concatenate(([self.rank[rows[0]]], rows[1:].astype(np.int64)))
            yield rows[:, np.argsort(combined(keys, (keys.max(axis=1, initial=0) + 1).tolist()), kind="stable")]


def ordered(keys: Codes, sizes: Counts, rows: Sequence[RowFile], most: int, folder: Folder) -> Ordering:
    """Rows sorted by the keys of their groups ([column, group]) and then by their other codes; about `most` in a bucket."""
    _, rank = np.unique(combined(keys, (keys.max(axis=1, initial=0) + 1).tolist()), return_inverse=True)
    shown = np.bincount(rank, sizes).astype(np.int64)
    _, bucket_of = np.unique((np.cumsum(shown) - shown) // max(most, 1), return_inverse=True)
    buckets = folder.scattered(rows[0].width, int(bucket_of.max(initial=0)) + 1)
    for file in rows:
        for block in file.blocks():
            buckets.append(block, bucket_of[rank[block[:, 0]]])
        file.remove()
    return Ordering(buckets.files, rank)
