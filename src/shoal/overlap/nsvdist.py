"""`nsvdist`: a neighbourhood of k rows around every row.

Last, Tassa, Zhmudyak & Shmueli, Information Sciences 256, 2014.

For each row n:

1. B = {n}.
2. While B holds fewer than k rows: of the rows outside whose sensitive value occurs less than
   floor(k / l) times in B, add the one with which B costs least: the box around it, or its values
   themselves (see `weighing`).
3. Row n is published as the box around B, and beside it how often each sensitive value occurs in B.

No value then makes up more than 1/l of a neighbourhood. They overlap, so boxes are much smaller
than those of groups.

Cost: the plain reading is O(k n^2). Here different rows stand in a tree of boxes that is walked
cheapest first, which reads few of them for each neighbourhood; memory is that of n times k row
numbers.

What this does *not* promise: that anybody is hidden. Each box covers k rows, but a row may be
covered by its own box alone; and exact distributions over overlapping neighbourhoods are linear
equations whose solution is the sensitive column. So what is found here is repaired before it is
published (see `hiding`): `match` says how people are hidden, on a `ring` or by boxes that are
widened (see `repairs`); `values` what becomes of sensitive columns (`sampled` from a record that
the row could be, `noisy` counts with `epsilon` and `cap`, distributions of disjoint `groups`); and
`write` how a distribution is spelled.

What we do differently: the paper has one sensitive column, here the share is kept in each of
several. Settings that can't work are refused before any work: where values are too few or too rare
(two values, l = 2 and an odd k), and where l is the number of values, for then all neighbourhoods
hold each value equally often and nothing can be learned from any; and, where people are to be
hidden, where a value is so common in the whole table that no groups could keep l. A missing
sensitive value counts as one more value, which has its share like the others, but it is not one of
the values that l is compared with. Ties go to the lowest row.

By hand: ages 20, 21, 23, 40, 42, 60 and 61, k = 2, l = 1. The nearest row of 20 is 21, that of 21
is 20, that of 23 is 21: boxes [20, 21], [20, 21] and [21, 23]. The last two overlap, and 23 is
published with two years where groups would need three.

When to use it: to learn a class from what is published, with quasi-identifiers as exact as can be.
l = 1, the default, asks nothing of the sensitive columns. A column in which every row has its own
value meets any l, but its distributions tell nothing: a note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Counts, Ints
from shoal.encode.profile import Profile
from shoal.encode.rows import Distinct, Rows
from shoal.errors import PrivacyNotMet, RecipeError, row_numbers
from shoal.groups import Note, Watch
from shoal.kernels.costs import Costs
from shoal.kernels.overlap.neighbours import BLOCK, Forest, grown
from shoal.kernels.overlap.nsvdist import Ground, Tuples, ends_of, grow_neighbourhoods
from shoal.overlap.overlap import Match, Neighbourhoods, Overlap, Values, Write
from shoal.overlap.weighing import LOSSES, weighed
from shoal.wording import COLUMN, Remedy, Set

# Rows that join neighbourhoods between two looks at the watch: a fraction of a second.
BREATH = 50_000


@dataclass(frozen=True)
class NSVDist(Overlap):
    """A neighbourhood of k rows around every row, no value above 1 / l of it (Last et al. 2014)."""

    name = "nsvdist"
    losses = LOSSES
    l: int = 1
    match: Match = "ring"
    values: Values = "sampled"
    write: Write = "columns"
    epsilon: float = 1.0
    cap: int = 20

    def __post_init__(self) -> None:
        if self.l < 1:
            raise RecipeError(
                f"l of 'nsvdist' must be at least 1, not {self.l}", remedy="nsvdist:l=3"
            )
        self._refuse_conflicts()
        if not self.epsilon > 0 or self.cap < 1:
            raise RecipeError(
                "noise of 'nsvdist' takes an epsilon above 0 and a cap of at least 1",
                remedy="epsilon=1,cap=20",
            )

    def _refuse_conflicts(self) -> None:
        """Refuse parameters that don't go together."""
        if self.values == "noisy" and self.l > 1:
            problem = (
                f"values=noisy of 'nsvdist' goes with l = 1 alone: with l = {self.l} "
                "sensitive values shape neighbourhoods"
            )
            remedy = f"nsvdist:l=1,values=noisy, or nsvdist:l={self.l},values=sampled"
            raise RecipeError(problem, remedy=remedy)
        if self.l > 1 and self.match != "ring":
            problem = (
                f"boxes that are widened keep no l: match={self.match} of 'nsvdist' goes with l = 1"
            )
            raise RecipeError(problem, remedy=f"nsvdist:l={self.l}, whose groups keep it")
        if self.values == "groups" and self.match != "ring":
            problem = (
                f"values=groups of 'nsvdist' publishes groups, and match={self.match} would be "
                "left out"
            )
            raise RecipeError(problem, remedy="nsvdist:values=groups")

    def as_in_paper(self) -> NSVDist:
        """Return the method with its l and spelling, without any repair."""
        return NSVDist(l=self.l, write=self.write)

    def _cover(self, rows: Rows, k: int, rng: np.random.Generator, watch: Watch) -> Neighbourhoods:
        self._refuse_hopeless(rows, k, self.l)
        columns, room = _bounded(rows.sensitive, k, k // self.l)
        costs, forest, tuples = _standing(rows, columns, len(room), k)
        ground = Ground(costs, forest, tuples)
        members = np.full((rows.count, k), -1, np.int32)
        done = 0
        step = max(BREATH // k, 1)
        while done < len(tuples.starts):
            upto = min(done + step, len(tuples.starts))
            alone = grow_neighbourhoods(ground, room, k, done, upto, members)
            if alone >= 0:
                raise self._stuck(alone, k)
            done = upto
            watch(done / len(tuples.starts))
        members[:, 1:].sort(axis=1)
        lo = np.array([np.min(of_axis[members], axis=1) for of_axis in rows.codes])
        hi = np.array([np.max(of_axis[members], axis=1) for of_axis in rows.codes])
        return Neighbourhoods(members, lo, hi, _notes(rows))

    def refuse_unhidden(self, rows: Rows, k: int) -> None:
        """Refuse, before any work, what `cover` would refuse, and an l that no groups can keep."""
        if self.l == 1 or rows.count < k:
            return
        often = [int(_counts(column)[:-1].max(initial=1)) for column in rows.sensitive]
        reachable = rows.count // max(often, default=1)
        self._refuse_hopeless(rows, k, reachable)
        for column, shared in zip(rows.sensitive, often, strict=True):
            if shared * self.l > rows.count:
                problem = (
                    f"more than one of {self.l} rows share a value of '{column.name}': no "
                    f"groups could keep l = {self.l}"
                )
                facts = {"l": self.l, "rows": rows.count, "rows that share a value": shared}
                lower = self._lower([_counts(other) for other in rows.sensitive], k, reachable)
                raise PrivacyNotMet(problem, facts | {"published": "nothing"}, lower)

    def _refuse_hopeless(self, rows: Rows, k: int, reachable: int) -> None:
        """Refuse an l that sensitive columns can't give, or that leaves nothing to learn."""
        if self.l == 1:
            return
        if not rows.sensitive:
            raise RecipeError(
                f"l = {self.l} of 'nsvdist' needs a sensitive column: no column is",
                remedy=Remedy(Set("sensitive", COLUMN)),
            )
        counts = [_counts(column) for column in rows.sensitive]
        for column, of_values in zip(rows.sensitive, counts, strict=True):
            values = _values(of_values)
            missing = int(of_values[-1])
            if not feasible(of_values, k, self.l) or values < self.l + (missing > 0):
                facts = {"k": k, "l": self.l, "values": values, "rows without one": missing}
                facts |= {
                    "rows that may share one": k // self.l,
                    "rows that can be found": reach(of_values, k // self.l),
                }
                raise PrivacyNotMet(
                    (
                        f"the values of '{column.name}' are too few or too rare for "
                        f"neighbourhoods of {k:,} with l = {self.l}"
                    ),
                    facts | {"published": "nothing"},
                    self._ways_out(counts, k, reachable),
                )
            if values == self.l:
                raise RecipeError(
                    f"l = {self.l} of 'nsvdist' is the number of values of '{column.name}': every "
                    "neighbourhood would hold each of them equally often, and nothing could be "
                    "learned from any",
                    {"published": "nothing"},
                    self._lower(counts, k, reachable),
                )

    def _ways_out(self, counts: Sequence[Counts], k: int, reachable: int) -> Remedy:
        """Raise k where the sensitive columns bear this l at all, or lower l."""
        larger = self._larger(counts, k) if reachable >= self.l else None
        lower = self._lower(counts, k, reachable)
        return lower if larger is None else Remedy(Set("k", larger, "raise k"), lower)

    def _larger(self, counts: Sequence[Counts], k: int) -> int | None:
        """Find the lowest k above this one that works.

        None beyond the next multiple of l does, as values only get scarcer.
        """
        most = min(k + self.l, int(counts[0].sum()))
        return next(
            (more for more in range(k + 1, most + 1) if possible(counts, more, self.l)), None
        )

    def _lower(self, counts: Sequence[Counts], k: int, reachable: int) -> Remedy:
        """Offer the highest l below this one that works and that groups can keep; 1 always does."""
        lower = next(
            (
                less
                for less in range(min(self.l - 1, k, reachable), 1, -1)
                if possible(counts, k, less)
            ),
            1,
        )
        return Remedy(Set("method", f"nsvdist:l={lower}", "lower l"))

    def _stuck(self, row: int, k: int) -> PrivacyNotMet:
        return PrivacyNotMet(
            (
                f"around a row there are fewer than {k:,} others that leave every sensitive "
                f"column its l = {self.l}"
            ),
            {"k": k, "l": self.l, "first such row": row_numbers([row]), "published": "nothing"},
            Remedy(
                "name fewer sensitive columns", Set("method", f"nsvdist:l={self.l - 1}", "lower l")
            ),
        )


def possible(counts: Sequence[Counts], k: int, l: int) -> bool:
    """Tell if every column can give l, and has more values than l asks for."""
    return all(_values(of_values) > l and feasible(of_values, k, l) for of_values in counts)


def feasible(counts: Counts, k: int, l: int) -> bool:
    """Tell if k rows can be chosen so that no value occurs more than floor(k / l) times."""
    return reach(counts, k // l) >= k


def reach(counts: Counts, most: int) -> int:
    """Count the rows that can be chosen if no value may occur more than `most` times."""
    return int(np.minimum(counts, most).sum())


def _counts(column: Profile) -> Counts:
    """Count the rows of each value, and at the end those without one.

    Counted anew, because these rows may be a part of the table.
    """
    return np.bincount(column.codes, minlength=column.size + 1).astype(np.int64)


def _values(counts: Counts) -> int:
    """Count the different values; missing is none."""
    return int(np.count_nonzero(counts[:-1]))


def _bounded(columns: Sequence[Profile], k: int, most: int) -> tuple[list[Ints], Ints]:
    """Number the values of columns in which some occur more than `most` times, with their room.

    All values that don't are one: they have room enough whatever happens, and rows that differ in
    them alone are alike.
    """
    coded = []
    room = [np.zeros(0, np.int32)]
    for column in columns:
        often = _counts(column) > most
        if most < k and often.any():
            number = np.where(often, np.cumsum(often), 0).astype(np.int32)
            coded.append(number[column.codes] + np.int32(sum(map(len, room))))
            room.append(np.array([k] + [most] * int(often.sum()), np.int32))
    return coded, np.concatenate(room)


def _distinct(rows: Rows, columns: Sequence[Ints], values: int) -> Distinct:
    """List the different tuples of quasi-identifiers and of columns with `values` codes each."""
    if not columns:
        return rows.distinct
    sizes = [axis.size + 1 for axis in rows.axes] + [values] * len(columns)
    return Distinct.of(np.vstack((rows.codes, *columns)), sizes)


def _standing(
    rows: Rows, columns: Sequence[Ints], values: int, k: int
) -> tuple[Costs, Forest, Tuples]:
    """Put the different tuples of quasi-identifiers and bounded values into a tree of boxes.

    Costs are as the loss weighs them.
    """
    axes = len(rows.axes)
    distinct = _distinct(rows, columns, values)
    forest = grown(rows.costs, np.ascontiguousarray(distinct.codes[:axes]), BLOCK)
    here = forest.order
    costs, codes = weighed(rows, distinct.codes[:axes, here], k)
    starts = distinct.starts[:-1][here]
    ends = distinct.starts[1:][here]
    lo, hi = ends_of(forest, codes)
    lowest = ends_of(forest, distinct.order[starts][:, np.newaxis])[0][:, 0].copy()
    bounded = np.ascontiguousarray(distinct.codes[axes:].T[here])
    tuples = Tuples(codes, bounded, distinct.order, starts, ends, lowest)
    return costs, forest._replace(lo=lo, hi=hi), tuples


def _notes(rows: Rows) -> tuple[Note, ...]:
    own = [column.name for column in rows.sensitive if _values(_counts(column)) == rows.count > 1]
    return tuple(
        Note(
            "values",
            f"every row has a value of its own in '{name}': its distributions tell nothing",
        )
        for name in own
    )
