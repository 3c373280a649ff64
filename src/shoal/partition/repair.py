"""Repair: groups that the guard does not call safe are merged with others until all are.

    while some group is not safe:
        A = the smallest of them, ties by lowest number
        B = the group for which |A+B| * cost(A+B) - |A| * cost(A) - |B| * cost(B) is least, ties by lowest number
        A and B become one group, which bears the lower number

Every merge lowers the number of groups, so this ends: at worst in one group, which may still be unsafe; whoever asked has to
withhold it or refuse. Merging only makes groups larger, so k holds throughout. Cost: for each merge one look at every
group's box and one verdict.
"""

from __future__ import annotations

import heapq

import numpy as np

from shoal.arrays import Flags, Labels, Longs
from shoal.encode.rows import Rows
from shoal.groups import WITHHELD, Groups, Guard
from shoal.kernels import repair as kernels
from shoal.kernels.costs import boxes


def repair(groups: Groups, rows: Rows, guard: Guard) -> Groups:
    """The groups with every unsafe one merged into its cheapest partner; withheld rows stay so."""
    safe = guard.safe(groups)
    while not safe.all() and groups.count > 1:
        groups = _Merging(groups, rows, guard).until_safe(safe)
        safe = guard.safe(groups)  # all of them once more: a guard need not survive merging
    return groups


class _Merging:
    """Groups while they are being merged. The lower number of two stays; the other has size 0 from then on."""

    def __init__(self, groups: Groups, rows: Rows, guard: Guard) -> None:
        self.rows, self.guard, self.notes = rows, guard, groups.notes
        self.sizes = groups.sizes.copy()
        order, starts = groups.by_group
        self.members: list[Longs] = np.split(order, starts[1:-1])
        lo, hi = boxes(rows.codes, groups.labels, groups.count)
        self.lo, self.hi = np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T)
        self.weights = kernels.weigh(rows.costs, self.lo, self.hi, self.sizes)

    def until_safe(self, safe: Flags) -> Groups:
        """Merge the smallest unsafe group, judge the union, and so on."""
        unsafe = [(int(self.sizes[group]), int(group)) for group in np.flatnonzero(~safe)]
        heapq.heapify(unsafe)
        while unsafe:
            size, group = heapq.heappop(unsafe)
            if self.sizes[group] != size:  # it has been merged since
                continue
            partner = kernels.cheapest_partner(self.rows.costs, self.lo, self.hi, self.sizes, self.weights, group)
            if partner < 0:
                break
            merged = self._merge(min(group, partner), max(group, partner))
            if not self.guard.safe(Groups(self._labels([merged]), 1))[0]:
                heapq.heappush(unsafe, (int(self.sizes[merged]), merged))
        return Groups.of(self._labels(list(np.flatnonzero(self.sizes))), self.notes)

    def _merge(self, kept: int, gone: int) -> int:
        self.lo[kept] = np.minimum(self.lo[kept], self.lo[gone])
        self.hi[kept] = np.maximum(self.hi[kept], self.hi[gone])
        self.members[kept] = np.concatenate((self.members[kept], self.members[gone]))
        self.sizes[kept] += self.sizes[gone]
        self.sizes[gone] = 0
        box = slice(kept, kept + 1)
        self.weights[box] = kernels.weigh(self.rows.costs, self.lo[box], self.hi[box], self.sizes[box])
        return kept

    def _labels(self, groups: list[int]) -> Labels:
        """Labels that show these groups alone, numbered as listed."""
        labels = np.full(self.rows.count, WITHHELD, np.int32)
        for number, group in enumerate(groups):
            labels[self.members[group]] = number
        return labels
