"""Dividing: groups of a table in memory, in one piece or shard by shard."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints
from shoal.encode.rows import Rows
from shoal.encode.shards import Shards
from shoal.engines.dividing import (
    divided,
    refuse_impossible,
    refuse_left_out,
    united,
    without_unsafe,
)
from shoal.engines.promises import promises_of
from shoal.engines.sharding import Countable, ShardTally, closed, cut_table, divided_in_shards
from shoal.groups import Groups, Watch
from shoal.privacy.persons import Persons
from shoal.privacy.promises import Promises
from shoal.recipe import Plan


def groups_of(
    rows: Rows, plan: Plan, rng: np.random.Generator, watch: Watch, shards: int = 1
) -> Groups:
    """Divide a whole table, or each of its shards alone, into groups that keep every promise."""
    if shards < 2 or plan.method.sets_levels:
        return divided(rows, plan, rng, watch)
    promises = promises_of(rows, plan)
    refuse_impossible(rows, plan, promises)
    shard, tally = _cut(rows, plan, promises, shards)
    if len(tally.sizes) == 1:
        return divided(rows, plan, rng, watch)
    groups = divided_in_shards(rows, plan, shard, tally, rng, watch)
    refuse_left_out(groups.withheld, rows.count, plan)
    return closed(without_unsafe(groups, plan, promises, rows.count), groups.labels)


def _cut(rows: Rows, plan: Plan, promises: Promises, shards: int) -> tuple[Ints, ShardTally]:
    """Give the shard of each row, all rows of a person being in one, and what shards hold."""
    units, guard = united(rows, promises, plan)
    tuples = units.distinct

    def shard_of(cut: Shards) -> Ints:
        of_units = cut.shard_of(units.codes)
        return of_units[guard.of] if isinstance(guard, Persons) else of_units

    countable = Countable(
        rows.axes,
        rows.costs,
        rows.sensitive,
        counting=lambda grid, cuts: grid.counted(cuts, tuples.codes, tuples.counts),
        tallying=lambda cut: ShardTally.of(shard_of(cut), cut.count, rows.sensitive),
    )
    cut, tally = cut_table(countable, plan, shards)
    return shard_of(cut), tally
