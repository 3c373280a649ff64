"""Rings: every row covers the k records from its own on, along a ring of near neighbours.

1. A tour through all rows: next comes the one with which the box around the k - 1 rows before costs least.
2. The tour is cut into rings of k rows and more, where that makes all windows of k together cost least.
3. Row i of a ring is published as the box around records i to i + k - 1, going round.
4. Every ring is turned: row i carries record i + s, for one s from 0 to k - 1 drawn at random. A ring of k rows, in which all
   rows cover all, is shuffled instead.

So every record stands in exactly k rows, every row covers at least k records, and each of the k links of a record is exactly as
likely as the others: 1/k, with nothing estimated, also for those who know how the rings were made. Inside a ring of more than
k rows, whoever learns one link learns the others.

Cost: the tour O(n^2) on different rows, the cut O(n k^2). Windows along a ring: Wong, Mamoulis & Cheung 2010
(doi:10.1145/1807167.1807248). What we do differently: many rings instead of one, so that no window bridges a gap.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Codes, Ints
from shoal.encode.rows import Rows
from shoal.kernels.rings import cut, tour
from shoal.overlap.cover import different
from shoal.overlap.overlap import Neighbourhoods

LONGEST = 3  # times k; longer rings gain next to nothing


def ringed(rows: Rows, k: int) -> tuple[Neighbourhoods, list[Ints]]:
    """For each row the k records from its own on along its ring, the box around them, and the rings themselves."""
    tuples, tuple_of = different(rows.codes)
    along = tour(rows.costs, np.ascontiguousarray(tuples.T), np.bincount(tuple_of).astype(np.int64), k)
    place = np.empty(len(along), np.int64)
    place[along] = np.arange(len(along))
    order = np.argsort(place[tuple_of], kind="stable").astype(np.int32)
    starts = cut(rows.costs, np.ascontiguousarray(rows.codes[:, order].T), k, LONGEST * k)
    rings, end = [], rows.count
    while end:
        rings.append(order[starts[end] : end])
        end = int(starts[end])
    members = np.empty((rows.count, k), np.int32)
    for ring in rings:
        for step in range(k):
            members[ring, step] = np.roll(ring, -step)
    return Neighbourhoods(members, *_around(rows, members)), rings


def turned(rings: list[Ints], k: int, rng: np.random.Generator) -> Ints:
    """For each row the record that it carries: each of its k, equally likely."""
    carried = np.empty(sum(map(len, rings)), np.int32)
    for ring in rings:
        carried[ring] = rng.permutation(ring) if len(ring) == k else np.roll(ring, -int(rng.integers(k)))
    return carried


def _around(rows: Rows, members: Ints) -> tuple[Codes, Codes]:
    """The least box around the members of each row."""
    lo, hi = rows.codes[:, members[:, 0]], rows.codes[:, members[:, 0]]
    for others in members.T[1:]:
        lo, hi = np.minimum(lo, rows.codes[:, others]), np.maximum(hi, rows.codes[:, others])
    return lo, hi
