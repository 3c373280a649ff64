"""Implied: count groups whose cells imply a sensitive value, which is attribute disclosure.

A group implies a value with the share of its rows that have it. Those above 1 / l are counted, and
of them those that fewer than k rows bear out, k being the size of the smallest published group. In
an original the groups are its equal rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import AnyArray, Floats, Longs
from shoal.encode.rows import combined
from shoal.mining.concrete import Ranges, Shares
from shoal.mining.features import Plain
from shoal.mining.task import Figure


def groups_of(columns: Sequence[Ranges | Shares], quasi: Sequence[str]) -> Longs:
    """Number the published rows, equal where all cells of quasi-identifiers are equal."""
    return _numbered(
        [column.cell for column in columns if column.feature.name in quasi], len(columns[0].cell)
    )


def groups_in(original: Plain, quasi: Sequence[str]) -> Longs:
    """Number the rows of an original, equal where all quasi-identifiers are equal."""
    pairs = zip(original.features, original.values, strict=True)
    return _numbered(
        [np.unique(v, return_inverse=True)[1].reshape(-1) for f, v in pairs if f.name in quasi],
        original.rows,
    )


def _numbered(cells: Sequence[AnyArray], rows: int) -> Longs:
    codes = np.array(cells, np.int64).reshape(len(cells), rows)
    keys = combined(codes, [int(row.max(initial=0)) + 1 for row in codes])
    return np.asarray(np.unique(keys, return_inverse=True)[1].reshape(-1), np.int64)


def implied(
    columns: Sequence[Ranges | Shares],
    original: Plain,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    most: int,
) -> dict[str, Figure]:
    """Count the groups that imply a value of each sensitive column.

    Columns of distributions are skipped.
    """
    after = groups_of(columns, quasi)
    before = groups_in(original, quasi)
    k = int(np.bincount(after).min())
    figures: dict[str, Figure] = {}
    for column in columns:
        name = column.feature.name
        if name in sensitive and isinstance(column, Ranges):
            published = _above(after, column.low[column.cell], most, k)
            unchanged = _above(before, original.column(name), most)
            figures[f"groups that imply '{name}'"] = Figure(published[0], unchanged[0])
            # k belongs to the release: the original has no such figure.
            figures[f"groups that imply '{name}', by fewer than k rows"] = Figure(
                published[1], None
            )
    return figures


def _above(groups: Longs, values: Floats, most: int, k: int = 1) -> tuple[int, int]:
    """Count values that hold more than a share 1 / `most` of their group.

    Also returned: how many of these are held by fewer than k rows.
    """
    there = ~np.isnan(values)
    different, value = np.unique(values[there], return_inverse=True)
    base = max(len(different), 1)
    pairs, counts = np.unique(groups[there] * base + value.reshape(-1), return_counts=True)
    above = counts * most > np.bincount(groups)[pairs // base]
    return int(above.sum()), int((above & (counts < k)).sum())
