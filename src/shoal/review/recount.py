"""Recount: reads groups off a published table, by code that shares nothing with the methods.

Rows stand in one group where all their quasi-identifier cells are equal, a missing cell being one
more value. Nothing else is known here: no labels, no boxes, no axes. Values are numbered by
hashing, in the order of their first row: a million rows of eight text columns take well under a
second.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Counts, Ints, Longs
from shoal.declare.numbering import dictionary_of
from shoal.groups import Groups
from shoal.kernels.threads import side_by_side
from shoal.privacy.column import ascending

CEILING = 2**62  # keys stay below it, so that they never overflow


def recount(columns: Sequence[pa.Array]) -> Groups:
    """Group rows that look alike on all of these columns, numbered by their first row."""
    if not columns:
        return Groups(np.zeros(0, np.int32), 0)
    pairs = side_by_side(coded, columns, rows=len(columns[0]))
    labels, count = numbered(keys([codes for codes, _ in pairs], [size + 1 for _, size in pairs]))
    return Groups(labels, count)


def keys(codes: Sequence[AnyArray], sizes: Sequence[int]) -> Longs:
    """Combine codes to one number for each row; a column's codes are below its size."""
    combined: Longs = np.zeros(len(codes[0]), np.int64)
    different = 1
    for column, size in zip(codes, sizes, strict=True):
        if different * size >= CEILING:
            labels, different = numbered(combined)
            combined = labels.astype(np.int64)
        combined *= size
        combined += column
        different *= size
    return combined


def numbered(values: AnyArray) -> tuple[Ints, int]:
    """Number the different values from 0, in the order of their first row, and count them."""
    hashed = pc.dictionary_encode(pa.array(values))
    return np.asarray(hashed.indices, np.int32), len(hashed.dictionary)


def coded(column: pa.Array) -> tuple[Ints, int]:
    """Number the different values of a column, and count them.

    The highest number is for missing values (NaN too).
    """
    codes, values = encoded(column)
    return codes, len(values)


def value_counts_of(column: pa.Array) -> Counts:
    """Count the rows of each different value of a column; missing is none of them."""
    codes, size = coded(column)
    return np.bincount(codes, minlength=size + 1)[:size].astype(np.int64)


def value_counts(groups: Groups, sensitive: pa.Array | None) -> Counts:
    """Count `counts[group, value]` of a sensitive column, the last value being missing.

    Without a column: the sizes of the groups.
    """
    if sensitive is None:
        return groups.sizes.reshape(-1, 1)
    codes, size = in_order(sensitive)
    return groups.counts(codes, size + 1)


def in_order(column: pa.Array) -> tuple[Ints, int]:
    """Number the values of a column in ascending order, otherwise as `coded` does.

    For models that read the distance between values.
    """
    codes, values = encoded(column)
    rank = np.full(len(values) + 1, len(values), np.int32)
    rank[ascending(values)] = np.arange(len(values), dtype=np.int32)
    return rank[codes], len(values)


def encoded(column: pa.Array) -> tuple[Ints, pa.Array]:
    """Return the different values of a column in the order of their first row, and row numbers.

    The number of each row is that of its value, the highest where it is missing.
    """
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_null(column.type):
        column = pc.cast(column, pa.string())
    if pa.types.is_floating(column.type):
        column = pc.add(column, pa.scalar(0.0, column.type))  # -0.0 and 0.0 are one value
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    hashed = dictionary_of(column)
    numbers = pc.fill_null(hashed.indices, len(hashed.dictionary))
    return np.asarray(numbers, np.int32), hashed.dictionary
