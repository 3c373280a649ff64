"""Growth: all sets of items that enough rows hold, in two ways.

*FP-growth* (Han, Pei, Yin 2000, doi:10.1145/342009.335372) where rows hold an item or don't:

    plant the rows as paths of a tree, frequent items first (`kernels/mining/growth`)
    for each frequent item, the rarest first: it is a set; narrow the tree to its rows, and go on
        with what is frequent there

*By chance*, where a row holds an item with a chance in [0, 1]: a set's support is the sum over rows
of the product of the chances of its items, as if they were drawn independently. A product never
grows, so what is rare stays rare, and the same depth-first search works on the rows that are left
with the weights that they have left. Items of one column exclude each other and are never joined.
With chances of 0 and 1 both ways find the same sets with the same supports (tested).

Cost: a narrowed tree, or one pass over the rows that are left, for each set and each candidate that
it is widened by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from shoal.arrays import Counts, Floats, Ints, Longs
from shoal.errors import RecipeError
from shoal.kernels.mining import chances
from shoal.kernels.mining import growth as trees

MOST_SETS = 2_000_000
NEAR = 1e-9  # a sum of thirds may miss a threshold that it reaches

Itemset = tuple[int, ...]
"""Items in ascending order."""


@dataclass(frozen=True)
class Baskets:
    """Rows by the items that they hold, none twice.

    Basket b holds `items[starts[b]:starts[b + 1]]` and stands for `counts[b]` rows.
    """

    starts: Longs
    items: Ints
    counts: Counts
    kinds: int  # the number of different items

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())


@dataclass(frozen=True)
class Chances:
    """Chances `chance[place, row]` of items, with the column and the number of each item.

    Row r stands for `counts[r]` rows.
    """

    chance: Floats
    counts: Counts
    column: Longs
    items: Longs  # ascending

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())

    def support(self, itemset: Itemset) -> float:
        """Compute the expected number of rows that hold a set."""
        product = self.counts.astype(np.float64)
        for place in np.searchsorted(self.items, itemset):
            product = product * self.chance[place]
        # A cumulative sum adds in the order of the rows, as the kernel does.
        return float(np.cumsum(product)[-1]) if len(product) else 0.0

    def supports(self, itemsets: Iterable[Itemset]) -> dict[Itemset, float]:
        """Compute the expected number of rows that hold each set."""
        return {itemset: self.support(itemset) for itemset in itemsets}


def least(support: float, rows: int) -> int:
    """Compute the number of rows of a share: rounded up as decimals say, at least one."""
    share = Fraction(str(support))
    if not 0 < share <= 1:
        raise RecipeError(
            f"support must be above 0 and at most 1, not {support}", remedy="write support=0.05"
        )
    return max(ceil(share * rows), 1)


def fp_growth(baskets: Baskets, minimum: int, longest: int) -> dict[Itemset, int]:
    """Count the rows of every set of at most `longest` items that `minimum` rows hold."""
    weights = np.repeat(baskets.counts, np.diff(baskets.starts))
    totals = np.zeros(baskets.kinds, np.int64)
    np.add.at(totals, baskets.items, weights)
    order = np.lexsort((np.arange(baskets.kinds), -totals))
    order = order[totals[order] >= minimum]
    rank = np.full(baskets.kinds, -1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    tree = trees.planted(*_paths(baskets, rank), baskets.counts, len(order))
    supports: dict[Itemset, int] = {}
    _grow(tree, (), minimum, longest, supports)
    named = order.tolist()
    return {
        tuple(sorted(named[item] for item in ranks)): count for ranks, count in supports.items()
    }


def _paths(baskets: Baskets, rank: Ints) -> tuple[Longs, Ints]:
    """Convert baskets to ascending ranks of items, without rare items."""
    ranks = rank[baskets.items]
    basket = np.repeat(np.arange(len(baskets.counts)), np.diff(baskets.starts))
    kept = ranks >= 0
    ranks = ranks[kept]
    basket = basket[kept]
    starts = np.concatenate(
        ([0], np.cumsum(np.bincount(basket, minlength=len(baskets.counts))))
    ).astype(np.int64)
    return starts, ranks[np.lexsort((ranks, basket))]


def _grow(
    tree: trees.PatternTree,
    suffix: Itemset,
    minimum: int,
    longest: int,
    supports: dict[Itemset, int],
) -> None:
    """Store the frequent sets that widen a suffix, by ranks of items."""
    for item in np.flatnonzero(tree.total >= minimum)[::-1].tolist():
        itemset = (item, *suffix)
        supports[itemset] = int(tree.total[item])
        _refuse_too_many(supports)
        if len(itemset) < longest and item:
            _grow(trees.narrowed(tree, item, minimum), itemset, minimum, longest, supports)


def by_chance(table: Chances, minimum: float, longest: int) -> dict[Itemset, float]:
    """Compute the expected rows of every set of at most `longest` items that reaches `minimum`.

    No two items of a set are of one column.
    """
    search = _ChanceSearch(table, minimum * (1 - NEAR), longest, {})
    rows = np.arange(len(table.counts))
    places = np.arange(len(table.items))
    search.widen((), places, rows, table.counts.astype(np.float64))
    named = table.items.tolist()
    return {
        tuple(named[place] for place in places): support
        for places, support in search.supports.items()
    }


@dataclass(frozen=True)
class _ChanceSearch:
    """A depth-first search for sets that enough rows are expected to hold, by places of items."""

    table: Chances
    minimum: float
    longest: int
    supports: dict[Itemset, float]

    def widen(self, prefix: Itemset, places: Longs, rows: Longs, weights: Floats) -> None:
        """Store the frequent sets that widen a prefix by one of the places, and by more of them.

        `rows` may hold the prefix, each with the chance `weights`.
        """
        column = self.table.column
        sums = chances.kept_by(self.table.chance, places, rows, weights)
        often = sums >= self.minimum
        places = places[often]
        for place, support in zip(places.tolist(), sums[often].tolist(), strict=True):
            itemset = (*prefix, place)
            self.supports[itemset] = support
            _refuse_too_many(self.supports)
            later = places[(places > place) & (column[places] != column[place])]
            if len(itemset) < self.longest and len(later):
                left_rows, left = chances.narrowed(self.table.chance, place, rows, weights)
                self.widen(itemset, later, left_rows, left)


def _refuse_too_many(supports: Mapping[Itemset, float]) -> None:
    if len(supports) > MOST_SETS:
        raise RecipeError(
            f"more than {MOST_SETS:,} sets of items are frequent",
            remedy="raise the support (support=0.1), or lower longest",
        )
