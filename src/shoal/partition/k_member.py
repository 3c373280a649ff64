"""`k-member`: greedy k-member clustering.

Byun, Kamra, Bertino & Li 2007, doi 10.1007/978-3-540-71703-4_18.

1. Take a random row as a point of reference.
2. While at least k rows are free: start a group with the free row furthest from the reference
   (which is the previous seed from then on), and add the free row that makes the group's box grow
   least until it holds k rows.
3. Each row left over, in random order, joins the group whose loss (size times box) grows least.

Cost: O(n^2) in the number of different rows, memory linear. Sizes are k, and a little more where
leftovers went.

`class_weight`: the variant for those who will learn a class from the release. A row whose class is
not a most frequent one of the group makes the box cost so much more, where 1 is everything on a
column; this in step 3 as well. The class is `class_column`, one of the sensitive columns, by
default the first. A `class_column` without a weight weighs 0.5; a weight above twice the number of
columns mixes classes only where the free rows leave no choice. A missing class is a class of its
own.

What we do differently: nothing that changes a label. The published listing overwrites the reference
inside its inner loop, so that read to the letter the next seed is furthest from the row *added
last*; its prose says from the previous *seed*. `seed_rule` offers both, and the prose is the
default. Ties go to the lowest row. In the variant the penalty is added to the box and not to the
growth of size times box, so that a weight means the same for every k.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2, 42 as the point of reference. 20 is furthest
from it and takes 21; 61 is furthest from 20 and takes 60; 23 is furthest from 61 and takes 40. 42
is left over: in the third group the loss (size times width) grows by 3 * 19 - 2 * 17 = 23, in the
others by more. So {20, 21} {23, 40, 42} {60, 61}: the leftovers lie far apart.

When to use it: a faithful baseline, good for small k; its last groups are made of scattered
leftovers, which costs dearly from k = 10 on. Groups of one class teach a classifier more, and an
attacker too: beware of `class_weight` where the class is what must not be learned of a person.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Ints, Labels, Longs
from shoal.encode.profile import Profile
from shoal.encode.rows import Distinct, Rows
from shoal.errors import RecipeError
from shoal.groups import Groups, Guard, Watch
from shoal.kernels.costs import UNIT, boxes
from shoal.kernels.partition.k_member import Pool, Settings, grow_groups, settle
from shoal.partition.method import Method
from shoal.wording import COLUMN, Remedy, Set

BREATH = 50_000_000  # additions times tuples between two looks at the watch: a fraction of a second
USUAL_WEIGHT = 0.5


@dataclass(frozen=True)
class Classes:
    """Classes of rows, and what a group's box costs more for a row of another class than most."""

    codes: Ints
    count: int
    penalty: int

    def strangers(self, row: int, labels: Labels, count: int) -> Longs:
        """Compute the penalty of a row in each group: 0 where its class is a most frequent one."""
        keys, times = np.unique(
            labels[labels >= 0] * np.int64(self.count) + self.codes[labels >= 0], return_counts=True
        )
        most = np.zeros(count, np.int64)
        alike = np.zeros(count, np.int64)
        np.maximum.at(most, keys // self.count, times)
        same = keys % self.count == self.codes[row]
        alike[keys[same] // self.count] = times[same]
        return np.where(alike < most, np.int64(self.penalty), np.int64(0))


@dataclass(frozen=True)
class KMember(Method):
    """Greedy k-member clustering: grows groups of k around far-apart seeds (Byun et al. 2007)."""

    name = "k-member"
    seed_rule: Literal["previous-seed", "last-added"] = "previous-seed"
    class_column: str | None = None
    class_weight: float | None = None

    def __post_init__(self) -> None:
        if self.class_weight is not None and not 0 <= self.class_weight < math.inf:
            raise RecipeError(
                f"class_weight of 'k-member' must be 0 or more, not {self.class_weight:g}",
                remedy="k-member:class_weight=0.5",
            )

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        classes = self._classes(rows)
        labels = grown(
            rows, k, rng, watch, from_last_added=self.seed_rule == "last-added", classes=classes
        )
        return Groups.of(with_leftovers(rows, labels, rows.count // k, rng, classes))

    def _classes(self, rows: Rows) -> Classes | None:
        """Look up the classes, if they count."""
        weight = self.class_weight
        if weight is None:
            weight = 0.0 if self.class_column is None else USUAL_WEIGHT
        if not weight:
            return None
        column = self._class_column(rows)
        # beyond this the penalty outweighs all that boxes can differ by, whatever their size
        return Classes(
            column.codes, column.size + 1, round(min(weight, 2 * len(rows.axes) + 1) * UNIT)
        )

    def _class_column(self, rows: Rows) -> Profile:
        named = {column.name: column for column in rows.sensitive}
        name = self.class_column or next(iter(named), None)
        if name in named:
            return named[name]
        if name is None:
            raise RecipeError(
                "class_weight of 'k-member' needs a class: no column is sensitive",
                remedy=Remedy(Set("sensitive", COLUMN)),
            )
        quasi = {axis.name for axis in rows.axes}
        why = "a quasi-identifier" if name in quasi else "no sensitive column"
        choices = ", ".join(f"'{choice}'" for choice in named)
        first = Set("sensitive", COLUMN, "name a sensitive column first")
        raise RecipeError(
            f"class_column of 'k-member' can't be '{name}', which is {why}",
            remedy=f"one of: {choices}" if named else Remedy(first),
        )


def grown(
    rows: Rows,
    k: int,
    rng: np.random.Generator,
    watch: Watch,
    *,
    from_last_added: bool = False,
    classes: Classes | None = None,
    first: int | None = None,
) -> Labels:
    """Take steps 1 and 2: grow groups of k rows, numbered as they were built.

    The rows left over have label -1. It begins at a random row, unless `first` names one.
    """
    tuples = rows.distinct if classes is None else _with_classes(rows, classes)
    pool = Pool(
        codes=tuples.codes.copy(),
        ids=np.arange(tuples.codes.shape[1], dtype=np.int32),
        order=tuples.order,
        cursor=tuples.starts[:-1].copy(),
        ends=tuples.starts[1:],
        labels=np.full(rows.count, -1, np.int32),
    )
    settings = Settings(
        k,
        from_last_added,
        classes=classes.count if classes else 0,
        penalty=classes.penalty if classes else 0,
    )
    first = int(rng.integers(rows.count)) if first is None else first
    reference = rows.codes[:, first].copy()
    count = rows.count // k
    alive = len(pool.ids)
    built = 0
    while built < count:
        upto = min(count, built + 1 + BREATH // (alive * k + 1))
        alive = grow_groups(rows.costs, settings, pool, alive, reference, np.arange(built, upto))
        built = upto
        watch(1 - ((count - built) / count) ** 2)  # the fewer rows are free, the faster it goes
    return pool.labels


def _with_classes(rows: Rows, classes: Classes) -> Distinct:
    sizes = [*(axis.size + 1 for axis in rows.axes), classes.count]
    return Distinct.of(np.vstack((rows.codes, classes.codes)), sizes)


def with_leftovers(
    rows: Rows, labels: Labels, count: int, rng: np.random.Generator, classes: Classes | None = None
) -> Labels:
    """Take step 3: let each row that is left join the group whose loss grows least."""
    lo, hi = (np.ascontiguousarray(ends.T) for ends in boxes(rows.codes, labels, count))
    sizes = np.bincount(labels[labels >= 0], minlength=count).astype(np.int64)
    penalty = np.zeros(count, np.int64)
    for row in rng.permutation(np.flatnonzero(labels < 0)):
        if classes is not None:
            penalty = classes.strangers(row, labels, count)
        labels[row] = settle(rows.costs, rows.codes[:, row].copy(), lo, hi, sizes, penalty)
    return labels
