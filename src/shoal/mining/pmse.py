"""`pmse`: tell rows of the release from rows of the original by a model (propensity score).

    stack both tables; fit a logistic regression of which table a row is from; c = the release's
        share of the rows
    pMSE = mean over rows of (fitted chance - c)^2;   ratio = pMSE / ((parameters - 1) (1 - c)^2 c /
           rows)

0 where the model learns nothing. The denominator is what a table would give whose rows were drawn
from those of the original, as often as one likes (Snoke, Raab, Nowok, Dibben & Slavkovic 2018,
doi:10.1111/rssa.12358): a ratio near 1 is no further away than that, and one near 0 as close as a
copy. Numbers count as they are, categories by their commonest values. Means over the concrete
tables; at most 100,000 rows of each.

By hand: 100 rows of each table, c = 0.5, and a model of 3 parameters that says 0.6 for rows of the
release and 0.4 for the others. pMSE = 0.1^2 = 0.01; the denominator is 2 * 0.25 * 0.5 / 200 =
0.00125; the ratio is 8.

Cost: one logistic regression on at most 200,000 rows for each concrete table.

When to use it: for one figure of how well a model tells the release from the original.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.arrays import Floats
from shoal.mining.design import Design
from shoal.mining.features import Plain
from shoal.mining.fitting import chances, logistic
from shoal.mining.task import Figure, MiningMaterial, Task

MOST_ROWS = 100_000


class Pmse(Task):
    """Measure how well a model tells rows of the release from rows of the original."""

    name = "pmse"

    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Return the mean squared error of the propensity score.

        Beside it stands its ratio to that of a resampled original.
        """
        design = Design.of(material.before, spare=True)
        own = design.matrix(material.before.at_most(MOST_ROWS))
        tables = (table.at_most(MOST_ROWS) for table in material.in_turn(self.name, material.after))
        means = np.mean([_told_apart(own, design.matrix(table), table) for table in tables], axis=0)
        return {
            "pMSE": Figure(float(means[0]), 0.0),
            "ratio to resampling": Figure(float(means[1]), 0.0),
        }


def _told_apart(own: Floats, other: Floats, table: Plain) -> tuple[float, float]:
    matrix = np.concatenate([own, other])
    matrix = np.column_stack([np.ones(len(matrix)), matrix[:, np.ptp(matrix, axis=0) > 0]])
    weights = np.concatenate([np.ones(len(own)), table.weights])
    released = np.repeat([0.0, 1.0], [len(own), len(other)])
    share = float(weights @ released / weights.sum())
    chance = chances(matrix, logistic(matrix, released, weights).coefficients)
    error = float(weights @ (chance - share) ** 2 / weights.sum())
    usual = (matrix.shape[1] - 1) * (1 - share) ** 2 * share / weights.sum()
    return error, error / usual if usual > 0 else 0.0
