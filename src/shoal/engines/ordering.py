"""Ordering: rows on disk, sorted by what their group shows and then by their own codes, a bucket at
a time.

Groups and their keys stand in memory; rows of them need not. Each bucket holds the rows of
neighbouring groups and is sorted alone. Rows that tie are equal in all that is known of them here.
Rows without groups are sorted by all their codes, in buckets between some rows of a sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Codes, Counts, Ints, Longs
from shoal.encode.rows import combined
from shoal.engines.row_files import Folder, RowFile

SAMPLE = 64  # rows for each bucket, among which its borders are chosen


@dataclass(frozen=True)
class Ordering:
    """Buckets of rows, each with the number of its group, behind which its own codes stand."""

    buckets: Sequence[RowFile]
    rank: Longs  # of each group; groups that show the same have the same

    def sorted_buckets(self) -> Iterator[Ints]:
        """Sort one bucket after the other: [column, row], the group first."""
        for bucket in self.buckets:
            rows = bucket.columns()
            keys = np.concatenate(([self.rank[rows[0]]], rows[1:].astype(np.int64)))
            yield rows[
                :,
                np.argsort(
                    combined(keys, (keys.max(axis=1, initial=0) + 1).tolist()), kind="stable"
                ),
            ]


def ordered(
    keys: Codes, sizes: Counts, rows: Sequence[RowFile], most: int, folder: Folder
) -> Ordering:
    """Sort rows by the keys of their groups ([column, group]), then by their other codes.

    A bucket holds about `most` rows.
    """
    _, rank = np.unique(
        combined(keys, (keys.max(axis=1, initial=0) + 1).tolist()), return_inverse=True
    )
    shown = np.bincount(rank, sizes).astype(np.int64)
    _, bucket_of = np.unique((np.cumsum(shown) - shown) // max(most, 1), return_inverse=True)
    buckets = folder.scattered(rows[0].width, int(bucket_of.max(initial=0)) + 1)
    for file in rows:
        for block in file.blocks():
            buckets.append(block, bucket_of[rank[block[:, 0]]])
        file.remove()
    return Ordering(buckets.files, rank)


def sorted_rows(rows: RowFile, most: int, folder: Folder) -> list[RowFile]:
    """Sort rows by all their codes into files, about `most` in each, equal ones in one."""
    count = -(-rows.rows // most)
    borders = _borders(rows, count)
    buckets = folder.scattered(rows.width, count)
    for block in rows.blocks():
        before = np.zeros(len(block), np.int64)
        buckets.append(block, sum((_reaches(block, border) for border in borders), before))
    rows.remove()
    done = []
    for bucket in buckets.files:
        codes = bucket.columns()
        bucket.remove()
        done.append(folder.file(rows.width))
        done[-1].append(codes[:, np.lexsort(codes[::-1])].T)
    return done


def _borders(rows: RowFile, count: int) -> Ints:
    """Choose the first row of each of `count` files but the first, from a sorted sample."""
    step = max(rows.rows // (SAMPLE * count), 1)
    sample = np.concatenate([block[::step] for block in rows.blocks()])
    sample = sample[np.lexsort(sample.T[::-1])]
    return sample[np.arange(1, count) * len(sample) // count]


def _reaches(rows: Ints, border: Ints) -> AnyArray:
    """Tell for each row whether it stands at a border or behind it: 1 or 0."""
    reaches = np.ones(len(rows), np.int64)
    for column, least in zip(rows.T[::-1], border[::-1], strict=True):
        reaches = np.where(column == least, reaches, column > least)
    return reaches
