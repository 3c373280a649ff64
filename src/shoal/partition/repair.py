"""Repair: groups that the guard does not call safe are merged with others until all are.

    while some group is not safe:
        A = the smallest of them, ties by lowest number
        B = the group for which |A+B| * cost(A+B) - |A| * cost(A) - |B| * cost(B) is least,
            among those whose union with A follows the rules of the models or,
            where no union does, among all; ties by lowest number
        A and B become one group, which bears the lower number

Every merge lowers the number of groups, so this ends: at worst in one group, which may still be
unsafe; whoever asked has to withhold it or refuse. Merging only makes groups larger, so k holds
throughout. Looking at the rules makes fewer merges do: on Adult at k = 5 (mondrian, 7 columns,
sensitive occupation) the cheapest partner alone would lose 28 % more under alpha = 0.5 and 60 %
more under t = 0.2. Where kernels can't test the models, the cheapest of all is taken and the union
judged.

Cost: for each merge one look at every group's box, and one at the rows of those groups that would
be cheaper than the best so far.
"""

from __future__ import annotations

import heapq

import numpy as np

from shoal.arrays import Flags
from shoal.encode.rows import Rows
from shoal.groups import WITHHELD, Groups, Guard
from shoal.kernels.costs import boxes
from shoal.kernels.guards import members_of
from shoal.kernels.partition import repair as kernels
from shoal.kernels.partition.repair import BoxedGroups


def repair(groups: Groups, rows: Rows, guard: Guard) -> Groups:
    """Merge every unsafe group into its cheapest partner; withheld rows stay withheld."""
    safe = guard.safe(groups)
    while not safe.all() and groups.count > 1:
        groups = _Merging(groups, rows, guard).until_safe(safe)
        safe = guard.safe(groups)  # all of them once more: a guard need not survive merging
    return groups


def loss_of(groups: Groups, rows: Rows) -> int:
    """Compute what groups lose: size times cost of the box, summed, in integers."""
    return int(boxed_groups(groups, rows).losses.sum())


def boxed_groups(groups: Groups, rows: Rows) -> BoxedGroups:
    """Compute the boxes, sizes and losses of groups, for kernels that unite some of them."""
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    lo = np.ascontiguousarray(lo.T)
    hi = np.ascontiguousarray(hi.T)
    sizes = groups.sizes.copy()
    return BoxedGroups(lo, hi, sizes, kernels.weigh(rows.costs, lo, hi, sizes))


class _Merging:
    """Groups while they are being merged.

    The lower number of two stays; the other has size 0 from then on.
    """

    def __init__(self, groups: Groups, rows: Rows, guard: Guard) -> None:
        self.groups = groups
        self.rows = rows
        self.guard = guard
        self.boxed = boxed_groups(groups, rows)
        self.sizes = self.boxed.sizes
        self.joins = np.arange(groups.count)
        self.members = members_of(groups.labels, groups.count)

    def until_safe(self, safe: Flags) -> Groups:
        """Merge the smallest unsafe group and judge the union, until none is unsafe or alone."""
        unsafe = [(int(self.sizes[group]), int(group)) for group in np.flatnonzero(~safe)]
        heapq.heapify(unsafe)
        while unsafe:
            size, group = heapq.heappop(unsafe)
            if self.sizes[group] != size:  # it has been merged since
                continue
            partner = self._partner(group)
            if partner < 0:
                break
            merged = self._merge(min(group, partner), max(group, partner))
            if not self._is_safe(merged):
                heapq.heappush(unsafe, (int(self.sizes[merged]), merged))
        for group in range(len(self.joins)):  # lower numbers have found where they belong
            self.joins[group] = self.joins[self.joins[group]]
        return Groups.of(np.append(self.joins, WITHHELD)[self.groups.labels], self.groups.notes)

    def _partner(self, group: int) -> int:
        costs = self.rows.costs
        rules = self.guard.rules
        if rules is None:
            return kernels.cheapest_partner(costs, self.boxed, group)
        return kernels.cheapest_safe_partner(costs, self.boxed, group, rules, self.members)

    def _merge(self, kept: int, gone: int) -> int:
        lo = self.boxed.lo
        hi = self.boxed.hi
        lo[kept] = np.minimum(lo[kept], lo[gone])
        hi[kept] = np.maximum(hi[kept], hi[gone])
        kernels.string_together(self.members, kept, gone)
        self.sizes[kept] += self.sizes[gone]
        self.sizes[gone] = 0
        self.joins[gone] = kept
        box = slice(kept, kept + 1)
        losses = kernels.weigh(self.rows.costs, lo[box], hi[box], self.sizes[box])
        self.boxed.losses[box] = losses
        return kept

    def _is_safe(self, group: int) -> bool:
        if self.guard.rules is not None:
            return self.sizes[group] >= self.guard.least and kernels.is_safe(
                self.guard.rules, self.members, group
            )
        labels = np.full(self.rows.count, WITHHELD, np.int32)
        labels[kernels.rows_of(self.members, group, self.sizes[group])] = 0
        return bool(self.guard.safe(Groups(labels, 1))[0])
