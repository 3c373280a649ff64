"""A release read back from any file is the release: the same groups, the same fingerprint; one
changed cell is another.
"""

from __future__ import annotations

import datetime as dt
import string
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as door
from shoal.adapters import files
from shoal.adapters.formulas import formulas
from shoal.declare.columns import text_of
from shoal.review.fingerprint import fingerprint
from shoal.review.recount import recount

ENDINGS = ("csv", "tsv", "parquet", "arrow", "csv.gz")


def endings_of(table):
    """Kinds of files that may hold a table: formulas stay out of CSV."""
    return ("parquet", "arrow") if formulas(table) else ENDINGS


HOSTILE = st.one_of(
    st.sampled_from(
        [
            "",
            "*",
            '"',
            '""',
            "[1, 2]",
            '"*"',
            "a,b",
            "a;b",
            "a\tb",
            "a|b",
            "a\nb",
            "\r\n",
            " ",
            "x (group)",
            "NA",
            "1",
        ]
    ),
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=5),
    st.text(string.punctuation + string.whitespace, max_size=4),
)
CELLS = {
    pa.string(): HOSTILE,
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False, allow_infinity=False),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(dt.date(1, 1, 1)),
    pa.timestamp("us"): st.datetimes(dt.datetime(1, 1, 1)),
    pa.time64("us"): st.times(),
    pa.decimal128(12, 3): st.integers(-(10**11), 10**11).map(lambda n: Decimal(n).scaleb(-3)),
}


@st.composite
def tables(draw: st.DrawFn, rows: tuple[int, int] = (1, 8)) -> pa.Table:
    count = draw(st.integers(*rows))
    kinds = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=4))
    cells = [
        draw(st.lists(st.none() | CELLS[kind], min_size=count, max_size=count)) for kind in kinds
    ]
    return pa.table(
        {
            f"c{i}": pa.array(column, kind)
            for i, (column, kind) in enumerate(zip(cells, kinds, strict=True))
        }
    )


@given(tables())
@settings(max_examples=30)
def test_any_table_comes_back_from_any_file(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("t")
    for ending in endings_of(table):
        files.write(table, folder / f"t.{ending}")
        again = files.read(folder / f"t.{ending}", typed=False)
        assert [text_of(column.combine_chunks()) for column in table.columns] == [
            c.combine_chunks() for c in again.columns
        ]
        assert fingerprint(again) == fingerprint(table)


@given(
    st.lists(st.tuples(HOSTILE, HOSTILE, st.integers(-5, 5)), min_size=2, max_size=20),
    st.integers(1, 4),
)
@settings(max_examples=30)
def test_a_release_with_hostile_labels_has_the_same_groups_in_every_file(tmp_path_factory, rows, k):
    folder = tmp_path_factory.mktemp("r")
    marks, words, ages = zip(*rows, strict=True)
    table = pa.table({"mark": marks, "word": words, "age": ages})
    release = door.anonymize(
        table,
        quasi=["mark", "age"],
        hierarchies={"mark": "flat"},  # else texts that are half numbers are refused
        keep="word",
        force_keep="word",
        k=min(k, len(rows)),
        keep_order=True,
    )
    for ending in endings_of(release.table):
        release.write(folder / f"r.{ending}")
        written = files.read(folder / f"r.{ending}", typed=False)
        groups = recount([written[name].combine_chunks() for name in ("mark", "age")])
        for label in np.unique(release.groups):
            assert len(set(groups.labels[release.groups == label])) == 1
        assert written["word"].to_pylist() == list(words)
        assert door.verify(folder / f"r.{ending}", release.certificate).holds


@given(tables((2, 6)), st.randoms())
@settings(max_examples=50)
def test_order_does_not_matter_and_every_cell_does(table, random):
    order = random.sample(range(table.num_rows), table.num_rows)
    assert fingerprint(table.take(pa.array(order))) == fingerprint(table)
    column = random.randrange(table.num_columns)
    row = random.randrange(table.num_rows)
    texts = [text_of(c.combine_chunks()).to_pylist() for c in table.columns]
    for other in ("another", None, ""):
        changed = [list(cells) for cells in texts]
        if changed[column][row] == other:
            continue
        changed[column][row] = other
        columns = {
            name: pa.array(cells, pa.string())
            for name, cells in zip(table.column_names, changed, strict=True)
        }
        assert fingerprint(pa.table(columns)) != fingerprint(table)


def of(**columns: list[object]) -> str:
    return fingerprint(pa.table(columns))


def test_what_could_be_mistaken():
    assert of(a=["x", "y"], b=["1", "2"]) != of(a=["x", "y"], b=["2", "1"])
    assert of(a=["x", "x", "y"]) != of(a=["x", "y", "y"])
    assert of(a=["x"], b=["y"]) != of(b=["x"], a=["y"])
    assert of(a=["x"]) != of(b=["x"])
    assert of(a=["x\x1fy"], b=["z"]) != of(a=["x"], b=["y\x1fz"])
    assert of(a=["\x1e"]) != of(a=[None]) != of(a=[""])
    assert of(a=["\\2"]) != of(a=["\x1e"])
    assert of(a=["xy", "z"]) != of(a=["x", "yz"])
    assert of(a=[1, 2]) == of(a=["1", "2"]) == of(a=[1.0, 2.0])
    rows = fingerprint(pa.table({"a": ["x"]}))
    name = "a" + (1).to_bytes(8, "little").decode() + "x"
    assert rows != fingerprint(
        pa.table({name: pa.array([], pa.string())})
    )  # a name that looks like a row


FRAME = {
    "age": [31, 33, None, 58, 31, 33, 52, 58],
    "city": ["Oslo", "Oslo", "Rome", "Rome", None, "Oslo", "Rome", "*"],
    "day": [dt.date(2020, 1, 1 + i) for i in range(8)],
    "when": [dt.datetime(2020, 1, 1, i) for i in range(8)],
    "share": [0.1 * i for i in range(8)],
    "ill": ["flu", "cold"] * 4,
}


@pytest.mark.parametrize("publish", ["snapped", "tight", "centre", "bounds"])
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table, pl.LazyFrame])
def test_a_frame_that_was_given_back_matches_the_certificate(kind, publish):
    quasi = ["age", "city", "day", "when", "share"]
    release = door.anonymize(
        kind(FRAME), quasi=quasi, sensitive="ill", k=2, publish=publish, seed=1
    )
    found = door.verify(release.table, release.certificate)
    assert found.holds, [item for item in found.items if item.status == "differs"]
    assert door.audit(release.table, quasi=quasi, sensitive="ill", require="k=2").k >= 2
    assert type(release.table) is type(kind(FRAME))
