"""`query-error`: the relative errors of counts that someone computes from the release.

    median over 2,000 random queries of |estimate - truth| / max(truth, rows / 1000)

A query counts the rows inside ranges on three columns drawn at random (on all, where there are
fewer). On a number or date the range lies between two values drawn from the column; on a category
it is a node above a value drawn from the column, at a level drawn below the root. The seed is fixed
and only the columns are looked at, so the queries are the same for every grouping of a table and
every order of its rows. The estimate takes each group's rows as spread evenly over its printed box:
over the values of the table that stand under the node, or over the length of the interval (whole
numbers and days are one long each), each column on its own. Missing beside others is `*`: spread
over the column as often as it has values. Withheld rows are found by no query. By hand: 10 rows in
the box [20, 29] and a true count of 3 up to age 21: estimate 10 * 2/10 = 2, error 1/3.

Cost: queries on the same three columns share one table of counts where that is short; the others
look at all different rows, and every query at all groups.

When to use it: if readers will count people: it says by how much such counts are typically wrong.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.encode.axes import Axis
from shoal.encode.queries import drawn, extents
from shoal.kernels.queries import Spread, counted, estimated
from shoal.review.losses.cover import covered
from shoal.review.losses.loss import Evidence, Loss


class QueryError(Loss):
    """Median relative error of 2,000 random count queries on three columns."""

    name = "query-error"

    def measure(self, evidence: Evidence) -> float | None:
        """Compute the median; None where no column has values."""
        rows = evidence.rows
        if not any(axis.size for axis in rows.axes):
            return None
        queries = drawn(rows.axes)
        truth = counted(queries, rows.distinct.codes, rows.distinct.counts)
        estimate = estimated(queries, spread(evidence))
        return float(np.median(np.abs(estimate - truth) / np.maximum(truth, rows.count / 1000)))


def spread(evidence: Evidence) -> Spread:
    """Spread the rows of each group evenly over its box."""
    ends = []
    box = np.zeros(evidence.boxes[0].shape, np.int32)
    for a, (axis, lo, hi) in enumerate(zip(evidence.rows.axes, *evidence.boxes, strict=True)):
        pairs, box[a] = np.unique(lo.astype(np.int64) * (axis.size + 1) + hi, return_inverse=True)
        first, last = np.divmod(pairs, axis.size + 1)
        ends.append(
            _spread(axis, first.astype(np.int32), last.astype(np.int32), evidence.rows.count)
        )
    begin, end, share = np.concatenate(ends, axis=1)
    at = np.cumsum([0, *(part.shape[1] for part in ends)])
    return Spread(begin, end, share, at, box, evidence.groups.sizes)


def _spread(axis: Axis, lo: Ints, hi: Ints, rows: int) -> Floats:
    """Return the begin and the end of each box, and the share of its rows that have a value."""
    share = np.where(hi < axis.size, 1.0, np.where(lo < axis.size, axis.counts.sum() / rows, 0.0))
    if not axis.size:
        return np.array([np.zeros(len(lo)), np.zeros(len(lo)), np.ones(len(lo))])
    first, last = covered(axis, lo, hi)
    last = np.minimum(last, axis.size - 1)
    return np.array([*extents(axis, np.minimum(first, last), last), share])
