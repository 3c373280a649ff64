"""`listed`: listed values, and what becomes of others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError, RecipeError

CITIES = ["Oslo"] * 4 + ["Rome"] * 4 + ["Lima"] * 2 + ["Bonn"] * 2


def published(new: str, k: int = 2, cities=CITIES):
    tree = {"kind": "listed", "values": ["Oslo", "Rome", "Kyiv"], "new": new}
    return shoal.anonymize(
        pa.table({"city": cities}), quasi=["city"], k=k, method="banded", hierarchies={"city": tree}
    )


def test_listed_values_are_leaves_under_the_root():
    fitted = Hierarchy.listed("a", "b", "c").fit(pa.array(["a", "c"]), "category", "x")
    assert fitted.tree.leaves == ("a", "b", "c")
    assert [fitted.tree.leaves[leaf] for leaf in fitted.leaf] == ["a", "c"]


def test_new_values_are_refused_with_counts_and_without_values():
    with pytest.raises(DataError) as refusal:
        published("refuse")
    assert refusal.value.facts["values concerned"] == 2
    assert refusal.value.facts["rows concerned"] == 4
    assert "Lima" not in str(refusal.value)


def test_new_values_become_one_value():
    with pytest.warns(shoal.ShoalWarning, match="2 values of 'city' are new .* in 4 rows"):
        release = published("other")
    cells = release.table["city"].to_pylist()
    assert sorted(cells) == ["Oslo"] * 4 + ["Rome"] * 4 + ["other"] * 4


def test_new_values_become_everything():
    with pytest.warns(shoal.ShoalWarning, match="published as [*]"):
        release = published("*")
    cells = release.table["city"].to_pylist()
    assert sorted(cells) == ["*"] * 4 + ["Oslo"] * 4 + ["Rome"] * 4
    assert release.loss("published-height-share") == pytest.approx(4 / 12)


def test_new_values_join_a_listed_other():
    tree = Hierarchy.listed("other", "Oslo", new="other")
    fitted = tree.fit(pa.array(["Lima", "Oslo", "other"]), "category", "city", np.ones(3, np.int64))
    assert [fitted.tree.leaves[leaf] for leaf in fitted.leaf] == ["other", "Oslo", "other"]


def test_a_listed_value_called_everything_is_not_hidden():
    tree = Hierarchy.listed("*", "(new)", new="*")
    with pytest.warns(shoal.ShoalWarning):
        release = shoal.anonymize(
            pa.table({"x": ["*", "*", "(new)", "(new)", "z", "z"]}),
            quasi=["x"],
            k=2,
            method="banded",
            hierarchies={"x": tree},
        )
    assert sorted(release.table["x"].to_pylist()) == ['"*"', '"*"', "(new)", "(new)", "*", "*"]


def test_a_certificate_lists_none_of_the_values(tmp_path):
    with pytest.warns(shoal.ShoalWarning):
        release = published("other")
    assert release.certificate.public.recipe["hierarchies"] == {"city": "listed"}
    release.write(tmp_path / "out.csv")
    text = (tmp_path / "out.csv.certificate.json").read_text()
    assert "Kyiv" not in text
    assert shoal.verify(tmp_path / "out.csv", tmp_path / "out.csv.certificate.json").holds


def test_values_are_listed_once():
    with pytest.raises(RecipeError, match="once each"):
        Hierarchy.listed("a", "a")
