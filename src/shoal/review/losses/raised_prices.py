"""Raised prices: the highest lower bound that prices of rows can prove, found round by round.

Prices are right if in every box the k dearest rows can pay: their prices sum to at most k times its
cost. The highest sum of right prices is a linear programme with a condition for every set of k
rows. It is solved from both sides, without listing them all:

    begin with right prices, and with the sets that walks have levelled so far
    in each round:
        raise the prices as far as these sets can pay, near the best right prices (`raising`)
        walk from the raised prices, and from halfway: every box that can't pay is levelled, which
            makes prices right, and written down as one more set
        keep the best right prices; go further from them in the next round if most of the raise
            was right, less far if it was lost
        forget sets that have been of no use for some rounds

until a raise promises next to nothing, or the work is done that was allowed. Whatever the raise
comes to, the prices of a walk are right: rounding and a raise that ends too early cost some of the
bound, never the proof.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Counts, Floats, Ints, Longs
from shoal.encode.axes import Axis
from shoal.encode.costs import costs_of
from shoal.encode.covers import covers_of
from shoal.kernels.costs import UNIT, Costs
from shoal.kernels.partition.cheapest import Covers, search_of, walk
from shoal.kernels.partition.paid_sets import PaidSets, room_for
from shoal.kernels.partition.raising import raise_within, take_off

SETS = 300_000  # that one walk writes down, at most
ENTRIES = 8_000_000  # that they have together
SWEEPS = 60
REACH = UNIT / 10  # how far prices may go in the first round, about
FARTHER = 1.5
NEARER = 0.7
WORTHWHILE = 0.6  # the share of a promised raise that lets the next one go further
ROUNDS = 60
ENOUGH = 1e-5  # of the bound: a raise that promises less is the last
FORGOTTEN = 4  # rounds without a fee after which a set is left out
HALFWAY = (1.0, 0.5)


@dataclass(frozen=True)
class BoxWalks:
    """Walks over the boxes of a table, which make any prices right."""

    costs: Costs
    covers: Covers
    codes: Ints
    counts: Counts
    k: int
    patience: int  # tuples that one walk looks at

    @classmethod
    def of(
        cls, axes: list[Axis], codes: Ints, counts: Counts, k: int, loss: str, patience: int
    ) -> BoxWalks:
        """Prepare the walks over tuples that stand in the order of their codes."""
        costs = costs_of(axes, loss, {})
        return cls(costs, covers_of(axes, costs, int(counts.sum())), codes, counts, k, patience)

    @property
    def most(self) -> int:
        """The most that a row can lose."""
        return int(self.costs.full.sum())

    def alone(self) -> tuple[Longs, int]:
        """Compute the cheapest box around each tuple with k rows; return these and the work."""
        price = np.full(len(self.counts), self.most, np.int64)
        nobody = np.zeros(0, np.int64)
        search = search_of(self.costs, self.codes, self.counts, self.k, price, nobody)
        return price, walk(search, self.covers, self.patience)

    def levelled(self, price: Longs, alone: Longs, sets: PaidSets | None = None) -> int:
        """Make prices right; return the work. Sets that can't pay are written down."""
        search = search_of(self.costs, self.codes, self.counts, self.k, price, alone)
        search = search if sets is None else search._replace(sets=sets)
        return walk(search, self.covers, self.patience)

    def sum_of(self, price: Longs) -> int:
        """Sum the prices of all rows."""
        return int(price @ self.counts)


@dataclass
class KnownSets:
    """Sets of k rows that walks have levelled, each with its fee and how long it had none."""

    sets: PaidSets = field(default_factory=lambda: room_for(0, 0))
    fee: Floats = field(default_factory=lambda: np.zeros(0))
    idle: Longs = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, more: PaidSets) -> None:
        """Add the sets that a walk has written down."""
        number = int(more.number[0])
        entries = int(more.start[number])
        known = self.sets
        self.sets = PaidSets(
            np.concatenate((known.start, known.start[-1] + more.start[1 : number + 1])),
            np.concatenate((known.held, more.held[:entries])),
            np.concatenate((known.times, more.times[:entries])),
            np.concatenate((known.owed, more.owed[:number])),
            known.number + number,
        )
        self.fee = np.concatenate((self.fee, np.zeros(number)))
        self.idle = np.concatenate((self.idle, np.zeros(number, np.int64)))

    def forget(self) -> None:
        """Leave out the sets that have had no fee for some rounds."""
        self.idle = np.where(self.fee > 0, 0, self.idle + 1)
        kept = self.idle < FORGOTTEN
        lengths = np.diff(self.sets.start)
        entries = np.repeat(kept, lengths)
        self.sets = PaidSets(
            np.concatenate(([0], np.cumsum(lengths[kept]))).astype(np.int64),
            self.sets.held[entries],
            self.sets.times[entries],
            self.sets.owed[kept],
            np.array([np.count_nonzero(kept)], np.int64),
        )
        self.fee = self.fee[kept]
        self.idle = self.idle[kept]


@dataclass
class PriceRaising:
    """The rounds of raising, from right prices on."""

    walks: BoxWalks
    alone: Longs
    best: Longs
    work: int  # that is left: tuples that walks may still look at
    known: KnownSets = field(default_factory=KnownSets)
    reach: float = REACH

    def walk_from(self, price: Longs) -> int:
        """Make prices right and keep them if they are better; return the sum of all prices."""
        sets = room_for(SETS, ENTRIES)
        self.work -= self.walks.levelled(price, self.alone, sets)
        self.known.add(sets)
        if self.walks.sum_of(price) > self.walks.sum_of(self.best):
            self.best = price
        return self.walks.sum_of(price)

    def raised(self) -> Longs:
        """Raise prices round by round; return the best right ones."""
        for _ in range(ROUNDS):
            before = self.walks.sum_of(self.best)
            centre = self.best
            raised = self._raised_within()
            promised = float(raised @ self.walks.counts) - before
            if self.work <= 0 or promised <= ENOUGH * before:
                break
            for share in HALFWAY:
                price = np.floor(centre + share * (raised - centre))
                whole = np.minimum(price, self.walks.most).astype(np.int64)
                reached = self.walk_from(whole)
                lost = share == 1.0 and reached < before
                self.reach *= NEARER if lost else 1.0
            gained = self.walks.sum_of(self.best) - before
            self.reach *= FARTHER if gained > WORTHWHILE * promised else 1.0
            self.known.forget()
        return self.best

    def _raised_within(self) -> Floats:
        """Raise prices as far as the known sets can pay, near the best right ones."""
        price: Floats = np.add(self.best, self.reach, dtype=np.float64)
        counts = self.walks.counts
        take_off(self.known.sets, counts, self.known.fee, price, self.reach)
        raise_within(self.known.sets, counts, self.known.fee, price, self.reach, SWEEPS)
        return price
