"""`classification-metric`: the share of rows that the majority of their group guesses wrong.

CM, Iyengar 2002.

    CM = (withheld rows + rows whose class is not a most frequent one of their group) / rows

The class is the first sensitive column; a missing class is a class of its own. Tied classes are all
most frequent. By hand: groups {flu, flu, cold} and {flu, cold}: one of five rows is wrong, 0.2. No
figure without a sensitive column.

When to use it: if readers will train a classifier and you compare methods that know the class.
"""

from __future__ import annotations

import numpy as np

from shoal.review.losses.loss import Evidence, Loss


class ClassificationMetric(Loss):
    """Share of rows withheld or outside the majority class of their group.

    The class is the first sensitive column.
    """

    name = "classification-metric"
    adds = "rows"

    def measure(self, evidence: Evidence) -> float | None:
        """Compute the share; None without a sensitive column or rows."""
        if not evidence.rows.sensitive or not evidence.rows.count:
            return None
        column = evidence.rows.sensitive[0]
        groups = evidence.groups
        kept = groups.labels >= 0
        keys = groups.labels[kept].astype(np.int64) * (column.size + 1) + column.codes[kept]
        pairs, counts = np.unique(keys, return_counts=True)
        most = np.zeros(groups.count, np.int64)
        np.maximum.at(most, pairs // (column.size + 1), counts)
        wrong = int(counts[counts < most[pairs // (column.size + 1)]].sum())
        return (wrong + groups.withheld) / evidence.rows.count
