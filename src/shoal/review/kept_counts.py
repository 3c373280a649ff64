"""Kept counts: counts what a release shows to someone who knows its kept columns too.

    combinations   rows that hold each combination of kept columns, which the gate judges
    sizes          rows that look alike on cells and all kept columns together: a second risk

Both add up over parts of a release, as rows with equal cells are in one part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Counts, Ints
from shoal.groups import Groups
from shoal.review.kept_columns import KeptTally
from shoal.review.recount import keys, numbered


@dataclass(frozen=True)
class KeptCounts:
    """Counts of the kept columns of a release, or of a part of it."""

    combinations: KeptTally
    sizes: Counts
    """How many rows look alike on cells and kept columns: [size, groups of that size]."""

    @classmethod
    def nothing(cls) -> KeptCounts:
        """Count a release without kept columns."""
        return cls(KeptTally.of((), ()), np.zeros((2, 0), np.int64))

    @classmethod
    def of(cls, groups: Groups, kept: Mapping[str, Ints], forced: Sequence[str] = ()) -> KeptCounts:
        """Count rows by the codes of kept columns; those kept by force are judged by no rule."""
        if not kept:
            return cls.nothing()
        judged = {name: codes for name, codes in kept.items() if name not in forced}
        codes = [groups.labels, *kept.values()]
        _, count_of = np.unique(
            numbered(keys(codes, [int(of.max(initial=0)) + 1 for of in codes]))[0],
            return_counts=True,
        )
        return cls(KeptTally.of(tuple(judged), list(judged.values())), _tallied(count_of))

    @classmethod
    def together(cls, parts: Sequence[KeptCounts]) -> KeptCounts:
        """Add up the counts of all parts."""
        every = np.concatenate([part.sizes for part in parts], axis=1)
        tally = KeptTally.together([part.combinations for part in parts])
        return cls(tally, _tallied(every[0], every[1]))

    @property
    def each(self) -> Counts:
        """The size of each group of rows that look alike on cells and kept columns."""
        return np.repeat(self.sizes[0], self.sizes[1])


def _tallied(sizes: Counts, times: Counts | None = None) -> Counts:
    """Count how often each size occurs: [size, times]."""
    different, place = np.unique(sizes, return_inverse=True)
    added = np.bincount(place, times, len(different)).astype(np.int64)
    return np.array([different, added], np.int64).reshape(2, -1)
