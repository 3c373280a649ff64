"""Published cells read back: known answers on lines and trees, and every cell of a release covers
the row it stands for.
"""

from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.encode.axes import Axis, axis_of
from shoal.encode.profile import profile
from shoal.recode.reading import as_it_is, lacking, point, printed, runs
from tables import samples

CITIES = Hierarchy.nested({"north": ["oslo", "bergen"], "south": ["rome", "bari", "pisa"]})


def axis(values: list, hierarchy: Hierarchy | None = None) -> Axis:
    return axis_of(profile(pa.array(values), "c"), hierarchy)[0]


def read(cells: list, on: Axis) -> list[tuple[int, int] | None]:
    found = runs(on, printed(pa.table({"c": pa.array(cells, pa.string())}), "c").cells)
    return [
        None if u else (a, b) for a, b, u in zip(found.first, found.last, found.unread, strict=True)
    ]


def test_on_a_line():
    line = axis([10, 20, 30])
    assert read(["20", "[10, 25]", "[21, 29]", "*", "old", None], line) == [
        (1, 1),
        (0, 1),
        (2, 1),
        (0, 3),
        None,
        (3, 3),
    ]
    found = runs(line, printed(pa.table({"c": ["[5, 25.5]", "*"]}), "c").cells)
    assert found.low[0] == 5.0 and found.high[0] == 25.5 and np.isnan(found.low[1])


def test_what_is_no_point_is_not_one():
    assert point("2.5", "number") == 2.5
    for text, kind in (
        ("inf", "number"),
        ("-Infinity", "number"),
        ("nan", "number"),
        ("1e999", "number"),
        ("NaT", "date"),
    ):
        assert np.isnan(point(text, kind))


def test_on_a_tree():
    tree = axis(["bari", "oslo", "rome"], CITIES)
    order = tree.values.to_pylist()
    assert order == ["oslo", "rome", "bari"]
    assert read(["north", "south", "rome", "*", "atlantis", None], tree) == [
        (0, 0),
        (1, 2),
        (1, 1),
        (0, 3),
        None,
        (3, 3),
    ]


def test_dates_and_quoted_texts():
    days = axis([datetime.date(1980, 1, 1), datetime.date(1980, 1, 3)])
    assert read(["[1980-01-01, 1980-01-02]", "1980-01-03"], days) == [(0, 0), (1, 1), (2, 2)]
    assert read(['"*"', "*"], axis(["*", "a"])) == [(0, 0), (0, 2), (2, 2)]
    assert as_it_is(pa.table({"c": ["*"]}), "c").cells[0].text == "*"


def test_two_columns_of_bounds():
    table = pa.table({"c_lo": [10, None, 20], "c_hi": [20, None, 20]})
    assert lacking(table, ["c", "d"]) == ["d"]
    column = printed(table, "c")
    found = runs(axis([10, 20, 30]), column.cells)
    pairs = list(zip(found.first[column.cell], found.last[column.cell], strict=True))
    assert pairs == [(0, 1), (0, 3), (1, 1)]


@pytest.mark.parametrize("publish", ["snapped", "tight", "bounds"])
def test_every_cell_covers_the_row_it_stands_for(publish):
    for sample in samples(40):
        columns = {
            f"c{i}": pa.array(c.cells, pa.float64() if c.tree is None else pa.string())
            for i, c in enumerate(sample.columns)
        }
        table = pa.table(columns)
        released = shoal.anonymize(
            table,
            quasi=list(columns),
            k=sample.k,
            method="mondrian",
            publish=publish,
            keep_order=True,
            seed=1,
        ).published
        for name in columns:
            on, codes = axis_of(profile(table[name].combine_chunks(), name), None)
            column = printed(released, name)
            found = runs(on, column.cells)
            assert ((found.first[column.cell] <= codes) & (codes <= found.last[column.cell])).all()
            assert not found.unread.any()
