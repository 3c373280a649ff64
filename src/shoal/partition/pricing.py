"""Pricing: no column is sacrificed so that the others stay exact, unless that was asked for.

    divide a sample quickly, and count for each column the rows that would be published as `*`
    while some column is lost in more than 30 % of the rows, for a few rounds:
        raise the price of `*` on each such column, by more where more is lost
        divide the sample again under these prices
    take the prices of the round in which columns are least above 30 %, all of them together, and of
    several such rounds that which loses least; among rounds that lose at most 1.5 % more than
    without prices

Where the method begins by peeling, by size alone, all rows are peeled under plain prices first: if
no column is lost in that, there is nothing to price, and the method goes on from what was peeled.

Prices are fixed before the rows are divided, so that the cost of a box is a function of the box.
They are whole numbers, found from sums of integers without chance: the sample is every n-th row in
the order of the codes, and k is divided by n (at least to 5), so that groups are as wide as those
of all rows. The order of the table's rows does not matter. Models are not looked at. Whoever gave
columns an importance has said what may be lost: nothing is priced then. Losses other than `span`
are those of papers, and are minimized as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Longs
from shoal.encode.prices import PLAIN, priced, told_nothing
from shoal.encode.rows import Rows
from shoal.groups import Groups, Note, Watch, unwatched
from shoal.kernels.costs import boxes
from shoal.partition.beginnings import Beginnings
from shoal.partition.pieces import ordered
from shoal.partition.repair import loss_of

PRICED_LOSS = "span"
SACRIFICED = 0.3
AIM = 280  # thousandths of the rows in which a column may be lost: the sample is not the table
BUDGET = 15  # thousandths of the loss that prices may cost
DEAREST = 400
STEP = 15  # thousandths above the aim that raise a price by a hundredth
ROUNDS = 5
FEW_ROUNDS = 2  # at low effort, and where there are too many vectors to walk
ENOUGH = 7_500  # rows of a sample at least
LEAST_K = 5  # in a sample
GROUPS = 20  # that a table must have room for


@dataclass(frozen=True)
class PriceTrial:
    """Prices that were tried: what groups lose under them, prices apart, and rows lost."""

    prices: Longs
    loss: int
    lost: Longs

    def excess(self, rows: int) -> int:
        """Count thousandths of rows that columns lose beyond what any of them should."""
        return int(np.maximum(1000 * self.lost - AIM * rows, 0).sum())


def prices_of(
    rows: Rows, k: int, effort: str = "default", *, peels: bool = False, watch: Watch = unwatched
) -> Longs:
    """Find a price of `*` for each axis such that no column is sacrificed, as far as that goes.

    `peels` says that the method will peel the rows by size alone: then it costs nothing to look at
    all of them first, and not at a sample.
    """
    plain = np.full(len(rows.axes), PLAIN, np.int64)
    if rows.loss != PRICED_LOSS or rows.count < GROUPS * k:
        return plain
    whole = None
    if peels and _begun(rows, k).vectors.complete:
        whole = _tried(rows, k, plain, watch)
        if not whole.excess(rows.count):
            return plain
    sample, least = sampled(rows, k)
    first = whole if whole and sample is rows else _tried(sample, least, plain)
    trials = [first]
    few = effort == "low" or not _begun(sample, least).vectors.complete
    for _ in range(FEW_ROUNDS if few else ROUNDS):
        last = trials[-1]
        above = 1000 * last.lost - AIM * sample.count
        if (above <= 0).all():
            break
        raised = last.prices + np.where(above > 0, 1 + above // (STEP * sample.count), 0)
        trials.append(_tried(sample, least, np.minimum(raised, DEAREST)))
    affordable = [trial for trial in trials if 1000 * trial.loss <= (1000 + BUDGET) * first.loss]
    best = min(affordable, key=lambda trial: (trial.excess(sample.count), trial.loss))
    return best.prices


def sampled(rows: Rows, k: int) -> tuple[Rows, int]:
    """Take every n-th row in the order of the codes, and the k that groups of these have."""
    nth = min(k // LEAST_K, rows.count // ENOUGH)
    if nth < 2:
        return rows, k
    order = ordered(rows, apart=False).order
    return rows.shard(np.sort(order[::nth])), -(-k // nth)


def noted(rows: Rows, prices: Longs) -> tuple[Note, ...]:
    """Say which columns got a price, for the private certificate."""
    listed = [
        f"{price / PLAIN:g} times for '{axis.name}'"
        for axis, price in zip(rows.axes, prices, strict=True)
        if price != PLAIN
    ]
    if not listed:
        return ()
    aim = f"so that no column is lost in more than {SACRIFICED:.0%} of the rows"
    return (Note("prices", f"* was weighed {', '.join(listed)}, {aim}"),)


def _tried(rows: Rows, k: int, prices: Longs, watch: Watch = unwatched) -> PriceTrial:
    """Divide rows quickly under prices; count the rows that each column loses."""
    groups = _quick(priced(rows, prices), k, watch)
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    lost = [
        int(groups.sizes[told_nothing(axis, lo[place], hi[place])].sum())
        for place, axis in enumerate(rows.axes)
    ]
    return PriceTrial(prices, loss_of(groups, rows), np.array(lost, np.int64))


def _quick(rows: Rows, k: int, watch: Watch) -> Groups:
    """Divide rows by one beginning."""
    beginnings = _begun(rows, k, watch)
    labels = np.empty(rows.count, np.int32)
    labels[beginnings.tuples.order] = beginnings.quick()
    return Groups.of(labels)


def _begun(rows: Rows, k: int, watch: Watch = unwatched) -> Beginnings:
    """Make beginnings with a seed that is fixed: the run's own is left as it is."""
    return Beginnings(rows, ordered(rows, apart=False), k, np.random.default_rng(0), watch)
