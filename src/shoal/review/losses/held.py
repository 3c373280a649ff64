"""Held: count how often each code of an axis stands in each group, every pair once.

Losses that need the members of a group, and not only its box, read this instead of the rows: a
million rows in groups of ten make some hundred thousand pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Flags, Ints, Longs
from shoal.encode.axes import Axis
from shoal.groups import Groups

# A table of counts may have this many places for each row; beyond that, pairs are sorted.
SPARSE = 8


class HeldCodes(NamedTuple):
    """Pairs of a group and a code, in this order; `axis.size` is the code of missing values."""

    group: Longs
    code: Ints
    times: Counts

    def those(self, chosen: Flags) -> HeldCodes:
        """Select pairs."""
        return HeldCodes(self.group[chosen], self.code[chosen], self.times[chosen])


def held(axis: Axis, codes: Ints, groups: Groups) -> HeldCodes:
    """Count the codes of each group on one axis; withheld rows are in none."""
    codes, labels = (codes, groups.labels) if not groups.withheld else _kept(codes, groups)
    keys = labels.astype(np.int64)
    keys *= axis.size + 1
    keys += codes
    if groups.count * (axis.size + 1) <= SPARSE * len(keys):
        counts = np.bincount(keys, minlength=groups.count * (axis.size + 1))
        pairs = np.flatnonzero(counts)
        times = counts[pairs]
    else:
        pairs, times = np.unique(keys, return_counts=True)
    group, code = np.divmod(pairs, axis.size + 1)
    return HeldCodes(group, code.astype(np.int32), times.astype(np.int64))


def held_by_all(axis: Axis, rows: int) -> HeldCodes:
    """Count the codes of the table as one group, withheld rows among them."""
    counts = np.append(axis.counts, rows - int(axis.counts.sum()))
    code = np.flatnonzero(counts)
    return HeldCodes(
        np.zeros(len(code), np.int64), code.astype(np.int32), counts[code].astype(np.int64)
    )


def _kept(codes: Ints, groups: Groups) -> tuple[Ints, Ints]:
    kept = groups.labels >= 0
    return codes[kept], groups.labels[kept]
