"""Workers: work on a part of a table wherever its rows lie. Arrow in, Arrow out.

| function | takes | gives |
|---|---|---|
| `counting` | some rows | how often each value of each column occurs |
| `coding` | some rows | the same rows as codes |
| `numbering` | some rows | the same rows as codes along the values of their columns |
| `placing` | coded rows | rows of each open part of a table by place, for the next cuts |
| `sharding` | coded rows | the same rows with the number of their shard |
| `tallying` | rows of shards | rows of each shard, and of each of its sensitive values |
| `leaking` | a sample of coded rows | columns that take too much of a quasi-identifier |
| `combining` | coded rows | how often each combination of kept columns occurs |
| `dividing` | all rows of a shard | these rows with the boxes of their groups, and figures |
| `attacking` | all rows of the first shard | what attacks find that look for some of its people |
| `labelling` | all rows of a shard | the same rows with the number of their group |
| `recoding` | rows with boxes | the same rows as published |

Columns go by their place (`c0` codes, `lo0` and `hi0` boxes, `p0` published, `r0` carried along),
so that no name of the table's can be in the way. Nothing depends on the order in which rows arrive,
nor on how they are batched: a part that is worked on twice gives the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Codes, Counts, Ints, Longs
from shoal.encode.shards import Cuts, Grid, Shards
from shoal.engines.attacked import attacked_rows
from shoal.engines.cells import cells_on
from shoal.engines.encoding import Coded, taken
from shoal.engines.losses import of_shard
from shoal.engines.people import PublishedPeople, persons_of
from shoal.engines.prechecks import leaks_in, tally_of
from shoal.engines.profiles import Streamed
from shoal.engines.sharding import ShardTally, divided_shard
from shoal.engines.spark.batches import (
    Batches,
    Gatherer,
    Worker,
    array_of,
    as_texts,
    batch_of,
    coded_rows,
    counted,
    gathered,
    in_utc,
    several,
    telling,
)
from shoal.engines.widest_cells import divided
from shoal.errors import ShoalError
from shoal.flows.attacked import withstood
from shoal.groups import Groups, Note, unwatched
from shoal.kernels.costs import boxes
from shoal.recipe import Plan
from shoal.review.kept_columns import KeptTally


@dataclass(frozen=True)
class ShardTold:
    """Figures of a shard that a worker divided."""

    number: int
    sizes: Counts
    times: Counts  # how many groups have each of these sizes
    losses: dict[str, float]
    notes: tuple[Note, ...]
    # [axis, end]: the least and the largest code of groups in which nobody's value is missing
    ranges: Ints
    people: PublishedPeople | None = None


def counting(types: dict[str, pa.DataType]) -> Worker:
    """Count each value of each column, values as texts: (column, text, times)."""

    def count(batches: Batches) -> Iterator[pa.RecordBatch]:
        for table in gathered(batches, types):
            for number, column in enumerate(table.columns):
                values = pc.value_counts(column.chunk(0))
                texts = as_texts(values.field(0))
                times = pc.cast(values.field(1), pa.int64())
                numbers = pa.array(np.full(len(values), number, np.int32))
                yield batch_of(column=numbers, text=texts, times=times)

    return count


def coding(table: Coded, types: dict[str, pa.DataType], carried: Sequence[str] = ()) -> Worker:
    """Encode rows; `carried` columns go with them as they are."""

    def code(batches: Batches) -> Iterator[pa.RecordBatch]:
        for part in gathered(batches, types):
            codes = {f"c{i}": pa.array(of) for i, of in enumerate(table.code(part))}
            yield batch_of(
                **codes, **{f"r{i}": part[name].chunk(0) for i, name in enumerate(carried)}
            )

    return code


def numbering(columns: Sequence[Streamed], types: dict[str, pa.DataType]) -> Worker:
    """Encode rows along the values of these columns."""

    def number(batches: Batches) -> Iterator[pa.RecordBatch]:
        for part in gathered(batches, types):
            yield batch_of(
                **{
                    f"c{i}": pa.array(of.code(part[of.name].chunk(0)))
                    for i, of in enumerate(columns)
                }
            )

    return number


def placing(grid: Grid, cuts: Cuts) -> Worker:
    """Count rows of each open part by place: (axis, cell, times), cells numbered part by part."""

    def place(batches: Batches) -> Iterator[pa.RecordBatch]:
        sums: list[Counts] | None = None
        for codes in coded_rows(batches, len(grid.first)):
            more = grid.counted(cuts, codes)
            sums = more if sums is None else [a + b for a, b in zip(sums, more, strict=True)]
        yield from (counted(axis, of.ravel()) for axis, of in enumerate(sums or []))

    return place


def sharding(shards: Shards, table: Coded) -> Worker:
    """Number the shard of each row, which is that of its person where people have several."""
    axes = len(table.axes)
    kind = table.placed_by

    def shard(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            number = shards.shard_of(array_of(batch, axes, kind)).astype(np.int32)
            yield pa.RecordBatch.from_arrays(
                [pa.array(number), *batch.columns], names=["shard", *batch.schema.names]
            )

    return shard


def tallying(shards: Shards, table: Coded) -> Worker:
    """Count rows (column 0) and sensitive values of each shard: (column, cell, times)."""
    axes = len(table.axes)
    sensitive = table.sensitive

    def tally(batches: Batches) -> Iterator[pa.RecordBatch]:
        total: ShardTally | None = None
        for rows in several(batches):
            part = pa.Table.from_batches(rows)
            codes = array_of(part, axes + len(sensitive))
            columns = [
                replace(column, codes=of)
                for column, of in zip(sensitive, codes[axes:], strict=True)
            ]
            shard = shards.shard_of(array_of(part, axes, table.placed_by))
            some = ShardTally.of(shard, shards.count, columns)
            total = some if total is None else total + some
        if total is not None:
            cells = [total.sizes, *total.values]
            yield from (counted(column, of.ravel()) for column, of in enumerate(cells))

    return tally


def combining(table: Coded, plan: Plan) -> Worker:
    """Count the combinations of kept columns in a part of the rows."""

    width = table.published

    def combine(batches: Batches) -> Iterator[pa.RecordBatch]:
        tallies = [tally_of(table, codes, plan) for codes in coded_rows(batches, width)]
        if tallies:
            yield from telling(KeptTally.together(tallies)).to_batches()

    return combine


def leaking(table: Coded, plan: Plan) -> Gatherer:
    """Find columns published as they are that take too much of a quasi-identifier in a sample."""
    width = table.published

    def leak(part: pa.Table) -> pa.Table:
        return telling(leaks_in(table, array_of(part, width), plan))

    return leak


@dataclass(frozen=True)
class Division:
    """Divides a shard alike, wherever and however often it is worked on."""

    table: Coded
    plan: Plan
    tally: ShardTally
    seeds: tuple[int, ...]
    whole: bool  # the table is a single shard

    def groups_of(self, number: int, codes: Ints) -> Groups:
        """Divide a shard whose rows stand in the order of their codes."""
        rows = self.table.rows(codes)
        if self.whole:
            return divided(rows, self.plan, np.random.default_rng(self.seeds[0]), unwatched)
        return divided_shard(
            rows, self.plan, self.tally.elsewhere(number), self.seeds[number], unwatched
        )


def dividing(division: Division) -> Gatherer:
    """Divide a shard: published rows with boxes, then one row of figures or a refusal."""
    table = division.table
    axes = len(table.axes)
    every = table.published

    def divide(part: pa.Table) -> pa.Table:
        number, codes, _ = _in_order(part, table)
        try:
            groups = division.groups_of(number, codes)
            ends = np.array(boxes(np.ascontiguousarray(codes[:axes]), groups.labels, groups.count))
            told: object = _told(division, number, codes, groups, ends)
        except ShoalError as error:
            groups = Groups(np.full(codes.shape[1], -1, np.int32), 0)
            ends = np.zeros((2, axes, 0), np.int32)
            told = error
        kept = _mixed(groups, codes[axes:every], division.seeds[number])
        of_rows = {
            f"{end}{a}": ends[i, a, groups.labels[kept]]
            for a in range(axes)
            for i, end in enumerate(("lo", "hi"))
        }
        rows = pa.table(of_rows | {f"c{i}": codes[i, kept] for i in range(axes, every)})
        both = pa.concat_tables([rows, telling(told)], promote_options="default")
        return both.select([*rows.column_names, "told"])

    return divide


def _mixed(groups: Groups, beside: Codes, seed: int) -> Longs:
    """Choose the published rows in an order that tells nothing, for writers that don't sort.

    Groups come in random order, and inside each rows are sorted by what is published as it is.
    """
    turn = np.random.default_rng([seed, 1]).permutation(groups.count)
    kept = np.flatnonzero(groups.labels >= 0)
    return kept[np.lexsort((*beside[::-1, kept], turn[groups.labels[kept]]))]


def recoding(table: Coded, plan: Plan, ranges: Ints) -> Worker:
    """Publish rows from the boxes of their groups; `ranges` of all groups decide on grids."""

    def recode(batches: Batches) -> Iterator[pa.RecordBatch]:
        for some in several(batches):
            part = pa.Table.from_batches(some)
            ends = (array_of(part, len(table.axes), "lo"), array_of(part, len(table.axes), "hi"))
            columns = _cells(table, *ends, plan, ranges)
            for i, column in enumerate(table.beside, start=len(table.axes)):
                columns.append(taken(column.shown, np.asarray(part[f"c{i}"], np.int32)))
            yield batch_of(**{f"p{i}": column for i, column in enumerate(columns)})

    return recode


def attacking(division: Division, ranges: Ints) -> Gatherer:
    """Attack people of some whole groups of a shard, in these groups alone; tell findings."""
    table = division.table

    def attacked(part: pa.Table) -> pa.Table:
        number, codes, _ = _in_order(part, table)
        groups = division.groups_of(number, codes)
        some = attacked_rows(groups)
        lo, hi = boxes(np.ascontiguousarray(codes[: len(table.axes)]), groups.labels, groups.count)
        rows = codes[: table.published, some]
        labels = groups.labels[some]
        cells = _cells(table, lo[:, labels], hi[:, labels], division.plan, ranges)
        shown = _published(table, cells, rows)
        try:
            told: object = withstood(table.values(rows), table.rows(rows), shown, division.plan)
        except ShoalError as error:
            told = error
        return telling(told)

    return attacked


def _published(table: Coded, cells: list[pa.Array], codes: Codes) -> pa.Table:
    """Put the cells of rows beside their other columns, sorted by all that is published."""
    beside = [
        taken(column.shown, of)
        for column, of in zip(table.beside, codes[len(table.axes) :], strict=True)
    ]
    names = [*(axis.name for axis in table.axes), *(column.name for column in table.beside)]
    shown = pa.table([*cells, *beside], names=names)
    return shown.sort_by([(name, "ascending") for name in names])


def labelling(division: Division, before: Sequence[int], carried: int) -> Gatherer:
    """Label the rows of a shard, of which `carried` columns are given, with their group.

    `before` counts the groups of earlier shards.
    """

    def label(part: pa.Table) -> pa.Table:
        number, codes, order = _in_order(part, division.table)
        labels = division.groups_of(number, codes).labels
        numbered = np.where(labels < 0, labels, labels + before[number]).astype(np.int32)
        rows = part.select([f"r{i}" for i in range(carried)]).take(pa.array(order))
        return in_utc(rows).append_column("group", pa.array(numbered))

    return label


def _in_order(part: pa.Table, table: Coded) -> tuple[int, Ints, Longs]:
    """Give the number of a shard, and its rows sorted by all their codes.

    Rows that tie are equal, so any order will do.
    """
    codes = array_of(part, table.width)
    order = np.lexsort(codes[::-1])
    return part["shard"][0].as_py(), np.ascontiguousarray(codes[:, order]), order


def _cells(table: Coded, lo: Codes, hi: Codes, plan: Plan, ranges: Ints) -> list[pa.Array]:
    """Write the cells of boxes on each axis ([axis, box]), beside the range of all groups."""
    columns = []
    for axis, low, high, (first, last) in zip(table.axes, lo, hi, ranges, strict=True):
        more = [first] if first <= last else []
        (cells,) = cells_on(
            axis, np.append(low, more), np.append(high, [last] if more else []), plan
        )
        columns.append(taken(cells.values, cells.codes[: len(low)]))
    return columns


def _told(division: Division, number: int, codes: Codes, groups: Groups, ends: Ints) -> ShardTold:
    """Tell what is known of a divided shard: sums, and means times its rows."""
    table = division.table
    ranges = np.array([[axis.size, -1] for axis in table.axes], np.int32)
    for a, (axis, lo, hi) in enumerate(zip(table.axes, *ends, strict=True)):
        there = hi < axis.size
        ranges[a] = lo[there].min(initial=axis.size), hi[there].max(initial=-1)
    sizes, times = np.unique(groups.sizes, return_counts=True)
    losses = of_shard(table, codes, groups)
    people = None
    if table.person is not None:
        recipe = division.plan.recipe
        kept = table.judged(codes, recipe.force_keep)
        person = persons_of(codes[table.published :])
        people = PublishedPeople.of(person, groups, kept, recipe.k)
    return ShardTold(number, sizes, times, losses, groups.notes, ranges, people)
