"""GraphMethod: what methods that cluster the nodes of a graph share, and how they are named.

A graph method is a `Method` that also sees who knows whom. It is asked for by its name and `alpha`,
the weight of attributes; that of structure is 1 - alpha.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.arrays import Longs
from shoal.encode.costs import costs_of
from shoal.encode.rows import Rows
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups, Guard, Watch
from shoal.networks.network import Network
from shoal.partition.method import Method

FINEST = 1000  # of alpha, which is read as a decimal


@dataclass(frozen=True)
class GraphMethod(Method):
    """A method that divides the nodes of a graph into clusters."""

    network: Network
    alpha: float = 0.5
    losses: ClassVar[tuple[str, ...]] = ("height",)

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise RecipeError(
                f"alpha of '{self.name}' must be from 0 (structure alone) to 1 (attributes alone)",
                remedy=f"{self.name}:alpha=0.5",
            )

    @property
    def share(self) -> Longs:
        """Read alpha as a fraction of whole numbers."""
        exact = Fraction(str(self.alpha)).limit_denominator(FINEST)
        return np.array([exact.numerator, exact.denominator], np.int64)

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        if rows.count != self.network.count:
            raise PrivacyNotMet(
                "a graph is divided as a whole",
                {"nodes": self.network.count, "published": "nothing"},
                "leave out what divides the table into parts",
            )
        return self._cluster(rows, k, guard, rng, watch)

    @abstractmethod
    def _cluster(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        """Divide the nodes of the whole graph."""


def by_height(rows: Rows) -> Rows:
    """Weigh boxes by height, as NGIL does: the loss of attributes that papers on graphs print."""
    if rows.loss == "height":
        return rows
    return replace(rows, costs=costs_of(rows.axes, "height", {}), loss="height")
