"""Looks: what is promised about groups of rows, and how these will be published."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes, Counts, Longs
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.kernels.costs import boxes
from shoal.privacy.column import Sensitive
from shoal.privacy.population import Crowd
from shoal.privacy.promises import Promises
from shoal.recipe import Plan
from shoal.recode.recoder import Boxes
from shoal.recode.scheme import nodes_of_groups, one_scheme
from shoal.recode.widening import widened
from shoal.review.coverage import refuse_untrue
from shoal.review.population_matches import Everyone, printed_cells
from shoal.review.recount import recount


def promises_of(rows: Rows, plan: Plan, elsewhere: Sequence[Counts] | None = None) -> Promises:
    """Lay the models over the rows as they came; groups look as they will be published.

    Where the rows are a shard, `elsewhere` counts those of all others by value, for each sensitive
    column.
    """
    asked = plan.hierarchies if any(model.needs_hierarchy for model in plan.models) else {}
    others = [None] * len(rows.sensitive) if elsewhere is None else elsewhere
    columns = tuple(
        Sensitive.of(p.name, p.codes, p.values, asked.get(p.name), other)
        for p, other in zip(rows.sensitive, others, strict=True)
    )
    people = _people(rows, plan) if plan.everyone is not None else None
    return Promises(
        plan.models, columns, plan.recipe.others, lambda groups: _looks(rows, groups, plan), people
    )


@dataclass(frozen=True)
class OldCells:
    """Cells of groups that were published before, and may only become wider."""

    groups: Longs
    """The groups that were published before."""
    cells: pa.Table
    """Their cells, by column."""

    @classmethod
    def of(cls, parts: Sequence[tuple[Longs, pa.Table]]) -> OldCells | None:
        """Put cells of several releases together; None where there is none."""
        if not parts:
            return None
        tables = pa.concat_tables([table for _, table in parts])
        return cls(np.concatenate([groups for groups, _ in parts]), tables)

    def widened(self, box: Boxes, new: pa.Array) -> pa.Array:
        """Give groups their old cells, or wider ones where their members do not fit."""
        texts = new.to_pylist()
        old = self.cells[box.axis.name].to_pylist()
        there = self.groups
        beside = [texts[group] for group in there]
        cells = widened(box.axis, box.lo[there], box.hi[there], old, beside)
        for group, cell in zip(there.tolist(), cells, strict=True):
            texts[group] = cell
        return pa.array(texts, pa.string())


def published_cells(
    rows: Rows, groups: Groups, plan: Plan, old: OldCells | None = None
) -> dict[str, pa.Array]:
    """Write the cells of each group by column; refuse cells that would hide a row.

    Groups that were published before keep their `old` cells, or get wider ones.
    """
    cells: dict[str, pa.Array] = {}
    for box in _boxes(rows, groups, plan):
        recoder = plan.recoders[box.axis.name]
        of_axis = recoder.publish(box)
        if old is not None:
            of_axis = {name: old.widened(box, cell) for name, cell in of_axis.items()}
        if recoder.covers:
            refuse_untrue(box, of_axis, recoder.name)
        cells |= of_axis
    return cells


def _people(rows: Rows, plan: Plan) -> Callable[[Groups], Crowd]:
    """Count who of the population fits each group as it will be published."""
    assert plan.everyone is not None
    everyone = Everyone.of(plan.everyone, [axis.name for axis in rows.axes], plan.hierarchies)

    def people(groups: Groups) -> Crowd:
        cells = _cells(rows, groups, plan)
        columns = {
            name: printed_cells(pa.table(of_axis), list(of_axis)) for name, of_axis in cells.items()
        }
        return Crowd(*everyone.behind(columns, np.arange(groups.count, dtype=np.int32)))

    return people


def _looks(rows: Rows, groups: Groups, plan: Plan) -> Codes:
    """Number how each group will be published on each quasi-identifier."""
    cells = _cells(rows, groups, plan)
    return np.array(
        [recount(list(of_axis.values())).labels for of_axis in cells.values()], np.int32
    )


def _cells(rows: Rows, groups: Groups, plan: Plan) -> dict[str, dict[str, pa.Array]]:
    """Print each group on each quasi-identifier: one column, or two of bounds."""
    return {
        box.axis.name: plan.recoders[box.axis.name].publish(box)
        for box in _boxes(rows, groups, plan)
    }


def _boxes(rows: Rows, groups: Groups, plan: Plan) -> list[Boxes]:
    """Find the least box of each group.

    It is widened to one scheme for all rows where a model judges the release as a whole. Groups
    that carry levels are published at the nodes of these, whatever their members share below; and
    as `*` where they share none.
    """
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    if groups.levels is not None:
        return [
            Boxes(
                axis,
                rows.codes[a],
                groups,
                lo[a],
                hi[a],
                nodes_of_groups(axis, lo[a], hi[a], level),
            )
            for a, (axis, level) in enumerate(zip(rows.axes, groups.levels, strict=True))
        ]
    if any(model.judges == "release" for model in plan.models):
        lo, hi = one_scheme(lo, hi)
    return [Boxes(axis, rows.codes[a], groups, lo[a], hi[a]) for a, axis in enumerate(rows.axes)]
