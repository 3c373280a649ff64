"""Matching: draw the record that each published row carries, and estimate how likely links are.

A *matching* gives every record a row that covers it, and every row one record. All matchings are
equally likely here, whatever the rows looked like when they were made, so that nobody can tell from
a box whose it was. The draw is a Markov chain that begins with the rows as they were made. It takes
two kinds of steps in turn:

- an *exchange*: any record, any row that matches it; the two records change places if both rows
  match. As often it is any row, and any record that matches it: rows that cover few would else wait
  for long;
- a *walk*: any record leaves its row for any that matches it, the record found there does likewise,
  until one takes the row that was left first. A walk that grows too long is undone.

Each step is as likely as its reverse (a walk backwards has the same rows to choose from, record by
record), so equally likely matchings stay so; and any two matchings differ by cycles, each of which
is a walk, so all can be reached. How soon the beginning is forgotten is not known in general (to
count matchings is hard); SWEEPS is some times what real tables took. Were it too few, records would
stand in their own row too often, and links be reported as likelier than they are, not less likely.

A *link* is a record and a row. Its probability is estimated from draws; rows with equal boxes share
theirs, records with equal tuples too. Of the largest estimate a limit is given that holds for all
links at once in 95 of 100 cases (Chernoff's bound, divided among all pairs, draws counted as fewer
by as much as batches of them vary more than independent ones would).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.kernels.overlap.covering import Words, turned
from shoal.kernels.overlap.switching import Choices, count_ahead, exchange, likeliest, walk
from shoal.overlap.cover import Matches

# Sweeps before the first draw. A sweep has as many exchanges as there are records, and one walk for
# each WALKS of them.
SWEEPS = 64
WALKS = 64
BETWEEN = 2  # sweeps from draw to draw
BATCHES = 16
DOUBT = 0.05


@dataclass(frozen=True)
class Links:
    """The chances of links, exact or from a number of draws."""

    largest: float
    """The largest estimate of all links: at most this likely, if the draws were the truth."""
    limit: float
    """No link is likelier, in 95 of 100 cases."""
    of_records: Floats
    """The largest estimate for each record."""
    draws: int
    effective: float
    """The number of independent draws that would tell as much."""
    seen: Ints = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    """The box of each record in each draw: `seen[draw, record]`."""

    @classmethod
    def known(cls, of_records: Floats) -> Links:
        """Wrap chances that follow from how rows were made, without any draw."""
        largest = float(of_records.max(initial=0.0))
        return cls(largest, largest, of_records, 0, 0.0)


class Chain:
    """Matchings drawn one after the other. `held[row]` is the record that a row carries."""

    def __init__(
        self, matches: Matches, rng: np.random.Generator, given: Ints | None = None
    ) -> None:
        """Begin with `given`, a box for each record (`Cover.assigned`), or row r for record r."""
        cover = matches.cover
        self.rng = rng
        self.record = np.argsort(cover.tuple_of, kind="stable")
        self.row = np.argsort(cover.box_of, kind="stable")
        # Inside the chain, records are numbered tuple by tuple, and rows box by box.
        self.tuple_of = cover.tuple_of[self.record]
        self.box_of = cover.box_of[self.row]
        tuples = len(cover.records)
        boxes = len(cover.rows)
        self.rows_of = _choices(cover.bits, cover.rows, self.tuple_of, tuples)
        covering = turned(cover.bits, np.arange(boxes + 1), tuples)
        self.records_of = _choices(covering, cover.records, self.box_of, boxes)
        self.holder = self._first_rows(given)
        self.held = np.empty_like(self.holder)
        self.held[self.holder] = np.arange(len(self.row), dtype=np.int32)

    def _first_rows(self, given: Ints | None) -> Ints:
        """Number the row that carries each record at the beginning."""
        numbers = np.arange(len(self.row), dtype=np.int32)
        holder = np.empty_like(numbers)
        holder[self.row if given is None else np.argsort(given, kind="stable")] = numbers
        return holder[self.record]

    def sweep(self, times: int) -> None:
        """Make `times` more sweeps."""
        records = len(self.held)
        for _ in range(times):
            exchange(self.rows_of, self.holder, self.held, -(-records // 2), self.rng)
            exchange(self.records_of, self.held, self.holder, -(-records // 2), self.rng)
            walk(self.rows_of, self.holder, self.held, -(-records // WALKS), 8 * records, self.rng)

    @property
    def carried(self) -> Ints:
        """The record that each published row carries."""
        carried = np.empty_like(self.held)
        carried[self.row] = self.record[self.held]
        return carried

    @property
    def given(self) -> Ints:
        """The box of each record."""
        given = np.empty_like(self.holder)
        given[self.record] = self.box_of[self.holder]
        return given


def _choices(bits: Words, counts: Longs, member_of: Ints, seen: int) -> Choices:
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    columns = turned(bits, starts, seen)
    return Choices(columns, count_ahead(columns), member_of)


def matching(matches: Matches, rng: np.random.Generator, given: Ints | None = None) -> Ints:
    """Draw the record that each published row carries, all matchings being equally likely."""
    chain = Chain(matches, rng, given)
    chain.sweep(SWEEPS)
    return chain.carried


def links(
    matches: Matches, rng: np.random.Generator, draws: int = 400, given: Ints | None = None
) -> Links:
    """Estimate the chances of the likeliest links from draws.

    None of these draws is the one that is published.
    """
    chain = Chain(matches, rng, given)
    chain.sweep(SWEEPS)
    seen = np.empty((draws, len(chain.held)), np.int32)
    for draw in range(draws):
        chain.sweep(BETWEEN)
        seen[draw] = chain.given
    return _estimated(matches, seen)


def _estimated(matches: Matches, seen: Ints) -> Links:
    cover = matches.cover
    order = np.argsort(cover.tuple_of, kind="stable")
    starts = np.concatenate(([0], np.cumsum(cover.records))).astype(np.int64)
    best, often = likeliest(seen, order, starts, cover.rows)
    shares = often / (cover.records * cover.rows[best])[:, None]
    of_tuples = shares.mean(axis=1)
    effective = len(seen) / _inflation(shares)
    pairs = int(np.bitwise_count(cover.bits).sum())
    largest = float(of_tuples.max(initial=0.0))
    limit = upper_limit(largest, effective, DOUBT / max(pairs, 1))
    return Links(largest, limit, of_tuples[cover.tuple_of], len(seen), effective, seen)


def _inflation(shares: Floats) -> float:
    """Compare the variance of batch means with independent draws: a factor of at least 1."""
    size = shares.shape[1] // BATCHES
    if size < 2:
        return 1.0
    batches = shares[:, : size * BATCHES].reshape(len(shares), BATCHES, size).mean(axis=2)
    alone = float(shares.var(axis=1, ddof=1).sum())
    return max(1.0, float(batches.var(axis=1, ddof=1).sum()) * size / alone) if alone > 0 else 1.0


def upper_limit(mean: float, draws: float, doubt: float) -> float:
    """Compute the largest probability for which so low a mean is not too unlikely.

    A mean as low as this one has at least the chance `doubt` (Chernoff's bound).

    >>> round(upper_limit(0.1, 1000, 0.05), 3)
    0.125
    """
    low = mean
    high = 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if draws * _divergence(mean, middle) < -math.log(doubt):
            low = middle
        else:
            high = middle
    return high


def _divergence(mean: float, truth: float) -> float:
    """Compute the Kullback-Leibler divergence between two coins."""
    parts = [(mean, truth), (1.0 - mean, 1.0 - truth)]
    return sum(
        share * math.log(share / other) if other > 0 else math.inf
        for share, other in parts
        if share > 0
    )
