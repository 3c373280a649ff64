"""Comparing: all cells that are not finished yet are measured; what is finished is kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import pyarrow as pa

from shoal.comparison.cells import Cell, Row, as_table, digest, grid, refuse_hopeless
from shoal.comparison.finished import Kept
from shoal.comparison.workers import jobs_for, measured
from shoal.errors import RecipeError
from shoal.groups import Watch, unwatched
from shoal.wording import Remedy, Set

__all__ = ["compare", "grid", "rows_of"]


def compare(
    table: pa.Table,
    cells: Sequence[Cell],
    *,
    kept: Kept | None = None,
    jobs: int | None = None,
    watch: Watch = unwatched,
) -> pa.Table:
    """Measure a row of figures for each cell, in their order; a refused cell has a reason.

    An interruption ends all processes; cells that were finished stay in `kept`, and the next call
    leaves them out.
    """
    return as_table(rows_of(table, cells, kept=kept, jobs=jobs, watch=watch))


def rows_of(
    table: pa.Table,
    cells: Sequence[Cell],
    *,
    kept: Kept | None = None,
    jobs: int | None = None,
    watch: Watch = unwatched,
) -> list[Row]:
    """Measure cells as `compare` does, and return plain rows."""
    if jobs is not None and jobs < 1:
        raise RecipeError(
            f"{jobs} jobs can't measure anything", remedy=Remedy(Set("jobs", 1), "leave it out")
        )
    refuse_hopeless(table, cells)
    kept = kept if kept is not None else Kept()
    recipe = cells[0].recipe
    used = table.select([*recipe.quasi, *recipe.sensitive, *recipe.keep, *recipe.roles.identifiers])
    hashed = digest(used, used.column_names)
    keys = {cell: cell.key(hashed) for cell in cells}
    rows = {cell: {**kept.rows[key], **cell.row} for cell, key in keys.items() if key in kept.rows}
    todo = [cell for cell in cells if cell not in rows]
    watch(len(rows) / len(cells))
    with closing(measured(used, todo, jobs or jobs_for(used, len(todo)))) as findings:
        for cell, finding in findings:
            rows[cell] = finding.row
            if finding.lasting:
                kept.add(keys[cell], finding.row)
            watch(len(rows) / len(cells))
    return [rows[cell] for cell in cells]
