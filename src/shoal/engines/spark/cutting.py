"""Cutting: the shards of a DataFrame, by counts that tasks add up."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Counts
from shoal.encode.shards import MOST_LEVELS, Cuts, Grid, Shards
from shoal.engines.encoding import Coded
from shoal.engines.sharding import Countable, ShardTally, cut_table, seeds
from shoal.engines.spark import jobs, workers
from shoal.engines.spark.jobs import Frame
from shoal.engines.spark.people import representing
from shoal.recipe import Plan

SHARD = 500_000  # rows of a shard, about
MOST_SHARDS = 2**MOST_LEVELS


def cut(
    table: Coded, coded: Frame, plan: Plan, seed: int, shards: int | None
) -> tuple[Shards, workers.Division]:
    """Cut a table into shards, and say how each is to be divided.

    Takes one job for each level of cuts, and one more.
    """
    wide = [column.size + 1 for column in table.sensitive]

    units = coded
    if table.person is not None:
        units = representing(coded, table)

    def counting(grid: Grid, cuts: Cuts) -> list[Counts]:
        counts = jobs.added(
            units.mapInArrow(workers.placing(grid, cuts), "column int, cell long, times long")
        )
        shapes = [(len(cuts.open), len(first)) for first in grid.first]
        return [jobs.filled(counts, a, shape) for a, shape in enumerate(shapes)]

    def tallying(cuts: Shards) -> ShardTally:
        worker = workers.tallying(cuts, table)
        counts = jobs.added(coded.mapInArrow(worker, "column int, cell long, times long"))
        values = (
            jobs.filled(counts, i, (cuts.count, many)) for i, many in enumerate(wide, start=1)
        )
        return ShardTally(jobs.filled(counts, 0, (cuts.count,)), tuple(values))

    asked = min(-(-table.count // SHARD), MOST_SHARDS) if shards is None else shards
    countable = Countable(table.axes, table.costs, table.sensitive, counting, tallying)
    cuts, tally = cut_table(countable, plan, asked)
    if cuts.count == 1:
        return cuts, workers.Division(table, plan, tally, (seed,), whole=True)
    own = seeds(np.random.default_rng(seed), cuts.count)
    return cuts, workers.Division(table, plan, tally, tuple(own), whole=False)
