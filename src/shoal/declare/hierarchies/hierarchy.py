"""Hierarchy: how the values of one column are generalized, step by step. A new kind is one file in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.declare.columns import Kind
from shoal.declare.hierarchies.tree import Tree


@dataclass(frozen=True)
class Fitted:
    """A tree, and for each value of the column the leaf that stands for it."""

    tree: Tree
    leaf: Ints

    @classmethod
    def of_paths(cls, paths: list[tuple[str, ...]]) -> Fitted:
        """Where the values are the leaves: one path for each value, in the order of the values."""
        tree = Tree.of_paths(paths)
        place = {leaf: i for i, leaf in enumerate(tree.leaves)}
        return cls(tree, np.array([place[path[0]] for path in paths], np.int32))


class Hierarchy(ABC):
    """What every kind of hierarchy can do: lay a tree over the values of a column."""

    name: ClassVar[str]
    """What users type: `masks`, `intervals`, `dates`, `flat`, `file`, `nested`."""

    @abstractmethod
    def fit(self, values: pa.Array, kind: Kind, column: str) -> Fitted:
        """A tree over the different values (sorted, none missing) of a column; refuses what it can't cover."""

    @property
    def from_data(self) -> bool:
        """Whether the tree's inner nodes follow the data (quantiles), so that a recipe to hand over must not hold them."""
        return False
