"""k-means in rounds, with floor(n / k) groups: the base of three methods of El-Rashidy et al. 2011.

    K = floor(n / k) different random rows are the first centres
    in every round:
        rows go to centres (each method its own way)
        centres move into the midst of their rows
    until nothing moves, the groups of an earlier round come back,
        five rounds in a row bring no improvement, or `iterations` are over
    then the round with the least squared error counts (`returned=last`: the last one)

`centre` says what the centre of a category is (of a number it is the mean):

- `medoid`: the value of the group with the least sum of distances to all its values; in a flat tree
  the most frequent.
- `ancestor`: the lowest node above all values, as `one-pass-k-means` has it. Rounds make the groups
  worse then.
- `frequencies`: no value but all of them; the distance is the mean distance to the group's values.

`columns`: `quasi`, or `all` for the sensitive columns beside them, which are not generalized.
**With `all`, groups become alike in what is sensitive, so who finds a person's group learns more
about that person**: it works against l-diversity and t-closeness. It is here because the paper's
claims about accuracy rest on it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Labels, Longs
from shoal.encode.rows import Rows
from shoal.errors import RecipeError
from shoal.groups import Groups, Guard, Watch, within
from shoal.partition.clusters import KINDS, Clusters
from shoal.partition.method import Method
from shoal.partition.points import LOSSES, Points
from shoal.partition.rounds import Rounds


@dataclass(frozen=True)
class KMeans(Method):
    """k-means in rounds; subclasses say how rows go to centres."""

    losses = LOSSES
    centre: Literal["medoid", "ancestor", "frequencies"] = "medoid"
    columns: Literal["quasi", "all"] = "quasi"
    iterations: int = 30
    returned: Literal["best", "last"] = "best"

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise RecipeError(
                f"iterations of '{self.name}' must be at least 1", remedy="iterations=30"
            )

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        points = Points.of(rows, sensitive=self.columns == "all")
        clusters = Clusters(points, KINDS[self.centre], min(max(k, guard.least), rows.count))
        clusters.scatter(rng)
        queue = rng.permutation(rows.count)
        rounds = Rounds(self.iterations)
        while True:
            labels = self._round(clusters, queue, rng, rounds.watch(watch))
            if rounds.over(labels, clusters.error(labels)):
                chosen = rounds.best if self.returned == "best" else labels
                return Groups.of(
                    self._finish(clusters, chosen, rng, within(watch, 1.0, 1.0)), rounds.notes
                )

    @abstractmethod
    def _round(
        self, clusters: Clusters, queue: Longs, rng: np.random.Generator, watch: Watch
    ) -> Labels:
        """Send all rows to centres, and move the centres.

        The queue holds the rows in one random order, the same in all rounds.
        """

    def _finish(
        self, clusters: Clusters, labels: Labels, rng: np.random.Generator, watch: Watch
    ) -> Labels:
        """Finish the best groups; here they stay as they are."""
        return labels
