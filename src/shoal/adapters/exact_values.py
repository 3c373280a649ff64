"""Exact values: which columns a format can hold as numbers or days without changing a cell.

A certificate hashes cells as they are spelled (`text_of`). A column whose numbers a format would
round is written there as text, so that whoever reads the file back finds the cells that were
recounted. Once a file is written it is read again, and what differs is refused.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import is_text, text_of, whole
from shoal.errors import DataError

WHOLE = 2**53
PLAINER = "write a .parquet or .csv file instead"


def as_floats(column: pa.Array, digits: int = 17) -> pa.Array | None:
    """Return a column of numbers as floats; None where some would not be the same number.

    `digits` says how many of them a format writes.
    """
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return None
    texts = text_of(column)
    floats = pc.cast(texts, pa.float64())
    there = np.asarray(floats.drop_null(), np.float64)
    if not np.isfinite(there).all():
        return None
    if digits < 17 and any(float(f"{each:.{digits}G}") != each for each in np.unique(there)):
        return None
    return floats if text_of(_whole(floats)).equals(texts) else None


def is_day(column: pa.Array, first: int = 0) -> bool:
    """Tell whether a column holds days, none before the first one (days since 1970)."""
    if not pa.types.is_date32(column.type):
        return False
    return bool(pc.all(pc.greater_equal(column.view(pa.int32()), first)).as_py() is not False)


def is_moment(column: pa.Array) -> bool:
    """Tell whether a column holds times of whole seconds in no zone, not all of them midnights."""
    if not pa.types.is_timestamp(column.type) or column.type.tz is not None:
        return False
    seconds = pc.cast(column, pa.timestamp("s"), safe=False)
    if not pc.cast(seconds, column.type).equals(column):
        return False
    numbers = np.asarray(seconds.drop_null().view(pa.int64()))
    return bool((numbers % 86_400 != 0).any())


def refuse_empty_texts(table: pa.Table, form: str) -> None:
    """Refuse empty texts in a format that can't tell them from missing values."""
    counts = {
        name: pc.sum(pc.equal(column, "")).as_py() or 0
        for name, column in zip(table.column_names, table.columns, strict=True)
        if is_text(column.type)
    }
    facts = {f"in '{name}'": count for name, count in counts.items() if count}
    if facts:
        problem = f"the release holds empty texts, which {form} can't tell from missing values"
        raise DataError(problem, dict(list(facts.items())[:5]), PLAINER)


def refuse_changed(table: pa.Table, read: Callable[[], pa.Table], form: str) -> None:
    """Refuse a file that was written and does not hold the cells of a table."""
    held = read()
    if held.column_names != table.column_names:
        raise DataError(f"{form} can't hold these names of columns", remedy=PLAINER)
    changed = [
        name
        for name in table.column_names
        if held.num_rows != table.num_rows
        or not text_of(whole(held[name])).equals(text_of(whole(table[name])))
    ]
    if changed:
        facts = {"columns": ", ".join(changed[:5])}
        raise DataError(f"{form} can't hold some cells as they are", facts, PLAINER)


def _whole(floats: pa.Array) -> pa.Array:
    """Return whole numbers as such, as readers do."""
    small = pc.less(pc.abs(floats), WHOLE)
    alike = pc.all(pc.and_(pc.equal(floats, pc.floor(floats)), small)).as_py()
    return floats.cast(pa.int64()) if alike else floats
