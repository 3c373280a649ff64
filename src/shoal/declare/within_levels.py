"""Within levels: a hierarchy of which only some levels may be published.

    job             level 0      level 1      level 2     level 3
    at least 1                   Clerks       Offices     *
    at most 2       clerk        Clerks       Offices

The lower levels are cut off the tree: a group of one single value is published as the first node
that is coarse enough, and every method, loss and engine sees that it costs what it hides. Heights
and leaves stay those of the whole tree. Rows that differ above the highest level may never share a
group, so `*` is never published where there is one.

A value that is still itself on the lowest level (a short code among masks, a value that stands high
in a ragged tree) would be published as it is, and so is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Flags, Floats
from shoal.declare.coarseness import Bound, Coarseness, LevelRange, Measure, crossed
from shoal.declare.columns import Kind
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.tree import Tree
from shoal.errors import DataError, RecipeError
from shoal.wording import Remedy, Set

NO_CODES = "it holds numbers, which have no digits to hide from the right"
NO_LEVELS = "it has no hierarchy, and so no levels"


@dataclass(frozen=True)
class WithinLevels(Hierarchy):
    """Another hierarchy, cut off below the least and above the most."""

    name = "within-levels"

    inner: Hierarchy
    least: Coarseness | None = None
    most: Coarseness | None = None
    implied: bool = False
    """Whether nobody named the hierarchy: it is what a category has without one."""

    @property
    def of_codes(self) -> bool:  # type: ignore[override]
        """True if the values are codes."""
        return self.inner.of_codes

    @property
    def file_path(self) -> str | None:
        """The file that holds the tree; None where it needs no file."""
        return self.inner.file_path

    @property
    def from_data(self) -> bool:
        """True if inner nodes follow the data."""
        return self.inner.from_data

    @property
    def lists_values(self) -> bool:
        """True if the hierarchy itself spells out values of the column."""
        return self.inner.lists_values

    @property
    def listed_paths(self) -> list[tuple[str, ...]]:
        """Paths from value to root, if `lists_values`; else none."""
        return self.inner.listed_paths

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Lay the tree over the values and cut it; refuses what the hierarchy has no measure for.

        Refuses values that would be published as they are.
        """
        if self.implied and kind != "category":
            asked = self.least or self.most
            assert asked is not None
            why = {"shown": NO_CODES}.get(asked.measure, NO_LEVELS)
            raise _unmeasured(column, asked, why, kind)
        fitted = self.inner.fit(values, kind, column, counts)
        if not len(values):
            return fitted
        levels = self.range_of(fitted.tree, column)
        shown = np.array([not self.inner.is_open(leaf) for leaf in fitted.tree.leaves], np.bool_)
        _refuse_as_they_are(fitted, shown, levels.lowest, column, counts)
        highest = levels.highest - levels.lowest if self.most is not None else None
        return replace(fitted, tree=fitted.tree.above(levels.lowest), highest=highest)

    def range_of(self, tree: Tree, column: str) -> LevelRange:
        """Find the levels of a tree that may be published; refuse a range without any."""
        root = len(tree.node) - 1
        lowest = 0
        highest = root
        if self.least is not None:
            lowest = next(iter(self._levels(tree, self.least, "at_least", column)), root)
            if lowest >= root:
                raise _beyond(column, self.least, root)
        if self.most is not None:
            highest = max(self._levels(tree, self.most, "at_most", column), default=-1)
            if highest < lowest and self.least is not None:
                raise crossed(self.least, self.most, column)
            if not 0 <= highest < root:
                raise _beyond(column, self.most, root)
        return LevelRange(lowest, highest)

    def _levels(self, tree: Tree, asked: Coarseness, bound: Bound, column: str) -> list[int]:
        """List the levels of a tree that are coarse enough, or fine enough; the root is not."""
        levels = range(len(tree.node))
        if asked.measure == "level":
            if asked.amount >= len(tree.node) - 1:
                return []
            return [level for level in levels if asked.reached_by(Decimal(level), bound)]
        allowed = []
        for level in levels[:-1]:
            labels = [_cell(tree, node) for node in np.unique(tree.node[level]).tolist()]
            amounts = self.inner.coarseness(labels, asked.measure)
            if all(amount is None for amount in amounts):
                raise _unmeasured(column, asked, f"its hierarchy has no {asked.measure}", "")
            if all(asked.reached_by(amount, bound) for amount in amounts):
                allowed.append(level)
        return allowed

    def allows(self, labels: Sequence[str]) -> bool:
        """Tell whether published labels are all coarse enough and fine enough.

        An interval is spelled as its cell. `*` is not among them.
        """
        return all(
            asked.reached_by(amount, bound)
            for asked, bound in self._asked
            for amount in self.inner.coarseness(labels, asked.measure)
        )

    @property
    def _asked(self) -> list[tuple[Coarseness, Bound]]:
        both: list[tuple[Coarseness | None, Bound]] = [
            (self.least, "at_least"),
            (self.most, "at_most"),
        ]
        return [(asked, bound) for asked, bound in both if asked is not None]

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure how coarse each published label is."""
        return self.inner.coarseness(labels, measure)

    @property
    def public_leaves(self) -> int:
        """Count the values that the whole hierarchy names."""
        return self.inner.public_leaves

    def public_shares(self, labels: Sequence[str]) -> tuple[Floats, Floats]:
        """Compute the share of the whole column that each published label leaves open."""
        return self.inner.public_shares(labels)

    @property
    def levels_said(self) -> tuple[str, ...]:
        """Name the levels of the whole hierarchy."""
        return self.inner.levels_said

    def level_said(self, label: str) -> str:
        """Say how coarse a published label is, for people."""
        return self.inner.level_said(label)


def _cell(tree: Tree, node: int) -> str:
    """Spell a node as it is published: an interval as its cell."""
    if node in tree.ends:
        low, high = tree.ends[node]
        return f"[{low}, {high}]"
    return tree.written[node]


def _refuse_as_they_are(
    fitted: Fitted, shown: Flags, lowest: int, column: str, counts: Counts | None
) -> None:
    """Refuse values that are still themselves on the lowest level that may be published.

    `shown` marks the leaves that are single values: an open end is none.
    """
    if not lowest:
        return
    node = fitted.tree.node[:, fitted.leaf]
    same = (node[lowest] == node[0]) & shown[fitted.leaf]
    if not same.any():
        return
    facts = {"values concerned": int(same.sum())}
    if counts is not None:
        facts["rows concerned"] = int(counts[same].sum())
    higher = Set("at_least", {column: f"level:{lowest + 1}"}, "ask for a higher level")
    raise DataError(
        f"some values of '{column}' would be published as they are",
        {**facts, "why": f"level {lowest} of its hierarchy is the value itself"},
        Remedy(higher, "give these values a group of their own in the hierarchy"),
    )


def _beyond(column: str, asked: Coarseness, root: int) -> RecipeError:
    """Say that a hierarchy ends below what is asked, or at it."""
    return RecipeError(
        f"the hierarchy of '{column}' does not reach so far",
        {"asked": asked.asked, "levels below *": root - 1},
        f"level:{max(root - 1, 0)} is its last level before `*`; or leave the column out",
    )


def _unmeasured(column: str, asked: Coarseness, why: str, kind: str) -> RecipeError:
    """Say that nothing measures a column in the way that is asked."""
    ways: list[Set | str] = [Set("at_least", {column: "level:1"}, "name a level")]
    if kind == "number":
        ways = [Set("at_least", {column: 10}, "give a width")]
    elif kind:
        ways = [Set("at_least", {column: "year"}, "give a length")]
    if kind and asked.measure == "shown":
        ways.append(Set("hierarchies", {column: "masks"}, "say that they are codes"))
    facts = {"asked": asked.asked, "why": why}
    return RecipeError(f"'{column}' can't be generalized so", facts, Remedy(*ways))
