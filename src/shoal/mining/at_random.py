"""At random: measure a release whose groups are drawn at random, for comparison.

The rows of the original are dealt into groups of the sizes that the release has, and each group is
generalized to its least box: from its least number to its largest, to the lowest node above its
values, to `*` where some are missing. What is published as it is stays as it is. The difference to
the release is what its method was good for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import AnyArray, Counts, Floats, Ints
from shoal.mining.concrete import Ranges
from shoal.mining.features import Feature, Plain
from shoal.mining.items import ItemCells

SEED = 11


def dealt(original: Plain, sizes: Counts, quasi: Sequence[str]) -> tuple[ItemCells, ...]:
    """Deal the rows of an original into groups of given sizes; rows left over are withheld."""
    rows = np.random.default_rng(SEED).permutation(original.rows)[: int(sizes.sum())]
    labels = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)[: len(rows)]
    pairs = zip(original.features, original.values[:, rows], strict=True)
    return tuple(
        _boxes(f, values, labels) if f.name in quasi else _as_they_are(f, values)
        for f, values in pairs
    )


def _as_they_are(feature: Feature, values: Floats) -> ItemCells:
    different, cell = np.unique(values, return_inverse=True)
    if feature.axis.points is not None:
        codes = different
    else:
        codes = _codes(feature, different).astype(np.float64)
    codes[np.isnan(different)] = np.nan
    ranges = Ranges(
        feature, cell.reshape(-1).astype(np.int32), codes, codes, feature.axis.points is not None
    )
    return ItemCells(ranges, np.zeros(len(different), np.bool_))


def _boxes(feature: Feature, values: Floats, labels: Ints) -> ItemCells:
    """Put the values of each group into the least range, or under the lowest node, around them."""
    count = int(labels.max(initial=-1)) + 1
    axis = feature.axis
    gap = np.isnan(values)
    places = values if axis.points is not None else _codes(feature, values)
    low, high = _ends_of_groups(places[~gap], labels[~gap], count)
    empty = np.isnan(low)
    if axis.tree is not None and not empty.all():
        nodes = axis.ancestors(low[~empty].astype(np.int64), high[~empty].astype(np.int64))
        low[~empty] = axis.runs[0][nodes]
        high[~empty] = axis.runs[1][nodes]
    mixed = ~empty & (np.bincount(labels[gap], minlength=count) > 0)
    if mixed.any():
        low[mixed] = np.nanmin(low)
        high[mixed] = np.nanmax(high)
    return ItemCells(Ranges(feature, labels, low, high, axis.points is not None), mixed)


def _ends_of_groups(places: AnyArray, labels: Ints, count: int) -> tuple[Floats, Floats]:
    """Find the least and the largest place in each group; NaN where a group has none."""
    low = np.full(count, np.inf)
    high = np.full(count, -np.inf)
    np.minimum.at(low, labels, places)
    np.maximum.at(high, labels, places)
    empty = low > high
    low[empty] = np.nan
    high[empty] = np.nan
    return low, high


def _codes(feature: Feature, values: Floats) -> AnyArray:
    """Convert plain values to codes of the axis; missing values get any code."""
    if not feature.numeric:
        return np.nan_to_num(values).astype(np.int64)
    order = np.argsort(feature.points[:-1], kind="stable")
    place = np.searchsorted(feature.points[:-1][order], np.nan_to_num(values))
    if len(order):
        return np.asarray(order[np.minimum(place, len(order) - 1)], np.int64)
    return np.zeros(len(values), np.int64)
