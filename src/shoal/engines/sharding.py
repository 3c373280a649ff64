"""Sharding: a table cut into shards that can keep every promise, each of which is then divided
alone.

    cut the table by ranges of its axes (see `encode/shards`)
    count each shard's rows, and its sensitive values
    a shard too small, or in which all rows together do not amply keep every promise, joins the one
    beside it
    divide each shard with a seed of its own; models compare its groups with the whole table
    number the groups one shard after the other

Where shards are cut and which of them join follows from counts that add up (`Grid.counted`,
`ShardTally`). So it is the same for whoever counts the rows, in whatever order and wherever they
are. A model that looks beyond its group (at the whole release, or at a population) keeps the table
in one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Counts, Flags, Ints, Labels
from shoal.encode.axes import Axis
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.encode.shards import Cuts, Grid, Shards, cut
from shoal.engines.dividing import Elsewhere
from shoal.engines.pacing import hurried, timed
from shoal.engines.widest_cells import divided
from shoal.groups import Groups, InTurn, Note, Watch
from shoal.kernels.costs import Costs
from shoal.partition.leaving_out import notes_together
from shoal.privacy.column import Column, Sensitive, ascending
from shoal.recipe import Plan
from shoal.review.prechecks.feasible import all_rows_are_best

LEAST = 20  # groups of the smallest size that a shard must have room for


@dataclass(frozen=True)
class ShardTally:
    """Rows of each shard, and of each sensitive value in it, missing last.

    Adds up over parts of a table.
    """

    sizes: Counts
    values: tuple[Counts, ...]  # [column][shard, value]

    @classmethod
    def of(cls, shard: Ints, count: int, sensitive: Sequence[Profile]) -> ShardTally:
        """Count rows, given by the shard of each and their codes on the sensitive columns."""
        sizes = np.bincount(shard, minlength=count).astype(np.int64)
        wide = [column.size + 1 for column in sensitive]
        keys = [
            shard.astype(np.int64) * many + column.codes
            for column, many in zip(sensitive, wide, strict=True)
        ]
        values = [
            np.bincount(key, minlength=count * many) for key, many in zip(keys, wide, strict=True)
        ]
        return cls(sizes, tuple(some.astype(np.int64).reshape(count, -1) for some in values))

    def __add__(self, other: ShardTally) -> ShardTally:
        return ShardTally(
            self.sizes + other.sizes,
            tuple(a + b for a, b in zip(self.values, other.values, strict=True)),
        )

    def joined(self, number: Ints) -> ShardTally:
        """Add up shards that bear the same number."""
        starts = np.flatnonzero(np.diff(number, prepend=-1))
        return ShardTally(
            np.add.reduceat(self.sizes, starts),
            tuple(np.add.reduceat(some, starts) for some in self.values),
        )

    def elsewhere(self, shard: int) -> Elsewhere:
        """Count the rows of all other shards."""
        rows = int(self.sizes.sum() - self.sizes[shard])
        return Elsewhere(rows, tuple(some.sum(axis=0) - some[shard] for some in self.values))


@dataclass(frozen=True)
class Countable:
    """A table whose rows may lie anywhere, as far as cutting it into shards needs to know it."""

    axes: Sequence[Axis]
    costs: Costs
    sensitive: Sequence[Profile]  # only their values are looked at
    counting: Callable[[Grid, Cuts], Sequence[Counts]]
    """Sums `grid.counted(cuts, codes)` over all rows."""
    tallying: Callable[[Shards], ShardTally]
    """Sums `ShardTally.of(shards.shard_of(codes), ...)` over all rows."""


def cut_table(
    table: Countable, plan: Plan, shards: int, most: int | None = None
) -> tuple[Shards, ShardTally]:
    """Cut a table into at most `shards` shards that can keep every promise; tally their rows.

    Shards join until each can do so amply; or, where one would then have more than `most` rows,
    until each just can.
    """
    sensitive = table.sensitive
    if any(model.judges != "group" for model in plan.models):
        shards = 1
    grid = Grid.of(table.axes, table.costs)
    least = LEAST * _least(plan)
    finest = Shards.of(cut(grid, shards, least, lambda cuts: table.counting(grid, cuts)))
    tally = table.tallying(finest)

    number = finest.joining(tally.sizes, _fitting(tally, sensitive, plan, amply=True))
    if most is not None and tally.joined(number).sizes.max() > most:
        number = finest.joining(tally.sizes, _fitting(tally, sensitive, plan, amply=False))
    return finest.joined(number), tally.joined(number)


def _fitting(
    tally: ShardTally, sensitive: Sequence[Profile], plan: Plan, *, amply: bool
) -> Callable[[Ints], Flags]:
    """Make a check that takes the new number of each shard, and tells which joined shards fit."""
    return lambda number: fit(tally.joined(number), sensitive, plan, amply=amply)


def fit(
    tally: ShardTally, sensitive: Sequence[Profile], plan: Plan, *, amply: bool = False
) -> Flags:
    """Tell whether each shard is large enough, and all its rows together keep every promise.

    Amply: also if its values were twice as far from those of the table. A shard that only just
    keeps a promise could hardly be divided.
    """
    fits = np.asarray(tally.sizes >= _least(plan), np.bool_)
    columns = _columns(sensitive, tally, plan)
    for model in plan.models:
        if model.needs_sensitive and all_rows_are_best(model, withhold=plan.recipe.withhold > 0):
            for (order, column), counts in zip(columns, tally.values, strict=True):
                if not model.guards(column.name):
                    continue
                fits &= model.safe(counts[:, order], column)
                if amply:
                    fits &= model.safe(_further(counts)[:, order], column)
    return fits


def _further(counts: Counts) -> Counts:
    """Count the values of each shard, put twice as far from the table's: [shard, value]."""
    table = counts.sum(axis=0)
    sizes = counts.sum(axis=1, keepdims=True)
    rows = max(int(table.sum()), 1)
    return np.maximum(2 * counts - (table * sizes + rows // 2) // rows, 0)


def divided_in_shards(
    rows: Rows, plan: Plan, shard: Ints, tally: ShardTally, rng: np.random.Generator, watch: Watch
) -> Groups:
    """Divide all shards; number groups shard after shard, and inside each by their first row."""
    labels = np.empty(rows.count, np.int32)
    notes = list[Note]()
    groups = 0
    in_turn = InTurn(watch, rows.count)
    for number, seed in enumerate(seeds(rng, len(tally.sizes))):
        members = np.flatnonzero(shard == number)
        some = divided_shard(
            rows.shard(members), plan, tally.elsewhere(number), seed, in_turn.part(len(members))
        )
        labels[members] = np.where(some.labels < 0, some.labels, some.labels + groups)
        groups += some.count
        notes += some.notes
        if some.interrupted:
            plan = hurried(plan)
    cut = Note("shards", f"divided in {len(tally.sizes)} shards")
    return Groups(labels, groups, (cut, *notes_together(notes)))


def divided_shard(rows: Rows, plan: Plan, elsewhere: Elsewhere, seed: int, watch: Watch) -> Groups:
    """Divide one shard; number its groups by their first row.

    Its share of the rows is its share of a time limit.
    """
    share = rows.count / (rows.count + elsewhere.rows)
    generator = np.random.default_rng(seed)
    return divided(rows, timed(plan, share), generator, watch, elsewhere)


def seeds(rng: np.random.Generator, shards: int) -> list[int]:
    """Draw a seed for each shard."""
    return [int(seed) for seed in rng.integers(2**62, size=shards)]


def closed(groups: Groups, numbered: Labels) -> Groups:
    """Number groups again as they were numbered before some of them were withheld."""
    kept = groups.labels >= 0
    labels = np.full(len(groups.labels), -1, np.int32)
    labels[kept] = np.unique(numbered[kept], return_inverse=True)[1]
    return Groups(labels, groups.count, groups.notes)


def _columns(
    sensitive: Sequence[Profile], tally: ShardTally, plan: Plan
) -> list[tuple[Ints, Column]]:
    """Give the sensitive columns as models know them, and the order in which these see values."""
    asked = plan.hierarchies if any(model.needs_hierarchy for model in plan.models) else {}
    nobody = np.zeros(0, np.int32)
    return [
        (
            np.append(ascending(column.values), column.size),
            Sensitive.of(
                column.name, nobody, column.values, asked.get(column.name), counts.sum(axis=0)
            ).column,
        )
        for column, counts in zip(sensitive, tally.values, strict=True)
    ]


def _least(plan: Plan) -> int:
    """Give the smallest size that a group can have."""
    return max([plan.recipe.k, *(model.least for model in plan.models)])
