"""`top-down`: everything starts as `*` and is made more special while every group keeps k rows.

After Mohammed et al. 2009.

    every column begins with one node for all of its values;
        rows with equal nodes on all columns are a group
    repeat: of all nodes that can be cut, take the one with the best score
        cut it, if every group it divides leaves at least k rows on each side
            and the models call all of them safe; if not, never look at it again
    until no node is left

One scheme for the whole table: equal values are published equally everywhere. A node of a hierarchy
is cut into its children, nodes with one child skipped; a stretch of numbers in two, where the score
is best. The score is the information gained about `class_column` (the first sensitive column unless
named): the entropy of the class among the rows of the node, less that among the rows of each child.
Without a sensitive column, it is what rows times cost falls by. Only scores above 0 count. Ties go
to the first column, then to the lowest value. Nothing is random.

A larger k may lose less, and two k may give the same groups. A cut concerns all rows at once, so
one small group forbids it; which cuts are forbidden changes only where k passes the size of such a
group. And the score, not the loss, orders the cuts: where an early one is forbidden, later ones
that save more may have room. Say, six rows of two columns: the first is cut into 2 and 4 rows,
which tells most about the class, and the 4 into 2 and 2; a cut of the second column would then
leave single rows. At k = 3 the first cut is forbidden, the second column is cut into 3 and 3, and
less is lost: 5.1 instead of 6.6.

Cost: about n log n for each column. Paper: N. Mohammed, B. C. M. Fung, P. C. K. Hung, C. Lee,
Anonymizing healthcare data: a case study on the blood transfusion service, KDD 2009, doi
10.1145/1557019.1557157.

What we do differently: the paper's LKC-privacy asks for k rows on any L columns; here L is all of
them, and further models are asked about the groups. Missing values, which the paper removes, are a
value of their own: the first cut of a column that has any parts them from all others. Entropies are
sums of integers, n * log2(n) in units of 2^-20, so that every machine agrees.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2, without a sensitive column. One node of 41
years costs 7 * 41 = 287. Cut after 23 it costs 3 * 3 + 4 * 21 = 93, and no other cut takes as much
off. The upper node is cut after 42: 2 * 2 + 2 * 1. The lower one has three rows and stays: {20, 21,
23} {40, 42} {60, 61}.

When to use it: when a classifier will be trained on the release, or when one scheme for all rows
matters more than loss. Against groups that may overlap it loses several times as much.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.arrays import Longs
from shoal.encode.rows import Rows
from shoal.errors import RecipeError, did_you_mean
from shoal.groups import WITHHELD, Groups, Guard, Watch
from shoal.kernels.partition import top_down as kernels
from shoal.partition.method import Method
from shoal.wording import Sentence, Set

BIT = 1 << 20


@dataclass(frozen=True)
class TopDown(Method):
    """One scheme for all rows, made more special node by node while every group keeps k rows."""

    name = "top-down"
    serves = ("group", "release", "population")  # one scheme for all rows
    class_column: str | None = None

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        search = _Search(rows, max(k, guard.least), guard, self._classes(rows))
        while search.open:
            watch(min(search.count * k / rows.count, 1.0))
            search.step()
        return Groups.of(search.labels)

    def _classes(self, rows: Rows) -> kernels.ClassEntropy | None:
        """Look up the column to tell about; None where loss decides."""
        columns = {column.name: column for column in rows.sensitive}
        if self.class_column is not None and self.class_column not in columns:
            problem = f"class column '{self.class_column}' is no sensitive column"
            remedy = Sentence("name it: ", Set("sensitive", [self.class_column]))
            raise RecipeError(
                problem, remedy=did_you_mean(self.class_column, columns) if columns else remedy
            )
        if not columns:
            return None
        column = columns[self.class_column] if self.class_column is not None else rows.sensitive[0]
        numbers = np.arange(rows.count + 1)
        disorder = np.round(numbers * np.log2(np.maximum(numbers, 1)) * BIT).astype(np.int64)
        return kernels.ClassEntropy(
            column.codes,
            left=np.zeros(column.size + 1, np.int64),
            right=np.zeros(column.size + 1, np.int64),
            disorder=disorder,
        )


class _Search:
    """Labels so far, and the nodes that may still be cut, best first."""

    def __init__(
        self, rows: Rows, least: int, guard: Guard, classes: kernels.ClassEntropy | None
    ) -> None:
        self.rows = rows
        self.least = least
        self.guard = guard
        self.classes = classes
        self.orders = [np.argsort(codes, kind="stable") for codes in rows.codes]
        self.starts = [
            np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=axis.size + 1))))
            for codes, axis in zip(rows.codes, rows.axes, strict=True)
        ]
        self.labels = np.zeros(rows.count, np.int64)
        self.count = 1
        self.tick = 1
        zeros = (np.zeros(rows.count, np.int64) for _ in kernels.GroupCounts._fields)
        self.desk = kernels.GroupCounts._make(zeros)
        self.open: list[tuple[Fraction, int, int, int, Longs]] = []
        for a, axis in enumerate(rows.axes):
            missing = self.starts[a][-1] > self.starts[a][-2]
            self._consider(a, 0, axis.size if missing else axis.size - 1)

    def step(self) -> None:
        """Cut the best node, or drop it."""
        _, axis, lo, hi, firsts = heapq.heappop(self.open)
        order = self.orders[axis]
        starts = self.starts[axis]
        cut = kernels.Cut(order, starts, firsts, hi)
        count = kernels.specialize(cut, self.labels, self.count, self.least, self.desk, self.tick)
        self.tick += len(firsts)
        concerned = order[starts[lo] : starts[hi + 1]]
        if count < 0 or not self._safe(concerned):
            return
        self.labels[concerned] = self.desk.fresh[concerned]
        self.count = count
        for first, last in zip(firsts, [*(firsts[1:] - 1), hi], strict=True):
            self._consider(axis, int(first), int(last))

    def _consider(self, axis: int, lo: int, hi: int) -> None:
        """Put a node among the open ones if there is a cut with a score above 0."""
        starts = self.starts[axis]
        if starts[hi + 1] == starts[lo]:
            return  # no row has a value below this node: in shards an axis is that of all rows
        firsts = self._cut(axis, lo, hi)
        if len(firsts):
            score = Fraction(kernels.saved(self.rows.costs, axis, starts, firsts, hi))
            if self.classes is not None:
                gain = kernels.gained(self.classes, self.orders[axis], starts, firsts, hi)
                score = Fraction(gain, int(starts[hi + 1] - starts[lo]))
            if score > 0:
                heapq.heappush(self.open, (-score, axis, lo, hi, firsts))

    def _cut(self, axis: int, lo: int, hi: int) -> Longs:
        """List the first code of each child; none where nothing can be cut."""
        size = self.rows.axes[axis].size
        starts = self.starts[axis]
        if lo >= hi:
            return np.zeros(0, np.int64)
        if hi == size:  # the code of missing values
            return np.array([lo, size])
        if self.rows.axes[axis].tree is not None:
            return kernels.children(self.rows.costs, axis, lo, hi)
        if self.classes is not None:
            return kernels.cut_that_gains(self.classes, self.orders[axis], starts, lo, hi)
        return kernels.cut_that_saves(self.rows.costs, axis, starts, lo, hi)

    def _safe(self, concerned: Longs) -> bool:
        """Tell whether the models accept every group that the cut leaves."""
        if self.guard.only_size:
            return True
        labels = np.full(self.rows.count, WITHHELD, np.int64)
        labels[concerned] = self.desk.fresh[concerned]
        return bool(self.guard.safe(Groups.of(labels)).all())
