"""Items: `column=value` on a table cut into bins, and the chance of cells to be each of them.

Numbers are cut at quantiles of the original, once, and so mean the same in every table; a
category's values are its items; what is missing holds none. A published cell is read as in
`concrete`, and stands to an item in three ways:

    certain    all that the cell may stand for lies in the item
    possible   something that it may stand for does
    expected   the share of what it may stand for that does: of the whole numbers or of the length
               of an interval, of the values under a node, of a published distribution; each is as
               likely as the other

So certain <= expected <= possible, and where a cell is a value all three are 0 or 1. `*` may stand
for a missing value too: nothing is certain of it and everything is possible. It is expected to be
any value alike, as far as the other cells reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Flags, Floats, Ints, Longs
from shoal.declare.columns import text_of, text_of_points
from shoal.encode.rows import combined
from shoal.mining.bins import Bins
from shoal.mining.concrete import Ranges, Shares, column_of
from shoal.mining.features import Feature, Plain
from shoal.mining.growth import NEAR, Baskets, Chances
from shoal.recode.cells import Everything
from shoal.recode.reading import as_it_is, printed, runs

Reading = Literal["certain", "possible", "expected"]


@dataclass(frozen=True)
class Items:
    """The items of all columns, numbered by column: those of feature f begin at `starts[f]`."""

    features: tuple[Feature, ...]
    bins: Bins

    @classmethod
    def of(cls, original: Plain, bins: int, apart: str | None = None) -> Items:
        """Make items of an original, its numbers cut into at most `bins` bins.

        Each value of the column kept `apart` is one item.
        """
        return cls(original.features, Bins.of(original, bins, apart))

    @cached_property
    def starts(self) -> Longs:
        """The first item of each feature; one more entry holds their number."""
        return np.concatenate(([0], np.cumsum([size - 1 for size in self.bins.sizes]))).astype(
            np.int64
        )

    @property
    def count(self) -> int:
        """The number of items."""
        return int(self.starts[-1])

    @cached_property
    def feature(self) -> Longs:
        """The feature of each item."""
        return np.repeat(np.arange(len(self.features)), np.diff(self.starts))

    def baskets(self, table: Plain) -> Baskets:
        """Convert a table of single values to baskets of items; equal rows are one basket."""
        codes = self.bins.codes(table)
        _, first, counts = np.unique(
            combined(codes, self.bins.sizes), return_index=True, return_counts=True
        )
        codes = codes[:, first].T
        missing = np.array(self.bins.sizes) - 1
        there = codes < missing
        held = (codes + self.starts[:-1])[there]
        starts = np.concatenate(([0], np.cumsum(there.sum(axis=1)))).astype(np.int64)
        return Baskets(starts, held.astype(np.int32), counts.astype(np.int64), self.count)

    def codes(self, item: int) -> Longs:
        """Return the codes of an axis that an item stands for, ascending."""
        feature = int(self.feature[item])
        edges = self.bins.edges[feature]
        place = item - int(self.starts[feature])
        if edges is None:
            return np.array([place])
        return np.flatnonzero(
            np.searchsorted(edges, self.features[feature].points[:-1], "right") == place
        )

    def ends(self, item: int) -> tuple[float, float]:
        """Return the bin of a number: from the first end to below the second."""
        feature = int(self.feature[item])
        edges = self.bins.edges[feature]
        place = item - int(self.starts[feature])
        assert edges is not None
        cuts = np.concatenate(([-np.inf], edges, [np.inf]))
        return float(cuts[place]), float(cuts[place + 1])

    def text(self, item: int) -> str:
        """Spell an item for people: `sex=Female`, `28<=age<37`."""
        number = int(self.feature[item])
        feature = self.features[number]
        edges = self.bins.edges[number]
        place = item - int(self.starts[number])
        if edges is None:
            return f"{feature.name}={text_of(feature.axis.values)[place].as_py()}"
        ends = [
            text_of_points(np.array([end]), feature.axis.kind, whole=feature.counted)[0]
            for end in edges
        ]
        if not ends:
            return f"{feature.name} is known"
        if place == 0:
            return f"{feature.name}<{ends[0]}"
        if place == len(ends):
            return f"{feature.name}>={ends[-1]}"
        return f"{ends[place - 1]}<={feature.name}<{ends[place]}"


class ItemMembership(NamedTuple):
    """For each cell: is it certainly an item, may it be, and with what chance."""

    certain: Flags
    possible: Flags
    expected: Floats


@dataclass(frozen=True)
class ItemCells:
    """A published column as ranges or distributions, and its cells that may stand for anything."""

    column: Ranges | Shares
    anything: Flags

    @classmethod
    def read(cls, released: pa.Table, feature: Feature, quasi: Sequence[str]) -> ItemCells:
        """Read a column of a release."""
        column = column_of(released, feature, quasi)
        if isinstance(column, Shares):
            return cls(column, np.zeros(len(column.shares), np.bool_))
        cells = (printed if feature.name in quasi else as_it_is)(released, feature.name).cells
        covered = runs(feature.axis, cells)
        void = np.full(len(cells), feature.axis.points is None) & (covered.first > covered.last)
        return cls(
            column,
            np.array([isinstance(cell, Everything) for cell in cells]) | covered.unread | void,
        )

    def standing(self, items: Items, item: int) -> ItemMembership:
        """Tell for each cell if it is an item: certainly, possibly, and with what chance."""
        column = self.column
        if isinstance(column, Shares):
            return _of_shares(column, items.codes(item))
        if column.on_line:
            standing = _of_intervals(column, *items.ends(item))
        else:
            standing = _of_nodes(column, items.codes(item))
        certain, possible, expected = standing
        return ItemMembership(certain & ~self.anything, possible | self.anything, expected)


def _of_intervals(column: Ranges, low: float, high: float) -> ItemMembership:
    """Compare cells, ends included, with the bin from `low` to below `high`."""
    # NaN where missing, which compares as false
    lo = column.low
    hi = column.high
    certain = (lo >= low) & (hi < high)
    possible = (lo < high) & (hi >= low)
    expected = certain.astype(np.float64)
    cut = possible & ~certain & (lo < hi)
    lo = lo[cut]
    hi = hi[cut]
    if column.feature.counted:
        lo = np.ceil(lo)
        hi = np.floor(hi)
        there = np.minimum(hi, np.ceil(high) - 1) - np.maximum(lo, np.ceil(low)) + 1
        expected[cut] = np.maximum(there, 0) / np.maximum(hi - lo + 1, 1)
    else:
        expected[cut] = (np.minimum(hi, high) - np.maximum(lo, low)) / (hi - lo)
    return ItemMembership(certain, possible, expected)


def _of_nodes(column: Ranges, own: Longs) -> ItemMembership:
    """Compare runs of codes with the codes of an item."""
    first = column.low
    last = column.high
    # NaN sorts behind all points, so missing cells hold none of them.
    inside = np.searchsorted(own, last, "right") - np.searchsorted(own, first, "left")
    size = np.where(np.isnan(first), 1.0, last - first + 1)
    return ItemMembership(inside == size, inside > 0, inside / size)


def _of_shares(column: Shares, own: Longs) -> ItemMembership:
    """Compare distributions with the codes of an item."""
    chance = np.minimum(column.shares[:, own].sum(axis=1), 1.0)
    others = np.delete(column.shares, own, axis=1).sum(axis=1)
    return ItemMembership((chance > 0) & (others <= 0), chance > 0, chance)


@dataclass(frozen=True)
class PublishedItems:
    """A release as different rows: row r has cells `cell[:, r]` and stands for `counts[r]` rows."""

    items: Items
    columns: tuple[ItemCells, ...]
    cell: Ints
    counts: Counts

    @classmethod
    def read(cls, released: pa.Table, items: Items, quasi: Sequence[str]) -> PublishedItems:
        """Read the cells of a release."""
        return cls.of(
            items, tuple(ItemCells.read(released, feature, quasi) for feature in items.features)
        )

    @classmethod
    def of(cls, items: Items, columns: tuple[ItemCells, ...]) -> PublishedItems:
        """Join columns row by row, equal rows once."""
        cells = np.array([column.column.cell for column in columns], np.int32)
        sizes = [int(row.max(initial=0)) + 1 for row in cells]
        _, first, counts = np.unique(combined(cells, sizes), return_index=True, return_counts=True)
        return cls(items, columns, cells[:, first], counts.astype(np.int64))

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())

    def chances(self, reading: Reading, wanted: Iterable[int], minimum: float) -> Chances:
        """Return the chance of each row to hold each item.

        Items are those wanted, and all others that reach a minimum support by themselves.
        """
        asked = set(wanted)
        kept = list[int]()
        chance = list[Floats]()
        for feature, (column, cell) in enumerate(zip(self.columns, self.cell, strict=True)):
            rows = np.bincount(cell, self.counts, minlength=len(column.anything))
            for item in range(int(self.items.starts[feature]), int(self.items.starts[feature + 1])):
                standing = np.asarray(
                    getattr(column.standing(self.items, item), reading), np.float64
                )
                if item in asked or float(rows @ standing) >= minimum * (1 - 2 * NEAR):
                    kept.append(item)
                    chance.append(standing[cell])
        held = np.array(chance, np.float64).reshape(len(kept), len(self.counts))
        return Chances(held, self.counts, self.items.feature[kept], np.array(kept, np.int64))
