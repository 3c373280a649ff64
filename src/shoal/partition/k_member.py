"""`k-member`: greedy k-member clustering (Byun, Kamra, Bertino & Li 2007, doi 10.1007/978-3-540-71703-4_18).

1. Take a random row as a point of reference.
2. While at least k rows are free: start a group with the free row furthest from the reference (which is the previous
   seed from then on), and add the free row that makes the group's box grow least until it holds k rows.
3. Each row left over, in random order, joins the group whose loss (size times box) grows least.

Cost: O(n^2) in the number of different rows, memory linear. Sizes are k, and a little more where leftovers went.

What we do differently: nothing that changes a label. The published listing overwrites the reference inside its inner
loop, so that read to the letter the next seed is furthest from the row *added last*; its prose says from the previous
*seed*. `seed_rule` offers both, and the prose is the default. Ties go to the lowest row.

When to use it: a faithful baseline, good for small k; its last groups are made of scattered leftovers, which costs
dearly from k = 10 on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Labels
from shoal.encode.rows import Rows
from shoal.groups import Groups, Guard, Watch
from shoal.kernels.costs import boxes
from shoal.kernels.k_member import grow_groups, settle
from shoal.partition.method import Method

BREATH = 100_000_000  # additions times tuples between two looks at the watch: a fraction of a second


@dataclass(frozen=True)
class KMember(Method):
    """Greedy k-member clustering: grows groups of k around far-apart seeds (Byun et al. 2007)."""

    name = "k-member"
    seed_rule: Literal["previous-seed", "last-added"] = "previous-seed"

    def _divide(self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch) -> Groups:
        tuples = rows.distinct
        codes, ids = tuples.codes.copy(), np.arange(tuples.codes.shape[1], dtype=np.int32)
        cursor, ends = tuples.starts[:-1].copy(), tuples.starts[1:]
        reference = rows.codes[:, int(rng.integers(rows.count))].copy()
        labels = np.full(rows.count, -1, np.int32)
        count, alive, built = rows.count // k, len(ids), 0
        while built < count:
            upto = min(count, built + 1 + BREATH // (alive * k + 1))
            alive = grow_groups(
                *(rows.costs, codes, ids, tuples.order, cursor, ends, alive, k),
                *(reference, self.seed_rule == "last-added", labels, built, upto),
            )
            built = upto
            watch(1 - ((count - built) / count) ** 2)  # the fewer rows are free, the faster it goes
        return Groups.of(_with_leftovers(rows, labels, count, rng))


def _with_leftovers(rows: Rows, labels: Labels, count: int, rng: np.random.Generator) -> Labels:
    """Step 3: the rows that are left join the group whose loss grows least."""
    left = rng.permutation(np.flatnonzero(labels < 0))
    if len(left):
        lo, hi = (np.ascontiguousarray(ends.T) for ends in boxes(rows.codes, labels, count))
        sizes = np.bincount(labels[labels >= 0], minlength=count).astype(np.int64)
        chosen = np.empty(len(left), np.int32)
        settle(rows.costs, np.ascontiguousarray(rows.codes[:, left].T), lo, hi, sizes, chosen)
        labels[left] = chosen
    return labels
