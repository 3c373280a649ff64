"""The public door: what it takes, what it gives back, and what it refuses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, PrivacyNotMet, RecipeError

AGES = [31, 33, 52, 58, 31, 34, 51, 59]
PEOPLE = pa.table(
    {
        "age": AGES,
        "city": ["Oslo", "Oslo", "Rome", "Rome"] * 2,
        "ill": ["flu", "cold"] * 4,
        "name": list("abcdefgh"),
    }
)


def test_names_of_the_door():
    for name in shoal.__all__:
        assert getattr(shoal, name) is not None
    assert shoal.methods.KMember().name == "k-member"
    assert shoal.LDiversity(l=2).name == "l-diversity"
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = shoal.Nonsense


def test_groups_follow_the_input_and_the_table_does_not():
    release = shoal.anonymize(PEOPLE, quasi=["age", "city"], sensitive="ill", k=4)
    assert release.groups.dtype == np.int32 and len(release.groups) == 8
    assert (
        len(set(release.groups[[0, 1, 4, 5]])) == 1 and len(set(release.groups[[2, 3, 6, 7]])) == 1
    )
    assert release.table["city"].to_pylist() == ["Oslo"] * 4 + ["Rome"] * 4
    assert (
        release.table["ill"].to_pylist() == ["cold", "cold", "flu", "flu"] * 2
    )  # sorted: order tells nothing
    kept = shoal.anonymize(PEOPLE, quasi=["age", "city"], sensitive="ill", k=4, keep_order=True)
    assert kept.table["city"].to_pylist() == PEOPLE["city"].to_pylist()
    assert kept.table["ill"].to_pylist() == PEOPLE["ill"].to_pylist()


def test_columns_without_a_role_are_dropped_with_a_notice():
    release = shoal.anonymize(PEOPLE, quasi="age", k=2)
    assert release.table.column_names == ["age"]
    assert any("city, ill, name" in notice for notice in release.notices)


def test_models_and_methods_by_name_and_as_objects():
    one = shoal.anonymize(
        PEOPLE,
        quasi="age",
        sensitive="ill",
        k=2,
        models=["l-diversity(l=2)"],
        seed=1,
        method="k-member",
    )
    two = shoal.anonymize(
        PEOPLE,
        quasi=["age"],
        sensitive=["ill"],
        k=2,
        models=[shoal.LDiversity(l=2)],
        seed=1,
        method=shoal.methods.KMember(),
    )
    three = shoal.anonymize(
        PEOPLE,
        quasi="age",
        sensitive="ill",
        k=2,
        models="l-diversity:l=2",
        seed=1,
        method="k-member",
    )
    assert (
        one.certificate.public.hash == two.certificate.public.hash == three.certificate.public.hash
    )
    assert one.certificate.public.models[1].measured >= 2


@pytest.mark.parametrize(
    "hierarchy",
    [
        shoal.Hierarchy.flat(),
        shoal.Hierarchy.masks(4),
        shoal.Hierarchy.masks(4, character="#", steps=[2]),
        shoal.Hierarchy.masks(4, character=","),
        shoal.Hierarchy.nested({"North": ["Oslo"], "Rome": None}),
        {"North": ["Oslo"], "South": ["Rome"]},
        "flat",
        None,
    ],
)
def test_hierarchies_of_every_kind(hierarchy, tmp_path):
    release = shoal.anonymize(PEOPLE, quasi="city", hierarchies={"city": hierarchy}, k=8)
    assert release.table["city"].to_pylist() == ["*"] * 8
    release.write(tmp_path / "out.csv", recipe=tmp_path / "r.toml")
    again = shoal.anonymize(PEOPLE, recipe=tmp_path / "r.toml")
    assert again.certificate.public.hash == release.certificate.public.hash
    assert shoal.verify(tmp_path / "out.csv", tmp_path / "out.csv.certificate.json").holds


@pytest.mark.parametrize(
    "hierarchy",
    [
        shoal.Hierarchy.intervals(10),
        shoal.Hierarchy.intervals(edges=[30, 40, 60]),
        shoal.Hierarchy.intervals(quantiles=2),
        shoal.Hierarchy.intervals(2.5, start=0.5, fanout=3),
    ],
)
def test_intervals(hierarchy):
    release = shoal.anonymize(PEOPLE, quasi="age", hierarchies={"age": hierarchy}, k=4)
    assert release.certificate.public.k >= 4
    assert shoal.verify(release.table, release.certificate).holds


def test_losses_by_name():
    release = shoal.anonymize(PEOPLE, quasi=["age", "city"], sensitive="ill", k=4)
    assert release.loss("total-information-loss") == pytest.approx(4 * 3 / 28 + 4 * 8 / 28)
    with pytest.raises(RecipeError, match="did you mean 'height-share'"):
        release.loss("heightshare")


def test_refusals_are_ours():
    with pytest.raises(PrivacyNotMet, match="8 rows can't form a group of 9"):
        shoal.anonymize(PEOPLE, quasi="age", k=9)
    with pytest.raises(RecipeError, match="is no table"):
        shoal.anonymize({"age": [1]}, quasi="age")
    with pytest.raises(DataError, match="there is no file"):
        shoal.anonymize("nobody.csv", quasi="age")
    with pytest.raises(RecipeError, match="has two roles"):
        shoal.anonymize(PEOPLE, quasi="age", sensitive="age")
    with pytest.raises(PrivacyNotMet, match="fewer than 3 rows"):
        shoal.audit(PEOPLE, quasi=["age", "city"], require="k=3")


def test_writing_is_atomic_and_asks_before_it_replaces(tmp_path):
    release = shoal.anonymize(PEOPLE, quasi="age", k=4)
    release.write(tmp_path / "out.csv")
    with pytest.raises(RecipeError, match="exists"):
        release.write(tmp_path / "out.csv")
    release.write(tmp_path / "out.csv", force=True)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"out.csv", "out.csv.certificate.json", "out.csv.private.json"}


def test_an_index_is_no_column():
    frame = PEOPLE.to_pandas().set_index("name")
    release = shoal.anonymize(frame, quasi=["age", "city"], sensitive="ill", k=4)
    assert isinstance(release.table, pd.DataFrame) and "name" not in release.table
    assert isinstance(release.table.index, pd.RangeIndex)


def test_unused_levels_do_not_travel():
    frame = PEOPLE.to_pandas()
    frame["city"] = pd.Categorical(frame["city"], ["Oslo", "Rome", "Paris"])
    release = shoal.anonymize(frame, quasi=["age", "city"], keep=["ill"], k=4)
    assert set(release.table["city"]) == {"Oslo", "Rome"}
    assert release.loss("leaf-share") == pytest.approx(4 * (3 + 8) / 28 / 16)


def test_nan_is_missing():
    frame = pd.DataFrame({"age": [1.0, float("nan"), 3.0, None]})
    assert shoal.anonymize(frame, quasi="age", k=2).certificate.public.rows == 4
    with pytest.raises(DataError) as refusal:
        shoal.anonymize(frame, quasi="age", k=2, missing="refuse")
    assert refusal.value.facts == {"missing in 'age'": 2}


@pytest.mark.parametrize(
    "names", ["age", ["age"], ("age",), np.array(["age"]), pd.Index(["age"]), {"age": 1}.keys()]
)
def test_names_in_any_list(names):
    assert shoal.anonymize(PEOPLE, quasi=names, k=np.int64(4)).table.column_names == ["age"]
    assert shoal.audit(PEOPLE, quasi=names).rows == 8


def test_progress_is_told_by_stage():
    stages: list[str] = []
    release = shoal.anonymize(
        PEOPLE, quasi="age", k=4, progress=lambda name: stages.append(name) or (lambda share: None)
    )
    assert stages == list(release.seconds)
    assert all(seconds >= 0 for seconds in release.seconds.values())


def test_the_same_seed_gives_the_same_release():
    rng = np.random.default_rng(0)
    table = pa.table({"age": rng.integers(0, 90, 300), "size": rng.normal(size=300)})
    first, second, other = (
        shoal.anonymize(table, quasi=["age", "size"], k=5, seed=seed).groups for seed in (1, 1, 2)
    )
    assert np.array_equal(first, second)
    assert len(other) == 300


def test_a_missing_sensitive_value_counts_towards_size_and_never_towards_diversity():
    table = pa.table(
        {"age": [1] * 4 + [90] * 4, "ill": ["flu", None, None, "cold", "flu", "flu", None, None]}
    )
    with pytest.raises(
        PrivacyNotMet, match="all rows together hold fewer than 3 different values of 'ill'"
    ):
        shoal.anonymize(table, quasi="age", sensitive="ill", k=4, models=["l-diversity(l=3)"])
    release = shoal.anonymize(table, quasi="age", sensitive="ill", k=4, models=["l-diversity(l=2)"])
    assert release.certificate.public.groups == 1


def test_nan_and_missing_are_published_alike_so_that_order_tells_nothing():
    values = [float("nan"), None, -0.0, 0.0] * 5
    people = pa.table({"age": [30] * 20, "dose": pa.array(values, pa.float64(), from_pandas=False)})
    one = shoal.anonymize(people, quasi=["age"], sensitive=["dose"], k=20, seed=1).table
    other = shoal.anonymize(
        people.take(list(range(19, -1, -1))), quasi=["age"], sensitive=["dose"], k=20, seed=1
    ).table
    assert one["dose"].to_pylist() == other["dose"].to_pylist() == [0.0] * 10 + [None] * 10
    assert str(one["dose"][0]) == "0.0"


def test_a_release_shows_itself_without_its_rows():
    people = pa.table({"age": [30] * 4})
    shown = repr(shoal.anonymize(people, quasi=["age"], k=2))
    assert shown.startswith("4 people released in 1 group of at least 4.") and "30" not in shown
