"""`sequential`: rows move one by one to the group where the total loss falls most.

After Goldberger & Tassa 2010.

    deal all rows at random into groups of about alpha * k
    repeat, `cycles` times at most:
        for every row: move it to the group for which the loss (size times box) falls most,
            if it falls at all; a row that stands alone moves in any case, and its group is gone
        split every group above omega * k rows at random into two halves
        stop after a cycle without moves and splits
    while a group is below k: unite the smallest one with the group for which the loss grows least
    all of this `restarts` times; the least loss wins

Cost: rows times groups for each cycle, which is O(n^2 / k). A row that joins a group adds at least
that group's own cost, and no axis lowers it again: so most groups are dropped after one or two
axes, without changing a choice. Ties go to the lowest group; the first deal and the splits are
random.

Paper: J. Goldberger, T. Tassa, Efficient anonymizations with enhanced utility, Transactions on Data
Privacy 3 (2010), 149-175; alpha = 0.5 and omega = 1.5 as there.

What we do differently: a limit on cycles, because splits at random may undo moves for ever; on
Adult most moves happen in the first two, and after the fifth the loss hardly falls. At k = 1 a row
may stay alone. Models beyond k are met by merging groups further, as everywhere.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2, in groups of alpha * k = 1 row. 20 joins 21,
which adds 2 * 1 year of loss; 23 joins both for 3 * 3 - 2 = 7, where 40 would have cost 2 * 17.
Likewise the others: {20, 21, 23} {40, 42} {60, 61}.

When to use it: when `k-member` loses too much and half a minute may pass: it goes back to every
row. It takes longest for small k, because that means many groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Longs
from shoal.encode.rows import Rows
from shoal.errors import RecipeError
from shoal.groups import Groups, Guard, Watch, within
from shoal.kernels.partition import sequential as kernels
from shoal.partition.merge import merge_small
from shoal.partition.method import Method
from shoal.partition.repair import loss_of

BREATH = 4_000_000  # rows times groups between two looks at the watch: a fraction of a second


@dataclass(frozen=True)
class Sequential(Method):
    """Rows move to the group where the loss falls most, cycle after cycle, from a random start."""

    name = "sequential"
    restarts: int = 1
    cycles: int = 10
    alpha: float = 0.5
    omega: float = 1.5

    def __post_init__(self) -> None:
        least = {"restarts": 1, "cycles": 1, "alpha": 0.0, "omega": 1.0}
        for name, bound in least.items():
            if not getattr(self, name) >= bound:
                remedy = f"sequential:{name}={type(self).__dataclass_fields__[name].default}"
                raise RecipeError(
                    f"{name} of 'sequential' must be {bound:g} or more", remedy=remedy
                )

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        least = min(max(k, guard.least), rows.count)
        best = None
        lowest = 0
        for start in range(self.restarts):
            part = within(watch, start / self.restarts, (start + 1) / self.restarts)
            groups = merge_small(self._moved(rows, least, rng, part), rows, least, part)
            loss = loss_of(groups, rows)
            if best is None or loss < lowest:
                best = groups
                lowest = loss
        assert best is not None
        return best

    def _moved(self, rows: Rows, k: int, rng: np.random.Generator, watch: Watch) -> Groups:
        """Start at random and move rows for all cycles; return groups of any size."""
        count = max(rows.count // max(int(self.alpha * k), 1), 1)
        labels = np.empty(rows.count, np.int64)
        hint = np.full(rows.count, -1)
        labels[rng.permutation(rows.count)] = np.arange(rows.count) % count
        axes = kernels.selective_first(rows.costs, rows.codes)
        for cycle in range(self.cycles):
            state = kernels.opened(rows.costs, rows.codes, labels, count, hint)
            stride = 1 + BREATH // count
            moved = 0
            for first in range(0, rows.count, stride):
                watch((cycle + first / rows.count) / self.cycles)
                upto = min(first + stride, rows.count)
                moved += kernels.move_rows(rows.costs, axes, state, first, upto, k > 1)
            groups = _split(labels, count, int(self.omega * k), rng)
            if not moved and groups == count:
                break
            labels, hint, count = _renumbered(labels, hint, groups)
        return Groups.of(labels)


def _split(labels: Longs, count: int, most: int, rng: np.random.Generator) -> int:
    """Cut every group above `most` rows into two random halves; return the number of groups."""
    sizes = np.bincount(labels, minlength=count)
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes)
    for group in np.flatnonzero(sizes > most):
        members = rng.permutation(order[ends[group] - sizes[group] : ends[group]])
        labels[members[(len(members) + 1) // 2 :]] = count
        count += 1
    return count


def _renumbered(labels: Longs, hint: Longs, count: int) -> tuple[Longs, Longs, int]:
    """Renumber the groups that still have rows, in order; return labels, hints and their number.

    A hint at a group without rows becomes -1.
    """
    held = np.bincount(labels, minlength=count) > 0
    number = np.where(held, np.cumsum(held) - 1, -1)
    return number[labels], np.where(hint >= 0, number[hint], -1), int(held.sum())
