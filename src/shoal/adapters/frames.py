"""Frames: convert pandas, Polars, PyArrow and DuckDB tables to Arrow, and releases back.

| comes in | goes out |
|---|---|
| pandas DataFrame | the same, with a RangeIndex; NumPy, nullable and Arrow columns stay such |
| Polars DataFrame, LazyFrame | the same; a LazyFrame is collected once |
| PyArrow Table, RecordBatch | the same |
| DuckDB relation | a relation on the default connection |

Intervals (also of `pd.cut`) and periods of pandas are spelled as texts or days (`pandas_ranges`),
and understood like those of any file. Levels of an index that have a name of their own are looked
at like columns, since they often tell whose row it is; a release has no index. Column names must
be text.
No library is imported that the caller has not imported already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from shoal.adapters.pandas_ranges import spelled_ranges
from shoal.adapters.plain_arrow import check_names, plain
from shoal.errors import DataError, RecipeError

Back = Callable[[pa.Table], Any]
NAME = "the table"


def to_arrow(frame: Any) -> tuple[pa.Table, Back]:
    """Convert a frame to a plain Arrow table, and return the way back.

    That is a function which makes a published table the same kind of frame.

    >>> table, back = to_arrow(pa.table({"age": [39, 50]}))
    >>> back(table).num_rows
    2
    """
    if isinstance(frame, pa.Table):
        return plain(frame, NAME), _bare
    if isinstance(frame, pa.RecordBatch):
        return plain(pa.table(frame.columns, names=frame.schema.names), NAME), _batch
    if nw.dependencies.is_pandas_dataframe(frame):
        table = plain(_from_pandas(frame), NAME)
        return table, _pandas_like(frame)
    if nw.dependencies.is_polars_dataframe(frame):
        return plain(_collected(frame), NAME), _polars
    if nw.dependencies.is_polars_lazyframe(frame):
        return plain(_collected(frame), NAME), lambda table: _polars(table).lazy()
    if nw.dependencies.is_duckdb_relation(frame):
        check_names(frame.columns, NAME)  # before Arrow renames those used twice
        return plain(_collected(frame), NAME), _relation
    raise RecipeError(
        f"a {type(frame).__module__.split('.')[0]} {type(frame).__name__} is no table",
        {"tables": "pandas, Polars, PyArrow, DuckDB, or the path of a file"},
        "turn it into one of these, for example with pyarrow.table(...)",
    )


def _bare(table: pa.Table) -> pa.Table:
    return table.replace_schema_metadata(None)


def _batch(table: pa.Table) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [column.combine_chunks() for column in table.columns], names=table.column_names
    )


def _polars(table: pa.Table) -> Any:
    return nw.from_arrow(table, backend="polars").to_native()


def _relation(table: pa.Table) -> Any:
    return nw.from_native(table).lazy(backend="duckdb").to_native()


def _collected(frame: Any) -> pa.Table:
    """Collect a Polars or DuckDB table as Arrow.

    What a failing query says may quote cells, and so is not passed on.
    """
    table = nw.from_native(frame)
    try:
        eager = table.collect(backend="pyarrow") if isinstance(table, nw.LazyFrame) else table
        return eager.to_arrow()
    except Exception as error:
        kind = type(frame).__name__
        raise DataError(
            f"the {kind} can't be turned into a table", {"error": type(error).__name__}
        ) from None


def _from_pandas(frame: Any) -> pa.Table:
    names = list(frame.columns)
    check_names(names, NAME)
    levels = [place for place, name in enumerate(frame.index.names) if _names_a_level(name, names)]
    columns = {
        frame.index.names[place]: frame.index.get_level_values(place).to_series(index=frame.index)
        for place in levels
    }
    columns |= {name: frame[name] for name in names}
    return pa.table([_column(one, name) for name, one in columns.items()], names=list(columns))


def _names_a_level(name: object, columns: Sequence[str]) -> bool:
    """Tell whether the name of a level of an index could be that of a column."""
    return isinstance(name, str) and bool(name.strip()) and name not in columns


def _column(series: Any, name: str) -> pa.Array | pa.ChunkedArray:
    """Convert one pandas column.

    Arrow's refusals quote values, and of some mixtures it drops a part: dates beside times.
    """
    if series.dtype == object and _is_mixed(series):
        raise _mixed(name)
    series = spelled_ranges(series)
    try:
        return pa.Array.from_pandas(series)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise _mixed(name) from None


def _is_mixed(series: Any) -> bool:
    kinds = {type(value) for value in series[series.notna()]}
    return len({_family(kind) for kind in kinds}) > 1


def _family(kind: type) -> object:
    """Return the family of a type, whose values may stand in one column.

    Whole numbers and floats are one, of Python or NumPy.
    """
    if issubclass(kind, bool | np.bool_):
        return bool
    return float if issubclass(kind, int | float | np.number) else kind


def _mixed(name: str) -> DataError:
    return DataError(
        f"column '{name}' holds values of different types, or of none that a table can hold",
        remedy=(
            f"frame['{name}'] = frame['{name}'].astype(str), or numbers, or leave the column out"
        ),
    )


def _pandas_like(frame: Any) -> Back:
    """Return the way back to pandas.

    Each column gets the family of types that it, or most of the frame, came in.
    """
    import pandas as pd

    families = {name: _family_of(dtype, pd) for name, dtype in frame.dtypes.items()}
    kinds = list(families.values())
    usual = max(kinds, key=kinds.count)

    def back(table: pa.Table) -> Any:
        mappers = {"numpy": None, "arrow": pd.ArrowDtype, "nullable": _nullable(pd).get}
        columns = {
            name: table[name].to_pandas(types_mapper=mappers[families.get(name, usual)])
            for name in table.column_names
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))

    return back


def _family_of(dtype: Any, pd: Any) -> str:
    if isinstance(dtype, pd.ArrowDtype):
        return "arrow"
    if isinstance(dtype, pd.api.extensions.ExtensionDtype) and dtype.na_value is pd.NA:
        return "nullable"
    return "numpy"


def _nullable(pd: Any) -> dict[pa.DataType, Any]:
    """Map Arrow types to the pandas types that have a missing value of their own."""
    numbers = {
        f"{sign}Int{bits}": f"{sign.lower()}int{bits}"
        for sign in ("", "U")
        for bits in (8, 16, 32, 64)
    }
    numbers |= {"Float32": "float32", "Float64": "float64"}
    return {
        getattr(pa, arrow)(): pd.api.types.pandas_dtype(name) for name, arrow in numbers.items()
    } | {pa.bool_(): pd.BooleanDtype(), pa.string(): pd.StringDtype()}
