"""Concealment: count the records that each row could be, and the rows of each record.

With overlapping boxes these are different things (Gionis, Mazza & Tassa 2008,
doi:10.1109/ICDE.2008.4497492; Tassa, Mazza & Gionis 2012, k-concealment):

    (k,1)           every row covers at least k records
    (1,k)           every record is covered by at least k rows
    (k,k)           both
    k-concealment   every record has at least k matches: rows that cover it and leave every other
                    record a row too

None but (k,k) implies another that stands above it, and k-concealment implies (1,k). `k possible
matches` is what is counted here, and not that they are equally likely: see `matching` for how
likely the likeliest is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Codes
from shoal.overlap.cover import Cover


@dataclass(frozen=True)
class Concealment:
    """Counts of rows and records that are hidden less than a k asks for."""

    k: int
    covered: int
    """The fewest records that a row covers: (k,1) asks for k."""
    covering: int
    """The fewest rows that cover a record: (1,k) asks for k."""
    matches: int
    """The fewest rows that match a record: k-concealment asks for k. 0 where records can't all have
    a row.
    """
    covered_below: int
    """Rows that cover fewer than k records."""
    covering_below: int
    """Records that fewer than k rows cover."""
    matches_below: int
    """Records with fewer than k matches."""
    unpaired: int
    """Records that can't have a row while all others have: the rows are not these records' own,
    unless it is 0.
    """

    def reaches(self, promise: str) -> bool:
        """Tell if a promise is kept: one of `PROMISES`."""
        kept = {
            "k-1": self.covered >= self.k,
            "1-k": self.covering >= self.k,
            "k-concealment": self.matches >= self.k,
        }
        kept["k-k"] = kept["k-1"] and kept["1-k"]
        return self.unpaired == 0 and kept[promise]


PROMISES = ("k-1", "1-k", "k-k", "k-concealment")


def check(codes: Codes, lo: Codes, hi: Codes, k: int, *, paired: bool) -> Concealment:
    """Count from the outside: records at `codes[axis, record]`, and boxes of rows.

    Row r is published as the box `lo[axis, r]` to `hi[axis, r]`.

    `paired`: row r belongs to record r. Otherwise rows are in any order, and a way to pair them is
    looked for.
    """
    return weighed(Cover.of(codes, lo, hi), k, paired=paired)


def weighed(cover: Cover, k: int, *, paired: bool) -> Concealment:
    """Count the records and rows of a cover that is there already."""
    covered = cover.covered
    covering = cover.covering
    unpaired = abs(len(cover.box_of) - len(cover.tuple_of))
    if not unpaired:
        given = cover.own() if paired else cover.assigned()
        unpaired = int(np.count_nonzero(~cover.holds(given)))
    matches = np.zeros_like(covering) if unpaired else cover.matches(given).counts
    counted = (covered, covering, matches)
    fewest = [int(counts.min(initial=2**31 - 1)) for counts in counted]
    below = [int(np.count_nonzero(counts < k)) for counts in counted]
    return Concealment(k, fewest[0], fewest[1], fewest[2], below[0], below[1], below[2], unpaired)
