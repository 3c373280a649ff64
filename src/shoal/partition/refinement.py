"""Refinement: the groups of any method with less loss, or as they were.

    in each round:
        cut the groups into blocks of near ones: at the median of the axis on which
            their middles are spread most, each axis weighed by chance,
            so that every round has other blocks
        in each block, while the loss falls:
            move a row out of a group with more than k rows to where it costs least
            swap a row on the edge of its group's box for a row of one of the few groups
                that it would join most cheaply
            send all rows of a group to where each costs least
            cut a group with 2k rows or more in two, along one axis
    if asked for, go on in the same way with rows that lose much worth more (see `balance`)
    afterwards, where groups are few enough, all rows worth the same again:
        gather groups into small regions, each around one of them chosen by chance,
            of those whose common box with it costs least
        divide each region anew (see `renewal`), and keep what loses less
    return the state that lost least

A step is taken only if it lowers size times box, in integers, and no group falls below k. With
balance the loss may rise from state to state; the best one is returned (unless more balance is
asked for than is free). Blocks don't see each other, so two threads give
what one does. Cost: for each row one pass over the groups of its block, so linear in the rows.

Where the models ask for more than size, a step is taken only if all groups that it touches follow
their rules; a region that is divided anew is divided by size alone, and refined under the rules.
Where a model has none, blocks are small, and nothing is divided anew. In all cases a block or
region in which some group came out unsafe stays as it was. Effort counts rounds, never seconds.
Whoever gives a time after which to stop gets what has been reached by then: the blocks of the round
that are done, and the others as they were. That can't be repeated.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from shoal.arrays import Longs
from shoal.encode.costs import BOX_LOSSES
from shoal.encode.rows import Distinct, Rows
from shoal.groups import Groups, Guard, Note, Watch, unwatched
from shoal.kernels.guards import NO_RULES, Rules, of_some
from shoal.kernels.partition.block import Held, block_of
from shoal.kernels.partition.refine import refine as refine_block
from shoal.kernels.partition.region import gather
from shoal.partition.balance import FREE, Balance
from shoal.partition.pieces import Pieces, ordered, without
from shoal.partition.renewal import Renewal

Effort = Literal["low", "default", "high"]
REFINABLE = (*BOX_LOSSES, "squared-error")
"""Losses that refinement lowers."""
UNREPEATABLE = Note("time-limit", "not repeatable: a time limit was set")
Cut = Callable[[Pieces], Iterator[Longs]]
Work = Callable[[Pieces, int], Pieces]


@dataclass(frozen=True)
class RefinementEffort:
    """Amount of work that is spent."""

    block: int = 0  # groups in a block
    rounds: int = 0
    # more rounds in which rows that lose much are worth more
    balanced: int = 0
    passes: int = 0  # over a block, at most
    near: int = 0  # groups in which a partner for a swap is looked for
    # rounds in which regions are divided anew, at most: fewer where groups are many
    renewals: int = 0
    renewed: int = 0  # groups divided anew in all rounds together ...
    least_renewals: int = 0  # ... but this number of rounds at least
    regions: tuple[int, ...] = ()  # groups in a region, in turn


EFFORTS = {
    "low": RefinementEffort(block=256, rounds=1, passes=2, near=1),
    "default": RefinementEffort(
        block=512,
        rounds=3,
        balanced=6,
        passes=4,
        near=3,
        renewals=8,
        renewed=30_000,
        regions=(3, 4, 6, 8),
    ),
    "high": RefinementEffort(
        block=1024,
        rounds=4,
        balanced=12,
        passes=10,
        near=6,
        renewals=240,
        renewed=240_000,
        least_renewals=24,
        regions=(3, 4, 6, 8, 12),
    ),
}
GUARDED_BLOCK = 12  # groups in a block where the models look at more than size
WORTH_THREADS = 1_000  # pieces in a round; below, starting threads takes longer than they save
SURROUNDINGS = 512  # groups among which those of a region are looked for


def refine(
    groups: Groups,
    rows: Rows,
    k: int,
    guard: Guard,
    rng: np.random.Generator,
    watch: Watch = unwatched,
    *,
    effort: Effort = "default",
    threads: int = 2,
    until: float = math.inf,
    balance: float = 0.0,
) -> Groups:
    """Refine groups until they lose less; return these, or the groups as they were.

    None falls below k or becomes unsafe; withheld rows stay withheld. A `balance` leads the search
    by a loss in which rows that lose much are worth more (see `balance`).
    """
    tuples = without(ordered(rows, apart=not guard.only_size), groups.labels < 0)
    tuple_of = np.repeat(np.arange(len(tuples.counts)), tuples.counts)
    # groups are numbered along the tuples: where they came from rows, their order must not matter
    before = Pieces.of(Groups.of(groups.labels[tuples.order]).labels, tuple_of, len(tuples.counts))
    weights = Balance(rows, tuples, balance)
    rounds = RefinementRounds(
        rows,
        tuples,
        max(k, guard.least),
        guard,
        EFFORTS[effort],
        rng,
        watch,
        weights,
        threads,
        until,
    )
    states, notes = rounds.refined(before)
    after = weights.settled(states)
    notes += (UNREPEATABLE,) if until < math.inf else ()
    refined = Groups.of(after.labels(tuples, rows.count), (*groups.notes, *notes))
    now, then = (some.loss(rows.costs, tuples.codes) for some in (after, before))
    better = now != then and (guard.only_size or bool(guard.safe(refined).all()))
    with suppress(KeyboardInterrupt):  # too late: nothing is left to be stopped
        watch(1.0, rounds.lost(after if better else before))
    return refined if better else replace(groups, notes=refined.notes)


@dataclass(frozen=True)
class RefinementRounds:
    """Rounds of refinement on pieces."""

    rows: Rows
    tuples: Distinct
    k: int
    guard: Guard
    search: RefinementEffort
    rng: np.random.Generator
    watch: Watch
    weights: Balance
    threads: int = 2
    until: float = math.inf  # on the clock of time.monotonic

    @cached_property
    def rules(self) -> Rules:
        """Select the rules that kernels can test, for each tuple: all of its rows are alike."""
        rules = NO_RULES if self.guard.rules is None else self.guard.rules
        return of_some(rules, self.tuples.first)

    def refined(self, pieces: Pieces) -> tuple[list[Pieces], tuple[Note, ...]]:
        """Refine pieces round by round; return the best state so far, the last one, and notes.

        Whoever interrupts gets what has been reached.
        """
        can_change = pieces.groups > 1 or pieces.count.sum() >= 2 * self.k
        plan = list(self._plan(pieces.groups)) if can_change else []
        best = pieces
        for number, (cut, work) in enumerate(plan):
            where = f"in round {number + 1:,} of {len(plan):,}"
            try:
                pieces = self._round(pieces, cut, work, (number / len(plan), 1 / len(plan)))
            except KeyboardInterrupt:
                text = f"refinement was interrupted {where}"
                return [best, pieces], (Note("interrupted", text),)
            best = pieces if self._loss(pieces) < self._loss(best) else best
            if self._late:
                text = f"refinement was stopped by the time limit {where}"
                return [best, pieces], (Note("time-limit", text),)
        return [best, pieces], ()

    def _loss(self, pieces: Pieces) -> int:
        return pieces.loss(self.rows.costs, self.tuples.codes)

    def lost(self, pieces: Pieces) -> float:
        """Compute what the rows lose, as a share of what they would lose in one box of everything.

        Withheld rows lose that.
        """
        withheld = self.rows.count - len(self.tuples.order)
        loss = self._loss(pieces) + withheld * int(self.rows.costs.full.sum())
        return loss / self._full

    @property
    def _full(self) -> int:
        """Compute what all rows would lose in one box of everything."""
        return max(self.rows.count * int(self.rows.costs.full.sum()), 1)

    @property
    def _late(self) -> bool:
        return time.monotonic() > self.until

    def _plan(self, groups: int) -> Iterator[tuple[Cut, Work]]:
        """Plan each round: how groups are cut into parts, and what is done with a part."""
        search = self.search
        least = not self.guard.only_size and self.guard.rules is None
        cut: Cut = partial(self._blocks, most=GUARDED_BLOCK if least else search.block)
        blocks: tuple[Cut, Work] = cut, self._refined
        yield from [blocks] * search.rounds
        balanced = search.balanced if self.weights.balance else 0
        yield from [(partial(self._balanced, cut=cut), self._refined)] * balanced
        plain: tuple[Cut, Work] = partial(self._plain, cut=cut), self._refined
        renewals = self._renewals(groups)
        if balanced and not renewals:
            yield plain
        renewal = Renewal(self.rows, self.tuples, self.k, self.weights, self._refined)
        for number in range(renewals):
            regions = partial(self._regions, most=search.regions[number % len(search.regions)])
            yield partial(self._plain, cut=regions), renewal
            if number % 4 == 3:
                yield plain

    def _renewals(self, groups: int) -> int:
        """Count the rounds in which regions are divided anew.

        There are none where models look at more than size and no rules say what. Rules are not
        looked at while a region is divided: it stays as it was where a group came out unsafe.
        """
        if not self.guard.only_size and self.guard.rules is None:
            return 0
        search = self.search
        return min(search.renewals, max(search.least_renewals, search.renewed // groups))

    def _plain(self, pieces: Pieces, cut: Cut) -> Iterator[Longs]:
        """Cut groups into parts, all rows worth the same unless more balance is asked for."""
        if self.weights.balance <= FREE:
            self.weights.forget()
        return cut(pieces)

    def _balanced(self, pieces: Pieces, cut: Cut) -> Iterator[Longs]:
        """Weigh rows by what their kind loses, then cut groups into blocks."""
        self.weights.weigh(pieces)
        return cut(pieces)

    def _refined(self, part: Pieces, seed: int) -> Pieces:
        """Refine one block."""
        slots = part.groups + part.groups // 4 + 8
        costs = self.rows.costs
        held = Held(part.group, part.held, part.count)
        block = block_of(costs, self.tuples.codes, self.weights.worth, held, part.groups, slots)
        refine_block(costs, block, self.k, self.search.passes, self.search.near, self.rules)
        live = np.flatnonzero(block.home >= 0)
        live = live[np.lexsort((block.owner[live], block.home[live]))]
        return Pieces.numbered(block.home[live], block.owner[live], block.held[live])

    def _round(self, pieces: Pieces, cut: Cut, work: Work, share: tuple[float, float]) -> Pieces:
        """Refine all blocks, one after the other or two at a time.

        Each has a seed of its own, so that it does not matter.
        """
        parts = [pieces.of_groups(groups) for groups in cut(pieces)]
        lost = self.lost(pieces)
        seeds = self.rng.integers(2**62, size=len(parts)).tolist()
        done: list[Pieces] = []
        with self._mapped(parts) as mapped:
            for part in mapped(work, parts, seeds):
                done.append(part)
                self.watch(share[0] + share[1] * len(done) / len(parts), lost)
                if self._late:
                    done += parts[len(done) :]
                    break
        return Pieces.together(done if self.guard.only_size else self._safe(parts, done))

    @contextmanager
    def _mapped(self, parts: list[Pieces]) -> Iterator[Callable[..., Iterable[Pieces]]]:
        """Offer a `map` that works on several parts at a time, where threads are worth it."""
        if len(parts) == 1 or sum(len(part.held) for part in parts) < WORTH_THREADS:
            yield map
            return
        pool = ThreadPoolExecutor(self.threads)
        try:
            yield pool.map
        finally:
            pool.shutdown(cancel_futures=True)

    def _safe(self, parts: list[Pieces], refined: list[Pieces]) -> list[Pieces]:
        """Keep the new parts, except those with an unsafe group, which stay as they were."""
        together = Pieces.together(refined)
        safe = self.guard.safe(
            Groups(together.labels(self.tuples, self.rows.count), together.groups)
        )
        ends = np.cumsum([part.groups for part in refined])
        verdicts = [bool(some.all()) for some in np.split(safe, ends[:-1])]
        return [
            new if fine else old for new, old, fine in zip(refined, parts, verdicts, strict=True)
        ]

    def _blocks(self, pieces: Pieces, most: int) -> Iterator[Longs]:
        """Cut groups into blocks of near ones."""
        lo, hi = pieces.boxes(self.tuples.codes)
        size = np.array([[max(axis.size, 1)] for axis in self.rows.axes])
        middle = (lo.astype(np.int64) + hi) * 512 // size
        waiting = [np.arange(pieces.groups)]
        while waiting:
            groups = waiting.pop()
            if len(groups) <= most:
                yield groups
                continue
            there = middle[:, groups]
            apart = there - there.sum(axis=1, keepdims=True) // len(groups)
            spread = (apart * apart).sum(axis=1) // len(groups)
            axis = np.argmax(spread * self.rng.integers(100, 1000, size=len(there)))
            cut = groups[np.argsort(there[axis], kind="stable")]
            waiting += [cut[len(cut) // 2 :], cut[: len(cut) // 2]]

    def _regions(self, pieces: Pieces, most: int) -> Iterator[Longs]:
        """Gather groups into regions, each around a group drawn by lot, with those nearest."""
        lo, hi = (np.ascontiguousarray(ends.T) for ends in pieces.boxes(self.tuples.codes))
        for groups in self._blocks(pieces, SURROUNDINGS):
            region = np.empty(len(groups), np.int64)
            gather(
                self.rows.costs,
                lo[groups],
                hi[groups],
                self.rng.permutation(len(groups)),
                most,
                region,
            )
            yield from np.split(
                groups[np.argsort(region, kind="stable")], np.cumsum(np.bincount(region))[:-1]
            )
