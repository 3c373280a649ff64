"""`lower-bound`: a total information loss that no grouping can stay below.

    bound = sum over rows of prices, such that in every box the k dearest rows have prices of at
            most k times its cost

Proof: a group of s rows loses s times the cost of its box. Its k dearest rows have prices of at
most the cost on average, so all s have; and so the prices of all groups together are no more than
what they lose. A withheld row costs one for each axis, and no price is higher. Prices come from a
walk over boxes (see `kernels/partition/cheapest` and `encode/covers`). First each row on its own:
the cheapest box around it with k rows, which is a price that keeps the rule. Then all of them twice
as high, and levelled down where a box can't pay: a rare row drags common ones into its box, and is
charged for them. Then round by round higher, see `raised_prices`, up to the best prices that there
are, where `thorough` is set (`--bound`).

By hand: ages 20, 30 and 60 in a table from 20 to 60, k = 2: alone 10/40 + 10/40 + 30/40 = 1.25;
together the third may be charged all of 40/40, for it never stands with the first two unless they
pay too: 1.5. The best grouping is all three together, which costs 3.

Where two columns or more are lines, boxes are charged too little on all but one of them, and the
distance to the (k-1)-th nearest row, which a group must span, may prove more: the higher bound
counts. Where there are too many boxes for the walk, with many columns of many levels, that distance
is all. Costs are integers (2^20 to an axis); what rounding could have added is taken off, so the
bound stays a proof. Cost: about 0.4 s for 18,000 different tuples of Adult at k = 10, at most a few
seconds; a single column of numbers takes little more than sorting. Beyond 50,000 tuples (2,000,000
values of a single column) there is no figure unless `thorough` is set, which takes about a minute
for Adult and proves more.

When to use it: to see whether a better method could help at all: a gap of 5 % says that little is
left to gain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Longs
from shoal.encode.covers import order_of
from shoal.encode.rows import Rows
from shoal.kernels.costs import UNIT
from shoal.kernels.overlap.neighbours import kth_distances
from shoal.review.losses.loss import Evidence, Loss
from shoal.review.losses.raised_prices import BoxWalks, PriceRaising

MOST_TUPLES = 50_000
MOST_OF_A_LINE = 2_000_000
PATIENCE = 100_000_000  # tuples that a walk, or a search for near ones, looks at: some seconds
THOROUGH = 1_000_000_000
MOST_WORK = 3_000_000_000  # tuples that all walks look at: about a minute on a table like Adult
RAISES = (1.1, 1.1, 1.05)  # before the rounds, to see many sets


@dataclass(frozen=True)
class LowerBound(Loss):
    """A total information loss that no grouping with this k can stay below."""

    name = "lower-bound"
    thorough: bool = False
    # Or leaf-share: summed over cells like the total information loss.
    loss: str = "height"

    def measure(self, evidence: Evidence) -> float | None:
        """Compute the bound; None where the table is too large to be worth it."""
        rows = evidence.rows
        if (
            not rows.axes
            or not rows.count
            or (rows.distinct.codes.shape[1] > self._most_tuples(rows) and not self.thorough)
        ):
            return None
        # The cost of a node is rounded once, a difference of two positions twice.
        rounded = sum(1 if axis.tree is not None else 2 for axis in rows.axes)
        alone, together = self._prices(rows, evidence.k)
        one_by_one = int((np.maximum(alone - rounded, 0) * rows.distinct.counts).sum())
        return max(one_by_one, int(((together - rounded) * rows.distinct.counts).sum())) / UNIT

    @staticmethod
    def _most_tuples(rows: Rows) -> int:
        """Tell how many different tuples are worth a bound; one line takes little but sorting."""
        alone = len(rows.axes) == 1 and rows.axes[0].points is not None
        return MOST_OF_A_LINE if alone else MOST_TUPLES

    def _prices(self, rows: Rows, k: int) -> tuple[Longs, Longs]:
        """Compute the least loss of the rows of each tuple: each alone, and together."""
        order = order_of(rows.axes, rows.count)
        axes = [rows.axes[a] for a in order]
        codes = rows.distinct.codes[order]
        by_code = np.lexsort(codes[::-1])  # so that the order of rows does not matter
        codes = np.ascontiguousarray(codes[:, by_code])
        counts = rows.distinct.counts[by_code]
        lines = sum(axis.points is not None for axis in axes)
        # With many numeric axes a round takes longer and gains less.
        patience = THOROUGH if self.thorough else PATIENCE // max(lines, 1)
        walks = BoxWalks.of(axes, codes, counts, k, self.loss, patience)
        alone, work = walks.alone()
        if work > patience or lines > 1:
            pairs = THOROUGH if self.thorough else PATIENCE
            alone = np.maximum(alone, kth_distances(walks.costs, codes, counts, k, pairs))
        together = alone
        if work <= patience:
            together = self._together(walks, alone)
        back = np.empty_like(by_code)
        back[by_code] = np.arange(len(by_code))
        return alone[back], together[back]

    def _together(self, walks: BoxWalks, alone: Longs) -> Longs:
        """Raise the prices of rows alone as far as boxes can pay them together."""
        raising = PriceRaising(walks, alone, alone, MOST_WORK)
        for factor in (2.0, *RAISES) if self.thorough else (2.0,):
            price = np.minimum(np.ceil(raising.best * factor), walks.most).astype(np.int64)
            raising.walk_from(price)
        if not self.thorough:
            return raising.best
        proven = raising.raised().copy()
        walks.levelled(proven, alone)  # changes nothing: whatever came before, this is the proof
        return proven
