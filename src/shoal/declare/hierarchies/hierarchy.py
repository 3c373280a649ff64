"""Hierarchy: how the values of one column are generalized, step by step. A new kind is one file in
this folder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Floats, Ints
from shoal.declare.columns import Kind
from shoal.declare.hierarchies.tree import Tree
from shoal.groups import Note


@dataclass(frozen=True)
class Fitted:
    """A tree, for each value of the column the leaf that stands for it, and what the user should
    know about the tree.
    """

    tree: Tree
    leaf: Ints
    notices: tuple[Note, ...] = ()

    @classmethod
    def of_paths(
        cls, paths: Sequence[tuple[str, ...]], ends: Mapping[str, tuple[str, str]] | None = None
    ) -> Fitted:
        """Where the values are the leaves: one path for each value, in the order of the values."""
        tree = Tree.of_paths(paths, ends)
        place = {leaf: i for i, leaf in enumerate(tree.leaves)}
        return cls(tree, np.array([place[path[0]] for path in paths], np.int32))


class Hierarchy(ABC):
    """What every kind of hierarchy can do: lay a tree over the values of a column.

    The kinds are made by name:

    >>> Hierarchy.masks(5)
    Masks(length=5, character='*', steps=())
    >>> Hierarchy.intervals(edges=[0, 18, 65, 120]).edges
    (0, 18, 65, 120)
    """

    name: ClassVar[str]
    """What users type: `masks`, `intervals`, `dates`, `flat`, `file`, `nested`."""

    @abstractmethod
    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """A tree over the different values (sorted, none missing) of a column; refuses what it
        can't cover.

        `counts` says how many rows hold each value, where that is known.
        """

    @property
    def file_path(self) -> str | None:
        """The file that holds the tree; None where it needs no file."""
        return None

    @property
    def from_data(self) -> bool:
        """Whether the tree's inner nodes follow the data (quantiles), so that a recipe to hand over
        must not hold them.
        """
        return False

    def public_shares(self, labels: Sequence[str]) -> tuple[Floats, Floats]:
        """How much of the column each published label leaves open, by height and by leaves, as
        anyone can tell who has the hierarchy but not the data. A label that is a value leaves
        nothing open.
        """
        return np.zeros(len(labels)), np.zeros(len(labels))

    @staticmethod
    def read(path: str | PathLike[str]) -> Hierarchy:
        """A hierarchy from a file in ARX's CSV form."""
        from shoal.declare.hierarchies.file import File

        return File(str(path))

    @staticmethod
    def masks(
        length: int | None = None, *, character: str = "*", steps: Sequence[int] = ()
    ) -> Hierarchy:
        """Codes such as postcodes: each step hides one more character from the right."""
        from shoal.declare.hierarchies.masks import Masks

        return Masks(length, character, tuple(steps))

    @staticmethod
    def intervals(
        width: float | None = None,
        *,
        start: float | None = None,
        quantiles: int | None = None,
        edges: Sequence[float] = (),
        fanout: int = 2,
    ) -> Hierarchy:
        """Numbers, dates or times in intervals of one width, between quantiles, or between given
        edges.
        """
        from shoal.declare.hierarchies.intervals import Intervals

        return Intervals(width, start, quantiles, tuple(edges), fanout)

    @staticmethod
    def dates(*levels: str) -> Hierarchy:
        """Dates by `day`, `month`, `quarter`, `year`, `decade`: the levels given, or all above the
        day.
        """
        from shoal.declare.hierarchies.dates import Dates

        return Dates(levels) if levels else Dates()

    @staticmethod
    def nested(tree: Mapping[str, Any]) -> Hierarchy:
        """A hierarchy written down as a dict of dicts and lists."""
        from shoal.declare.hierarchies.nested import Nested

        return Nested(tree)

    @staticmethod
    def flat() -> Hierarchy:
        """Every value alone, or `*`."""
        from shoal.declare.hierarchies.flat import Flat

        return Flat()
