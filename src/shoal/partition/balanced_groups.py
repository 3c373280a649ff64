"""Balanced groups: each sensitive value of a group stands in it equally often.

    buckets   the m most frequent values are taken together, as many rows of each as leave the rest
              such that no value of it is more frequent than 1 in m; then the next
    the rest  is too small for a bucket: it is one group with some rows of the last bucket, to be
              filled up with counterfeits
    groups    a bucket is halved again and again on the axis where that spares most; both halves
              take equally many rows of each value, and hold k rows

Rows without a value, and those of a value that is more frequent than 1 in m, are in no group.

Buckets follow Xiao & Tao 2007, doi:10.1145/1247480.1247556, section 5.3; there a group has one row
of each value, here equally many. Cost: a sort for each axis and each halving.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Counts, Ints, Longs
from shoal.encode.rows import Rows
from shoal.kernels.costs import of_box


@dataclass(frozen=True)
class Bucket:
    """Values that stand together, and how many rows of each."""

    values: Longs
    each: int

    @property
    def rows(self) -> int:
        """Count the rows of the bucket."""
        return len(self.values) * self.each


@dataclass(frozen=True)
class Shared:
    """Buckets for all rows that can be balanced, and how many rows of each value are behind."""

    buckets: tuple[Bucket, ...]
    rest: Counts
    """[values]: rows of one more group, which has to be filled up."""


def balanced_groups(rows: Rows, k: int, m: int, rng: np.random.Generator) -> Ints:
    """Label rows by group; -1 for those that can stand in none."""
    column = rows.sensitive[0]
    counts = np.bincount(column.codes, minlength=column.size + 1)[: column.size]
    shared = shared_out(counts.astype(np.int64), k, m)
    queues = [_shuffled(np.flatnonzero(column.codes == value), rng) for value in range(column.size)]
    taken = np.zeros(column.size, np.int64)
    labels = np.full(rows.count, -1, np.int32)
    count = 0
    for bucket in shared.buckets:
        starts = taken[bucket.values]
        pairs = zip(bucket.values, starts, strict=True)
        members = np.array([queues[value][at : at + bucket.each] for value, at in pairs])
        taken[bucket.values] += bucket.each
        for group in _split(rows, members, -(-k // len(bucket.values))):
            labels[group.reshape(-1)] = count
            count += 1
    for value in np.flatnonzero(shared.rest):
        labels[queues[value][taken[value] : taken[value] + shared.rest[value]]] = count
    return labels


def _shuffled(rows: Longs, rng: np.random.Generator) -> Longs:
    return np.asarray(rng.permutation(rows), np.int64)


def shared_out(counts: Counts, k: int, m: int) -> Shared:
    """Share rows out to buckets by how many there are of each value.

    >>> shared = shared_out(np.array([6, 4, 4]), 3, 2)
    >>> [(bucket.values.tolist(), bucket.each) for bucket in shared.buckets]
    [([0, 1], 3), ([2, 0], 2)]
    >>> shared.rest.tolist()
    [1, 1, 2]
    """
    left = _eligible(counts, m)
    buckets: list[Bucket] = []
    while (bucket := _next(left, k, m)) is not None:
        buckets.append(bucket)
        left[bucket.values] -= bucket.each
    if not left.any():
        return Shared(tuple(buckets), left)
    while buckets and (int(left.sum()) < k or np.count_nonzero(left) < m):
        left = _with_some_of(buckets, left, k)
    if int(left.sum()) < k or np.count_nonzero(left) < m:
        left = np.zeros_like(left)
    return Shared(tuple(buckets), left)


def _eligible(counts: Counts, m: int) -> Counts:
    """Leave rows of too frequent values out, until none is more frequent than 1 in m."""
    low = 0
    high = int(counts.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(counts, middle).sum()) >= m * middle:
            low = middle
        else:
            high = middle - 1
    return np.minimum(counts, low)


def _next(left: Counts, k: int, m: int) -> Bucket | None:
    """Choose values that are taken together, the fewest that give k rows; None where none do."""
    order = np.argsort(-left, kind="stable")
    sizes = np.append(left[order], 0)
    total = int(left.sum())
    for width in range(m, int(np.count_nonzero(left)) + 1):
        each = min(int(sizes[width - 1]), (total - m * int(sizes[width])) // width)
        if width > m:
            each = min(each, (total - m * int(sizes[0])) // (width - m))
        if each > 0 and each * width >= k:
            return Bucket(order[:width].astype(np.int64), each)
    return None


def _with_some_of(buckets: list[Bucket], left: Counts, k: int) -> Counts:
    """Add rows of the last bucket to what is left: as many as are needed, or all of them."""
    last = buckets.pop()
    need = max(-(-(k - int(left.sum())) // len(last.values)), 1)
    if (last.each - need) * len(last.values) >= k:
        buckets.append(Bucket(last.values, last.each - need))
    else:
        need = last.each
    more = left.copy()
    more[last.values] += need
    return more


def _split(rows: Rows, members: AnyArray, least: int) -> list[Longs]:
    """Halve a bucket until groups have fewer than twice the least rows of each value."""
    groups = []
    stack = [members]
    while stack:
        part = stack.pop()
        if part.shape[1] < 2 * least:
            groups.append(part)
        else:
            stack += _halved(rows, part)
    return groups


def _halved(rows: Rows, part: Longs) -> tuple[Longs, Longs]:
    """Cut a bucket on the axis where both halves together lose least."""
    half = part.shape[1] // 2
    best: tuple[int, Longs] | None = None
    for codes in rows.codes:
        order = np.take_along_axis(part, np.argsort(codes[part], axis=1, kind="stable"), axis=1)
        lost = _lost(rows, order[:, :half]) + _lost(rows, order[:, half:])
        if best is None or lost < best[0]:
            best = (lost, order)
    assert best is not None
    return best[1][:, :half], best[1][:, half:]


def _lost(rows: Rows, part: Longs) -> int:
    """Sum what rows of one group lose."""
    codes = rows.codes[:, part.reshape(-1)]
    return part.size * int(of_box(rows.costs, codes.min(axis=1), codes.max(axis=1)))
