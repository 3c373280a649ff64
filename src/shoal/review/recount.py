"""Recount: groups read off a published table from outside, by code that shares nothing with the methods.

Rows stand in one group where all their quasi-identifier cells are equal, a missing cell being one more value. Nothing
else is known here: no labels, no boxes, no axes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts, Ints, Longs
from shoal.groups import Groups


def recount(columns: Sequence[pa.Array]) -> Groups:
    """The groups of rows that look alike on all of these columns."""
    keys: Longs = np.zeros(len(columns[0]) if columns else 0, np.int64)
    different = 1
    for column in columns:
        codes, size = coded(column)
        if different * (size + 1) >= 2**62:
            _, keys = np.unique(keys, return_inverse=True)
            different = int(keys.max(initial=0)) + 1
        keys = keys * (size + 1) + codes
        different *= size + 1
    _, labels = np.unique(keys, return_inverse=True)
    return Groups(labels.astype(np.int32), int(labels.max(initial=-1)) + 1)


def coded(column: pa.Array) -> tuple[Ints, int]:
    """A number for each different value of a column, the highest for missing (NaN too), and how many values there are."""
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    encoded = pc.dictionary_encode(column)
    size = len(encoded.dictionary)
    return np.asarray(pc.fill_null(encoded.indices, size), np.int32), size


def value_counts(groups: Groups, sensitive: pa.Array | None) -> Counts:
    """`counts[group, value]` of a sensitive column, the last value being missing; of no column: the sizes."""
    if sensitive is None:
        return groups.sizes.reshape(-1, 1)
    codes, size = coded(sensitive)
    return groups.counts(codes, size + 1)
