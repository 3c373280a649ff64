"""`queries`: the relative errors of counts that someone computes from the release.

    |estimate - truth| / max(truth, rows / 1000), of 2,000 random count queries on three columns

The queries are those of the loss `query-error` (encode/queries), but asked of the release as it
is printed, sensitive and kept columns too: each is counted in the concrete tables, and the mean is
the estimate. Reported are the median and the ninety-fifth percentile. By hand: a query that finds 3
rows, and 2 in the release: 1/3.

Cost: as `query-error`, for the original and for each concrete table.

When to use it: if readers will count people by several columns: the commonest use of a table.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.encode.queries import drawn
from shoal.kernels.queries import Queries, counted
from shoal.mining.features import Plain
from shoal.mining.task import Figure, MiningMaterial, Task

LEAST = 1000  # a thousandth of the rows is the least that errors are measured by
UNIT = 1 << 20  # weights are counted in parts of this size


class CountQueries(Task):
    """Relative error of 2,000 random count queries on three columns."""

    name = "queries"

    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Return the median and the 95th percentile."""
        axes = [feature.axis for feature in material.features]
        if not any(axis.size for axis in axes):
            return {}
        queries = drawn(axes)
        queries = queries._replace(lo=2 * queries.lo, hi=2 * queries.hi)
        truth = _counts(material.before, queries)
        estimate = np.mean([_counts(table, queries) for table in material.after], axis=0)
        wrong = np.abs(estimate - truth) / np.maximum(truth, material.before.rows / LEAST)
        return {
            "median error": Figure(float(np.median(wrong)), 0.0),
            "95th percentile": Figure(float(np.quantile(wrong, 0.95)), 0.0),
        }


def _counts(table: Plain, queries: Queries) -> Floats:
    codes = np.array(
        [
            doubled(f.points[:-1], values)
            for f, values in zip(table.features, table.values, strict=True)
        ]
    )
    weights = np.round(table.weights * UNIT).astype(np.int64)
    return np.asarray(counted(queries, codes.astype(np.int32), weights) / UNIT, np.float64)


def doubled(points: Floats, values: Floats) -> Ints:
    """Find the place of values among points: 2i on the i-th point, odd between two.

    Missing values are placed beyond all points.

    >>> doubled(np.array([10.0, 20.0]), np.array([10.0, 15.0, 20.0, np.nan])).tolist()
    [0, 1, 2, 5]
    """
    # The codes of a hierarchy need not follow the order of numbers.
    order = np.argsort(points, kind="stable")
    below = np.searchsorted(points[order], values, "left")
    upto = np.searchsorted(points[order], values, "right")
    place = np.append(order, len(points))[below]
    places = np.where(upto > below, 2 * place, 2 * place - 1)
    return np.where(np.isnan(values), 2 * len(points) + 1, places).astype(np.int32)
