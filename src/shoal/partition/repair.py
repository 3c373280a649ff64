"""Repair: groups that the guard does not call safe are merged with others until all are.

    while some group is not safe:
        A = the smallest of them, ties by lowest number
        B = the group for which |A+B| * cost(A+B) - |A| * cost(A) - |B| * cost(B) is least, among
        those whose union with A
            follows the rules of the models or, where no union does, among all; ties by lowest
            number
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


def repair(groups: Groups, rows: Rows, guard: Guard) -> Groups:
    """The groups with every unsafe one merged into its cheapest partner; withheld rows stay so."""
    safe = guard.safe(groups)
    while not safe.all() and groups.count > 1:
        groups = _Merging(groups, rows, guard).until_safe(safe)
        safe = guard.safe(groups)  # all of them once more: a guard need not survive merging
    return groups


def loss_of(groups: Groups, rows: Rows) -> int:
    """What groups lose: size times cost of the box, summed, in integers."""
    lo, hi = (
        np.ascontiguousarray(ends.T) for ends in boxes(rows.codes, groups.labels, groups.count)
    )
    return int(kernels.weigh(rows.costs, lo, hi, groups.sizes).sum())


class _Merging:
    """Groups while they are being merged. The lower number of two stays; the other has size 0 from
    then on.
    """

    def __init__(self, groups: Groups, rows: Rows, guard: Guard) -> None:
        self.groups = groups
        self.rows = rows
        self.guard = guard
        self.sizes = groups.sizes.copy()
        self.joins = np.arange(groups.count)
        self.members = members_of(groups.labels, groups.count)
        lo, hi = boxes(rows.codes, groups.labels, groups.count)
        self.lo = np.ascontiguousarray(lo.T)
        self.hi = np.ascontiguousarray(hi.T)
        self.weights = kernels.weigh(rows.costs, self.lo, self.hi, self.sizes)

    def until_safe(self, safe: Flags) -> Groups:
        """Merge the smallest unsafe group, judge the union, and so on."""
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
        state = self.rows.costs, self.lo, self.hi, self.sizes, self.weights, group
        if self.guard.rules is None:
            return kernels.cheapest_partner(*state)
        return kernels.cheapest_safe_partner(*state, self.guard.rules, self.members)

    def _merge(self, kept: int, gone: int) -> int:
        self.lo[kept] = np.minimum(self.lo[kept], self.lo[gone])
        self.hi[kept] = np.maximum(self.hi[kept], self.hi[gone])
        kernels.string_together(self.members, kept, gone)
        self.sizes[kept] += self.sizes[gone]
        self.sizes[gone] = 0
        self.joins[gone] = kept
        box = slice(kept, kept + 1)
        self.weights[box] = kernels.weigh(
            self.rows.costs, self.lo[box], self.hi[box], self.sizes[box]
        )
        return kept

    def _is_safe(self, group: int) -> bool:
        if self.guard.rules is not None:
            return self.sizes[group] >= self.guard.least and kernels.is_safe(
                self.guard.rules, self.members, group
            )
        labels = np.full(self.rows.count, WITHHELD, np.int32)
        labels[kernels.rows_of(self.members, group, self.sizes[group])] = 0
        return bool(self.guard.safe(Groups(labels, 1))[0])
