"""Refinement: the groups of any method with less loss, or as they were.

    in each round:
        cut the groups into blocks of near ones: at the median of the axis on which their middles are spread most,
        each axis weighed by chance, so that every round has other blocks
        in each block, while the loss falls:
            move a row out of a group with more than k rows to where it costs least
            swap a row on the edge of its group's box for a row of one of the few groups it would join most cheaply
            send all rows of a group to where each costs least
            cut a group with 2k rows or more in two, along one axis
    with high effort, afterwards: divide small regions anew (see `renewal`), and keep what loses less

A step is taken only if it lowers size times box, in integers: so the loss never rises and no group falls below k. Blocks
don't see each other, so two threads give what one does. Cost: for each row one pass over the groups of its block, so linear
in the rows.

Where the models ask for more than size, blocks are small, and a block in which some group came out unsafe stays as it was.
Effort counts rounds, never seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from shoal.arrays import Longs
from shoal.encode.rows import Distinct, Rows
from shoal.groups import Groups, Guard, Watch, unwatched
from shoal.kernels.block import block_of
from shoal.kernels.refine import refine as refine_block
from shoal.partition.pieces import Pieces, ordered, without
from shoal.partition.renewal import Renewal

Effort = Literal["low", "default", "high"]
Work = Callable[[Pieces, int], Pieces]


@dataclass(frozen=True)
class Search:
    """How much work is spent."""

    block: int = 0  # groups in a block
    rounds: int = 0
    passes: int = 0  # over a block, at most
    near: int = 0  # groups in which a partner for a swap is looked for
    renewals: int = 0  # rounds in which regions are divided anew
    regions: tuple[int, ...] = ()  # groups in a region, in turn


EFFORTS = {
    "low": Search(block=256, rounds=1, passes=2, near=1),
    "default": Search(block=512, rounds=3, passes=4, near=3),
    "high": Search(block=1024, rounds=4, passes=10, near=6, renewals=52, regions=(12, 24, 48, 96)),
}
GUARDED_BLOCK = 12  # groups in a block where the models look at more than size


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
) -> Groups:
    """Groups that lose less, or the same ones. None falls below k or becomes unsafe; withheld rows stay so."""
    tuples = without(ordered(rows, apart=not guard.only_size), groups.labels < 0)
    tuple_of = np.repeat(np.arange(len(tuples.counts)), tuples.counts)
    before = Pieces.of(groups.labels[tuples.order], tuple_of, len(tuples.counts))
    rounds = Rounds(rows, tuples, max(k, guard.least), guard, EFFORTS[effort], rng, watch, threads)
    after, notes = rounds.refined(before)
    found = Groups.of(after.labels(tuples, rows.count), (*groups.notes, *notes))
    if after.loss(rows.costs, tuples.codes) >= before.loss(rows.costs, tuples.codes):
        return replace(groups, notes=found.notes)
    return found if guard.only_size or guard.safe(found).all() else replace(groups, notes=found.notes)


@dataclass(frozen=True)
class Rounds:
    """Rounds of refinement on pieces."""

    rows: Rows
    tuples: Distinct
    k: int
    guard: Guard
    search: Search
    rng: np.random.Generator
    watch: Watch
    threads: int = 2

    def refined(self, pieces: Pieces) -> tuple[Pieces, tuple[str, ...]]:
        """Pieces with less loss, and notes. Whoever interrupts gets what has been reached."""
        plan = list(self._plan()) if pieces.groups > 1 or pieces.count.sum() >= 2 * self.k else []
        for number, (size, work) in enumerate(plan):
            try:
                pieces = self._round(pieces, size, work, (number / len(plan), 1 / len(plan)))
            except KeyboardInterrupt:
                return pieces, (f"refinement was interrupted in round {number + 1:,} of {len(plan):,}",)
        return pieces, ()

    def _plan(self) -> Iterator[tuple[int, Work]]:
        """For each round, the size of its blocks and what is done with one."""
        search = self.search
        if not self.guard.only_size:
            yield from [(GUARDED_BLOCK, self._refined)] * search.rounds
            return
        yield from [(search.block, self._refined)] * search.rounds
        renewal = Renewal(self.rows, self.tuples, self.k, self._refined) if search.renewals else None
        for number in range(search.renewals if renewal else 0):
            assert renewal is not None
            yield search.regions[number % len(search.regions)], renewal.with_costs(self.rng)
            if number % 4 == 3:
                yield search.block, self._refined

    def _refined(self, part: Pieces, seed: int) -> Pieces:
        """One block, refined."""
        slots = part.groups + part.groups // 4 + 8
        costs = self.rows.costs
        block = block_of(costs, self.tuples.codes, part.group, part.held, part.count, part.groups, slots)
        refine_block(costs, block, self.k, self.search.passes, self.search.near)
        live = np.flatnonzero(block.home >= 0)
        live = live[np.lexsort((block.owner[live], block.home[live]))]
        return Pieces.numbered(block.home[live], block.owner[live], block.held[live])

    def _round(self, pieces: Pieces, size: int, work: Work, share: tuple[float, float]) -> Pieces:
        """All blocks, one after the other or two at a time: each has a seed of its own, so that it does not matter."""
        parts = [pieces.of_groups(groups) for groups in self._blocks(pieces, size)]
        seeds = self.rng.integers(2**62, size=len(parts)).tolist()
        pool = ThreadPoolExecutor(self.threads)
        try:
            found = []
            for part in pool.map(work, parts, seeds):
                found.append(part)
                self.watch(share[0] + share[1] * len(found) / len(parts))
        finally:
            pool.shutdown(cancel_futures=True)
        return Pieces.together(found if self.guard.only_size else self._safe(parts, found))

    def _safe(self, parts: list[Pieces], found: list[Pieces]) -> list[Pieces]:
        """What was found, except where some group is unsafe."""
        together = Pieces.together(found)
        safe = self.guard.safe(Groups(together.labels(self.tuples, self.rows.count), together.groups))
        ends = np.cumsum([part.groups for part in found])
        verdicts = [bool(some.all()) for some in np.split(safe, ends[:-1])]
        return [new if fine else old for new, old, fine in zip(found, parts, verdicts, strict=True)]

    def _blocks(self, pieces: Pieces, most: int) -> Iterator[Longs]:
        """Groups cut into blocks of near ones."""
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
