"""Declared: a table in memory as rows on axes, once all that is wrong with it has been said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from shoal.arrays import Ints
from shoal.declare.banded import banded_in, with_asked
from shoal.declare.columns import whole
from shoal.declare.memory import of_anonymizing, refuse_beyond_memory
from shoal.declare.roles import check_table
from shoal.declare.understanding.column import Understood
from shoal.declare.understanding.table import notes_of, understood
from shoal.encode.axes import Axis
from shoal.encode.profile import Profile, profile, refuse_missing, refuse_mixed
from shoal.encode.rows import Rows, encode, kept_numbers, persons
from shoal.errors import RecipeError
from shoal.flows.coded import coded, coding_notes
from shoal.groups import Note
from shoal.kernels.threads import side_by_side
from shoal.recipe import PlanParts, Recipe
from shoal.review.kept_columns import KeptTally
from shoal.review.prechecks.entropy import sampled
from shoal.review.prechecks.kept import AsTheyAre, refuse_leaks, taking_leaks


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
    came = banded_in(table)
    asked = {name: with_asked(came.get(name), plan.coding.get(name)) for name in recipe.quasi}
    quasi = [column.coded(asked[column.name]) for column in profiled(table, recipe.quasi)]
    refuse_mixed([column for column in quasi if recipe.may_mix_no_text(column.name)])
    if recipe.missing == "refuse":
        refuse_missing(quasi)
    sensitive = coded(profiled(table, recipe.sensitive), plan.coding)
    keep = coded(profiled(table, recipe.keep), plan.coding)
    person = None
    if recipe.person is not None:
        person = persons(profiled(table, [recipe.person])[0])
    columns = DeclaredColumns(quasi, sensitive, keep, person)
    warnings = (
        *notes,
        *coding_notes([*quasi, *sensitive, *keep]),
        *refuse_leaks(columns.as_they_are(recipe)),
    )
    rows = encode(
        quasi, plan.hierarchies, loss=plan.loss, importance=recipe.importance, sensitive=sensitive
    )
    judged = [(each.codes, each.size + 1) for each in keep if each.name not in recipe.force_keep]
    rows = replace(rows, person=person, kept=kept_numbers(judged))
    return rows, notices_of(recipe, table.column_names, warnings, rows.axes)


@dataclass(frozen=True)
class DeclaredColumns:
    """The columns of a table in memory by role, and the person of each row if there is one."""

    quasi: Sequence[Profile]
    sensitive: Sequence[Profile]
    keep: Sequence[Profile]
    person: Ints | None = None

    def as_they_are(self, recipe: Recipe) -> AsTheyAre:
        """Count what columns that are published as they are give away."""
        judged = [column for column in self.keep if column.name not in recipe.force_keep]
        chosen = sampled(len(self.quasi[0].codes))
        taking = taking_leaks(
            {column.name: column.codes[chosen] for column in self.quasi},
            {column.name: column.codes[chosen] for column in self.sensitive},
            {column.name: column.codes[chosen] for column in self.keep},
            recipe.force_keep,
        )
        return AsTheyAre(
            sensitive=self.sensitive,
            kept=KeptTally.of(
                [column.name for column in judged], [column.codes for column in judged], self.person
            ),
            taking=taking,
            k=recipe.k,
            withhold=recipe.withhold,
            force_keep=recipe.force_keep,
            numbers=[column for column in (*self.sensitive, *self.keep) if column.kind == "number"],
        )


def profiled(table: pa.Table, names: Sequence[str]) -> list[Profile]:
    """Count the different values of some columns of a table in memory."""
    return side_by_side(lambda name: profile(whole(table[name]), name), names, rows=table.num_rows)


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
