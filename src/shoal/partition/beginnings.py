"""Beginnings: partitions to refine. Peeling, and for tables on which its walk can't be finished two others beside it.

    peel:
        every tuple of the table is free
        for each vector of levels, in the order of increasing mean cost:
            generalize the free tuples by it; every generalized tuple that k rows or more hold becomes a group
        fewer than k rows are left: each joins the group whose loss (size times box) grows least

With many quasi-identifiers the walk ends before everybody has a group: what it left is divided by `mondrian`. Two other
beginnings are made beside it, and the one that loses least is taken: `mondrian` alone, and `k-member` inside parts
that `mondrian` cuts, as large as is affordable. The latter is tried for small tables as well: where groups are much
smaller than the intervals of all levels, it finds them better.

All of them see the rows in the order of their codes, so the order of the table's rows does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from shoal.arrays import Flags, Ints, Labels, Longs
from shoal.encode.levels import levels_of
from shoal.encode.rows import Distinct, Rows
from shoal.groups import Groups, Watch, unwatched
from shoal.kernels.costs import Costs, boxes
from shoal.kernels.peel import Keys, Peeling, Table, peel, settle
from shoal.kernels.repair import weigh
from shoal.partition.k_member import KMember
from shoal.partition.mondrian import Mondrian
from shoal.partition.vectors import Vectors, keys_of

BREATH = 20_000_000  # free tuples times vectors between two looks at the watch: a fraction of a second
WORK = 4_000_000_000  # rows times axes times rows of a part that k-member divides: a few seconds
FEW = 50_000  # different tuples for which a second beginning is tried
PATIENCE = 100  # vectors that may free nobody, when there are too many to list


@dataclass(frozen=True)
class AtLeast:
    """A guard that asks for size alone."""

    least: int
    survives_merging = True
    only_size = True

    def safe(self, groups: Groups) -> Flags:
        """Large enough."""
        return np.asarray(groups.sizes >= self.least, np.bool_)


def begin(
    rows: Rows, tuples: Distinct, k: int, rng: np.random.Generator, watch: Watch, *, others: bool = True
) -> tuple[Labels, tuple[str, ...]]:
    """A label for each row in the order of the tuples, and notes on how it was found."""
    levels = [levels_of(axis, a, rows.costs, rows.count) for a, axis in enumerate(rows.axes)]
    vectors, counts = Vectors.of(levels), tuples.counts
    walked = np.repeat(walk(tuples.codes, counts, keys_of(levels), vectors, k, watch), counts)
    in_order = replace(rows, codes=np.repeat(tuples.codes, counts, axis=1), sensitive=())
    peeled = _with_rest(in_order, walked, k, rng)
    if vectors.complete and not (others and len(counts) <= FEW):
        return peeled, ()
    found = {"peeling": peeled, "k-member in parts": _in_parts(in_order, k, rng, watch)}
    if not vectors.complete:
        found["mondrian"] = Mondrian().divide(in_order, k, AtLeast(k), rng).labels
    losses = {name: _loss(in_order, labels) for name, labels in found.items()}
    best = min(losses, key=lambda name: losses[name])
    notes: tuple[str, ...] = (f"begun with {best}, the best of {', '.join(found)}",)
    if not vectors.complete:
        left = f"{int(np.count_nonzero(walked < 0)):,} of {rows.count:,} rows"
        notes += (f"with too many vectors to list, peeling walked up to {len(vectors.levels):,} and left {left}",)
    return found[best], notes


def _loss(rows: Rows, labels: Labels) -> int:
    """What groups lose: size times box, summed, in integers."""
    count = int(labels.max(initial=-1)) + 1
    lo, hi = _boxes(rows.codes, labels, count)
    return int(weigh(rows.costs, lo, hi, np.bincount(labels, minlength=count).astype(np.int64)).sum())


def walk(codes: Ints, counts: Longs, keys: Keys, vectors: Vectors, k: int, watch: Watch = unwatched) -> Labels:
    """The group that peeling gives each tuple, -1 where it gives none."""
    slots = 1 << (2 * len(counts)).bit_length()
    longs = np.zeros((3, slots), np.int64)
    table = Table(longs[0], longs[1], longs[2], np.zeros(slots, np.int32))
    labels = np.full(len(counts), -1, np.int32)
    peeling = Peeling(np.arange(len(counts), dtype=np.int32), labels, np.zeros(len(counts), np.int32), table)
    alive, group, done, end = len(counts), 0, 0, len(vectors.levels)
    while done < end and alive:
        upto = min(end, done + 1 + BREATH // (alive * len(codes)))
        alive, group = peel(codes, counts, keys, vectors.levels, done, upto, k, peeling, alive, group)
        done = upto
        watch(done / end)
        if not vectors.complete and alive == len(counts) and done >= PATIENCE:
            break  # with many columns, what comes next frees nobody either
    return labels


def settled(costs: Costs, codes: Ints, labels: Labels) -> Labels:
    """The few rows that are left join the group whose loss grows least."""
    left = np.flatnonzero(labels < 0)
    if len(left):
        count = int(labels.max(initial=-1)) + 1
        lo, hi = _boxes(codes, labels, count)
        sizes, chosen = np.bincount(labels[labels >= 0], minlength=count).astype(np.int64), np.empty(len(left), np.int32)
        settle(costs, np.ascontiguousarray(codes[:, left].T), lo, hi, sizes, chosen)
        labels[left] = chosen
    return labels


def _with_rest(rows: Rows, walked: Labels, k: int, rng: np.random.Generator) -> Labels:
    """What the walk left is a table of its own, divided by `mondrian`."""
    rest, labels = np.flatnonzero(walked < 0), walked.copy()
    if len(rest) < k:
        return settled(rows.costs, rows.codes, labels)
    some = replace(rows, codes=np.ascontiguousarray(rows.codes[:, rest]))
    labels[rest] = Mondrian().divide(some, k, AtLeast(k), rng).labels + int(walked.max(initial=-1)) + 1
    return labels


def _in_parts(rows: Rows, k: int, rng: np.random.Generator, watch: Watch) -> Labels:
    """`k-member` inside each of the parts that `mondrian` cuts."""
    part = max(1_000, WORK // (rows.count * len(rows.axes)))
    parts = Mondrian(relaxed=True).divide(rows, min(max(part, 5 * k), rows.count), AtLeast(k), rng)
    order, starts = parts.by_group
    labels, count = np.empty(rows.count, np.int32), 0
    for start, stop in pairwise(starts.tolist()):
        members = order[start:stop]
        some = replace(rows, codes=np.ascontiguousarray(rows.codes[:, members]))
        groups = KMember().divide(some, k, AtLeast(k), rng)
        labels[members] = groups.labels + count
        count += groups.count
        watch(1.0)
    return labels


def _boxes(codes: Ints, labels: Labels, count: int) -> tuple[Ints, Ints]:
    lo, hi = boxes(codes, labels, count)
    return np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T)
