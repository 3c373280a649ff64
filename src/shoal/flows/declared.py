"""Declared: a table in memory as rows on axes, once all that is wrong with it has been said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pyarrow as pa

from shoal.declare.coding import coded_table
from shoal.declare.columns import kind_of, whole
from shoal.declare.memory import of_anonymizing, refuse_beyond_memory
from shoal.declare.roles import check_table
from shoal.declare.understanding.column import Understood
from shoal.declare.understanding.table import notes_of, understood
from shoal.encode.axes import Axis
from shoal.encode.profile import Profile, profile, refuse_missing, refuse_mixed
from shoal.encode.rows import Rows, encode, persons
from shoal.errors import RecipeError
from shoal.flows.coded import coded, coding_notes
from shoal.groups import Note
from shoal.recipe import PlanParts, Recipe
from shoal.review.prechecks.kept import refuse_leaks


def declared(table: pa.Table, plan: PlanParts) -> tuple[Rows, tuple[Note, ...]]:
    """Encode a table as rows on axes; refuse it once everything wrong with it has been said.

    Beside the rows come notices: what is worth knowing about columns and axes.
    """
    return encoded(*understood_table(table, plan), plan)


def understood_table(table: pa.Table, plan: PlanParts) -> tuple[pa.Table, tuple[Note, ...]]:
    """Return a table whose columns are understood as its recipe asks, and a note for each.

    A table that is understood already stays as it is.
    """
    columns: tuple[Understood, ...]
    table, columns = understood(table, plan.recipe.columns_asked)
    return table, notes_of(columns)


def encoded(
    table: pa.Table, notes: Sequence[Note], plan: PlanParts
) -> tuple[Rows, tuple[Note, ...]]:
    """Encode a table whose columns are understood; `notes` join what is worth knowing."""
    recipe = plan.recipe
    check_table(table)
    errors = list(recipe.roles.fit(table.column_names))
    if errors:
        raise RecipeError.together(errors)
    _refuse_too_large(table, recipe)
    for name in recipe.keep:  # the others are looked at closely enough below
        kind_of(table.schema.field(name).type, name)
    quasi = coded(profiled(table, recipe.quasi), plan.coding)
    refuse_mixed([column for column in quasi if recipe.may_mix_no_text(column.name)])
    if recipe.missing == "refuse":
        refuse_missing(quasi)
    sensitive = coded(profiled(table, recipe.sensitive), plan.coding)
    keep = [name for name in recipe.keep if name in plan.coding]
    coding = coding_notes([*quasi, *sensitive, *coded(profiled(table, keep), plan.coding)])
    leaks = refuse_leaks(
        coded_table(table, plan.coding),
        {column.name: column.codes for column in quasi},
        recipe.sensitive,
        recipe.keep,
        recipe.force_keep,
    )
    rows = encode(
        quasi, plan.hierarchies, loss=plan.loss, importance=recipe.importance, sensitive=sensitive
    )
    if recipe.person is not None:
        rows = replace(rows, person=persons(profiled(table, [recipe.person])[0]))
    return rows, notices_of(recipe, table.column_names, (*notes, *coding, *leaks), rows.axes)


def profiled(table: pa.Table, names: Sequence[str]) -> list[Profile]:
    """Count the different values of some columns of a table in memory."""
    return [profile(whole(table[name]), name) for name in names]


def notices_of(
    recipe: Recipe, names: Sequence[str], warnings: Iterable[Note], axes: Iterable[Axis]
) -> tuple[Note, ...]:
    """Collect what is worth knowing before the work: dropped columns, warnings, notes of axes."""
    notes_of_axes = [note for axis in axes for note in axis.notices]
    return (*recipe.roles.dropped(names), *warnings, *notes_of_axes)


def _refuse_too_large(table: pa.Table, recipe: Recipe) -> None:
    """Refuse, before the work, a table for which there is not enough memory."""
    published = table.select([*recipe.quasi, *recipe.roles.beside])
    facts = {"rows": table.num_rows, "quasi-identifiers": len(recipe.quasi)}
    refuse_beyond_memory(of_anonymizing(published, len(recipe.quasi)), "the table", facts)
