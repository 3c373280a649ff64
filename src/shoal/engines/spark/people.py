"""People: the rows of each person meet in one task, and learn which row represents them.

Each row gets the axis codes of that row (`u0` and so on), by which it goes to a shard, and
whether it is that row itself (`first`). Rows that say nothing of whose they are meet by their own
codes, so that they do not all go to one task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.engines.encoding import Coded
from shoal.engines.people import NOBODY, persons_of, represented_by
from shoal.engines.prechecks import tally_of
from shoal.engines.spark.batches import Batches, Gatherer, Worker, array_of, in_utc, telling
from shoal.engines.spark.jobs import JUDGED_ROWS, Frame, schema_of
from shoal.recipe import Plan


def united(coded: Frame, fields: Mapping[str, Any], table: Coded) -> Frame:
    """Plan coded rows with the codes of the row that represents their person."""
    more = {f"u{i}": "int" for i in range(len(table.axes))} | {"first": "int"}
    return meeting(coded, table).applyInArrow(uniting(table), schema_of({**fields, **more}))


def meeting(coded: Frame, table: Coded) -> Any:
    """Group coded rows so that all of a person are in one task, about `JUDGED_ROWS` in each."""
    buckets = max(-(-table.count // JUDGED_ROWS), 1)
    person = f"c{table.published}, c{table.published + 1}"
    every = ", ".join(f"c{i}" for i in range(table.width))
    alone = f"c{table.published} = {NOBODY}"
    met = f"case when {alone} then hash({every}) else hash({person}) end"
    return coded.selectExpr("*", f"pmod({met}, {buckets}) as bucket").groupBy("bucket")


def representing(coded: Frame, table: Coded) -> Frame:
    """Plan one row for each person, as codes on the axes."""
    codes = [f"u{i} as c{i}" for i in range(len(table.axes))]
    return coded.where("first = 1").selectExpr(*codes)


def uniting(table: Coded) -> Gatherer:
    """Add the codes of the row that represents each person to all rows of some people."""
    axes = len(table.axes)
    judged = axes + len(table.sensitive)

    def unite(part: pa.Table) -> pa.Table:
        codes = array_of(part, table.width)
        by = represented_by(persons_of(codes[table.published :]), codes[:judged])
        rows = in_utc(part.drop_columns(["bucket"]))
        for axis in range(axes):
            rows = rows.append_column(f"u{axis}", pa.array(codes[axis, by]))
        first = (by == np.arange(len(by))).astype(np.int32)
        return rows.append_column("first", pa.array(first))

    return unite


def combining(table: Coded, plan: Plan) -> Gatherer:
    """Count the people who hold each combination of kept columns."""

    def combine(part: pa.Table) -> pa.Table:
        return telling(tally_of(table, array_of(part, table.width), plan))

    return combine


def counting() -> Worker:
    """Count people by the rows that represent them."""

    def count(batches: Batches) -> Iterator[pa.RecordBatch]:
        people = sum(int(np.asarray(batch.column("first")).sum()) for batch in batches)
        yield from telling(people).to_batches()

    return count
