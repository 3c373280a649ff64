"""`threshold`: groups grow from random seeds for as long as their box costs at most delta.

After Loukides & Shao 2007.

    while rows are free:
        a random free row starts a group
        add the free row with the best score
            until every free row would make the box cost more than `delta`
    each group below k rows joins the group of k or more whose loss (size times box) grows least

The score is the cost of the box with the row in it, less `protection` times the share of all values
of the first sensitive column that the group would hold: with a weight of 0, the default, usefulness
alone decides. Ties go to the lowest row. `delta` is a sum over columns, each between 0 and 1.
Without one, it is the distance within which nine of ten sampled rows have k-1 neighbours. Cost:
O(n^2 / mean group size) in the number of different rows; sizes have no upper bound.

Paper: G. Loukides, J. Shao, Capturing data usefulness and privacy protection in k-anonymisation,
SAC 2007.

What we do differently: the paper deletes small groups. That is `small=withhold`; those rows are
left out of the release, every loss charges them in full, and more of them than the recipe allows
are refused. By default they are reattached; if no group reaches k, small ones are united, smallest
first. The sensitive spread is a share of values, not a range.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2, `delta=0.1`: a box may be a tenth of the range
wide, 4.1 years. 21 as a seed takes 20 and 23, 40 takes 42, 60 takes 61, and everybody has k - 1
others: {20, 21, 23} {40, 42} {60, 61}.

When to use it: where no group may become too wide and some rows may be withheld, or to see how many
rows have no k-1 neighbours nearby. For the least loss on all rows use another method: what is
reattached pays dearly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Ints, Labels
from shoal.encode.rows import Distinct, Rows
from shoal.errors import RecipeError
from shoal.groups import Groups, Guard, Watch
from shoal.kernels.costs import UNIT
from shoal.kernels.partition import threshold as kernels
from shoal.partition.merge import merge_small
from shoal.partition.method import Method
from shoal.partition.repair import boxed_groups

SAMPLE = 500
QUANTILE = 0.9
# Pairs of groups looked at between two looks at the watch: a fraction of a second.
BREATH = 3_000_000


@dataclass(frozen=True)
class Threshold(Method):
    """Groups grown from random seeds up to a cost of delta; small ones reattached or withheld."""

    name = "threshold"
    delta: float | None = None
    small: Literal["reattach", "withhold"] = "reattach"
    protection: float = 0.0

    def __post_init__(self) -> None:
        for what, value in (("delta", self.delta), ("protection", self.protection)):
            if value is not None and not 0 <= value < 2**31 / UNIT:
                raise RecipeError(
                    f"{what} of 'threshold' must be from 0 to 2,047, not {value:g}",
                    remedy=f"threshold:{what}=1",
                )

    @property
    def leaves_out(self) -> bool:
        """True if small groups are left out instead of being joined to others."""
        return self.small == "withhold"

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        least = min(max(k, guard.least), rows.count)
        delta = (
            _sampled_delta(rows, least, rng, watch)
            if self.delta is None
            else round(self.delta * UNIT)
        )
        groups = self._grown(rows, delta, rng, watch)
        small = np.flatnonzero(groups.sizes < least)
        if self.small == "withhold":
            return groups.withhold(small)
        if len(small) == groups.count:
            return merge_small(groups, rows, least, watch)
        return _reattached(groups, rows, least, watch)

    def _grown(self, rows: Rows, delta: int, rng: np.random.Generator, watch: Watch) -> Groups:
        """Grow groups of any size, all of them within delta."""
        tuples, value, bonus = self._tuples(rows)
        count = len(value)
        free = _all_free(tuples.codes[: len(rows.axes)], value)
        limits = kernels.Limits(delta, bonus)
        of_row = np.empty(rows.count, np.int64)
        of_row[tuples.order] = np.repeat(np.arange(count), tuples.counts)
        alive = count
        group = 0
        for seed in of_row[rng.permutation(rows.count)]:
            if free.labels[seed] < 0:
                watch(1 - alive / count)
                place = int(np.searchsorted(free.ids[:alive], seed))
                alive = kernels.grow(rows.costs, free, limits, alive, place, group)
                group += 1
        return Groups.of(free.labels[of_row])

    def _tuples(self, rows: Rows) -> tuple[Distinct, Ints, int]:
        """List every different row once; return them, their values, and a new value's worth.

        The values are sensitive ones; -1 is none that counts.
        """
        if not self.protection or not rows.sensitive or not rows.sensitive[0].size:
            return rows.distinct, np.full(rows.distinct.codes.shape[1], -1, np.int32), 0
        first = rows.sensitive[0]
        sizes = [axis.size + 1 for axis in rows.axes] + [first.size + 1]
        tuples = Distinct.of(np.vstack((rows.codes, first.codes)), sizes)
        value = np.where(tuples.codes[-1] == first.size, -1, tuples.codes[-1]).astype(np.int32)
        return tuples, value, round(self.protection * UNIT / first.size)


def _all_free(codes: Ints, value: Ints) -> kernels.Free:
    """Begin with tuples of which none is in a group."""
    return kernels.Free(
        codes=codes.copy(),
        ids=np.arange(len(value), dtype=np.int32),
        value=value,
        labels=np.full(len(value), -1, np.int32),
    )


def _sampled_delta(rows: Rows, k: int, rng: np.random.Generator, watch: Watch) -> int:
    """Find the distance within which nine of ten sampled rows have k-1 others."""
    tuples = rows.distinct
    distances = []
    for row in rng.choice(rows.count, min(rows.count, SAMPLE), replace=False):
        watch(0.0)
        distances.append(
            kernels.kth_distance(
                rows.costs, tuples.codes, tuples.counts, rows.codes[:, row].copy(), k
            )
        )
    return int(sorted(distances)[int(np.ceil(QUANTILE * len(distances))) - 1])


def _reattached(groups: Groups, rows: Rows, least: int, watch: Watch) -> Groups:
    """Unite every small group with the kept one whose loss grows least, in order of first rows."""
    boxed = boxed_groups(groups, rows)
    joins = np.arange(groups.count)
    small = np.flatnonzero(groups.sizes < least)
    kept = np.flatnonzero(groups.sizes >= least)
    stride = 1 + BREATH // len(kept)
    for first in range(0, len(small), stride):
        watch(1.0)
        kernels.reattach(rows.costs, boxed, small[first : first + stride], kept, joins)
    labels: Labels = joins[groups.labels].astype(np.int32)
    return Groups.of(labels)
