"""Distorting, through the public door: what is kept, what is refused, and what certificates say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import shoal
from conftest import data_file
from shoal.adapters import files
from shoal.cli.spelling import TERMINAL
from shoal.distortions.distortion import Distortion
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from shoal.flows import distortion
from shoal.registry import names
from shoal.review.fingerprint import fingerprint

ROWS = 400


def people() -> pa.Table:
    rng = np.random.default_rng(20)
    height = rng.normal(170, 10, ROWS)
    age = rng.integers(18, 90, ROWS)
    pay = (1000 + 30 * age + height).round(2)
    pay[::7] = np.nan
    return pa.table(
        {
            "name": [f"p{i}" for i in range(ROWS)],
            "age": pa.array(age, pa.int16()),
            "height": pa.array(height, pa.float32()),
            "pay": pa.array(pay, from_pandas=True),
            "same": [5] * ROWS,
        }
    )


@pytest.mark.parametrize("method", names(Distortion))
def test_missing_values_constants_order_and_other_columns_stay(method: str):
    table = people()
    found = shoal.distort(table, method=method, as_published=True).table
    assert found.column_names == table.column_names and found["name"] == table["name"]
    assert found["pay"].is_null().to_pylist() == table["pay"].is_null().to_pylist()
    assert found["same"].to_pylist() == [5] * ROWS
    assert [str(kind) for kind in found.schema.types] == [
        "string",
        "double",
        "float",
        "double",
        "int64",
    ]
    for name in ("age", "height", "pay"):
        before, after = (np.array(t[name].drop_null().to_pylist(), float) for t in (table, found))
        assert (before != after).all() and np.corrcoef(before, after)[0, 1] > 0.8


def test_columns_that_were_not_named_stay_to_the_last_bit():
    table = people()
    found = shoal.distort(table, columns=["age"]).table
    assert (
        found.drop_columns(["age"]) == table.drop_columns(["age"]) and found["age"] != table["age"]
    )
    assert shoal.distort(table, columns="age").certificate.public.columns.perturbed == ["age"]


@pytest.mark.parametrize(
    "make",
    [pa.Table.to_pandas, pl.from_arrow, lambda table: table],
    ids=["pandas", "polars", "pyarrow"],
)
def test_frames_come_back_as_what_they_were(make):
    frame = make(people())
    found = shoal.distort(frame, columns=["age", "pay"], rounded=True).table
    assert type(found) is type(frame) and list(found["name"]) == list(frame["name"])
    kinds = [
        str(t.schema.types if isinstance(t, pa.Table) else list(t.dtypes)) for t in (frame, found)
    ]
    assert kinds[0] == kinds[1]


def test_nullable_pandas_columns_stay_nullable():
    pays = [round(1_000 * 1.13**step) for step in range(30)]
    frame = pd.DataFrame({"pay": pd.array([*pays, None], "Int64"), "x": range(31)})
    found = shoal.distort(frame, columns=["pay"], rounded=True).table
    assert (
        str(found["pay"].dtype) == "Int64"
        and found["pay"].isna().sum() == 1
        and found["x"].tolist() == list(range(31))
    )


def test_columns_of_one_value_stay_and_the_certificate_calls_them_chosen():
    done = shoal.distort(people(), columns=["age", "same"])
    assert done.certificate.public.columns.as_dict() == {
        "perturbed": ["age", "same"],
        "as they were": ["name", "height", "pay"],
    }
    still = shoal.distort(pa.table({"same": pa.array([7] * 20, pa.int8())}), columns=["same"])
    assert still.table["same"].to_pylist() == [7] * 20


@pytest.mark.parametrize("method", names(Distortion))
def test_noise_that_is_next_to_nothing_is_refused_with_more_noise_for_a_remedy(method: str):
    table = people().select(["height", "pay"])
    with pytest.raises(PrivacyNotMet, match="plain-reading") as refusal:
        shoal.distort(
            table,
            method="noise:scale=1e-9"
            if method == "microaggregated-noise"
            else f"{method}:scale=1e-9",
        )
    assert "less noise" not in refusal.value.said(TERMINAL)
    if method in ("noise", "robust-noise", distortion.DEFAULT):
        assert f'method="{method}(scale=0.1)"' in str(refusal.value)
        assert shoal.distort(table, method=f"{method}:scale=0.1").findings.holds
    done = shoal.distort(table, method="noise:scale=1e-9", as_published=True)
    assert distortion.AS_PUBLISHED in done.certificate.public.not_promised


def test_columns_of_few_values_are_refused_where_the_nearest_one_gives_them_back():
    rng = np.random.default_rng(1)
    table = pa.table({"pay": rng.normal(size=300), "ill": rng.integers(0, 2, 300)})
    with pytest.raises(PrivacyNotMet, match="nearest-code of 'ill'") as refusal:
        shoal.distort(table)
    assert "leave columns of few values out" in str(refusal.value)
    done = shoal.distort(table, as_published=True)
    assert done.certificate.private.read_off == ["ill"]
    assert shoal.distort(table, columns="pay").certificate.private.read_off == []
    assert any("by whoever rounds" in said for said in done.certificate.public.not_promised)
    with pytest.raises(PrivacyNotMet, match="leave columns of few values out"):
        shoal.distort(table, columns="ill")


def far_apart() -> dict[str, pa.Table]:
    """Tables with a column whose values lie further apart than noise moves them."""
    rng = np.random.default_rng(3)
    rows = 2_000
    heaps = rng.choice([0.0, 50.0, 100.0], rows)
    heaps[:20] = rng.uniform(0, 100, 20)
    steps = 1_203.5 + 137.5 * rng.integers(0, 22, rows)
    uneven = np.sort(rng.choice(np.arange(1500, 6000, 50), 22, replace=False))
    other = rng.normal(size=rows)
    return {
        "heaps": pa.table({"pay": heaps, "x": other}),
        "steps with an offset": pa.table({"pay": steps, "x": other}),
        "grades": pa.table({"pay": rng.choice(uneven, rows), "x": other}),
    }


@pytest.mark.parametrize("case", far_apart())
@pytest.mark.parametrize("method", names(Distortion))
def test_values_that_lie_far_apart_are_refused_whatever_their_number(case: str, method: str):
    table = far_apart()[case]
    with pytest.raises(PrivacyNotMet, match="nearest-code of 'pay'"):
        shoal.distort(table, method=method)


@pytest.mark.parametrize("method", ["noise", "robust-noise", "correlated-noise"])
def test_continuous_columns_and_fine_steps_are_no_codes(method: str):
    rng = np.random.default_rng(4)
    table = pa.table(
        {
            "height": rng.normal(170, 10, 2_000),
            "pay": (rng.normal(3_000, 500, 2_000) // 10 * 10).astype(int),
            "age": rng.integers(18, 90, 2_000),
        }
    )
    assert shoal.distort(table, method=method).findings.holds


def test_rounding_gives_the_precision_back():
    found = shoal.distort(people(), rounded=True, columns=["age", "pay"]).table
    assert found.schema.types[1] == pa.int16()
    pay = np.array(found["pay"].drop_null().to_pylist())
    assert (pay == pay.round(2)).all() and (pay != pay.round(1)).any()


def test_rounded_noise_that_leaves_a_small_type_gets_a_wider_one():
    table = pa.table({"tiny": pa.array([0, 255] * 30, pa.uint8())})
    found = shoal.distort(table, rounded=True, as_published=True).table
    assert found.schema.types == [pa.int64()] and min(found["tiny"].to_pylist()) < 0


def test_shuffled_rows_are_the_same_rows():
    table = people()
    found, plain = (
        shoal.distort(table, seed=4, shuffled=shuffled).table for shuffled in (True, False)
    )
    assert found["name"] != table["name"] and sorted(found["name"].to_pylist()) == sorted(
        table["name"].to_pylist()
    )
    assert found.sort_by("name") == plain.sort_by("name")


def test_chaos_is_refused_also_when_rows_are_shuffled_and_published_if_one_insists():
    census = parquet.read_table(data_file("census.parquet"))
    for asked in ({}, {"shuffled": True}, {"rounded": True}):
        with pytest.raises(PrivacyNotMet, match="take the protection off") as refusal:
            shoal.distort(census, method="chaotic", **asked)
        assert "as_published=True" in str(refusal.value) and "published: nothing" in str(
            refusal.value
        )
    mixed = shoal.distort(census, method="chaotic", as_published=True, shuffled=True).findings.all
    found = {finding.name: finding.advantage for finding in mixed}
    assert (
        found["known-record"] > 0.99 and found["blind-orbit"] < 0.01
    )  # the one searches, the other needs the order
    done = shoal.distort(census, method="chaotic", as_published=True)
    assert (
        not done.findings.holds and distortion.AS_PUBLISHED in done.certificate.public.not_promised
    )
    refused = {attack.name for attack in done.certificate.private.attacks if attack.refuses}
    assert refused >= {"known-record", "blind-orbit"}
    assert done.certificate.public.attacks == []


def test_noise_that_drowns_a_skewed_column_is_refused_with_a_scale_that_is_not():
    skewed = pa.table({"pay": np.exp(1.5 * np.random.default_rng(1).normal(size=4000))})
    with pytest.raises(PrivacyNotMet, match=r"scale=0\.025"):
        shoal.distort(skewed)
    assert shoal.distort(skewed, method="correlated-noise:scale=0.025").findings.holds


@pytest.mark.parametrize("table", ["census", "tarragona", "boston"])
def test_the_default_is_published(table: str):
    numbers = parquet.read_table(data_file(f"{table}.parquet"))
    # Codes and heaps come back by the nearest one, and are refused.
    codes = ["chas", "rad", "zn", "ptratio"] if table == "boston" else []
    numbers = numbers.drop_columns(codes)
    done = shoal.distort(numbers)
    assert done.findings.holds and len(done.findings.all) == 7
    assert set(done.effects) == {"ppd", "ild", "cid", "dunn-index", "values-nearly-kept"}
    assert (
        None not in done.effects.values()
        and distortion.AS_PUBLISHED not in done.certificate.public.not_promised
    )


def test_noise_comes_from_the_system_unless_a_seed_is_given_which_is_never_published(
    tmp_path: Path,
):
    one, two = (shoal.distort(people(), seed=987654321) for _ in range(2))
    assert one.table == two.table and shoal.distort(people()).table != shoal.distort(people()).table
    one.write(tmp_path / "out.csv")
    public = (tmp_path / "out.csv.certificate.json").read_text()
    assert "987654321" not in public and distortion.REPEATABLE in public
    assert json.loads((tmp_path / "out.csv.private.json").read_text())["seed"] == 987654321
    assert distortion.REPEATABLE not in shoal.distort(people()).certificate.public.not_promised


def test_no_value_stands_in_a_certificate(tmp_path: Path):
    marks = [730_157 + i * i % 89 for i in range(60)]
    table = pa.table({"pay": marks, "ill": [f"canary{i}" for i in range(60)]})
    shoal.distort(table, columns=["pay"], rounded=True).write(tmp_path / "out.parquet")
    for part in ("certificate", "private"):
        text = (tmp_path / f"out.parquet.{part}.json").read_text()
        assert not re.search(r"(?<![0-9a-f.])730[12]|canary", text)


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "csv.gz"])
def test_what_is_written_is_what_was_made(tmp_path: Path, ending: str):
    done = shoal.distort(people())
    done.write(tmp_path / f"out.{ending}")
    again = files.read(tmp_path / f"out.{ending}")
    assert fingerprint(again) == done.certificate.public.hash == fingerprint(done.published)
    assert again["pay"].to_pylist() == done.table["pay"].to_pylist()
    with pytest.raises(RecipeError, match="exists"):
        done.write(tmp_path / f"out.{ending}")


def test_a_file_that_does_not_hold_the_table_is_not_put_in_place(tmp_path: Path, monkeypatch):
    done = shoal.distort(people())
    monkeypatch.setattr(
        files, "write_parts", lambda parts, path, like, manner: path.write_text("name,age\na,1\n")
    )
    with pytest.raises(ShoalError, match="does not hold the table"):
        done.write(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("table", "asked", "error", "words"),
    [
        ({"a": ["x", "y"]}, {"columns": ["a"]}, DataError, "not numbers"),
        ({"a": ["x", "y"]}, {}, DataError, "no column holds numbers"),
        ({"a": [1.0, float("inf")]}, {"clusters": 1}, DataError, "infinite"),
        ({"a": [-1.7e308, 1.7e308]}, {"clusters": 1}, DataError, "too large to be perturbed"),
        ({"a": [1e308, 1.5e308]}, {"clusters": 1}, DataError, "too large to be perturbed"),
        ({"a": [0.0, 5e-324]}, {"clusters": 1}, DataError, "varies by less"),
        ({"a": pa.array([None, None], pa.int64())}, {"clusters": 1}, DataError, "no value at all"),
        ({"a": [[1], [2]]}, {}, DataError, "no single value"),
        ({"a": [1, 2]}, {}, DataError, "2 rows can't form 4 clusters"),
        ({"a": [1, 2]}, {"clusters": 0}, RecipeError, "too few"),
        ({"a": [1, 2]}, {"columns": ["b"]}, RecipeError, "no column 'b'"),
        ({"a": [1, 2]}, {"columns": []}, RecipeError, "at least one"),
        ({"a": [1, 2]}, {"columns": ["a", "a"]}, RecipeError, "each column once"),
        ({"a": [1, 2]}, {"method": "chaotic:r=3.5"}, RecipeError, "r of 'chaotic'"),
        ({"a": [1, 2]}, {"method": "chaotic:scale=0"}, RecipeError, "scale of 'chaotic'"),
        ({"a": [1, 2]}, {"method": "chaotik"}, RecipeError, "no distortion 'chaotik'"),
        ({"a": [1, 2]}, {"seed": -1}, RecipeError, "from 0 on"),
        ({"a": []}, {}, DataError, "no rows"),
    ],
)
def test_what_can_not_be_perturbed_is_refused(table, asked, error, words):
    with pytest.raises(error, match=words):
        shoal.distort(pa.table(table), **asked)


def test_a_method_can_be_given_as_an_object():
    chaotic = names(Distortion)["chaotic"](scale=0.2)
    done = shoal.distort(people(), method=chaotic, as_published=True)
    assert done.certificate.public.method == "chaotic(scale=0.2)" and "chaotic" in repr(done)


def test_rows_that_all_lack_something_have_no_clusters_but_are_perturbed():
    gaps = pa.table(
        {
            "a": [None if i % 2 else i for i in range(50)],
            "b": [i if i % 2 else None for i in range(50)],
        }
    )
    effects = shoal.distort(gaps, as_published=True).effects
    assert effects["ild"] is None and effects["dunn-index"] is None and effects["ppd"] > 0
