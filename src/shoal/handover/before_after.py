"""Aligned: what became of each input row, in input order, to set before and after side by side.

For the maker's eyes alone and never part of a release: whoever has both tables in one order has
undone it. Nothing is divided again: the groups are those of the release, and their cells are
written once more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags
from shoal.declare.columns import text_of, whole
from shoal.encode.profile import without_nan
from shoal.encode.rows import Rows
from shoal.engines.local.recoding import recoded
from shoal.flows.declared import encoded, understood_table
from shoal.groups import Groups
from shoal.recipe import Plan
from shoal.review.report.spread import columns

if TYPE_CHECKING:
    from shoal.api.release import Release


@dataclass(frozen=True)
class Aligned:
    """A release in the order of the rows that came in.

    Withheld rows are there too, with nothing but missing cells.
    """

    original: pa.Table
    published: pa.Table
    rows: Rows
    groups: Groups
    plan: Plan

    @property
    def withheld(self) -> Flags:
        """Flag the rows that are not in the release."""
        return np.asarray(self.groups.labels < 0)

    @cached_property
    def texts(self) -> pa.Table:
        """The published cells of each input row, as they are spelled."""
        return pa.table(
            {name: text_of(whole(self.published[name])) for name in self.published.column_names}
        )

    @cached_property
    def changed(self) -> dict[str, Flags]:
        """Flag, for each published column, the rows whose text differs from what came in.

        All cells of a withheld row do.
        """
        before = {
            name: text_of(without_nan(whole(self.original[name]), name))
            for name in self.source.values()
        }
        return {
            name: self.withheld | differ(before[self.source[name]], whole(self.texts[name]))
            for name in self.source
        }

    @cached_property
    def source(self) -> dict[str, str]:
        """The original column of each published one: bounds are two of one."""
        names = (*self.plan.recipe.quasi, *self.plan.recipe.roles.beside)
        return {published: name for name in names for published in columns(self.published, name)}


def differ(one: pa.Array, other: pa.Array) -> Flags:
    """Where two columns of texts differ; missing is like missing alone."""
    unequal = pc.fill_null(pc.not_equal(one, other), True)
    return np.asarray(pc.and_not(unequal, pc.and_(pc.is_null(one), pc.is_null(other))), np.bool_)


def aligned(release: Release, original: pa.Table) -> Aligned | None:
    """Align a release with the rows that it was made of; None where rows have their own boxes."""
    if release.groups is None:
        return None
    # Under one scheme for all rows, cells stand at the levels of the release.
    levels = getattr(release.outcome.groups, "levels", None)
    groups = Groups.of(np.asarray(release.groups), levels=levels)
    plan = release.recipe.plan()
    plan = replace(plan, recipe=msgspec.structs.replace(release.recipe, keep_order=True))
    original, notes = understood_table(original, plan)
    rows, _ = encoded(original, notes, plan)
    published = recoded(original, rows, groups, plan)
    return Aligned(original, _in_place(published, groups), rows, groups, plan)


def _in_place(published: pa.Table, groups: Groups) -> pa.Table:
    """Published rows where they came from, and missing cells where a row was withheld."""
    there = groups.labels >= 0
    return published.take(pa.array(np.cumsum(there) - 1, mask=~there))
