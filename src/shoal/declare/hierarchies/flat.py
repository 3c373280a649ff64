"""`flat`: every value stands alone or is `*`; nothing between.

A category without a hierarchy gets this one.

By hand: a group of people from Oslo is published as Oslo, one from Oslo and Rome as `*`.

When to use it: for categories without any order or levels; it is the default for texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import pyarrow as pa

from shoal.arrays import Counts
from shoal.declare.coarseness import Measure
from shoal.declare.columns import Kind, text_of
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.tree import EVERYTHING


@dataclass(frozen=True)
class Flat(Hierarchy):
    """A single step from a value to `*`; makes a category of a number whose order means nothing."""

    name = "flat"

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Put every value straight under the root."""
        return Fitted.of_paths([(text, EVERYTHING) for text in text_of(values).to_pylist()])

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure labels: every value stands on level 0."""
        return [Decimal(0) if measure == "level" else None] * len(labels)
