"""Prices of `*`: no column is sacrificed, `*` alone gets dearer, and nothing depends on chance."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import data_file
from shoal.encode.prices import PLAIN, priced, told_nothing
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, encode
from shoal.kernels.costs import between, boxes
from shoal.partition import beginnings
from shoal.partition.pricing import LEAST_K, noted, prices_of, sampled
from tables import Sample, any_sample

ADULT = [
    *("age", "workclass", "education", "marital-status"),
    *("occupation", "race", "sex", "native-country"),
]


def crowded(rows: int = 4_000) -> pa.Table:
    """A column of many values that the search would give away to keep the others exact."""
    rng = np.random.default_rng(3)
    columns = {f"c{i}": words(rng.geometric(0.5, rows).clip(max=3)) for i in range(4)}
    columns["job"] = words(rng.geometric(0.12, rows).clip(max=25))
    columns["age"] = rng.integers(20, 80, rows)
    return pa.table(columns)


def words(numbers: np.ndarray) -> list[str]:
    return [f"w{number}" for number in numbers]


def rows_of(table: pa.Table, loss: str = "span") -> Rows:
    quasi = [profile(table[name].combine_chunks(), name) for name in table.column_names]
    return encode(quasi, {}, loss=loss)


def lost(release: shoal.Release, name: str) -> float:
    share = release.columns[name].lost
    assert share is not None
    return share


def test_no_column_of_adult_is_sacrificed() -> None:
    table = parquet.read_table(data_file("adult.parquet")).select(ADULT)
    asked = {"quasi": ADULT, "k": 25, "seed": 1}
    as_asked = shoal.anonymize(table, **asked, importance=dict.fromkeys(ADULT, 1.0))
    release = shoal.anonymize(table, **asked)
    assert max(lost(as_asked, name) for name in ADULT) > 0.35
    assert max(lost(release, name) for name in ADULT) <= 0.3
    assert release.loss("span-share") <= 1.02 * as_asked.loss("span-share")


def test_prices_save_rows_and_stand_in_the_private_certificate_alone() -> None:
    table = crowded()
    quasi = table.column_names
    asked = {"quasi": quasi, "k": 5, "seed": 1, "effort": "low"}
    as_asked = shoal.anonymize(table, **asked, importance=dict.fromkeys(quasi, 1.0))
    release = shoal.anonymize(table, **asked)
    assert lost(release, "job") < lost(as_asked, "job") - 0.01
    assert release.loss("span-share") <= 1.02 * as_asked.loss("span-share")
    notes = release.certificate.private.notes
    assert any(note.startswith("* was weighed") and "'job'" in note for note in notes)
    assert "weighed" not in str(release.certificate.public.as_dict())


def test_importance_stands_and_other_losses_stay_as_they_are() -> None:
    table = crowded()
    for asked in ({"importance": {"age": 2.0}}, {"loss": "height"}):
        release = shoal.anonymize(table, quasi=table.column_names, k=5, seed=1, **asked)
        assert not any("was weighed" in note for note in release.certificate.private.notes)
    assert (prices_of(rows_of(table, "height"), 5) == PLAIN).all()


def test_the_order_of_rows_does_not_matter() -> None:
    rows = rows_of(crowded())
    mixed = rows.some(np.random.default_rng(5).permutation(rows.count))
    prices = prices_of(rows, 5)
    assert (prices > PLAIN).any()
    assert prices.tolist() == prices_of(mixed, 5).tolist()


def test_a_table_of_few_groups_has_no_prices() -> None:
    rows = rows_of(crowded(60))
    assert (prices_of(rows, 10) == PLAIN).all()
    assert noted(rows, prices_of(rows, 10)) == ()


@pytest.mark.parametrize(("count", "k", "every"), [(4_000, 25, 1), (40_000, 25, 5), (40_000, 5, 1)])
def test_a_sample_keeps_groups_as_wide_as_they_are(count: int, k: int, every: int) -> None:
    sample, least = sampled(rows_of(crowded(count)), k)
    assert sample.count == -(-count // every)
    assert least == -(-k // every) >= LEAST_K


@settings(max_examples=60)
@given(any_sample(), st.integers(101, 400))
def test_a_price_is_paid_for_everything_and_for_nothing_else(sample: Sample, price: int) -> None:
    rows = sample.rows
    dear = priced(rows, np.full(len(rows.axes), price, np.int64))
    for place, axis in enumerate(rows.axes):
        for lo in range(axis.size + 1):
            for hi in range(lo, axis.size + 1):
                before = between(rows.costs, place, lo, hi)
                after = between(dear.costs, place, lo, hi)
                ends = np.array([lo], np.int32), np.array([hi], np.int32)
                is_lost = bool(told_nothing(axis, *ends)[0])
                assert after == (before * price // PLAIN if is_lost else before)


def test_lost_boxes_are_the_cells_published_as_stars() -> None:
    table = crowded(600)
    release = shoal.anonymize(table, quasi=table.column_names, k=10, seed=1, keep_order=True)
    rows = rows_of(table)
    labels = np.asarray(release.groups)
    lo, hi = boxes(rows.codes, labels, int(labels.max()) + 1)
    for place, axis in enumerate(rows.axes):
        stars = np.array([cell == "*" for cell in release.table[axis.name].to_pylist()])
        assert (told_nothing(axis, lo[place], hi[place])[labels] == stars).all()


@pytest.mark.parametrize(("rows", "k"), [(2_000, 5), (15_000, 10)])
def test_rows_are_peeled_once_where_no_column_is_lost(monkeypatch, rows: int, k: int) -> None:
    times = list[int]()
    honest = beginnings.walk
    monkeypatch.setattr(
        beginnings, "walk", lambda *asked, **told: times.append(1) or honest(*asked, **told)
    )
    rng = np.random.default_rng(5)
    table = pa.table({"age": rng.integers(20, 80, rows), "sex": words(rng.integers(0, 2, rows))})
    release = shoal.anonymize(table, quasi=["age", "sex"], k=k, effort="low")
    assert len(times) == 1
    plain = shoal.anonymize(
        table, quasi=["age", "sex"], k=k, effort="low", importance={"age": 1.0, "sex": 1.0}
    )
    assert release.table.equals(plain.table)


def test_a_method_that_peels_gets_the_prices_that_any_method_gets() -> None:
    rows = rows_of(crowded())
    priced_by_all = prices_of(rows, 5, "low", peels=True)
    assert (priced_by_all != PLAIN).any()
    assert priced_by_all.tolist() == prices_of(rows, 5, "low").tolist()


def test_rows_with_other_costs_are_peeled_anew() -> None:
    rows = rows_of(crowded(1_000))
    plain = np.full(len(rows.axes), PLAIN, np.int64)
    assert priced(rows, plain) is rows
    dear = priced(rows, plain + 300)
    assert rows.remembered("peeled", lambda: 1) == rows.remembered("peeled", lambda: 2) == 1
    assert dear.remembered("peeled", lambda: 3) == 3
    assert rows.some(np.arange(10)).remembered("peeled", lambda: 4) == 4
