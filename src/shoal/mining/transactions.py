"""`transactions`: association rules of baskets whose items were generalized.

Both tables are in long form: one row for each item of a transaction. The numbers of transactions
need not be the same in both, only what stands together counts. In the release an item may be a node
of its hierarchy, and is read in five ways:

    expected   a node is one of the items under it, each alike; two nodes of a basket independently
    sampled    the same, drawn: concrete baskets, mined by FP-growth; means over the tables
    certain    only what is published as itself is in the basket
    possible   everything under a published node may be
    of nodes   both tables are extended by the nodes above each item; rules between nodes that the
               release speaks of, without those between a node and what stands under it

A row is taken for one item of its node: supports are too low where a node is published once for
several. By *expected* two items under one node count as independent although one row can't be both,
which makes ghosts; *sampled* knows better. `*` is any item. Cost: that of FP-growth on as many rows
as there are transactions.

By hand: a basket of apples and milk is published as fruit and milk, where fruit is apples or pears.
The pair *apples and milk* is in it by one half (expected), in every second table (sampled), not at
all (certain), or yes (possible).

When to use it: for baskets: an item a row, several rows a customer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Counts, Floats, Ints, Longs
from shoal.declare.columns import whole
from shoal.encode.axes import Axis, axis_of
from shoal.encode.profile import profile
from shoal.errors import DataError, RecipeError, ShoalError
from shoal.mining.agreement import (
    MinedRules,
    Thresholds,
    bounds_of,
    compared,
    compared_with_all,
    errors_of,
)
from shoal.mining.growth import Baskets, Chances, fp_growth, least
from shoal.mining.items import Reading
from shoal.mining.rules import Consequents, Rules, rules_of
from shoal.mining.task import Figure, MiningMaterial, Task, reason
from shoal.recode.reading import members, printed, runs
from shoal.wording import FILE, Remedy, Sentence, Set

SEED = 13


@dataclass(frozen=True)
class Sold:
    """Baskets of cells: entry e puts one of the codes `first[e]` to `last[e]` into `basket[e]`."""

    axis: Axis
    basket: Longs
    first: Ints
    last: Ints
    rows: int

    @classmethod
    def read(cls, table: pa.Table, axis: Axis, transaction: str) -> Sold:
        """Read a table in long form, its items on the axis of the original's.

        Rows without an item are skipped.
        """
        column = printed(table, axis.name)
        numbers = profile(whole(table[transaction]), transaction)
        if numbers.missing:
            raise DataError(
                f"column '{transaction}' has gaps",
                {"rows": numbers.missing},
                "number every transaction",
            )
        covered = runs(axis, column.cells)
        if members(axis, column.cells):
            raise DataError(
                f"column '{axis.name}' holds sets of items, which make no baskets",
                remedy=Remedy(Set("publish", {"item": "snapped"}, "publish nodes")),
            )
        if covered.unread.any():
            facts = {"different items concerned": int(covered.unread.sum())}
            raise DataError(
                f"column '{axis.name}' holds items that no hierarchy names",
                facts,
                Remedy(Set("hierarchies", {"item": FILE}, "name it")),
            )
        there = covered.first[column.cell] < axis.size
        cell = column.cell[there]
        last = np.minimum(covered.last, axis.size - 1)
        return cls(
            axis,
            numbers.codes[there].astype(np.int64),
            covered.first[cell],
            last[cell],
            numbers.size,
        )

    def baskets(self, entry: AnyArray, items: AnyArray, kinds: int) -> Baskets:
        """Put items into the baskets of entries, each item once."""
        pairs = np.unique(self.basket[entry] * max(kinds, 1) + items)
        starts = np.searchsorted(pairs // max(kinds, 1), np.arange(self.rows + 1)).astype(np.int64)
        return Baskets(
            starts, (pairs % max(kinds, 1)).astype(np.int32), np.ones(self.rows, np.int64), kinds
        )

    def drawn(self, number: int) -> Baskets:
        """Draw a single item for each entry; another `number` gives another draw."""
        chance = np.random.default_rng([SEED, number]).random(len(self.first))
        codes = np.floor(self.first + chance * (self.last - self.first + 1)).astype(np.int64)
        return self.baskets(np.arange(len(codes)), codes, self.axis.size)

    def nodes(self) -> Baskets:
        """Extend baskets by all nodes above each entry and the entry itself, without the root."""
        low, high = self.axis.runs
        assert self.axis.tree is not None
        entry = [np.zeros(0, np.int64)]
        item = [np.zeros(0, np.int64)]
        for nodes in self.axis.node[:, self.first]:
            above = (
                (low[nodes] <= self.first)
                & (self.last <= high[nodes])
                & (nodes != self.axis.tree.root)
            )
            entry = [*entry, np.flatnonzero(above)]
            item = [*item, nodes[above].astype(np.int64)]
        return self.baskets(np.concatenate(entry), np.concatenate(item), len(low))

    def chances(self, reading: Reading, wanted: Iterable[int], minimum: float) -> Chances:
        """Return the chance of each basket to hold each item.

        Items are those wanted, and all others that reach a minimum support by themselves.
        """
        size = (self.last - self.first + 1).astype(np.float64)
        change = np.zeros(self.axis.size + 1)
        np.add.at(change, self.first, 1 / size)
        np.add.at(change, self.last + 1, -1 / size)
        often = np.cumsum(change[:-1]) >= minimum * (1 - 1e-6)
        items = sorted({*np.flatnonzero(often).tolist(), *wanted})
        chance = np.array([self._chance(item, size, reading) for item in items]).reshape(
            len(items), self.rows
        )
        counts: Counts = np.ones(self.rows, np.int64)
        return Chances(chance, counts, np.arange(len(items)), np.array(items, np.int64))

    def _chance(self, item: int, size: Floats, reading: Reading) -> Floats:
        there = np.flatnonzero((self.first <= item) & (item <= self.last))
        if reading == "certain":
            there = there[size[there] == 1]
        without = np.ones(self.rows)
        share = 1 / size[there] if reading == "expected" else np.ones(len(there))
        np.multiply.at(without, self.basket[there], 1 - share)
        return 1 - without


@dataclass(frozen=True)
class Transactions(Task):
    """Count lost and ghost rules of baskets, by items and by nodes of the hierarchy."""

    name = "transactions"

    support: float = 0.01
    confidence: float = 0.3
    longest: int = 4
    consequents: Consequents = "one"
    transaction: str = "transaction"
    item: str = "item"

    def __post_init__(self) -> None:
        _ = self.thresholds  # refuses what is none

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds that a rule must reach."""
        return Thresholds(self.support, self.confidence, self.longest, self.consequents)

    def lacks(self, material: MiningMaterial) -> Sentence | None:
        """Name what is missing: columns that make both tables transactions."""
        refused = self._not_sold(material)
        return reason(refused) if refused else super().lacks(material)

    def odd(self, material: MiningMaterial) -> ShoalError | None:
        """Refuse transactions that can't be read, and an original without rules."""
        try:
            self._before(material)
        except (DataError, RecipeError) as refused:
            return refused
        return None

    def _before(self, material: MiningMaterial) -> tuple[Sold, MinedRules]:
        """Return the baskets of the original, and their rules."""
        if refused := self._not_sold(material):
            raise refused
        own, before = material.once(self, lambda: self._mined(material))
        self.thresholds.refuse_none(before.rules, self.name)
        return own, before

    def _not_sold(self, material: MiningMaterial) -> RecipeError | None:
        needed = {self.transaction, self.item}
        if all(
            needed <= set(table.column_names) and table.num_rows
            for table in (material.original, material.released)
        ):
            return None
        problem = (
            f"one of the tables holds no baskets in columns '{self.transaction}' and '{self.item}'"
        )
        return RecipeError(problem, remedy="name them: transactions:transaction=COLUMN,item=COLUMN")

    def _mined(self, material: MiningMaterial) -> tuple[Sold, MinedRules]:
        axis, _ = axis_of(
            profile(whole(material.original[self.item]), self.item),
            material.hierarchies.get(self.item),
        )
        own = Sold.read(material.original, axis, self.transaction)
        # In the original every entry is one item, so the seed of drawing does not matter.
        return own, self.thresholds.mined(own.drawn(0))

    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Compare rules by every reading.

        Refuses thresholds that no rule of the original reaches.
        """
        own, before = self._before(material)
        sold = Sold.read(material.released, own.axis, self.transaction)
        numbers = material.in_turn(self.name, range(material.tables))
        drawn = [self.thresholds.mined(sold.drawn(number)).rules for number in numbers]
        return (
            compared(before.rules, self.thresholds.expected(sold))
            | errors_of(before, sold, self.consequents)
            | compared_with_all(before.rules, drawn)
            | bounds_of(before, sold)
            | self._of_nodes(own, sold)
        )

    def _of_nodes(self, own: Sold, sold: Sold) -> dict[str, Figure]:
        """Compare rules between nodes that the release speaks of."""
        published = sold.nodes()
        spoken = np.isin(np.arange(published.kinds), published.items).tolist()
        lists = [self._between(baskets, own.axis, spoken) for baskets in (own.nodes(), published)]
        return {f"{name} of nodes": figure for name, figure in compared(*lists).items()}

    def _between(self, baskets: Baskets, axis: Axis, spoken: Sequence[bool]) -> Rules:
        """Mine rules of nodes, none of which stands above another of them."""
        low, high = (ends.tolist() for ends in axis.runs)
        ways = self.thresholds

        def apart(one: int, other: int) -> bool:
            return high[one] < low[other] or high[other] < low[one]

        supports = fp_growth(baskets, least(ways.support, baskets.rows), ways.longest)
        known = (nodes for nodes in supports if all(spoken[node] for node in nodes))
        kept = {
            nodes: supports[nodes]
            for nodes in known
            if all(apart(*pair) for pair in combinations(nodes, 2))
        }
        return rules_of(kept, baskets.rows, ways.confidence, ways.consequents)
