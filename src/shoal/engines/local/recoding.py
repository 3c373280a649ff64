"""Recoding: a table in memory as it is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints, Labels, Longs
from shoal.declare.columns import whole
from shoal.encode.profile import profile, without_nan
from shoal.encode.rows import Rows, combined
from shoal.engines.promises import OldCells, published_cells
from shoal.flows.coded import coded
from shoal.flows.declared import profiled
from shoal.groups import Groups
from shoal.recipe import Plan
from shoal.review.recount import recount
from shoal.review.weights import means, weights_of


def recoded(
    table: pa.Table, rows: Rows, groups: Groups, plan: Plan, old: OldCells | None = None
) -> pa.Table:
    """Write quasi-identifiers as cells, and sensitive and kept columns as they are or are coded.

    Rows stand in an order that tells nothing, unless the recipe keeps the input's.
    """
    cells = published_cells(rows, groups, plan, old)
    there = np.flatnonzero(groups.labels >= 0)
    if not plan.recipe.keep_order:
        beside = (*rows.sensitive, *coded(profiled(table, plan.recipe.keep), plan.coding))
        order = _order(cells, groups.labels[there], [column.codes[there] for column in beside])
        there = there[order]
    labels = pa.array(groups.labels[there])
    columns = {name: column.take(labels) for name, column in cells.items()}
    alike = recount(list(columns.values())) if plan.recipe.weight else groups
    for name in (*plan.recipe.sensitive, *plan.recipe.keep):
        columns[name] = _beside(table, name, plan).take(pa.array(there))
    for name in plan.recipe.roles.weight:
        columns[name] = means(alike, weights_of(table, name)[there])
    return pa.table(columns)


def _beside(table: pa.Table, name: str, plan: Plan) -> pa.Array:
    """Show a column that is published beside the cells: as it is, or as it is coded."""
    column = without_nan(whole(table[name]), name)
    if name not in plan.coding:
        return column
    coding = plan.coding[name]
    return coding.shown(coding.coded(column))


def _order(cells: Mapping[str, pa.Array], labels: Labels, others: Sequence[Ints]) -> Longs:
    """Sort rows by all that is published about them, so that order says nothing more.

    Groups are ranked first, as there are fewer; rows that tie are equal.
    """
    of_groups = [profile(column, name) for name, column in cells.items()]
    keys = combined(
        np.array([column.codes for column in of_groups]), [column.size + 1 for column in of_groups]
    )
    _, rank = np.unique(keys, return_inverse=True)
    codes = np.array([rank[labels], *others])
    return np.argsort(combined(codes, (codes.max(axis=1, initial=0) + 1).tolist()))
