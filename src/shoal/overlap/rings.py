"""Rings: inside a group of near rows, every row covers the k records from its own on, going round.

1. A tour through the rows of a group: next comes the one with which the box around the k - 1 rows
   before costs least.
2. The tour is cut into rings of k rows and more, where that makes all windows of k together cost
   least.
3. Row i of a ring is published as the box around records i to i + k - 1, going round.
4. Every ring is dealt: each way to give every row a record of its window is as likely as any other.
   All rows begin with the record in the middle; then pairs of rows exchange their records wherever
   both windows allow it, and records walk from row to row until one takes the place that was left
   first, many times over.

So every row covers at least k records and every record could stand in k rows. Each ring can be
dealt in very many ways, so what is known of one row says little about the next; a record's links
are nearly as likely as each other, not exactly (1.11 / k at k = 5, 1.04 / k from k = 6 on): how
likely the likeliest is follows from the length of the ring, and is estimated from deals. No box is
larger than that of its group, so this never loses more than the groups do. Below LEAST windows
leave too few ways, and groups are published whole and shuffled.

Cost: the tour of a group O(m^2), the cut O(m k^2), for m rows. Windows along a ring: Wong, Mamoulis
& Cheung 2010 (doi:10.1145/1807167.1807248), who turn one ring as a whole. What we do differently:
many rings, so that no window bridges a gap; and no turns: a ring that is turned has k states, and
whoever guesses well about a few of its rows knows all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.arrays import Codes, Floats, Ints, Longs
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.kernels.costs import boxes
from shoal.kernels.overlap.rings import cut, mix, offsets, tour
from shoal.overlap.cover import different

LONGEST = 3  # times k; longer rings gain next to nothing
# The least k: at 3 the middle record of a window would be carried nearly every second time.
LEAST = 5
# In each sweep as many exchanges are tried as a ring has rows, and one walk. After a dozen sweeps
# nothing of the beginning is left.
SWEEPS = 64
BETWEEN = 4  # sweeps from draw to draw
# For each length of rings; the chance of their likeliest link is then known to a hundredth.
DRAWS = 8_000


@dataclass(frozen=True)
class Ring:
    """Rows in their order, each covering `window` of them; all rows where a group is whole."""

    rows: Ints
    window: int

    @property
    def whole(self) -> bool:
        """True if all rows cover all others."""
        return len(self.rows) == self.window


@dataclass(frozen=True)
class Rings:
    """The rings of a table, and the box of each of its rows."""

    rings: tuple[Ring, ...]
    lo: Codes
    hi: Codes


def ringed(rows: Rows, groups: Groups, k: int) -> Rings:
    """Make rings inside groups of at least k rows."""
    if k < LEAST:
        return shuffled(rows, groups)
    rings = [ring for group in _each(groups) for ring in _of_group(rows, group, k)]
    lo = np.empty_like(rows.codes)
    hi = np.empty_like(rows.codes)
    for ring in rings:
        lo[:, ring.rows], hi[:, ring.rows] = _around(rows.codes[:, ring.rows], ring.window)
    return Rings(tuple(rings), lo, hi)


def shuffled(rows: Rows, groups: Groups) -> Rings:
    """Publish every group as one box, whose rows can belong to anybody of the group."""
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    whole = tuple(Ring(group, len(group)) for group in _each(groups))
    return Rings(whole, lo[:, groups.labels], hi[:, groups.labels])


def dealt(rings: tuple[Ring, ...], rng: np.random.Generator) -> Ints:
    """Draw the record that each row carries, one of its window."""
    carried = np.empty(sum(len(ring.rows) for ring in rings), np.int32)
    for ring in rings:
        if ring.whole:
            carried[ring.rows] = rng.permutation(ring.rows)
        else:
            carried[ring.rows] = ring.rows[_deal(len(ring.rows), ring.window, rng)]
    return carried


def windows(rings: tuple[Ring, ...]) -> tuple[Longs, Ints]:
    """List the records that each row covers: `members[starts[i]:starts[i + 1]]` of row i."""
    sizes = np.zeros(sum(len(ring.rows) for ring in rings) + 1, np.int64)
    for ring in rings:
        sizes[ring.rows + 1] = ring.window
    starts = np.cumsum(sizes)
    members = np.empty(starts[-1], np.int32)
    for ring in rings:
        places = (np.arange(len(ring.rows))[:, None] + np.arange(ring.window)) % len(ring.rows)
        members[starts[ring.rows][:, None] + np.arange(ring.window)] = ring.rows[places]
    return starts, members


def likeliest(rings: tuple[Ring, ...], rng: np.random.Generator) -> Floats:
    """Compute the chance of each record's likeliest link.

    It is known where a group is whole, and else estimated from deals of rings of this length.
    """
    chances = np.empty(sum(len(ring.rows) for ring in rings))
    known: dict[tuple[int, int], float] = {}
    for ring in rings:
        shape = len(ring.rows), ring.window
        if shape not in known:
            known[shape] = 1.0 / ring.window if ring.whole else _most_frequent(*shape, rng)
        chances[ring.rows] = known[shape]
    return chances


def _deal(size: int, k: int, rng: np.random.Generator) -> Longs:
    """Draw the place of a ring that each place carries."""
    held = (np.arange(size) + (k - 1 + rng.integers(2) * (k % 2 == 0)) // 2) % size
    mix(held, k, SWEEPS, rng)
    return held


def _most_frequent(size: int, k: int, rng: np.random.Generator) -> float:
    """Estimate the chance of the record that a place carries most often."""
    counts = offsets(_deal(size, k, rng), k, DRAWS, BETWEEN, rng)
    return float(counts.max() / counts.sum())


def _each(groups: Groups) -> list[Ints]:
    """List the rows of each group."""
    order, starts = groups.by_group
    return [order[first:last].astype(np.int32) for first, last in pairwise(starts.tolist())]


def _of_group(rows: Rows, group: Ints, k: int) -> list[Ring]:
    """Cut a group into rings along a tour."""
    tuples, tuple_of = different(rows.codes[:, group])
    along = tour(
        rows.costs, np.ascontiguousarray(tuples.T), np.bincount(tuple_of).astype(np.int64), k
    )
    place = np.empty(len(along), np.int64)
    place[along] = np.arange(len(along))
    order = group[np.argsort(place[tuple_of], kind="stable")]
    starts = cut(rows.costs, np.ascontiguousarray(rows.codes[:, order].T), k, LONGEST * k)
    rings = []
    end = len(order)
    while end:
        rings.append(Ring(order[starts[end] : end], k))
        end = int(starts[end])
    return rings


def _around(codes: Codes, window: int) -> tuple[Codes, Codes]:
    """Compute the least box around the window of each row of a ring."""
    lo = codes.copy()
    hi = codes.copy()
    for step in range(1, window):
        other = np.roll(codes, -step, axis=1)
        np.minimum(lo, other, out=lo)
        np.maximum(hi, other, out=hi)
    return lo, hi
