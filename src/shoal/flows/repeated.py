"""Repeated: looks for people with several rows in a table in memory, before any work."""

from __future__ import annotations

import pyarrow as pa

from shoal.declare.columns import whole
from shoal.declare.understanding.missing import without, words_for
from shoal.groups import Note
from shoal.recipe import Recipe
from shoal.review.person_columns import PersonColumns, person_columns
from shoal.review.prechecks.repeated import refuse_repeated, repeats_of


def refuse_repeated_people(table: pa.Table, recipe: Recipe) -> tuple[Note, ...]:
    """Refuse a table with several rows about one person, unless its recipe says what they are."""
    looked_at = columns_in_doubt(table.schema, recipe)
    repeats = [
        repeats_of(each, [cells_of(whole(table[name]), name, recipe) for name in each.columns])
        for each in looked_at
    ]
    return refuse_repeated(repeats, table.num_rows, recipe.k)


def columns_in_doubt(schema: pa.Schema, recipe: Recipe) -> list[PersonColumns]:
    """List the columns that may say whose row it is; none where the recipe says it."""
    if recipe.person is not None or recipe.rows_are_persons:
        return []
    single = [field.name for field in schema if not pa.types.is_nested(field.type)]
    return person_columns(single, recipe.roles)


def cells_of(column: pa.Array, name: str, recipe: Recipe) -> pa.Array:
    """Give the cells of a column; words that mean missing are missing."""
    return without(column, words_for(name, recipe.na, (name, *recipe.columns)))
