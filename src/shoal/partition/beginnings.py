"""Beginnings: partitions to refine. Peeling, and where it may not be the best others beside it.

    peel:
        every tuple of the table is free
        for each vector of levels, in the order of increasing mean cost:
            generalize the free tuples by it
            every generalized tuple that k rows or more hold becomes a group,
                if its rows follow the rules of the models
        a group with room for two is cut in two, between tuples along one axis,
            where that lowers the loss most; and so on
        each tuple that is left joins the group whose loss (size times box) grows least
            and that follows the rules with it
        the few for which there is no such group join where the loss grows least

With many quasi-identifiers the walk ends before everybody has a group: k rows or more that are left
are divided by `mondrian`. Without rules, fewer than k are left where the walk was finished. Where
it was not, other beginnings are made beside it, and the one that loses least is taken: `climbing`,
which chooses each step by what it frees for what it costs; `mondrian` alone; and `k-member` inside
parts that `mondrian` cuts, as large as is affordable. The last two are tried for tables of few
different tuples as well: where groups are much smaller than the intervals of all levels, they find
them better. `mondrian` is also tried for a long table in which many groups had to be cut, and with
low effort. Where tuples are very few, `k-member` begins at several random rows, `mondrian` is tried
relaxed too, and every beginning is refined before they are compared, with low effort as well.

All of them see the rows in the order of their codes, so the order of the table's rows does not
matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from shoal.arrays import Flags, Ints, Labels, Longs
from shoal.encode.levels import Levels, levels_of
from shoal.encode.rows import Distinct, Rows
from shoal.groups import Groups, Note, Watch, unwatched
from shoal.kernels.costs import Costs, among, boxes
from shoal.kernels.guards import NO_RULES, Rules, members_of, of_some, verdicts
from shoal.kernels.partition.cutting import Cutting, cut_apart
from shoal.kernels.partition.peel import Peeling, Settlers, TupleHash, Walk, peel, settle
from shoal.kernels.partition.repair import BoxedGroups
from shoal.partition.climbing import climb, steps_of
from shoal.partition.joined_axes import joined
from shoal.partition.k_member import KMember
from shoal.partition.mondrian import Mondrian
from shoal.partition.repair import loss_of, repair
from shoal.partition.vectors import Vectors, keys_of

# Free tuples times vectors between two looks at the watch: a fraction of a second.
BREATH = 20_000_000
# Tuples times axes times tuples of a part that k-member divides: a few seconds.
WORK = 4_000_000_000
PASSES = 4  # over all tuples of a part for each row, besides those on the axes
# tuples, and TRY for each trial besides, times axes times steps of a climb: some seconds
CLIMB = 2_000_000_000
TRY = 1_000
PAIRS = 1_000_000_000  # rows that are left times groups that they may join: some seconds
FEW = 50_000  # different tuples for which a second beginning is tried
SHORT = 1_000  # different tuples for which every beginning is refined
STARTS = 4_000  # different tuples of all random beginnings of `k-member` in a short table together
MOST_STARTS = 64
# Levels were too wide where one group in this number came from cutting what the walk had found.
COARSE = 10
PATIENCE = 100  # vectors that may free nobody, when there are too many to list


@dataclass(frozen=True)
class AtLeast:
    """A guard that asks for size, and for whatever the rules say."""

    least: int
    rules: Rules = NO_RULES
    survives_merging = True
    survives_recoding = True
    only_more_helps = False

    @property
    def only_size(self) -> bool:
        """Tell whether there are no rules."""
        return len(self.rules.kind) == 0

    def safe(self, groups: Groups) -> Flags:
        """Tell for each group whether it is large enough and follows the rules."""
        members = members_of(groups.labels, groups.count)
        return np.asarray(groups.sizes >= self.least, np.bool_) & verdicts(self.rules, members)


@dataclass(frozen=True, eq=False)
class Beginnings:
    """Makes several beginnings of a partition, and takes the one that loses least.

    Rules are those of the table's rows. In short tables each beginning goes through `refinements`
    before they are compared. Without `others`, `k-member` is tried only in short tables or where
    peeling can't be finished.
    """

    rows: Rows
    tuples: Distinct
    k: int
    rng: np.random.Generator
    watch: Watch = unwatched
    others: bool = True
    rules: Rules = NO_RULES
    refinements: Sequence[Callable[[Groups, Rows], Groups]] = ()

    @cached_property
    def levels(self) -> list[Levels]:
        """The levels of each axis."""
        return self.rows.remembered("levels", lambda: levels_of(self.rows))

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors of levels that are walked."""
        return self.rows.remembered("vectors", lambda: Vectors.of(self.levels))

    @cached_property
    def guard(self) -> AtLeast:
        """The guard of rows in the order of the tuples."""
        return AtLeast(self.k, of_some(self.rules, self.tuples.order))

    @cached_property
    def in_order(self) -> Rows:
        """The rows in the order of the tuples."""
        codes = np.repeat(self.tuples.codes, self.tuples.counts, axis=1)
        return replace(self.rows, codes=codes, sensitive=())

    def best(self) -> tuple[Labels, tuple[Note, ...]]:
        """Return a label for each row in the order of the tuples, and notes.

        The notes tell which beginning was taken.
        """
        walked, coarse = self._walked()
        peeling = _with_rest(self.in_order, walked, self.guard, self.rng)
        # Under rules, peeling has been the best of all wherever it was finished.
        few = FEW if self.guard.only_size else FEW // 10
        tuples = len(self.tuples.counts)
        most = few if self.others else min(SHORT, few)
        more = not self.vectors.complete or tuples <= most
        enough = not (more or tuples <= few or (coarse and self.guard.only_size))
        if enough or loss_of(Groups.of(peeling), self.in_order) == 0:
            return peeling, (Note("begun-with", "begun with peeling"),)
        divisions = self._compared({"peeling": peeling, **self._beside(more=more)})
        best = min(divisions, key=lambda name: loss_of(Groups.of(divisions[name]), self.in_order))
        note = Note("begun-with", f"begun with {best}, the best of {', '.join(divisions)}")
        if self.vectors.complete:
            return divisions[best], (note,)
        return divisions[best], (note, _skipped(self.vectors, walked))

    def quick(self) -> Labels:
        """Return one beginning without comparing: peeling where the walk can be finished."""
        if not self.vectors.complete:
            return _in_parts(self.in_order, self.k, self.rng, self.watch)
        walked, _ = self._walked()
        return _with_rest(self.in_order, walked, self.guard, self.rng)

    def _walked(self) -> tuple[Labels, bool]:
        """Peel the tuples and cut wide groups; tell also if levels were too wide.

        Returned is the group of each row in the order of the tuples, -1 where it has none. By size
        alone it is done once, whoever asks.
        """
        if self.guard.only_size:
            return self.rows.remembered(("walked", self.k), self._walk)
        return self._walk()

    def _walk(self) -> tuple[Labels, bool]:
        """Peel the tuples, and cut wide groups."""
        codes = self.tuples.codes
        counts = self.tuples.counts
        rules = of_some(self.rules, self.tuples.order[self.tuples.starts[:-1]])
        keys = keys_of(self.levels)
        peeled = Walk(codes, counts, keys, self.vectors.levels, self.k, rules)
        freed = walk(joined(peeled, self.levels), self.watch, complete=self.vectors.complete)
        walked, coarse = narrowed(self.rows.costs, codes, counts, freed, self.k, rules)
        return np.repeat(walked, counts), coarse

    def _beside(self, *, more: bool) -> dict[str, Labels]:
        """Make other beginnings than peeling; `more` of them where it may not be the best."""
        divisions = {}
        tuples = len(self.tuples.counts)
        trials = len(self.levels) * steps_of(self.levels)
        if not self.vectors.complete and (tuples + TRY) * trials <= CLIMB:
            divisions["climbing"] = self._climbed()
        if more:
            divisions["k-member in parts"] = _in_parts(self.in_order, self.k, self.rng, self.watch)
        divisions["mondrian"] = self._cut(Mondrian())
        return divisions

    def _climbed(self) -> Labels:
        """Climb from level to level, each step chosen by what it frees for what it costs."""
        codes = self.tuples.codes
        counts = self.tuples.counts
        labels = climb(codes, counts, self.levels, keys_of(self.levels), self.k, self.watch)
        return _with_rest(self.in_order, np.repeat(labels, counts), AtLeast(self.k), self.rng)

    def _cut(self, method: Mondrian) -> Labels:
        return method.divide(self.in_order, self.k, AtLeast(self.k), self.rng).labels

    def _from_elsewhere(self) -> Labels:
        """Divide a short table by `k-member` from random rows; return the best labels."""
        starts = max(1, min(MOST_STARTS, STARTS // len(self.tuples.counts)))
        guard = AtLeast(self.k)
        divisions = [
            KMember().divide(self.in_order, self.k, guard, self.rng) for _ in range(starts)
        ]
        return min(divisions, key=lambda groups: loss_of(groups, self.in_order)).labels

    def _compared(self, divisions: dict[str, Labels]) -> dict[str, Labels]:
        """Repair beginnings under rules; refine those of a short table, and two more."""
        if not self.guard.only_size:
            return {
                name: repair(Groups.of(labels), self.in_order, self.guard).labels
                for name, labels in divisions.items()
            }
        if not self.refinements or len(self.tuples.counts) > SHORT:
            return divisions
        elsewhere = self._from_elsewhere()
        relaxed = self._cut(Mondrian(relaxed=True))
        every = divisions | {"k-member from elsewhere": elsewhere, "relaxed mondrian": relaxed}
        # One after the other over all of them, so that more effort sees what less effort has found.
        for refined in self.refinements:
            every = {
                name: refined(Groups.of(labels), self.in_order).labels
                for name, labels in every.items()
            }
        return every


def _skipped(vectors: Vectors, walked: Labels) -> Note:
    """Say how many vectors were tried where there are too many, and how many rows they left."""
    left = f"{int(np.count_nonzero(walked < 0)):,} of {len(walked):,} rows"
    tried = f"at most {len(vectors.levels):,}, the cheapest, were, and left {left} without a group"
    text = f"the columns can be generalized in more ways than can be tried: {tried}"
    return Note("untried", text)


def walk(peeled: Walk, watch: Watch, *, complete: bool) -> Labels:
    """Peel the tuples; return the group of each, -1 where it has none.

    `complete` says whether all vectors are listed.
    """
    tuples = len(peeled.counts)
    labels = np.full(tuples, -1, np.int32)
    peeling = peeling_of(labels)
    alive = tuples
    group = 0
    done = 0
    end = len(peeled.vectors)
    while done < end and alive:
        upto = min(end, done + 1 + BREATH // (alive * len(peeled.codes)))
        alive, group = peel(peeled, done, upto, peeling, alive, group)
        done = upto
        watch(done / end)
        if not complete and alive == tuples and done >= PATIENCE:
            break  # with many columns, what comes next frees nobody either
    return labels


def peeling_of(labels: Labels) -> Peeling:
    """Set up the arrays of peeling: all tuples are free, and the hash table is empty."""
    slots = 1 << (2 * len(labels)).bit_length()
    longs = np.zeros((3, slots), np.int64)
    ints = np.zeros((2, slots), np.int32)
    table = TupleHash(longs[0], longs[1], longs[2], ints[0], ints[1])
    scratch = np.zeros((2, len(labels)), np.int32)
    keys = np.zeros(len(labels), np.int64)
    free = np.arange(len(labels), dtype=np.int32)
    return Peeling(free, labels, scratch[0], keys, scratch[1], table)


def narrowed(
    costs: Costs, codes: Ints, counts: Longs, walked: Labels, k: int, rules: Rules = NO_RULES
) -> tuple[Labels, bool]:
    """Cut the groups of the walk in two, again and again, where that lowers the loss.

    Both sides hold k rows. Returns the labels, and whether many groups were cut.
    """
    order = np.argsort(walked, kind="stable")[np.count_nonzero(walked < 0) :].astype(np.int32)
    starts = np.concatenate(([0], np.cumsum(np.bincount(walked[order])))).astype(np.int64)
    labels = walked.copy()
    groups = cut_apart(Cutting(costs, codes, counts, k, rules), order, starts, labels)
    return labels, COARSE * (groups - len(starts) + 1) > groups


def settled(costs: Costs, codes: Ints, labels: Labels, rules: Rules = NO_RULES) -> Labels:
    """Let the rows that are left join the group whose loss grows least, as the rules allow."""
    left = np.flatnonzero(labels < 0)
    if len(left):
        count = int(labels.max(initial=-1)) + 1
        lo, hi = boxes(codes, labels, count)
        groups = BoxedGroups(
            lo=np.ascontiguousarray(lo.T),
            hi=np.ascontiguousarray(hi.T),
            sizes=np.bincount(labels[labels >= 0], minlength=count).astype(np.int64),
            losses=np.empty(count, np.int64),
        )
        points = np.ascontiguousarray(codes[:, left].T)
        settlers = Settlers(points, left, np.empty(len(left), np.int32))
        settle(costs, settlers, groups, rules, members_of(labels, count))
        labels[left] = settlers.chosen
    return labels


def _with_rest(rows: Rows, walked: Labels, guard: AtLeast, rng: np.random.Generator) -> Labels:
    """Let what the walk left join groups where the rules allow it; divide the rest anew.

    The rest is a table of its own, for `mondrian`.
    """
    labels = walked.copy()
    k = guard.least
    if (
        not guard.only_size
        and np.count_nonzero(walked < 0) * int(walked.max(initial=-1) + 1) <= PAIRS
    ):
        labels = settled(rows.costs, rows.codes, labels, guard.rules)
    rest = np.flatnonzero(labels < 0)
    if len(rest) < k:
        return settled(rows.costs, rows.codes, labels)
    some = replace(rows, codes=np.ascontiguousarray(rows.codes[:, rest]))
    labels[rest] = (
        Mondrian().divide(some, k, AtLeast(k), rng).labels + int(labels.max(initial=-1)) + 1
    )
    return labels


def _in_parts(rows: Rows, k: int, rng: np.random.Generator, watch: Watch) -> Labels:
    """Divide rows by `k-member` inside each of the parts that `mondrian` cuts."""
    tuples = rows.distinct.codes.shape[1]
    part = max(1_000, WORK * rows.count // (tuples * tuples * (len(rows.axes) + PASSES)))
    parts = Mondrian(relaxed=True).divide(rows, min(max(part, 5 * k), rows.count), AtLeast(k), rng)
    order, starts = parts.by_group
    labels = np.empty(rows.count, np.int32)
    count = 0
    for start, stop in pairwise(starts.tolist()):
        members = order[start:stop]
        costs, codes = among(rows.costs, rows.codes[:, members])
        some = replace(rows, codes=np.ascontiguousarray(codes), costs=costs)
        groups = KMember().divide(some, k, AtLeast(k), rng)
        labels[members] = groups.labels + count
        count += groups.count
        watch(1.0)
    return labels
