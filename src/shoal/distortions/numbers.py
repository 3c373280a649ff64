"""Numbers: convert columns of a table to floats and back, with gaps, types and precision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Floats
from shoal.declare.column_names import column_hint
from shoal.declare.columns import kind_of
from shoal.errors import DataError, RecipeError
from shoal.wording import OneOf, Option, Remedy, Sentence, Set

MOST_DECIMALS = 12


def chosen(schema: pa.Schema, columns: Sequence[str] | str) -> tuple[str, ...]:
    """List the columns that were named, or all that hold numbers.

    Refuses unknown names and columns of another kind.
    """
    numbers = tuple(field.name for field in schema if kind_of(field.type, field.name) == "number")
    if columns == "all" or tuple(columns) == ("all",):
        if not numbers:
            raise DataError("no column holds numbers, so there is nothing to perturb")
        return numbers
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    errors: list[RecipeError | DataError] = [
        RecipeError(f"there is no column '{name}'", remedy=column_hint(name, schema.names, names))
        for name in names
        if name not in schema.names
    ]
    if not names or len(set(names)) < len(names):
        errors.append(
            RecipeError(
                "name each column once, and at least one",
                remedy=Remedy(Set("columns", OneOf(["income", "age"], "all"))),
            )
        )
    errors += [
        DataError(
            f"column '{name}' holds {schema.field(name).type}, not numbers",
            remedy=Sentence("leave it out of ", Option("columns")),
        )
        for name in names
        if name in schema.names and name not in numbers
    ]
    if errors:
        raise RecipeError.together(errors)
    return names


def values_of(table: pa.Table, names: Sequence[str]) -> Floats:
    """Convert columns to floats `[rows, columns]`, NaN being missing."""
    values = np.empty((table.num_rows, len(names)))
    for place, name in enumerate(names):
        values[:, place] = (
            pc.cast(table[name], pa.float64(), safe=False)
            .combine_chunks()
            .to_numpy(zero_copy_only=False)
        )
    return values


def with_values(
    table: pa.Table, names: Sequence[str], values: Floats, decimals: Sequence[int | None]
) -> pa.Table:
    """Replace columns of a table, rounded where decimals are given; all others stay."""
    for place, name in enumerate(names):
        digits = decimals[place]
        kind = table.schema.field(name).type
        column = values[:, place] if digits is None else values[:, place].round(digits)
        cells = pa.array(column, from_pandas=True)  # NaN is missing
        if digits is not None:
            cells = _as(cells, kind)
        elif pa.types.is_floating(kind):
            cells = cells.cast(kind)
        table = table.set_column(table.column_names.index(name), name, cells)
    return table


def widened(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Convert columns to types that hold what noise may make of other rows.

    Parts of a table must be alike.
    """
    for name in names:
        kind = table.schema.field(name).type
        place = table.column_names.index(name)
        if not pa.types.is_floating(kind):
            table = table.set_column(
                place,
                name,
                table[name].cast(pa.int64() if pa.types.is_integer(kind) else pa.float64()),
            )
    return table


def _as(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    """Convert rounded cells to their own type, or to the next wider one where noise exceeds it."""
    for target in (kind, pa.int64() if pa.types.is_integer(kind) else pa.float64()):
        try:
            return cells.cast(target)
        except pa.ArrowInvalid:
            continue
    return cells


def decimals_of(values: Floats, most: int = MOST_DECIMALS) -> list[int]:
    """Count the decimals of the values of each column, up to a dozen."""
    decimals = []
    for column in values.T:
        there = column[~np.isnan(column)]
        fits = (d for d in range(most) if np.array_equal(np.round(there, d), there))
        decimals.append(next(fits, most))
    return decimals
