"""Microaggregation: groups of numbers with little squared error, by annealing.

    cut the rows into blocks of near ones, at medians
    in each block:
        begin with `mdav`, and take steps that lower the squared error until there are none
            (see `kernels.partition.squares`)
        try random steps towards the groups of neighbours,
            each allowed to raise the error a little, and less and less
        take steps that lower the error until there are none; keep the better of both results
    where there are several blocks: cut the groups into other blocks,
        and once more, from a lower temperature

A number, date or time is a z-score, as in `mdav`. A missing one stands at the mean, and on a line
of its own at the distance of the two values that are furthest apart. Effort counts steps, never
seconds: a number for each row, and in long tables a lower one, which begins less hot. Blocks don't
see each other, so two threads give what one does.

Sources: S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Optimization by simulated annealing, Science
220 (1983), doi 10.1126/science.220.4598.671.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from shoal.arrays import AnyArray, Floats, Ints, Labels, Longs
from shoal.encode.costs import costs_of
from shoal.encode.rows import Rows
from shoal.errors import RecipeError
from shoal.groups import Groups, Note, Watch, unwatched
from shoal.kernels.partition import mdav, squares
from shoal.partition.mdav import space_of
from shoal.partition.pieces import ordered
from shoal.partition.refinement import UNREPEATABLE, Effort
from shoal.wording import Option, Remedy, Sentence, Set

BLOCK = 4096  # rows in a block, at most: shorter ones cut too many neighbours apart
NEIGHBOURS = 20
PASSES = 5  # downhill, at most: the later ones gain next to nothing
COOLING = 0.84  # from one temperature to the next
# temperatures, as multiples of the mean error of a row
HOT = 30.0
WARM = 1.0
LUKEWARM = 0.3
COLD = 0.003
MANY = 2_000  # steps for each row with which it pays to begin hot


@dataclass(frozen=True)
class AnnealingEffort:
    """Numbers of random steps that are tried."""

    each: int = 0  # for each row, at most
    all: int = 0  # for all rows, but not fewer than `least` for each
    least: int = 0


EFFORTS = {
    "low": AnnealingEffort(),
    "default": AnnealingEffort(each=25_000, all=25_000_000, least=100),
    "high": AnnealingEffort(each=250_000, all=250_000_000, least=1_000),
}


def microaggregate(
    rows: Rows,
    k: int,
    rng: np.random.Generator,
    watch: Watch = unwatched,
    *,
    effort: Effort = "default",
    threads: int = 2,
    until: float = math.inf,
    begun: Groups | None = None,
) -> Groups:
    """Divide rows into groups of k to 2k - 1 rows with little squared error.

    Whoever interrupts gets what has been reached. Groups that are there already have no more
    squared error afterwards; rows that they withhold stay withheld.
    """
    begun = begun or Groups(np.full(rows.count, -1, np.int32), 0)
    order = ordered(rows).order
    there = order[begun.labels[order] >= 0] if begun.count else order
    annealing = Annealing(points_of(rows)[there], k, EFFORTS[effort], rng, watch, threads, until)
    lowest, notes = (
        annealing.lowered(Groups.of(begun.labels[there]).labels)
        if begun.count
        else annealing.divided()
    )
    notes += (UNREPEATABLE,) if until < math.inf else ()
    labels = begun.labels.copy()
    labels[there] = lowest
    return Groups.of(labels, (*begun.notes, *notes))


def refuse_categories(rows: Rows) -> None:
    """Refuse rows that have no mean."""
    trees = [axis.name for axis in rows.axes if axis.tree is not None]
    if trees:
        raise RecipeError(
            f"squared error is minimized on numbers alone, and '{trees[0]}' is none",
            {"columns that are no numbers": ", ".join(trees)},
            Remedy(
                Sentence(
                    Set("method", "mdav"),
                    " without ",
                    Option("refine"),
                    ", which has distances for categories",
                ),
                Set("loss", "height", "another loss"),
            ),
        )


def points_of(rows: Rows) -> Floats:
    """Place rows as z-scores, with one more line for each column in which some are missing."""
    refuse_categories(rows)
    space = space_of(rows)
    gone = np.isnan(space.lines)
    apart = (gone * np.sqrt(space.far))[:, gone.any(axis=0)]
    return np.ascontiguousarray(np.hstack((np.where(gone, 0.0, space.lines), apart)))


@dataclass
class AnnealedBlock:
    """Some rows and their groups: those at hand, and the best so far."""

    rows: Longs
    points: Floats
    labels: Ints
    k: int
    best: Ints
    error: float = np.inf  # of the best, for each row

    @classmethod
    def of(cls, rows: Longs, points: Floats, labels: AnyArray, k: int) -> AnnealedBlock:
        """Build a block of rows of a table, whose groups may bear any numbers."""
        _, closed = np.unique(labels, return_inverse=True)
        return cls(rows, points, closed.astype(np.int32), k, closed.astype(np.int32))

    @cached_property
    def near(self) -> Ints:
        """List the neighbours of each row."""
        return squares.neighbours(self.points, NEIGHBOURS)

    def settle(self, seed: int = 0) -> None:
        """Lower the error from the groups at hand on, and keep them if they are better.

        Nothing is random.
        """
        squares.descend(self.points, self.near, self.labels, self.k, PASSES)
        error = squares.squared_error(self.points, self.labels) / len(self.rows)
        if error < self.error:
            self.best = self.labels.copy()
            self.error = error

    def anneal(self, seed: int, *, level: float, steps: float) -> None:
        """Take `steps` random steps for each row at one temperature: `level` times the error."""
        number = math.ceil(steps * len(self.rows)) if self.error > 0 else 0
        squares.anneal(
            self.points, self.near, self.labels, self.k, number, level * self.error, seed
        )


@dataclass(frozen=True)
class Annealing:
    """The search on points that stand in an order of their own."""

    points: Floats
    k: int
    search: AnnealingEffort
    rng: np.random.Generator
    watch: Watch
    threads: int = 2
    until: float = math.inf  # on the clock of time.monotonic

    @cached_property
    def spread(self) -> float:
        """Compute the squared error of all points as one group."""
        return float(((self.points - self.points.mean(axis=0)) ** 2).sum())

    def divided(self) -> tuple[Labels, tuple[Note, ...]]:
        """Divide the points from scratch; return a label for each, and notes."""
        if len(self.points) < 2 * self.k:
            return np.zeros(len(self.points), np.int32), ()
        steps = min(self.search.each, max(self.search.all // len(self.points), self.search.least))
        most = max(BLOCK, 4 * self.k)
        blocks = [self._begun(some) for some in self._cut(self.points, most)]
        hot = HOT if steps >= MANY else WARM
        end = 1.0 if len(blocks) == 1 else 0.5
        labels, notes = self._round(blocks, hot, steps, (0.0, end))
        if len(blocks) == 1 or notes or not steps:
            return labels, notes
        others = [
            self._again(labels, some)
            for some in self._cut(self._means(labels), max(most // self.k, 2))
        ]
        return self._round(others, LUKEWARM, steps, (end, 1.0))

    def lowered(self, labels: Labels) -> tuple[Labels, tuple[Note, ...]]:
        """Lower the error of these groups; return a label for each point, and notes."""
        labels = self._small(labels)
        steps = min(
            self.search.each, max(self.search.all // max(len(self.points), 1), self.search.least)
        )
        blocks = [
            self._again(labels, some)
            for some in self._cut(self._means(labels), max(BLOCK // self.k, 4))
        ]
        return self._round(blocks, LUKEWARM, steps, (0.0, 1.0))

    def _small(self, labels: Labels) -> Labels:
        """Cut the groups that have room for two as `mdav` would.

        A group that is cut has no more squared error.
        """
        labels = labels.copy()
        for group in np.flatnonzero(np.bincount(labels) >= 2 * self.k):
            block = self._begun(np.flatnonzero(labels == group))
            labels[block.rows] = np.where(block.labels > 0, block.labels + labels.max(), group)
        return labels

    def _begun(self, some: Longs) -> AnnealedBlock:
        """Build a block divided by `mdav`."""
        points = np.ascontiguousarray(self.points[some])
        labels = np.zeros(len(some), np.int64)
        free = np.arange(len(some))
        far = np.zeros(points.shape[1])
        leaves = np.zeros((len(some), 0), np.int32)
        weight = np.zeros(0)
        space = mdav.RowSpace(points, far, leaves, costs_of([], "height", {}), weight)
        while len(free) >= 2 * self.k:
            self.watch(0.0)
            free = mdav.take(space, free, self.k, len(free) >= 3 * self.k, labels)
        labels[free] = free[0]  # the other groups are called by the row that took them
        return AnnealedBlock.of(some, points, labels, self.k)

    def _again(self, labels: Labels, groups: Longs) -> AnnealedBlock:
        """Build a block of some groups."""
        chosen = np.zeros(int(labels.max()) + 1, np.bool_)
        chosen[groups] = True
        some = np.flatnonzero(chosen[labels])
        return AnnealedBlock.of(some, np.ascontiguousarray(self.points[some]), labels[some], self.k)

    def _round(
        self, blocks: list[AnnealedBlock], hot: float, steps: int, share: tuple[float, float]
    ) -> tuple[Labels, tuple[Note, ...]]:
        """Heat, cool and settle the groups of all blocks; return a label for each point, and notes.

        Where somebody interrupts, they are settled at once.
        """
        levels = _cooling(hot) if steps else []
        try:
            self._each(blocks, AnnealedBlock.settle)
            for number, level in enumerate(levels):
                if time.monotonic() > self.until:
                    break
                self.watch(
                    share[0] + (share[1] - share[0]) * number / len(levels), self._lost(blocks)
                )
                self._each(
                    blocks, partial(AnnealedBlock.anneal, level=level, steps=steps / len(levels))
                )
            notes: tuple[Note, ...] = ()
        except KeyboardInterrupt:
            notes = (Note("interrupted", "annealing was interrupted"),)
        labels = np.empty(len(self.points), np.int32)
        count = 0
        self._each(blocks, AnnealedBlock.settle)
        with suppress(KeyboardInterrupt):  # too late: nothing is left to be stopped
            self.watch(share[1], self._lost(blocks))
        for block in blocks:
            _, closed = np.unique(block.best, return_inverse=True)
            labels[block.rows] = closed + count
            count += int(closed.max()) + 1
        return labels, notes

    def _lost(self, blocks: list[AnnealedBlock]) -> float:
        """Compute the squared error of the best groups, as a share of that of one group."""
        return sum(block.error * len(block.rows) for block in blocks) / (self.spread or 1.0)

    def _each(
        self, blocks: list[AnnealedBlock], work: Callable[[AnnealedBlock, int], None]
    ) -> None:
        """Work on all blocks, one after the other or two at a time.

        Each block has a seed of its own, so that it does not matter.
        """
        seeds = self.rng.integers(2**62, size=len(blocks)).tolist()
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(work, blocks, seeds))

    def _means(self, labels: Labels) -> Floats:
        """Compute the mean of each group."""
        sizes = np.bincount(labels)
        return np.array([np.bincount(labels, line) / sizes for line in self.points.T]).T

    def _cut(self, places: Floats, most: int) -> Iterator[Longs]:
        """Cut places into blocks of near ones: at the median of a line drawn by lot.

        A line on which they are spread more is likelier.
        """
        waiting = [np.arange(len(places))]
        while waiting:
            some = waiting.pop()
            if len(some) <= most:
                yield some
                continue
            there = np.sort(places[some], axis=0)
            spread = there[len(some) * 9 // 10] - there[len(some) // 10]
            line = int(np.argmax(spread * self.rng.integers(100, 1000, size=len(spread))))
            cut = some[np.argsort(places[some, line], kind="stable")]
            waiting += [cut[len(cut) // 2 :], cut[: len(cut) // 2]]


def _cooling(hot: float) -> list[float]:
    """List temperatures from hot to cold; by products alone, so that all machines agree."""
    levels = [hot]
    while levels[-1] > COLD:
        levels.append(levels[-1] * COOLING)
    return levels
