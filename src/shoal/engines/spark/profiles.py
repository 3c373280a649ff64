"""Profiles: the different values of all columns of a DataFrame, counted where its rows lie."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.adapters.plain_arrow import plain_column
from shoal.arrays import Counts
from shoal.declare.columns import kind_of
from shoal.encode.profile import without_nan
from shoal.engines.profiles import Streamed
from shoal.engines.spark import jobs, workers
from shoal.engines.spark.batches import from_texts
from shoal.engines.spark.jobs import Frame
from shoal.errors import DataError

MOST_VALUES = 5_000_000  # different values of all columns together, which the driver holds


def profiles(frame: Frame, types: Mapping[str, pa.DataType]) -> dict[str, Streamed]:
    """Count the different values of all columns of a frame, in one job."""
    counted = frame.mapInArrow(workers.counting(dict(types)), "column int, text string, times long")
    summed = counted.groupBy("column", "text").agg({"times": "sum"}).toDF("column", "text", "times")
    table = jobs.collected(summed.limit(MOST_VALUES + 1))
    if table.num_rows > MOST_VALUES:
        facts = {"different values": f"more than {MOST_VALUES:,}"}
        raise DataError(
            "the columns have too many different values", facts, "round them, or leave some out"
        )
    by_name = {}
    for number, (name, kind) in enumerate(types.items()):
        of = table.filter(pc.equal(table["column"], number))
        by_name[name] = profile_of(
            name, kind, plain_column(of["text"]), np.asarray(of["times"], np.int64)
        )
    return by_name


def profile_of(name: str, kind: pa.DataType, texts: pa.Array, times: Counts) -> Streamed:
    """Make the profile of a column from its values as `workers.counting` spells them.

    A value may be there in two spellings.
    """
    values = from_texts(texts, kind)
    if pa.types.is_floating(kind) and pc.any(pc.is_inf(values)).as_py():
        raise DataError(
            f"column '{name}' holds infinite numbers",
            remedy="replace them by the largest real value",
        )
    values = without_nan(values, name)
    both = pa.table({"value": values, "times": times}).filter(pc.is_valid(values))
    added = both.group_by("value").aggregate([("times", "sum")]).sort_by("value")
    different = plain_column(added["value"])
    counts = np.asarray(added["times_sum"], np.int64)
    none = np.zeros(0, np.int32)
    rows = int(times.sum())
    return Streamed(name, kind_of(different.type, name), different, none, counts, rows)
