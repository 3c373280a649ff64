"""Added rows: rows of a release that the table does not have, of people who left or of nobody."""

from __future__ import annotations

import pyarrow as pa

from shoal.declare.columns import whole
from shoal.errors import DataError
from shoal.wording import Remedy, Set


def among(released: pa.Table, rows: pa.Table) -> pa.Table:
    """Put rows among those of a release; all then stand in an order without meaning."""
    columns = [_of_kind(rows[name], released[name], name) for name in released.column_names]
    table = pa.concat_tables([released, pa.table(columns, schema=released.schema)])
    return table.sort_by([(name, "ascending") for name in table.column_names])


def _of_kind(added: pa.ChunkedArray, beside: pa.ChunkedArray, name: str) -> pa.Array:
    """Turn values into the type of a column; what Arrow says of it would quote one."""
    try:
        return whole(added.cast(beside.type))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    facts = {"type now": str(beside.type), "published": "nothing"}
    problem = f"column '{name}' holds values of another type than when it was published before"
    way = Set("read_as", {name: "text"}, "read it as text")
    raise DataError(problem, facts, Remedy(way))
