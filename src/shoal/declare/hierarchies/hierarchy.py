"""Hierarchy: generalize the values of one column step by step.

A new kind is one file in this folder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from os import PathLike
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Floats, Ints
from shoal.declare.coarseness import Measure
from shoal.declare.coding import Coding
from shoal.declare.columns import Kind
from shoal.declare.hierarchies.tree import Tree
from shoal.groups import Note


@dataclass(frozen=True)
class Fitted:
    """A tree, the leaf that stands for each value of the column, and notices for the user."""

    tree: Tree
    leaf: Ints
    notices: tuple[Note, ...] = ()
    highest: int | None = None
    """The last level of the tree that may be published; None where `*` may."""

    @classmethod
    def of_paths(
        cls, paths: Sequence[tuple[str, ...]], ends: Mapping[str, tuple[str, str]] | None = None
    ) -> Fitted:
        """Fit a tree whose leaves are the values: one path for each, in their order."""
        tree = Tree.of_paths(paths, ends)
        place = {leaf: i for i, leaf in enumerate(tree.leaves)}
        return cls(tree, np.array([place[path[0]] for path in paths], np.int32))


class Hierarchy(ABC):
    """A kind of hierarchy: it lays a tree over the values of a column.

    The kinds are made by name. `shoal.anonymize(..., hierarchies={"zip": ...})` takes one for each
    column.

    Examples:
        >>> Hierarchy.masks(5)
        Masks(length=5, character='*', steps=())
        >>> Hierarchy.intervals(edges=[0, 18, 65, 120]).edges
        (0, 18, 65, 120)
    """

    name: ClassVar[str]
    """The name that users type: `masks`, `us-zip`, `intervals`, `ladder`, `dates`, `flat` ..."""
    of_codes: bool = False
    """True if its values are codes, also where they are written as numbers: no width is theirs."""
    takes_ends: ClassVar[bool] = False
    """True if its last nodes can be open (`90+`): its column may have a top and a bottom."""

    @abstractmethod
    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Lay a tree over the different values (sorted, none missing) of a column.

        Refuses values that it can't cover.

        `counts` says how many rows hold each value, where that is known.
        """

    @property
    def file_path(self) -> str | None:
        """The file that holds the tree; None where it needs no file."""
        return None

    @property
    def from_data(self) -> bool:
        """True if inner nodes follow the data (quantiles).

        A recipe to hand over must not hold such a tree.
        """
        return False

    @property
    def lists_values(self) -> bool:
        """True if the hierarchy itself spells out values of the column, and so tells of them.

        A public certificate names such a hierarchy by its kind alone.
        """
        return False

    @property
    def listed_paths(self) -> list[tuple[str, ...]]:
        """Paths from value to root, if `lists_values`; else none."""
        return []

    def within(self, coding: Coding | None) -> Hierarchy:
        """Return the hierarchy of a column that is capped; itself where it takes no ends."""
        return self

    def public_shares(self, labels: Sequence[str]) -> tuple[Floats, Floats]:
        """Compute the share of the column that each published label leaves open.

        By height and by leaves, as anyone can tell who has the hierarchy but not the data. A label
        that is a value leaves nothing open.
        """
        return np.zeros(len(labels)), np.zeros(len(labels))

    @property
    def public_leaves(self) -> int:
        """Count the values that the hierarchy itself names; 0 where it names none."""
        return 0

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure how coarse each published label is; None where nobody can tell.

        More is coarser. An interval is spelled as its cell. `level` is the highest level on which a
        label stands; the other measures are those of `declare/coarseness`.
        """
        return [None] * len(labels)

    @property
    def lowest_said(self) -> float | str | None:
        """Say from which coarseness on single values are not shown, where users expect that.

        None where a hierarchy raises no such hope.
        """
        return None

    def is_open(self, label: str) -> bool:
        """Tell whether a label stands for all values beyond a top or a bottom."""
        return False

    @property
    def levels_said(self) -> tuple[str, ...]:
        """Names of the levels above the values, the finest first; none where they have none."""
        return ()

    def level_said(self, label: str) -> str:
        """Say how coarse a published label is, for people; empty where it has no level."""
        return ""

    @staticmethod
    def read(path: str | PathLike[str]) -> Hierarchy:
        """Read a hierarchy from a file in ARX's CSV form.

        Args:
            path: The file: a line for each value, from the value to `*`, with `;` between.
        """
        from shoal.declare.hierarchies.file import File

        return File(str(path))

    @staticmethod
    def masks(
        length: int | None = None, *, character: str = "*", steps: Sequence[int] = ()
    ) -> Hierarchy:
        """Hide codes such as postcodes from the right, one more character at each step.

        Args:
            length: How many characters codes have; the longest value decides unless given.
            character: What stands for a hidden character.
            steps: How many characters each level hides, where that is not one more.
        """
        from shoal.declare.hierarchies.masks import Masks

        return Masks(length, character, tuple(steps))

    @staticmethod
    def us_zip(restricted: str | None = None) -> Hierarchy:
        """Show three digits of ZIP codes of the United States, where enough people share them.

        Args:
            restricted: Prefixes that too few people share, shown as `000`, such as `036-059`; those
                of the census of 2000 unless given.
        """
        from shoal.declare.hierarchies.us_zip import RESTRICTED, UsZip

        return UsZip(restricted or RESTRICTED)

    @staticmethod
    def intervals(
        width: float | None = None,
        *,
        start: float | None = None,
        quantiles: int | None = None,
        edges: Sequence[float] = (),
        fanout: int = 2,
    ) -> Hierarchy:
        """Put numbers, dates or times into intervals.

        Args:
            width: How wide all of them are.
            start: Where the first one begins.
            quantiles: How many of them hold equally many rows, instead of a width.
            edges: Where they end, instead of a width.
            fanout: How many of them the next level joins.
        """
        from shoal.declare.hierarchies.intervals import Intervals

        return Intervals(width, start, quantiles, tuple(edges), fanout)

    @staticmethod
    def ladder(
        widths: str | Sequence[float] = "",
        *,
        start: float | None = None,
        top: str | None = None,
        bottom: str | None = None,
    ) -> Hierarchy:
        """Put numbers, dates or times into bands, each width of which divides the next.

        Args:
            widths: Numbers, or text such as `5-10-20-40` and `month-quarter-year-5years`; chosen by
                the range of the column unless given.
            start: Where a band begins.
            top: Values from here on are one open band.
            bottom: Values up to here are one open band.
        """
        from shoal.declare.hierarchies.ladder import Ladder

        if not isinstance(widths, str):
            widths = "-".join(f"{width:.15g}" for width in widths)
        return Ladder(widths, start, top, bottom)

    @staticmethod
    def dates(*levels: str) -> Hierarchy:
        """Group dates by `day`, `month`, `quarter`, `year`, `decade`.

        Args:
            *levels: The levels in their order; all above the day unless given.
        """
        from shoal.declare.hierarchies.dates import Dates

        return Dates(levels) if levels else Dates()

    @staticmethod
    def nested(tree: Mapping[str, Any]) -> Hierarchy:
        """Take a hierarchy that is written down as a dict of dicts and lists.

        Args:
            tree: Labels with what stands below them: `{"Norway": ["Bergen", "Oslo"]}`.
        """
        from shoal.declare.hierarchies.nested import Nested

        return Nested(tree)

    @staticmethod
    def listed(*values: str, new: Literal["refuse", "other", "*"] = "refuse") -> Hierarchy:
        """Publish listed values alone or as `*`; refuse others, or make them `other` or `*`.

        Args:
            *values: The values.
            new: What becomes of a value that is not listed.
        """
        from shoal.declare.hierarchies.listed import Listed

        return Listed(values, new)

    @staticmethod
    def flat() -> Hierarchy:
        """Publish every value alone, or as `*`."""
        from shoal.declare.hierarchies.flat import Flat

        return Flat()
