"""Every kind of frame comes in as one Arrow table and goes out as the kind it was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

import pyarrow as pa
import pytest

from shoal.adapters.frames import to_arrow
from shoal.errors import DataError, RecipeError
from terminal import PATIENCE

SECRET = "Zweig-Secret"
VALUES = {
    "ints": pa.array([1, -2, 2**53 + 1]),
    "floats": pa.array([1.5, None, -0.25]),
    "text": pa.array(["ø", "", None]),
    "bool": pa.array([True, False, True]),
    "dates": pa.array([date(2024, 2, 29), None, date(1901, 1, 1)]),
    "times": pa.array(
        [datetime(2024, 2, 29, 1, 2, 3, 4), None, datetime(1901, 1, 1)], pa.timestamp("us")
    ),
    "zoned": pa.array([datetime(2024, 2, 29, 1, 2, tzinfo=UTC)] * 3, pa.timestamp("us", "UTC")),
    "clock": pa.array([time(1, 2, 3), time(23, 59), None], pa.time64("us")),
    "decimals": pa.array([Decimal("1.50"), Decimal("-2.25"), None]),
    "levels": pa.DictionaryArray.from_arrays(
        pa.array([1, None, 1], pa.int32()), pa.array(["unused", "used"])
    ),
    "missing": pa.array([None, None, None], pa.string()),
    "constant": pa.array(["same"] * 3),
}


def pandas_numpy(table: pa.Table) -> Any:
    return table.to_pandas().set_index([[7, 7, 9]])


def pandas_arrow(table: pa.Table) -> Any:
    import pandas as pd

    return table.to_pandas(types_mapper=pd.ArrowDtype)


def pandas_nullable(table: pa.Table) -> Any:
    return table.to_pandas().convert_dtypes(dtype_backend="numpy_nullable")


def polars_eager(table: pa.Table) -> Any:
    import polars as pl

    return pl.from_arrow(table)


def polars_lazy(table: pa.Table) -> Any:
    return polars_eager(table).lazy()


def arrow_batch(table: pa.Table) -> Any:
    return table.combine_chunks().to_batches()[0]


def arrow_table(table: pa.Table) -> Any:
    return pa.concat_tables([table.slice(0, 1), table.slice(1)])


def duckdb_relation(table: pa.Table) -> Any:
    import duckdb

    return duckdb.from_arrow(table)


KINDS: dict[str, tuple[str, Callable[[pa.Table], Any]]] = {
    "pandas": ("pandas", pandas_numpy),
    "pandas-arrow": ("pandas", pandas_arrow),
    "pandas-nullable": ("pandas", pandas_nullable),
    "polars": ("polars", polars_eager),
    "polars-lazy": ("polars", polars_lazy),
    "pyarrow": ("pyarrow", arrow_table),
    "pyarrow-batch": ("pyarrow", arrow_batch),
    "duckdb": ("duckdb", duckdb_relation),
}


@pytest.fixture(params=[kind for kind, (library, _) in KINDS.items() if find_spec(library)])
def make(request: pytest.FixtureRequest) -> Callable[[pa.Table], Any]:
    return KINDS[request.param][1]


@pytest.mark.parametrize("name", VALUES)
def test_values_survive_the_way_in_and_out(make: Callable[[pa.Table], Any], name: str) -> None:
    values = VALUES[name].to_pylist()
    frame = make(pa.table({name: VALUES[name], "other": pa.array([1, 2, 3])}))
    table, back = to_arrow(frame)
    assert table.column_names == [name, "other"]
    assert table[name].to_pylist() == values
    assert all(column.num_chunks == 1 for column in table.columns)
    assert not pa.types.is_dictionary(table[name].type) and not pa.types.is_large_string(
        table[name].type
    )
    again = back(table)
    assert type(again) is type(frame)
    assert to_arrow(again)[0][name].to_pylist() == values


def test_a_published_table_of_other_columns_and_rows_goes_out(
    make: Callable[[pa.Table], Any],
) -> None:
    frame = make(pa.table({"age": [1, 2, 3], "name": ["x", "y", "z"]}))
    _, back = to_arrow(frame)
    published = pa.table({"age": ["[1, 2]", None], "n_lo": pa.array([1, 2])})
    again = back(published)
    assert type(again) is type(frame)
    assert to_arrow(again)[0].to_pydict() == published.to_pydict()


def test_a_table_without_rows_is_refused(make: Callable[[pa.Table], Any]) -> None:
    no_rows = make(pa.table({"a": pa.array([1, 2, 3])}))
    no_rows = no_rows.limit(0) if make in (duckdb_relation, polars_lazy) else no_rows[0:0]
    with pytest.raises(DataError, match="no rows"):
        to_arrow(no_rows)


def test_unused_levels_never_travel() -> None:
    pl = pytest.importorskip("polars")
    pd = pytest.importorskip("pandas")
    for frame in (
        pd.DataFrame({"c": pd.Categorical(["a"], categories=["a", SECRET])}),
        pl.DataFrame({"c": pl.Series(["a"], dtype=pl.Enum(["a", SECRET]))}),
    ):
        table, back = to_arrow(frame)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        assert SECRET.encode() not in sink.getvalue().to_pybytes()
        assert SECRET not in str(back(table)["c"].dtype)


@pytest.mark.parametrize("name", [None, "age", "", 7])
def test_an_index_without_a_name_of_its_own_is_no_column_and_never_comes_back(name: Any) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [1, 2]}, index=pd.Index(["Ann", "Bo"], name=name))
    table, back = to_arrow(frame)
    again = back(table)
    assert table["age"].to_pylist() == [1, 2]
    assert table.column_names == ["age"] and not table.schema.metadata
    assert (
        isinstance(again.index, pd.RangeIndex)
        and again.index.name is None
        and list(again.columns) == ["age"]
    )


def test_an_index_with_a_name_is_looked_at_like_any_column() -> None:
    pd = pytest.importorskip("pandas")
    levels = [pd.Categorical(["Ann", "Bo"]), pd.to_datetime(["2024-01-01", "2024-01-02"])]
    index = pd.MultiIndex.from_arrays(levels, names=["person", "seen"])
    table, back = to_arrow(pd.DataFrame({"age": [1, 2]}, index=index))
    assert table.column_names == ["person", "seen", "age"]
    assert table["person"].to_pylist() == ["Ann", "Bo"]
    again = back(table.select(["age"]))
    assert isinstance(again.index, pd.RangeIndex) and list(again.columns) == ["age"]


def test_columns_of_pandas_keep_their_family_of_types() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None], "Int64"),
            "a": pd.array([1, None], "int64[pyarrow]"),
            "f": [1.5, None],
        }
    )
    table, back = to_arrow(frame)
    assert list(back(table).dtypes) == list(frame.dtypes)
    assert back(table)["n"].isna().tolist() == [False, True]


def test_objects_of_pandas_are_read_by_what_they_hold() -> None:
    pd = pytest.importorskip("pandas")
    objects = {
        "text": ["a", None, float("nan")],
        "number": [1, 2.5, None],
        "date": [date(2024, 1, 2), None, pd.NaT],
        "bool": [True, None, False],
    }
    table, _ = to_arrow(
        pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in objects.items()})
    )
    assert [str(kind) for kind in table.schema.types] == ["string", "double", "date32[day]", "bool"]
    assert table["text"].to_pylist() == ["a", None, None]


@pytest.mark.parametrize(
    "values",
    [
        [SECRET, 1],
        [1, SECRET],
        [1.5, SECRET],
        [True, 1],
        [1.5, True],
        [date(2024, 1, 1), datetime(2024, 1, 1, 3)],
        [datetime(2024, 1, 1, 3), date(2024, 1, 1)],
        [10**30, 1],
        [[1], SECRET],
        [object(), object()],
        [SECRET, b"x"],
    ],
)
def test_mixed_objects_are_refused_by_column_alone(values: list[object]) -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="column 'mix'") as refused:
        to_arrow(pd.DataFrame({"mix": pd.Series(values, dtype=object)}))
    assert SECRET not in str(refused.value) and refused.value.__suppress_context__ | (
        refused.value.__context__ is None
    )


def test_names_that_are_no_names_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    twice = [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.table([[1], [2]], names=["a", "a"]),
        duckdb.sql("select 1 as a, 2 as a"),
    ]
    for frame in twice:
        with pytest.raises(DataError, match="columns: 1, 2"):
            to_arrow(frame)
    with pytest.raises(DataError, match="not text"):
        to_arrow(pd.DataFrame([[1, 2]]))
    with pytest.raises(DataError, match="no columns"):
        to_arrow(pd.DataFrame())
    with pytest.raises(DataError, match="without a name"):
        to_arrow(pa.table({"": [1]}))


def test_what_a_failing_query_quotes_stays_behind() -> None:
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    lazy = pl.LazyFrame({"a": [SECRET]}).select(pl.col("a").cast(pl.Int64))
    for frame in (lazy, duckdb.sql(f"select cast(x as int) as a from (values ('{SECRET}')) t(x)")):
        with pytest.raises(DataError, match="can't be turned into a table") as refused:
            to_arrow(frame)
        assert SECRET not in str(refused.value) and refused.value.__suppress_context__


@pytest.mark.parametrize("thing", [3, "people", None, [1, 2], {"a": [1]}, pa.array([1])], ids=str)
def test_what_is_no_table_is_refused(thing: object) -> None:
    with pytest.raises(RecipeError, match="is no table"):
        to_arrow(thing)


def test_a_series_is_no_table() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    for series in (pd.Series([1]), pl.Series([1])):
        with pytest.raises(RecipeError, match="Series is no table"):
            to_arrow(series)


def test_no_library_is_imported_that_the_caller_has_not() -> None:
    """Of pandas nothing is asked: PyArrow itself imports it where it is installed."""
    script = (
        "import sys, pyarrow as pa; from shoal.adapters.frames import to_arrow; t, back = "
        "to_arrow(pa.table({'a': [1]})); "
    )
    script += (
        "back(t); print(sorted({'polars', 'duckdb', 'pyspark', 'dask', 'ibis'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout.strip() == "[]", done.stderr
