"""Rings: inside a group of near rows, every row covers the k records from its own on, going round.

1. A tour through the rows of a group: next comes the one with which the box around the k - 1 rows before costs least.
2. The tour is cut into rings of k rows and more, where that makes all windows of k together cost least.
3. Row i of a ring is published as the box around records i to i + k - 1, going round.
4. Every ring is turned: row i carries record i + s, for one s from 0 to k - 1 drawn at random. A ring of k rows, in which all
   rows cover all, is shuffled instead.

So every row covers at least k records, every record could stand in k rows, and each of these links is exactly as likely as the
others: 1/k, with nothing estimated, also for those who know how rings are made. Inside a ring of more than k rows, whoever
learns one link learns the others. No box is larger than that of the group, so this never loses more than the groups do.

Whatever the turn, the k rows that a record could stand in carry the values of a window. Where a window holds more of one
sensitive value than floor(k / l), the whole group is published as one box and shuffled; the groups keep l among themselves.

Cost: the tour of a group O(m^2), the cut O(m k^2), for m rows. Windows along a ring: Wong, Mamoulis & Cheung 2010
(doi:10.1145/1807167.1807248). What we do differently: many rings instead of one, so that no window bridges a gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Codes, Ints
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.kernels.rings import cut, tour
from shoal.overlap.cover import different

LONGEST = 3  # times k; longer rings gain next to nothing


@dataclass(frozen=True)
class Ring:
    """Rows in their order; `window` of them are covered by each, which is all where the group is published as one."""

    rows: Ints
    window: int

    @property
    def likeliest(self) -> float:
        """The chance of each of a record's links."""
        return 1.0 / self.window


@dataclass(frozen=True)
class Rings:
    """The rings of a table, and the box of each of its rows."""

    rings: tuple[Ring, ...]
    lo: Codes
    hi: Codes


def ringed(rows: Rows, groups: Groups, k: int, l: int = 1) -> Rings:  # noqa: E741
    """Rings inside groups of at least k rows; in no window more than floor(k / l) rows have one sensitive value."""
    order, starts = groups.by_group
    found: list[Ring] = []
    for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        found += _of_group(rows, order[first:last].astype(np.int32), k, k // l)
    lo, hi = np.empty_like(rows.codes), np.empty_like(rows.codes)
    for ring in found:
        lo[:, ring.rows], hi[:, ring.rows] = _around(rows.codes[:, ring.rows], ring.window)
    return Rings(tuple(found), lo, hi)


def turned(rings: tuple[Ring, ...], rng: np.random.Generator) -> Ints:
    """For each row the record that it carries: each of those in its window, equally likely."""
    carried = np.empty(sum(len(ring.rows) for ring in rings), np.int32)
    for ring in rings:
        whole = len(ring.rows) == ring.window
        carried[ring.rows] = rng.permutation(ring.rows) if whole else np.roll(ring.rows, -int(rng.integers(ring.window)))
    return carried


def _of_group(rows: Rows, group: Ints, k: int, most: int) -> list[Ring]:
    """The group cut into rings along a tour, or left whole where a window would tell too much."""
    tuples, tuple_of = different(rows.codes[:, group])
    along = tour(rows.costs, np.ascontiguousarray(tuples.T), np.bincount(tuple_of).astype(np.int64), k)
    place = np.empty(len(along), np.int64)
    place[along] = np.arange(len(along))
    order = group[np.argsort(place[tuple_of], kind="stable")]
    starts = cut(rows.costs, np.ascontiguousarray(rows.codes[:, order].T), k, LONGEST * k)
    found, end = [], len(order)
    while end:
        found.append(Ring(order[starts[end] : end], k))
        end = int(starts[end])
    telling = most < k and any(_most(column.codes[ring.rows], k) > most for column in rows.sensitive for ring in found)
    return [Ring(order, len(order))] if telling else found


def _most(values: Ints, k: int) -> int:
    """How often the most frequent value of a window occurs in it."""
    windows = _windows(values, k)
    return max(int(np.bincount(window).max()) for window in windows)


def _windows(values: Ints, k: int) -> Ints:
    """The k values from each place on, going round: `[place, k]`."""
    size = len(values)
    return values[(np.arange(size)[:, None] + np.arange(k)) % size]


def _around(codes: Codes, window: int) -> tuple[Codes, Codes]:
    """The least box around the window of each row of a ring."""
    lo, hi = codes.copy(), codes.copy()
    for step in range(1, window):
        other = np.roll(codes, -step, axis=1)
        np.minimum(lo, other, out=lo)
        np.maximum(hi, other, out=hi)
    return lo, hi
