"""Effect: the parts that all figures of a distortion share, and the pair of tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from shoal.arrays import Flags, Floats
from shoal.kernels.clusters import ClusterResult, cluster, matched


@dataclass(frozen=True)
class Pair:
    """Numbers before and after, row by row; NaN is missing.

    Figures are in shares of the *original* columns' ranges.

    (Were the perturbed table measured by its own ranges, which noise widens, all centres would
    shift together, and the distance between them would say nothing else.)
    """

    original: Floats
    published: Floats
    clusters: int = 4
    # Least and largest values, where these are some rows of a longer table.
    ends: tuple[Floats, Floats] | None = None

    @cached_property
    def before(self) -> Floats:
        """The original, every column from 0 to 1."""
        return self._normal(self.original)

    @cached_property
    def after(self) -> Floats:
        """The perturbed values on the scale of the original."""
        return self._normal(self.published)

    def _normal(self, values: Floats) -> Floats:
        low, high = self.ends or (
            np.nanmin(self.original, axis=0),
            np.nanmax(self.original, axis=0),
        )
        return np.asarray((values - low) / np.where(high > low, high - low, 1.0), np.float64)

    @cached_property
    def whole(self) -> Flags:
        """Rows without a missing value: the others can't be clustered."""
        return np.asarray(~np.isnan(self.original).any(axis=1), np.bool_)

    @cached_property
    def clusters_before(self) -> ClusterResult:
        """Clusters of the original."""
        return cluster(self.before[self.whole], self.clusters, np.random.default_rng(1))

    @cached_property
    def clusters_after(self) -> ClusterResult:
        """Clusters of the perturbed table, begun at the same rows.

        So differences come from noise, not from the start.
        """
        return cluster(self.after[self.whole], self.clusters, np.random.default_rng(1))

    @cached_property
    def moved(self) -> Floats:
        """The distance that each row moved (Euclid, over the values that it has)."""
        return np.asarray(np.sqrt(np.nansum((self.after - self.before) ** 2, axis=1)), np.float64)

    @cached_property
    def centres_moved(self) -> Floats:
        """The distance that each centre moved."""
        return matched(self.clusters_before.centres, self.clusters_after.centres)


class Effect(ABC):
    """A number about a distortion."""

    name: ClassVar[str]
    """The name that users type."""

    @abstractmethod
    def measure(self, pair: Pair) -> float | None:
        """Compute the figure; None where it means nothing."""
