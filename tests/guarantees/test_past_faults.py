"""Faults that once got past the gate or the verifier, each planted again."""

from __future__ import annotations

import io
import stat
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import shoal
from shoal.declare.columns import text_of
from shoal.declare.hierarchies.ladder import Ladder
from shoal.encode.levels import levels_of
from shoal.engines.local.engine import LocalEngine
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.partition.threshold import Threshold
from shoal.review.partial_counts import Judged
from tables import Column, encoded

PEOPLE = pa.table({"age": [20, 21, 22, 40, 41, 42] * 4, "city": ["Oslo", "Rome", "Bergen"] * 8})
TREE = {"North": ["Oslo", "Bergen"], "South": ["Rome"]}


@pytest.mark.parametrize(
    "text", ["0.0000000001", "0.1", "100", "12345678901234567890", "-0.00000000000000000005"]
)
def test_decimals_are_spelled_in_full(text):
    values = pa.array(
        [Decimal(text)], pa.decimal128(38, 20) if "." in text else pa.decimal128(38, 0)
    )
    assert text_of(values).to_pylist() == [text]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([0.1] * 6 + [0.7] * 6, pa.float32()),
        pa.array([Decimal("0.35")] * 6 + [Decimal("1.00")] * 6),
    ],
)
@pytest.mark.parametrize("publish", ["bounds", "centre"])
def test_single_numbers_are_published_as_people_read_them(values, publish):
    table = shoal.anonymize(pa.table({"dose": values}), quasi=["dose"], k=6, publish=publish).table
    wanted = {0.1, 0.7} if pa.types.is_float32(values.type) else {0.35, 1.0}
    for column in table.columns:
        assert set(column.to_pylist()) == wanted


def test_a_withheld_row_does_not_set_the_grid():
    incomes = [20 + i % 40 for i in range(99)]
    method = Threshold(0.0001, "withhold")
    released = [
        shoal.anonymize(
            pa.table({"income": [*incomes, odd]}),
            quasi=["income"],
            k=5,
            seed=1,
            withhold=0.5,
            method=method,
        )
        for odd in (1_000_000, 2_000_000)
    ]
    assert all(release.groups[-1] == -1 for release in released)
    assert not any(
        "000" in (cell or "")
        for release in released
        for cell in release.table["income"].to_pylist()
    )


@pytest.mark.parametrize(
    ("where", "false"),
    [
        (("withheld at most",), -0.5),
        (("withheld at most",), 0.7),
        (("attacks",), []),
        (("attacks",), ["row-order"]),
        (("losses",), {}),
        (("risks",), {}),
        (("not promised",), ["All is well."]),
        (("recipe", "hierarchies", "city"), {"x": ["y"]}),
        (("recipe", "hierarchies", "city"), "ladder:widths=1" + "-1" * 300),  # no name of a file
        (("recipe", "hierarchies", "city"), "a\0b"),
        (("rows",), 10**400),
        (("k",), 10**400),
    ],
)
def test_a_forged_certificate_is_seen(where, false):
    release = shoal.anonymize(PEOPLE, quasi=["city"], k=8, hierarchies={"city": TREE}, seed=1)
    assert (
        "North" in release.table["city"].to_pylist() or "Oslo" in release.table["city"].to_pylist()
    )
    forged = release.certificate.public.as_dict()
    assert shoal.verify(release.table, forged).holds
    place = forged
    for key in where[:-1]:
        place = place[key]
    place[where[-1]] = false
    with pytest.raises((PrivacyNotMet, DataError)):
        shoal.verify(release.table, forged).require()


def test_the_private_certificate_is_for_its_owner_alone(tmp_path):
    shoal.anonymize(PEOPLE, quasi=["age"], k=4).write(tmp_path / "out.csv")
    assert stat.S_IMODE((tmp_path / "out.csv.private.json").stat().st_mode) == 0o600


def test_the_public_recipe_names_files_without_their_folder(tmp_path):
    (tmp_path / "city.csv").write_text("Oslo;North;*\nBergen;North;*\nRome;South;*\n")
    given = {"city": {"kind": "file", "path": str(tmp_path / "city.csv")}}
    public = shoal.anonymize(PEOPLE, quasi=["city"], k=8, hierarchies=given).certificate.public
    assert public.recipe["hierarchies"] == {"city": "city.csv"}


BANDS = pa.table({"age": ["10-19", "20-29", "30-39", "80+"] * 6, "city": ["Oslo"] * 24})


@pytest.mark.parametrize("method", ["full-domain", "banded"])
def test_bands_are_not_published_as_the_number_at_their_begin(method):
    release = shoal.anonymize(BANDS, quasi=["age", "city"], k=5, method=method, seed=1)
    assert set(release.table["age"].to_pylist()) == {"10-19", "20-29", "30-39", "80+"}
    assert shoal.verify(release.table, release.certificate, original=BANDS).holds
    lost = shoal.anonymize(BANDS, quasi=["age", "city"], k=7, method=method, seed=1)
    assert set(lost.table["age"].to_pylist()) == {"*"}
    assert "age" not in lost.certificate.public.recipe.get("hierarchies", {})


@pytest.mark.parametrize("steps", ["intervals:width=20", "ladder:widths=10-20", "ladder"])
def test_no_steps_of_numbers_lie_over_bands(steps):
    with pytest.raises(RecipeError, match="no steps can be laid over them"):
        shoal.anonymize(BANDS, quasi=["age", "city"], k=5, hierarchies={"age": steps})


