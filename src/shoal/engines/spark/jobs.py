"""Jobs: what is asked of a Spark DataFrame, classic or Connect, and what comes back. Nothing here
imports Spark.

What comes to the driver are counts, and what workers tell: one pickled object a row, in a column
`told`. A worker that must refuse tells the refusal. What a failing job says itself may quote cells,
and stays behind.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.adapters.plain_arrow import check_names, plain_column
from shoal.arrays import Counts
from shoal.errors import DataError, ShoalError

JUDGED_ROWS = 1_000_000  # that one task looks at, about, where rows that look alike meet

Frame = Any
"""A Spark DataFrame, classic or Connect."""


def is_frame(people: object) -> bool:
    """Tell whether this is a Spark DataFrame; import nothing."""
    return any(
        kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"
        for kind in type(people).__mro__
    )


def check_columns(frame: Frame) -> None:
    """Refuse columns without a name of their own, or whose names differ in capitals alone."""
    check_names(frame.columns, "the DataFrame")
    named = Counter(name.lower() for name in frame.columns)
    alike = [name for name in frame.columns if named[name.lower()] > 1]
    if alike:
        facts = {"names": ", ".join(f"'{name}'" for name in alike[:5])}
        raise DataError(
            "the DataFrame has column names that differ in capitals alone",
            facts,
            "rename one of them",
        )


def chosen(frame: Frame, names: Sequence[str]) -> Frame:
    """Choose columns by their place: names may hold what Spark reads as something else."""
    return frame.select(*quoted(names)).toDF(*(f"p{i}" for i in range(len(names))))


def quoted(names: Sequence[str]) -> list[str]:
    """Quote names as Spark's own language has them."""
    return ["`{}`".format(name.replace("`", "``")) for name in names]


def types_of(frame: Frame, names: Sequence[str]) -> dict[str, pa.DataType]:
    """Give the Arrow types of columns; nothing is read."""
    schema = running(lambda: chosen(frame, names).limit(0).toArrow()).schema
    plain = [plain_column(pa.array([], kind)).type for kind in schema.types]
    return {
        name: pa.string() if kind == pa.null() else kind
        for name, kind in zip(names, plain, strict=True)
    }


def schema_of(fields: Mapping[str, Any]) -> Any:
    """Declare columns with their types, each by its name in SQL or as Spark has it.

    Names inside of types may be anything.
    """
    from pyspark.sql.types import IntegerType, StringType, StructField, StructType

    plain = {"int": IntegerType(), "string": StringType()}
    return StructType(
        [
            StructField(name, plain[kind] if isinstance(kind, str) else kind)
            for name, kind in fields.items()
        ]
    )


def held(frame: Frame, until: ExitStack, *, refused: bool = False) -> Frame:
    """Compute a frame once, where the server can; let it go at the end.

    With `refused`, it is let go only where the end is a refusal.
    """
    cached = frame.persist()

    def let_go(kind: object, *_: object) -> None:
        if kind is not None or not refused:
            with suppress(Exception):  # a server that is gone holds nothing
                cached.unpersist()

    until.push(let_go)
    return cached


def meeting(frame: Frame, cells: Sequence[str], rows: int) -> Any:
    """Group rows so that those with equal cells are in one task, about `JUDGED_ROWS` in each."""
    buckets = max(-(-rows // JUDGED_ROWS), 1)
    return frame.selectExpr("*", f"pmod(hash({', '.join(cells)}), {buckets}) as bucket").groupBy(
        "bucket"
    )


def added(counted: Frame) -> pa.Table:
    """Add up counts from all parts of a table."""
    summed = counted.groupBy("column", "cell").agg({"times": "sum"}).toDF("column", "cell", "times")
    return collected(summed)


def filled(counted: pa.Table, column: int, shape: tuple[int, ...]) -> Counts:
    """Give the counts of one column, zeros included."""
    of = counted.filter(pc.equal(counted["column"], column))
    counts = np.zeros(int(np.prod(shape)), np.int64)
    counts[np.asarray(of["cell"], np.int64)] = np.asarray(of["times"], np.int64)
    return counts.reshape(shape)


def told(*frames: Frame) -> list[Any]:
    """Run one job for all these frames and give what its workers told; raise a refusal."""
    together = reduce(lambda some, more: some.union(more), frames)
    objects = [pickle.loads(each) for each in collected(together)["told"].to_pylist()]
    for each in objects:
        if isinstance(each, ShoalError):
            raise each
    return objects


def collected(frame: Frame) -> pa.Table:
    """Run a job and collect what it counted."""
    return running(frame.toArrow)


def running(job: Callable[[], Any]) -> Any:
    """Run a job; keep back what a failing one says, since it may quote cells."""
    try:
        return job()
    except Exception as error:
        raise DataError(
            "a job on Spark failed",
            {"error": type(error).__name__},
            "look into the logs of the server",
        ) from None
