"""`published-leaf-share`: the mean share of its column that a printed cell leaves open.

    0 for one value, 1 for `*`, (hi - lo) / (widest printed range) for an interval; for a node
        (leaves under it - 1) / (leaves of the tree - 1)

By hand: cells `[20, 30]`, `60`, `*` in a column printed from 20 to 60: (0.25 + 0 + 1) / 3 = 0.4167.
A hierarchy whose leaves come from the data (masks, dates) counts steps instead of leaves. Withheld
rows count 1 for their maker, and not at all in the public certificate, which does not tell their
number. Centres name no box: no figure.

When to use it: as `published-height-share`, counting leaves.
"""

from __future__ import annotations

from shoal.review.losses.published import LEAVES, PublishedLoss, PublishedView


class PublishedLeafShare(PublishedLoss):
    """Mean share of its column that a printed cell leaves open, by leaves of the tree."""

    name = "published-leaf-share"

    def measure(self, published: PublishedView) -> float | None:
        """Compute the mean over all printed cells."""
        return published.per_cell(LEAVES)
