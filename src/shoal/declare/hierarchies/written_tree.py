"""Trees that are written down as a whole: what `file` and `nested` have in common.

A column may hold a part of such a tree. What is published of a label follows from the whole one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from decimal import Decimal

from shoal.arrays import Floats
from shoal.declare.coarseness import Measure
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.tree import Tree


class WrittenTree(Hierarchy):
    """A hierarchy whose labels are measured in the tree as it was written down."""

    @abstractmethod
    def whole_tree(self) -> Tree:
        """Return the tree with all its values, whether a table has them or not."""

    def public_shares(self, labels: Sequence[str]) -> tuple[Floats, Floats]:
        """Return heights and leaves of labels in the whole tree."""
        return self.whole_tree().shares(labels)

    @property
    def public_leaves(self) -> int:
        """Count the leaves of the whole tree."""
        return len(self.whole_tree().leaves)

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure labels by their levels in the whole tree."""
        return self.whole_tree().coarseness(labels, measure)

    def level_said(self, label: str) -> str:
        """Say on which level of the whole tree a label stands."""
        return self.whole_tree().level_said(label)
