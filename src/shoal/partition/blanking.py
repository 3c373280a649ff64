"""Blanking: after one level for each column, single cells become `*` until every row is safe.

    recode every row at the levels: its cells are now equal to those of others, or not
    a group in which cells of a column differ has `*` there, in all of its rows
    divide the rows into safe groups with as few `*` as possible, each weighed by the importance
        of its column (`shoal`, on columns that know a value and `*` alone)
    groups with equal cells are one group

A `*` equals only `*`: blanked rows meet each other, never the rows that were safe before. Where too
few are left to meet, a row of a larger group gives some of its cells as well. A column that may
never be `*` (its widest cell is limited) is not blanked: rows that it keeps alone are left out.

Fewest cells is a hard problem already for k = 3 (A. Meyerson, R. Williams, On the complexity of
optimal k-anonymity, PODS 2004, doi:10.1145/1055558.1055591). So the cells are few, not fewest, and
`least_weight` says what no choice could stay below: a row needs at least the cheapest blanks under
which k rows of the table look like it. Where both agree, the choice is the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes, Flags, Ints
from shoal.encode.levels import levels_of
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows, combined, encode, tallied
from shoal.groups import WITHHELD, Groups, Guard, Note, Watch
from shoal.kernels.costs import UNIT, boxes
from shoal.kernels.guards import NO_RULES, Rules
from shoal.kernels.partition.peel import Walk, count_alike
from shoal.partition.beginnings import peeling_of
from shoal.partition.levels_weighed import WeighedLevels
from shoal.partition.shoal import Shoal
from shoal.partition.vectors import Vectors, keys_of
from shoal.screen import percent

NEVER = 64  # times the importance of the dearest column: a column that may not be blanked
MOST_PATTERNS = 4096  # of blanked columns, for which the least weight is computed
HEARD = ("interrupted", "time-limit")


@dataclass(frozen=True)
class AtLevels:
    """A guard that sees groups as they are published: at one level for each column, or `*`."""

    guard: Guard
    levels: tuple[int, ...]

    @property
    def least(self) -> int:
        """Name the smallest size that a safe group can have."""
        return self.guard.least

    @property
    def survives_merging(self) -> bool:
        """Tell whether the union of two safe groups is always safe."""
        return self.guard.survives_merging

    @property
    def only_more_helps(self) -> bool:
        """Tell whether a safe group stays safe whoever joins it."""
        return self.guard.only_more_helps

    @property
    def survives_recoding(self) -> bool:
        """Tell whether one scheme for all rows stays safe when a column moves to a higher level."""
        return self.guard.survives_recoding

    @property
    def only_size(self) -> bool:
        """Tell whether a group of `least` rows is safe whoever stands in it."""
        return self.guard.only_size

    @property
    def rules(self) -> Rules | None:
        """Return the demands besides size as rules that kernels test."""
        return self.guard.rules

    def safe(self, groups: Groups) -> Flags:
        """Tell for each group whether it is safe as it is published."""
        return self.guard.safe(replace(groups, levels=self.levels))


@dataclass(frozen=True)
class RecodedTable:
    """A table at one level for each column: a cell is a part of that level, or `*`."""

    rows: Rows
    levels: tuple[int, ...]
    never: Flags
    """The columns that may not be blanked."""
    stars: tuple[Flags, ...]
    """The parts of each column that are `*` already at its level."""

    @classmethod
    def of(
        cls, rows: Rows, weighed: Sequence[WeighedLevels], levels: tuple[int, ...]
    ) -> RecodedTable:
        """Recode rows at the given levels of the hierarchies."""
        never = np.array([axis.highest is not None for axis in rows.axes], np.bool_)
        weights = np.maximum(rows.costs.full, 1) / UNIT
        weights = np.where(never, NEVER * weights.max(initial=1.0), weights)
        columns = [
            _column(each, level, codes)
            for each, level, codes in zip(weighed, levels, rows.codes, strict=True)
        ]
        importance = {each.name: weight for each, weight in zip(columns, weights, strict=True)}
        recoded = encode(columns, {}, importance=importance, sensitive=rows.sensitive)
        stars = tuple(
            _stars(each, level, column.size)
            for each, level, column in zip(weighed, levels, columns, strict=True)
        )
        return cls(recoded, levels, never, stars)

    def blanked(self, k: int, guard: Guard, rng: np.random.Generator, watch: Watch) -> Groups:
        """Divide the rows into groups that are safe with few cells blanked."""
        seen = AtLevels(guard, self.levels)
        groups = Shoal(balance=0.0).divide(self.rows, k, seen, rng, watch)
        notes = tuple(note for note in groups.notes if note.kind in HEARD)
        least = max(k, guard.least)
        groups = self.united(self._apart(groups, least))
        return Groups.of(groups.labels, (*notes, *self._bounded(groups, least)), self.levels)

    def cells(self, groups: Groups) -> Codes:
        """Number the cell of each group on each column; `*` comes after all parts."""
        lo, hi = boxes(self.rows.codes, groups.labels, groups.count)
        every = zip(lo, hi, self.stars, strict=True)
        cells = [np.where((a == b) & ~star[a], a, len(star)) for a, b, star in every]
        return np.array(cells, np.int32)

    def weight(self, groups: Groups) -> int:
        """Sum the importance of all blanked cells, as an integer."""
        lo, hi = boxes(self.rows.codes, groups.labels, groups.count)
        of_column = (lo != hi) @ groups.sizes
        return int((of_column * self.rows.costs.full).sum())

    def least_weight(self, k: int) -> int | None:
        """Bound the weight of all choices from below; None where there are too many patterns."""
        rows = self.rows
        levels = levels_of(rows)
        vectors = Vectors.of(levels, MOST_PATTERNS, 0)
        if not vectors.complete:
            return None
        tuples = rows.distinct
        every = Walk(tuples.codes, tuples.counts, keys_of(levels), vectors.levels, k, NO_RULES)
        peeling = peeling_of(np.full(len(tuples.counts), -1, np.int32))
        cheapest = np.full(len(tuples.counts), -1, np.int64)
        for number, vector in enumerate(vectors.levels):
            if count_alike(every, number, peeling, len(cheapest)):
                enough = (peeling.place >= 0) & (peeling.table.rows[peeling.place] >= k)
                cost = sum(int(axis.costs[at]) for axis, at in zip(levels, vector, strict=True))
                cheapest[enough & (cheapest < 0)] = cost
            if (cheapest >= 0).all():
                break
        return int((cheapest.clip(min=0) * tuples.counts).sum())

    def united(self, groups: Groups) -> Groups:
        """Unite groups with equal cells: nobody can tell them apart."""
        sizes = [axis.size + 1 for axis in self.rows.axes]
        _, look = np.unique(combined(self.cells(groups), sizes), return_inverse=True)
        return Groups.of(np.append(look, WITHHELD)[groups.labels])

    def _apart(self, groups: Groups, least: int) -> Groups:
        """Part groups that mix cells of a column which may not be blanked; small parts leave."""
        if not self.never.any():
            return groups
        never = np.flatnonzero(self.never).tolist()
        sizes = [groups.count, *(self.rows.axes[a].size for a in never)]
        there = groups.labels >= 0
        keys = combined(np.vstack([groups.labels, self.rows.codes[never]])[:, there], sizes)
        _, part = np.unique(keys, return_inverse=True)
        labels = np.full(len(groups.labels), WITHHELD, np.int64)
        labels[there] = np.where(np.bincount(part)[part] >= least, part, WITHHELD)
        return self._returned(Groups.of(labels))

    def _returned(self, groups: Groups) -> Groups:
        """Let rows without a group join one whose cells they have, with the fewest blanks first.

        They had lent their cells to a row that may not have them.
        """
        labels = groups.labels.copy()
        sizes = np.array([axis.size for axis in self.rows.axes])
        cells = self.cells(groups)
        blank = cells == sizes[:, None]
        for pattern in sorted(map(tuple, np.unique(blank.T, axis=0).tolist()), key=sum):
            of_pattern = np.flatnonzero((pattern == blank.T).all(axis=1))
            left = np.flatnonzero(labels < 0)
            seen = np.where(np.array(pattern)[:, None], sizes[:, None], self.rows.codes[:, left])
            keys = combined(np.hstack([cells[:, of_pattern], seen]), (sizes + 1).tolist())
            group_of = dict(zip(keys[: len(of_pattern)].tolist(), of_pattern.tolist(), strict=True))
            of_left = keys[len(of_pattern) :].tolist()
            labels[left] = [group_of.get(key, WITHHELD) for key in of_left]
        return Groups.of(labels)

    def _bounded(self, groups: Groups, k: int) -> tuple[Note, ...]:
        """Say how near the blanked cells are to the fewest possible, each by its importance."""
        weight = self.weight(groups)
        starred = any(star.any() and len(star) > 1 for star in self.stars)
        if not weight or groups.withheld or starred:
            return ()
        least = self.least_weight(k)
        if least is None:
            return ()
        if weight == least:
            return (Note("rounds", "no choice blanks fewer cells at these levels"),)
        said = f"no choice blanks less than {percent(least / weight)} of this at these levels"
        return (Note("rounds", f"cells blanked, by importance: {said}"),)


def _column(each: WeighedLevels, level: int, codes: Ints) -> Profile:
    """Make a column of categories: the parts of a level, missing the last one if any is."""
    recoded = each.part[each.number.index(level)][codes].astype(np.int32)
    size = int(recoded.max(initial=0)) + 1
    values = pa.array([f"{number:09}" for number in range(size)])
    return Profile(each.axis.name, "category", values, recoded, tallied(recoded, size))


def _stars(each: WeighedLevels, level: int, size: int) -> Flags:
    """Mark the parts of a level that are published as `*`."""
    tree = each.axis.tree
    assert tree is not None
    if level >= len(each.axis.node):
        return np.ones(size, np.bool_)
    stars = np.zeros(size, np.bool_)
    part = each.part[each.number.index(level)][:-1]
    stars[part[tree.starred[each.axis.node[level]]]] = True
    return stars
