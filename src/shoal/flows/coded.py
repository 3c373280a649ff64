"""Coded: percentiles of a recipe become numbers, and columns are seen as they were coded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import pyarrow as pa

from shoal.arrays import Counts
from shoal.declare.coding import Coding
from shoal.declare.places import number_given
from shoal.declare.understanding.column import refuse_unclear
from shoal.declare.understanding.table import ColumnsAsked
from shoal.encode.profile import Profile
from shoal.errors import RecipeError
from shoal.groups import Note
from shoal.recipe import PlanParts, Recipe
from shoal.recipe.known_limits import with_known_limits
from shoal.review.what_is_left import ColumnsLeft, percent
from shoal.wording import Sentence, Set

Counted = Callable[[Sequence[str]], Sequence[Profile]]
"""Counts the different values of some columns of a table."""


def settled(recipe: Recipe, names: Sequence[str], counted: Counted) -> Recipe:
    """Replace percentiles by round numbers of this table, which the recipe then states.

    Limits that everyone knows are written into it, too.

    Columns are understood as the recipe asks before ranks are counted. Refuses roles of columns
    that the table does not have.
    """
    recipe = with_known_limits(recipe)
    unsettled = {name: coding for name, coding in recipe.coding.items() if coding.unsettled}
    if not unsettled:
        return recipe
    recipe.check()
    errors = list(recipe.roles.fit(names))
    if errors:
        raise RecipeError.together(errors)
    asked = recipe.columns_asked
    numbers = [
        unsettled[column.name].settled(*_understood(column, asked))
        for column in counted(list(unsettled))
    ]
    tops = {each.name: number_given(each.top) for each in numbers if each.top is not None}
    bottoms = {each.name: number_given(each.bottom) for each in numbers if each.bottom is not None}
    return msgspec.structs.replace(
        recipe, top={**recipe.top, **tops}, bottom={**recipe.bottom, **bottoms}
    )


def _understood(column: Profile, asked: ColumnsAsked) -> tuple[pa.Array, Counts]:
    """Return the different values of a column as its recipe reads them, and their counts."""
    if not asked.concerns(column.name, column.values.type):
        return column.values, column.counts
    understood = asked.understand(column.values, column.counts, column.name)
    refuse_unclear([understood])
    if not understood.changes:
        return column.values, column.counts
    return understood.counted(column.values, column.counts)


def coded(columns: Iterable[Profile], codings: Mapping[str, Coding]) -> list[Profile]:
    """Round and cap the values of columns that have a coding."""
    return [column.coded(codings.get(column.name)) for column in columns]


def coding_notes(columns: Iterable[Profile]) -> tuple[Note, ...]:
    """Say how many rows stand at an open end, for the maker alone."""
    notes = []
    for column in columns:
        if column.coding is None or not column.coding.open:
            continue
        texts = column.shown.to_pylist()
        at_ends = [
            (text, int(times))
            for text, times in zip(texts, column.counts, strict=True)
            if text in column.coding.open_values
        ]
        said = ", ".join(f"{text} in {times:,} rows" for text, times in at_ends)
        notes.append(
            Note("coded", f"'{column.name}' is published as {said or 'text, none at an end'}")
        )
    return tuple(notes)


def exact_notes(columns: ColumnsLeft, plan: PlanParts) -> tuple[Note, ...]:
    """Say that single values are published of a column that was put into intervals."""
    notes = []
    for name, left in columns.items():
        hierarchy = plan.hierarchies.get(name)
        if hierarchy is not None and hierarchy.lowest_said is not None and left.exact:
            least = number_given(str(hierarchy.lowest_said))
            rows = f"'{name}' is published as a single value in {percent(left.exact)} of the rows, "
            shared = f"where at least {plan.recipe.k} share it. For intervals alone: "
            notes.append(Note("exact", Sentence(rows, shared, Set("at_least", {name: least}))))
    return tuple(notes)


def centres_of(plan: PlanParts) -> list[str]:
    """List the columns that are published as one point for each group."""
    return [name for name, recoder in plan.recoders.items() if not recoder.covers]
