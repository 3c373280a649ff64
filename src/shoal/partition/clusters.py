"""Clusters: rows around centres that move, adjusted until every group holds at least k rows.

Adjustment (Lin & Wei 2008; El-Rashidy et al. 2011, figure 4):

    every group keeps the k rows nearest to its centre; the others go into a pool
    centres move into what is left
    each row of the pool, in random order, joins the nearest group that lacks rows,
        and its centre moves at once; when no group lacks rows any more, it joins the nearest of all

There are floor(n / k) groups, so the pool always suffices. Ties go to the lowest row and the lowest
group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from shoal.arrays import Floats, Ints, Labels, Longs
from shoal.errors import RecipeError
from shoal.groups import WITHHELD, Watch
from shoal.kernels.costs import UNIT
from shoal.kernels.partition import adjustment, centroids
from shoal.kernels.partition.centroids import (
    ANCESTOR,
    FREQUENCIES,
    MEDOID,
    MISSING,
    Centres,
    TupleSpace,
)
from shoal.partition.points import Points

KINDS = {"medoid": MEDOID, "ancestor": ANCESTOR, "frequencies": FREQUENCIES}
BREATH = 500_000_000  # comparisons between two looks at the watch: a fraction of a second
MOST_CELLS = 2**29  # of a table of mean distances: 2 GB


class Clusters:
    """Groups, as many as can have k rows each, and their centres."""

    def __init__(self, points: Points, kind: int, k: int) -> None:
        self.points = points
        self.tuples = points.tuples
        self.space = points.space()
        self.k = k
        self.count = max(len(self.tuples) // k, 1)
        if kind == FREQUENCIES and int(self.space.codes[-1]) * self.count > MOST_CELLS:
            raise RecipeError(
                "centres of frequencies need more memory than there should be",
                {"groups": self.count, "categories": int(self.space.codes[-1])},
                "centre=medoid, which needs none",
            )
        self.centres = centroids.centres_of(self.space, kind, self.count)

    def scatter(self, rng: np.random.Generator) -> Longs:
        """Put the centres onto different random rows, which are returned."""
        seeds = rng.choice(len(self.tuples), self.count, replace=False)
        centroids.recentre_all(
            self.space, self.centres, self.tuples[seeds], np.arange(self.count + 1)
        )
        return seeds

    def nearest(self, watch: Watch, weights: Floats | None = None) -> Labels:
        """Find the nearest centre of each row, axes stretched by weights."""
        space, centres = (self.space, self.centres) if weights is None else self._stretched(weights)
        chosen = np.empty(len(space.lines), np.int32)
        for part in self._parts(len(chosen), watch):
            centroids.assign(space, centres, part.start, part.stop, chosen)
        return chosen[self.tuples]

    def recentre(self, labels: Labels) -> None:
        """Move every centre into the midst of its rows; that of an empty group stays."""
        order, starts = self._by_group(labels)
        centroids.recentre_all(self.space, self.centres, self.tuples[order], starts)

    def error(self, labels: Labels) -> float:
        """Compute the squared error around means and medoids, whatever the centres are.

        1 is everything on an axis, for one row.
        """
        return math.fsum(self.errors(labels).tolist())

    def errors(self, labels: Labels) -> Floats:
        """Compute the squared error on each axis."""
        order, starts = self._by_group(labels)
        middle = centroids.centres_of(self.space, MEDOID, self.count)
        centroids.recentre_all(self.space, middle, self.tuples[order], starts)
        return self._squared(self.space, middle, self.tuples, labels)

    def spread(self, labels: Labels) -> Floats:
        """Compute the squared distances of the centres to the centre of all rows, on each axis.

        Each centre, a medoid, counts once for each of its rows.
        """
        middle = centroids.centres_of(self.space, MEDOID, 1)
        centroids.recentre_all(self.space, middle, self.tuples, np.array([0, len(self.tuples)]))
        lines, leaves = (
            np.ascontiguousarray(points.T) for points in (self.centres.mean, self.centres.medoid)
        )
        return self._squared(
            self.space._replace(lines=lines, leaves=leaves), middle, labels, np.zeros_like(labels)
        )

    def _squared(self, space: TupleSpace, centres: Centres, tuples: Ints, labels: Labels) -> Floats:
        errors = np.empty(len(self.points.rulers))
        errors[self.points.lines + self.points.trees] = (
            centroids.squared_errors(space, centres, tuples, labels) / UNIT**2
        )
        return errors

    def adjust(self, labels: Labels, rng: np.random.Generator, watch: Watch) -> Labels:
        """Adjust groups until each has k rows; centres end in the midst of them."""
        self.recentre(labels)
        labels = labels.copy()
        order, starts = self._by_group(labels)
        grouping = adjustment.Grouping(labels, order, starts)
        adjustment.trim(self.space, self.centres, self.tuples, grouping, self.k)
        self.recentre(labels)
        pool = np.flatnonzero(labels == WITHHELD)
        return self.deal(labels, rng.permutation(pool), watch, follow=True)

    def deal(self, labels: Labels, queue: Longs, watch: Watch, *, follow: bool) -> Labels:
        """Send each row of the queue to the nearest group that lacks rows, else to the nearest.

        All other rows stand in groups of at most k. Centres follow at once, if asked to.
        """
        order, starts = self._by_group(labels)
        sizes = np.diff(starts)
        members = np.zeros((self.count, 2 * self.k), np.int32)
        members[np.arange(2 * self.k) < sizes[:, None]] = self.tuples[order]
        groups = adjustment.Filling(labels, sizes, members)
        for part in self._parts(len(queue), watch):
            adjustment.fill(
                self.space, self.centres, self.tuples, queue[part], groups, self.k, follow
            )
        return labels

    def attract(self, labels: Labels, queue: Longs, watch: Watch) -> Labels:
        """Send each row of the queue to the nearest group, whose centre follows at once."""
        there = (self.centres.mean != MISSING).astype(np.int64)
        sums = np.where(there, self.centres.mean, 0).astype(np.int64)
        means = adjustment.Means(sums, there)
        for part in self._parts(len(queue), watch):
            adjustment.attract(self.space, self.centres, self.tuples, queue[part], means, labels)
        return labels

    def reseed(self, labels: Labels) -> None:
        """Give each empty group the farthest row of a group that has others.

        It is the row that is farthest from its own centre.
        """
        sizes = np.bincount(labels, minlength=self.count)
        empty = iter(np.flatnonzero(sizes == 0).tolist())
        distances = centroids.own_distances(self.space, self.centres, self.tuples, labels)
        for row in np.argsort(-distances, kind="stable"):
            if distances[row] == 0:
                return
            if sizes[labels[row]] > 1:
                group = next(empty, None)
                if group is None:
                    return
                sizes[labels[row]] -= 1
                labels[row] = group

    def _stretched(self, weights: Floats) -> tuple[TupleSpace, Centres]:
        mean = np.rint(self.centres.mean * weights[self.points.lines][:, None]).astype(np.int32)
        mean[self.centres.mean == MISSING] = MISSING
        return self.points.space(weights), self.centres._replace(mean=mean)

    def _by_group(self, labels: Labels) -> tuple[Longs, Longs]:
        """Order rows by group, ascending; return them and where each group starts.

        Rows in no group are left out.
        """
        order = np.argsort(labels, kind="stable")[int(np.count_nonzero(labels < 0)) :]
        sizes = np.bincount(labels[labels >= 0], minlength=self.count)
        return order, np.concatenate(([0], np.cumsum(sizes)))

    def _parts(self, total: int, watch: Watch) -> Iterator[slice]:
        """Cut a long way into pieces, with a look at the watch before each."""
        steps = len(self.space.at) + len(self.space.reach)
        piece = max(BREATH // (self.count * max(steps, 1)), 1)
        for first in range(0, total, piece):
            watch(first / total)
            yield slice(first, min(first + piece, total))
