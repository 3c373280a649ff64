"""Refinement: any partition with less loss."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.encode.rows import Distinct, Rows
from shoal.groups import Watch
from shoal.kernels.block import block_of
from shoal.kernels.costs import boxes
from shoal.encode.levels import Levels, levels_of
from shoal.kernels.peel import peel
from shoal.kernels.refine import refine
from shoal.kernels.repair import weigh
from shoal.partition.beginnings import peeling_of, settled
from shoal.partition.pieces import Pieces
from shoal.partition.vectors import Vectors, keys_of


@dataclass(frozen=True)
class Search:
    """How much work is spent: groups in a block, rounds of cutting into blocks, passes in each, partners to try; and rounds
    in which regions of so many groups are peeled anew."""

    block: int
    rounds: int
    passes: int
    near: int
    region: int = 0
    renewals: int = 0


EFFORTS = {"low": Search(0, 0, 0, 0), "default": Search(512, 2, 4, 3), "high": Search(1024, 4, 10, 6, 24, 40)}


@dataclass(frozen=True)
class Refiner:
    """What all rounds have in common."""

    rows: Rows
    tuples: Distinct
    k: int
    search: Search
    rng: np.random.Generator
    watch: Watch

    def refined(self, pieces: Pieces) -> Pieces:
        """Pieces with less loss, or the same."""
        for _ in range(self.search.rounds):
            pieces = self._round(pieces, self.search.block, self._refined)
        if not self.search.renewals:
            return pieces
        levels = [levels_of(axis, a, self.rows.costs, self.rows.count) for a, axis in enumerate(self.rows.axes)]
        keys = keys_of(levels)
        for number in range(self.search.renewals):
            again = self._renewal(levels, keys)
            pieces = self._round(pieces, int(self.search.region * self.rng.choice([1, 2, 4])), again)
            if number % 8 == 7: pieces = self._round(pieces, self.search.block, self._refined)
            if DEBUG: print(number, round(self.loss(pieces)/2**20), end=' ', flush=True)
        pieces = self._round(pieces, self.search.block, self._refined)
        return pieces

    def loss(self, part: Pieces) -> int:
        lo, hi = boxes(np.ascontiguousarray(self.tuples.codes[:, part.tuple]), part.group, part.groups)
        sizes = np.bincount(part.group, part.count, minlength=part.groups).astype(np.int64)
        return int(weigh(self.rows.costs, np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T), sizes).sum())

    def _round(self, pieces: Pieces, most: int, work: Callable[[Pieces], Pieces]) -> Pieces:
        parts = [pieces.of_groups(groups) for groups in _blocks(self.tuples.codes, pieces, self.rows, most, self.rng)]
        with ThreadPoolExecutor(2) as pool:
            return _together(list(pool.map(work, parts)))

    def _refined(self, part: Pieces) -> Pieces:
        slots = part.groups + part.groups // 4 + 8
        block = block_of(self.rows.costs, self.tuples.codes, part.group, part.tuple, part.count, part.groups, slots)
        refine(self.rows.costs, block, self.k, self.search.passes, self.search.near)
        live = np.flatnonzero(block.home >= 0)
        live = live[np.lexsort((block.owner[live], block.home[live]))]
        return Pieces.numbered(block.home[live], block.owner[live], block.count[live])

    def _renewal(self, levels, keys) -> Callable[[Pieces], Pieces]:
        amp = AMP
        other = []
        for l in levels:
            c = (l.costs * self.rng.uniform(1 - amp, 1 + amp)*self.rng.uniform(1 - amp/2, 1 + amp/2, len(l.costs))).astype(np.int64)
            other.append(Levels(l.parts, np.maximum.accumulate(c)))
        vectors = Vectors.of(other)

        def work(part: Pieces) -> Pieces:
            ids, inverse = np.unique(part.tuple, return_inverse=True)
            counts = np.bincount(inverse, part.count).astype(np.int64)
            codes = np.ascontiguousarray(self.tuples.codes[:, ids])
            peeling = peeling_of(len(ids))
            peel(codes, counts, keys, vectors.levels, 0, len(vectors.levels), self.k, peeling, len(ids), 0)
            labels = np.repeat(peeling.labels, counts)
            if (labels < 0).all():
                return part
            labels = settled(self.rows.costs, np.repeat(codes, counts, axis=1), labels)
            place = np.repeat(ids, counts)
            key, count = np.unique(labels.astype(np.int64) * len(self.tuples.counts) + place, return_counts=True)
            group, held = np.divmod(key, len(self.tuples.counts))
            fresh = self._refined(Pieces.numbered(group.astype(np.int32), held.astype(np.int32), count.astype(np.int32)))
            return fresh if self.loss(fresh) < self.loss(part) else part

        return work

AMP=.1
DEBUG=False

def _together(parts: list[Pieces]) -> Pieces:
    """The pieces of all blocks, groups numbered one after the other."""
    before = np.cumsum([0] + [part.groups for part in parts])
    return Pieces(
        np.concatenate([part.group + begin for part, begin in zip(parts, before, strict=False)]).astype(np.int32),
        np.concatenate([part.tuple for part in parts]),
        np.concatenate([part.count for part in parts]),
        int(before[-1]),
    )


def _blocks(codes: Ints, pieces: Pieces, rows: Rows, most: int, rng: np.random.Generator) -> Iterator[Longs]:
    """Groups cut into blocks at the median of the axis on which their middles are spread most."""
    lo, hi = boxes(np.ascontiguousarray(codes[:, pieces.tuple]), pieces.group, pieces.groups)
    size = np.array([[max(axis.size, 1)] for axis in rows.axes])
    middle = (lo.astype(np.int64) + hi) * 512 // size
    waiting = [np.arange(pieces.groups)]
    while waiting:
        groups = waiting.pop()
        if len(groups) <= most:
            yield groups
            continue
        there = middle[:, groups]
        spread = len(groups) * (there * there).sum(axis=1) - there.sum(axis=1) ** 2
        axis = np.argmax(spread // 1000 * rng.integers(100, 1000, size=len(spread)))
        cut = groups[np.argsort(there[axis], kind="stable")]
        waiting += [cut[len(cut) // 2 :], cut[: len(cut) // 2]]
