"""`regression`: compare the 95 % confidence intervals of a regression on both tables.

    overlap of a coefficient = mean of (shared length / length before) and (shared length / length
                               after), at least 0

The outcome is the class column: a number by ordinary regression, a category by logistic regression,
of its commonest value against the others. All other columns explain it, numbers from 0 to 1 over
their range, categories by their commonest values. 1 is the same interval, 0 none in common (Karr,
Kohnen, Oganian, Reiter & Sanil 2006, doi:10.1198/000313006X124640). The concrete tables count as
multiple imputations: coefficients are their means, and how they differ widens the intervals (Rubin
1987, doi:10.1002/9780470316696). Also reported: how many of the original's coefficients lie inside
the release's intervals. A coefficient whose column varies in the original but not in the release
counts 0 in both: such intervals hold anything. At most 100,000 rows count. By hand: [0, 2]
published as [1, 3]: (1/2 + 1/2) / 2 = 0.5.

Cost: one regression on at most 100,000 rows for the original and for each concrete table.

When to use it: if readers will fit models and read their coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.arrays import Flags, Floats
from shoal.errors import DataError
from shoal.mining.classes import alone, classified, feature_of
from shoal.mining.concrete import column_of
from shoal.mining.design import Design
from shoal.mining.features import Feature, Plain
from shoal.mining.fitting import Fit, logistic, ordinary
from shoal.mining.task import Figure, MiningMaterial, Task

MOST_ROWS = 100_000
Z = 1.959963984540054


class Regression(Task):
    """Compare the confidence intervals of a regression on both tables."""

    name = "regression"
    needs = ("target",)

    def odd(self, material: MiningMaterial) -> DataError | None:
        """Refuse a class that does not vary."""
        return alone(material)

    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Return the mean overlap, and the share of coefficients inside.

        No figures without other columns.
        """
        assert material.target is not None
        if refused := self.odd(material):
            raise refused
        if len(material.features) < 2:
            return {}
        feature = feature_of(material)
        own, *drawn = (
            classified(table, material).at_most(MOST_ROWS)
            for table in (material.before, *material.after)
        )
        values = classified(material.before, material).column(feature.name)
        commonest = (
            float(np.bincount(values.astype(np.int64)).argmax()) if not feature.numeric else None
        )
        design = Design.of(material.before.without(feature.name), spare=True)
        before = _fit(own, feature, commonest, design)
        after = combined(
            [
                _fit(table, feature, commonest, design)
                for table in material.in_turn(self.name, drawn)
            ]
        )
        told = ~_varies([own], feature, design) | _varies(
            _as_told(drawn, material), feature, design
        )
        shared = overlaps(_interval(before), _interval(after))
        inside = _inside(before, after)
        return {
            "overlap of intervals": Figure(float((shared * told).mean()), 1.0),
            "coefficients inside": Figure(float((inside * told).mean()), 1.0),
        }


def _as_told(tables: Sequence[Plain], material: MiningMaterial) -> list[Plain]:
    """Blank columns of concrete tables whose published cells are all equal."""
    columns = [
        column_of(material.released, feature, material.quasi) for feature in material.features
    ]
    silent = np.array([len(np.unique(column.cell)) < 2 for column in columns])[:, None]
    return [
        Plain(table.features, np.where(silent, 0.0, table.values), table.weights)
        for table in tables
    ]


def _varies(tables: Sequence[Plain], feature: Feature, design: Design) -> Flags:
    """Mark columns of the design that take several values in one of the tables."""
    return np.logical_or.reduce(
        [np.ptp(design.matrix(table.without(feature.name)), axis=0) > 0 for table in tables]
    )


def _fit(table: Plain, feature: Feature, commonest: float | None, design: Design) -> Fit:
    outcome = table.column(feature.name)
    others = table.without(feature.name)
    matrix = np.column_stack([np.ones(table.rows), design.matrix(others)])
    if commonest is None:
        return ordinary(matrix, outcome, table.weights)
    return logistic(matrix, (outcome == commonest).astype(np.float64), table.weights)


def combined(fits: list[Fit]) -> Fit:
    """Combine fits on several tables: the mean, and variance inside plus variance between."""
    means = np.array([fit.coefficients for fit in fits])
    inside = np.mean([fit.covariance for fit in fits], axis=0)
    if len(fits) == 1:
        return fits[0]
    apart = means - means.mean(axis=0)
    between = apart.T @ apart / (len(fits) - 1)
    return Fit(means.mean(axis=0), inside + (1 + 1 / len(fits)) * between)


def overlaps(one: Floats, other: Floats) -> Floats:
    """Compute the shared part of each pair of intervals `[end, interval]`, in [0, 1].

    >>> overlaps(np.array([[0.0], [2.0]]), np.array([[1.0], [3.0]])).tolist()
    [0.5]
    """
    shared = np.maximum(np.minimum(one[1], other[1]) - np.maximum(one[0], other[0]), 0.0)
    return np.asarray((shared / (one[1] - one[0]) + shared / (other[1] - other[0])) / 2, np.float64)


def _interval(fit: Fit) -> Floats:
    half = Z * np.sqrt(np.maximum(np.diag(fit.covariance), 1e-300))[1:]
    return np.stack([fit.coefficients[1:] - half, fit.coefficients[1:] + half])


def _inside(before: Fit, after: Fit) -> Floats:
    low, high = _interval(after)
    return np.asarray(
        (low <= before.coefficients[1:]) & (before.coefficients[1:] <= high), np.float64
    )