@pytest.mark.parametrize("people", [10**30, 1e-300])
def test_more_people_than_ever_lived_are_refused(people):
    with pytest.raises(RecipeError, match="population can't be"):
        shoal.anonymize(PEOPLE, quasi=["age", "city"], k=2, population=people)


@pytest.mark.parametrize("beside", ["[0, 0.5]", "0.0028"])
def test_a_band_that_whole_numbers_could_have_too_keeps_its_rung(beside):
    ladder = Ladder("0.5-1-2", start=1.0)
    shown = ladder.shown(["[-1, 0]", "[-3, -1]", beside])  # [-1, 0] would be a 2 in whole numbers
    assert "1-2,start=1" in shown.spec


DOSES = """zip,dose,job,tree
952290,1.2571,elm,bay 108063,0.0028,ash,ash 731900,0.0028,elm,box 2094,-0.0411,oak,yew
906123,1.2571,ash,fir 632315,-2.3897,elm,oak 906123,-0.8468,elm,elm 250112,0.3963,elm,yew
503383,0.0028,oak,elm 695589,-0.8632,elm,oak 830780,0.0028,oak,ash 48809,0.1603,oak,ash
949947,0.1676,oak,oak 2094,0.0028,oak,fir 632315,0.0028,ash,oak 906123,0.9088,ash,oak
960639,0.2361,elm,fir 2094,-0.8468,oak,oak 706191,-1.9235,elm,elm 960639,0.9088,elm,oak
"""


def test_bands_of_numbers_that_are_not_whole_are_verified():
    people = csv.read_csv(io.BytesIO("\n".join(DOSES.split()).encode()))
    asked = {"quasi": people.column_names, "k": 2, "method": "banded", "effort": "low"}
    release = shoal.anonymize(people, **asked, seed=897973)
    assert "[-1, 0]" in release.table["dose"].to_pylist()  # a band of 1, as whole ones have of 2
    assert shoal.verify(release.table, release.certificate, original=people).holds


@pytest.mark.parametrize("method", ["mdav", "v-mdav"])
@pytest.mark.parametrize("doses", [range(0, 5000, 50), [7] * 50 + [8] * 50])
def test_a_shard_may_have_missing_values_alone_or_one_value(method, doses):
    people = pa.table({"dose": pa.array([None] * 100 + list(doses), pa.int64())})
    engine = LocalEngine(shards=2)
    release = shoal.anonymize(people, quasi=["dose"], k=4, method=method, engine=engine, seed=1)
    assert release.table["dose"].null_count == 100
    assert shoal.verify(release.table, release.certificate, original=people).holds


def test_a_band_that_reaches_the_top_has_a_rung():
    ladder = Ladder("10-100-200-400", top="999")
    closed = ["[810, 820]", "[800, 900]"]
    assert ladder.shown([*closed, "815.5"], ["[900, 999+]"]).spec == "ladder:widths=10-100"
    assert ladder.shown([*closed, "815.5"], ["[800, 999+]"]).spec == "ladder:widths=10-100-200"


def test_a_part_without_groups_has_no_figures():
    spoken = ((shoal.KAnonymity(k=2), None),)
    none = np.zeros(0, np.bool_)
    empty = Judged(np.zeros(0, np.int64), spoken, (none,), (0,), {})
    full = Judged(np.array([3, 4]), spoken, (np.zeros(2, np.bool_),), (3,), {})
    assert Judged.together([full, empty]).measured == (3,)
    assert Judged.together([empty, empty]).measured == (0,)


def test_kept_numbers_further_apart_than_any_number_is_large_are_refused():
    people = pa.table(
        {"age": [30, 40] * 10, "x": [(-1) ** i * (1.7e308 - i * 1e300) for i in range(20)]}
    )
    with pytest.raises(PrivacyNotMet):
        shoal.anonymize(people, quasi=["age"], keep=["x"], k=2)


def test_top_down_with_classes_passes_over_nodes_without_rows():
    rng = np.random.default_rng(7)
    trees = {kind: [f"{kind}{number}" for number in range(3)] for kind in ("ash", "elm", "oak")}
    leaves = [leaf for tree in trees.values() for leaf in tree]
    for seed in range(30):
        jobs = rng.choice(leaves, 90, p=[0.3, 0.1, 0.1, 0.2, 0.1, 0.1, 0.04, 0.03, 0.03])
        people = pa.table({"job": jobs, "ill": rng.integers(0, 3, 90)})
        release = shoal.anonymize(
            people,
            quasi=["job"],
            sensitive=["ill"],
            hierarchies={"job": trees},
            k=2,
            method="top-down",
            seed=seed,
            engine=LocalEngine(shards=3),
        )
        assert min(np.bincount(release.groups)) >= 2


def test_the_last_level_joins_missing_values_where_rows_represent_persons():
    # All rows of the persons have two values, as many as there are persons: once none was missing,
    # no box held all rows, and a kernel wrote outside of its arrays.
    rows = encoded([Column([1.0, 2.0, None, None])])
    persons = rows.some(np.array([0, 3]))
    assert len(set(levels_of(persons)[0].parts[-1].tolist())) == 1
