"""Batches: the rows that a worker is handed as arrays, and what it found as rows again."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa

from shoal.adapters.plain_arrow import plain_column
from shoal.arrays import Codes, Counts

Batches = Iterable[pa.RecordBatch]
Worker = Callable[[Batches], Iterator[pa.RecordBatch]]
"""What is done with some rows of a table."""
Gatherer = Callable[[pa.Table], pa.Table]
"""What is done with all rows of a group."""

AT_ONCE = 2**17  # rows that are coded together


def gathered(batches: Batches, types: dict[str, pa.DataType]) -> Iterator[pa.Table]:
    """Gather rows as plain columns of known types, many at once, however few are sent."""
    for some in several(batches):
        table = pa.Table.from_batches(some).rename_columns(list(types))
        yield pa.table(
            {name: plain_column(table[name]).cast(kind, safe=False) for name, kind in types.items()}
        )


def coded_rows(batches: Batches, width: int) -> Iterator[Codes]:
    """Gather coded rows, many at once."""
    for some in several(batches):
        yield array_of(pa.Table.from_batches(some), width)


def several(batches: Batches) -> Iterator[list[pa.RecordBatch]]:
    """Put small batches together."""
    waiting = list[pa.RecordBatch]()
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= AT_ONCE:
            yield waiting
            waiting = []
            rows = 0
    if rows:
        yield waiting


def array_of(part: pa.Table | pa.RecordBatch, many: int, kind: str = "c") -> Codes:
    """Give the first columns of a kind as an array: [column, row]."""
    columns = [np.asarray(part.column(f"{kind}{i}"), np.int32) for i in range(many)]
    return np.array(columns, np.int32).reshape(many, part.num_rows)


def counted(number: int, counts: Counts) -> pa.RecordBatch:
    """Give counts that are not zero as rows."""
    there = np.flatnonzero(counts)
    return batch_of(
        column=pa.array(np.full(len(there), number, np.int32)),
        cell=pa.array(there),
        times=pa.array(counts[there]),
    )


def batch_of(**columns: pa.Array) -> pa.RecordBatch:
    """Make a batch of columns of equal length."""
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def in_utc(rows: pa.Table) -> pa.Table:
    """Move moments to UTC, the one zone in which Spark takes them back."""
    zoned = [pa.types.is_timestamp(kind) and kind.tz is not None for kind in rows.schema.types]
    there = zip(rows.schema, zoned, strict=True)
    return rows.cast(
        pa.schema(
            [
                field.with_type(pa.timestamp("us", "UTC")) if moment else field
                for field, moment in there
            ]
        )
    )


def telling(told: object) -> pa.Table:
    """Pickle anything for the driver, as one row."""
    return pa.table({"told": pa.array([pickle.dumps(told)], pa.binary())})


def as_texts(values: pa.Array) -> pa.Array:
    """Spell values as texts from which they can be made again, exactly."""
    if pa.types.is_temporal(values.type):
        bits = pa.int32() if values.type.bit_width == 32 else pa.int64()
        values = values.cast(bits)
    return values.cast(pa.string())


def from_texts(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Read the values that `as_texts` spelled."""
    if pa.types.is_temporal(kind):
        return texts.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(kind)
    return texts.cast(kind)
