"""`clustering`: compare the k-means clusters of the release with those of the original.

    k-means on both; centres matched so that the sum of their distances is least (kernels/clusters)

Numbers go from 0 to 1 over the original's range, categories by their commonest values. Reported are
how far matched centres are apart on average; how many rows of the original the release's centres
put where the original's own centres put them; and how much larger the sum of squares of the
original's rows is around the release's centres. The best of 20 runs on at most 10,000 rows, drawn
alike from both; means over at most 5 concrete tables.

By hand: the original's centres are 0.2 and 0.8, the release's 0.25 and 0.77. They are (0.05 + 0.03)
/ 2 = 0.04 apart on average. The border between them moves from 0.5 to 0.51: a row at 0.505 is put
elsewhere, all others are put alike.

Cost: 20 runs of k-means on at most 10,000 rows, for the original and for each concrete table.

When to use it: if readers will look for clusters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.errors import RecipeError
from shoal.kernels.clusters import ClusterResult, assignment, cluster, distances
from shoal.kernels.lloyd import assign
from shoal.mining.design import Design
from shoal.mining.task import Figure, MiningMaterial, Task

MOST_ROWS = 10_000
MOST_TABLES = 5
RUNS = 20


@dataclass(frozen=True)
class Clustering(Task):
    """Compare the clusters that k-means finds in both tables."""

    name = "clustering"
    clusters: int = 4

    def __post_init__(self) -> None:
        if self.clusters < 1:
            problem = f"clusters of 'clustering' must be at least 1, not {self.clusters}"
            raise RecipeError(problem, remedy="clustering:clusters=4")

    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Return the distance of centres, rows clustered alike and the sum of squares.

        No figures where a table has too few rows.
        """
        compared = (material.before, *material.after[:MOST_TABLES])
        tables = [table.some(table.places(MOST_ROWS)) for table in compared]
        if not 1 < self.clusters <= min(table.rows for table in tables):
            return {}
        design = Design.of(material.before)
        points = design.matrix(tables[0])
        own = self._cluster(points)
        in_turn = material.in_turn(self.name, tables[1:])
        others = (self._cluster(design.matrix(table)) for table in in_turn)
        means = np.mean([_compared(points, own, other) for other in others], axis=0)
        names = {"distance of centres": 0.0, "rows clustered alike": 1.0, "sum of squares": 1.0}
        return {
            name: Figure(float(value), best)
            for (name, best), value in zip(names.items(), means, strict=True)
        }

    def _cluster(self, points: Floats) -> ClusterResult:
        return cluster(points, self.clusters, np.random.default_rng(1), RUNS)


def _compared(
    points: Floats, own: ClusterResult, other: ClusterResult
) -> tuple[float, float, float]:
    apart = distances(own.centres, other.centres)
    match = assignment(apart)
    labels = np.empty(len(points), np.int32)
    _, squares = assign(points, np.ascontiguousarray(other.centres[match]), labels)
    larger = squares / own.squares if own.squares > 0 else 1.0 + (squares > 0)
    return (
        float(apart[np.arange(len(match)), match].mean()),
        float((labels == own.labels).mean()),
        larger,
    )
